"""A high-water mark beside the ledger, in memory that no backup of a disk brings back.

It names the newest state of the ledger, and goes when the machine is switched off.
A ledger that agrees with it is no old copy: nothing was spent that it does not know of.
Without a mark, as in a new container, time that passed unseen counts as if something was.
"""

import os
from contextlib import suppress
from pathlib import Path
from typing import Protocol

SHARED_MEMORY = Path("/dev/shm")


class HighWaterMark(Protocol):
    def read(self) -> str | None: ...

    def write(self, state: str) -> None: ...


class ProcessMark:
    """A mark for as long as the process, or nothing reads it."""

    def __init__(self) -> None:
        self.state: str | None = None

    def read(self) -> str | None:
        return self.state

    def write(self, state: str) -> None:
        self.state = state


class SharedMemoryMark:
    """A mark in the machine's shared memory, for this user alone.

    >>> import tempfile
    >>> mark = SharedMemoryMark("f00d", Path(tempfile.mkdtemp()))
    >>> mark.write("as of now"), mark.read()
    (None, 'as of now')
    """

    def __init__(self, home: str, memory: Path | None = None) -> None:
        self.path = (memory or SHARED_MEMORY) / f"hushwatt-{home}"

    def read(self) -> str | None:
        try:
            with os.fdopen(os.open(self.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)) as file:
                mine = os.fstat(file.fileno()).st_uid == os.geteuid()
                return file.read(1_000) if mine else None
        except (OSError, ValueError):
            return None

    def write(self, state: str) -> None:
        """What cannot be written is gone, so that an older state is never taken for the newest."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            with os.fdopen(os.open(self.path, flags, 0o600), "w") as file:
                file.write(state)
        except OSError:
            with suppress(OSError):
                self.path.unlink()
