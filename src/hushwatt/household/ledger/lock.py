"""One agent per home: a second one on the same ledger, or on a copy of it, is refused.

The lock on the file goes with the process, however that ends.  A copy of the ledger
carries the same home's name, and the name can be taken only once on a machine.
"""

import fcntl
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hushwatt.errors import StateError


@contextmanager
def agent_lock(ledger: Path, home: str) -> Iterator[None]:
    """Hold the ledger for as long as the block runs."""
    with _file_lock(ledger), _machine_lock(home):
        yield


def is_locked(ledger: Path) -> bool:
    """Whether an agent runs on a ledger."""
    try:
        descriptor = os.open(_lock_path(ledger), os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def _lock_path(ledger: Path) -> Path:
    return ledger.with_name(ledger.name + ".lock")


@contextmanager
def _file_lock(ledger: Path) -> Iterator[None]:
    descriptor = os.open(_lock_path(ledger), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StateError(f"{ledger}: another agent is running on this ledger; stop it first") from None
        yield
    finally:
        os.close(descriptor)


@contextmanager
def _machine_lock(home: str) -> Iterator[None]:
    """Take the home's name on this machine, where the system has such names."""
    if sys.platform != "linux":
        yield
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as holder:
        try:
            holder.bind(f"\0hushwatt-home-{home}")
        except OSError:
            raise StateError("another agent is running on a copy of this ledger; stop it first") from None
        yield
