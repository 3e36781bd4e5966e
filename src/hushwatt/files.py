"""Write a file whole or not at all: the one door through which results reach the disk.

Readers never see half a file, and a file that is there has survived power loss.
"""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hushwatt.errors import UsageError


@contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a temporary sibling of `path` that takes its place once the block ends well.

    It and its folder are synced to disk.  When the block raises, the temporary
    is removed and `path` stays as it was.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     with atomic_write(f"{folder}/plan.toml") as temporary:
    ...         _ = temporary.write_text("epsilon = 1")
    ...     Path(f"{folder}/plan.toml").read_text()
    'epsilon = 1'
    """
    destination = _destination(Path(path))
    # Hidden, so that readers of the folder pass it by; its ending is kept, as some writers go by that.
    temporary = destination.with_name(f".{secrets.token_hex(4)}-{destination.name[-50:]}")
    try:
        yield temporary
        _sync(temporary)
        temporary.replace(destination)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync(destination.parent)


def _destination(path: Path) -> Path:
    """Where the bytes go in the end: a link is followed, not replaced."""
    if path.is_dir():
        raise UsageError(f"cannot write {path}: it is a folder")
    destination = path.resolve()
    if not destination.parent.is_dir():
        raise UsageError(f"cannot write {path}: there is no folder {path.parent}")
    if destination.exists() and not destination.is_file():
        raise UsageError(f"cannot write {path}: it is not a regular file")
    return destination


def _sync(path: Path) -> None:
    """Wait until the disk has it."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
