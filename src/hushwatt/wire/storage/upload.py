"""Write a file whole or not at all, wherever it goes.

What goes to a store is first complete on this machine, where `TMPDIR` points, and then sent: whoever reads the
store sees the object before or the object after, never half of one.  When a part cannot be sent, or this process
ends, the upload is never completed.
"""

import ctypes
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from os import PathLike
from pathlib import Path
from typing import Any

from hushwatt.errors import StorageError, UsageError
from hushwatt.files import atomic_write
from hushwatt.wire.storage.location import location
from hushwatt.wire.storage.object_path import ObjectPath
from hushwatt.wire.storage.problems import told_plainly

PART_BYTES = 1 << 24  # sent at a time


def atomic_write_to(where: str | PathLike[str] | ObjectPath) -> AbstractContextManager[Path]:
    """Give a temporary file that takes the place of `where` once the block ends well."""
    destination = location(where)
    return _staged(destination) if isinstance(destination, ObjectPath) else atomic_write(destination)


@contextmanager
def _staged(destination: ObjectPath) -> Iterator[Path]:
    check_destination(destination)
    with tempfile.TemporaryDirectory(prefix="hushwatt-") as folder:
        staged = Path(folder, f"staged{destination.suffix}")
        yield staged
        upload(staged, destination)


def check_destination(destination: ObjectPath) -> None:
    """Refuse, before any work, an address that nothing can be written to."""
    if not destination.key:
        raise UsageError(f"cannot write {destination}: it is a bucket, not a name in it")
    destination.check_store()


def upload(file: Path, destination: ObjectPath) -> None:
    """Put a complete file into a store, in place of what is there under that name."""
    if destination.scheme == "hdfs":  # shows what is being written, but renames at once
        temporary = destination.parent / f".{secrets.token_hex(4)}-{destination.name[-50:]}"
        try:
            _send(file, temporary)
            _rename(temporary, destination)
        except BaseException:
            with suppress(Exception):
                temporary.unlink()
            raise
    else:
        _send(file, destination)


def _send(file: Path, destination: ObjectPath) -> None:
    """Send it part by part; only the last call completes it.

    (pyarrow's `copy_files` would be shorter, and hides that a part failed.)
    """
    with file.open("rb") as source, told_plainly(destination):
        stream = destination.filesystem.open_output_stream(destination.inner)
        try:
            while part := source.read(PART_BYTES):
                stream.write(part)
            stream.close()
        except BaseException:
            _abandon(stream)
            raise
    size = destination.stat().st_size
    if size != file.stat().st_size:
        raise StorageError(f"{destination}: the store keeps {size:,} of {file.stat().st_size:,} bytes")


def _abandon(stream: Any) -> None:
    """Never let go of a stream that failed: its destructor would complete the object with what it has."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(stream))


def _rename(temporary: ObjectPath, destination: ObjectPath) -> None:
    with told_plainly(destination):
        if destination.is_file():
            destination.unlink()
        destination.filesystem.move(temporary.inner, destination.inner)
