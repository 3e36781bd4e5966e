"""Write a file whole or not at all, wherever it goes.

What goes to a store is first complete on this machine, where `TMPDIR` points, and then sent by one call: whoever
reads the store sees the object before or the object after, never half of one.  When a part cannot be sent, or this
process ends, the upload is never completed.
"""

import secrets
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from os import PathLike
from pathlib import Path

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
    """One call of pyarrow's, which no signal and no error of ours can stop halfway."""
    from pyarrow.fs import LocalFileSystem, copy_files

    with told_plainly(destination):
        copy_files(
            str(file),
            destination.inner,
            source_filesystem=LocalFileSystem(),
            destination_filesystem=destination.filesystem,
            chunk_size=PART_BYTES,
            use_threads=False,
        )
    size = destination.stat().st_size
    if size != file.stat().st_size:
        raise StorageError(f"{destination}: the store keeps {size:,} of {file.stat().st_size:,} bytes")


def _rename(temporary: ObjectPath, destination: ObjectPath) -> None:
    with told_plainly(destination):
        if destination.is_file():
            destination.unlink()
        destination.filesystem.move(temporary.inner, destination.inner)
