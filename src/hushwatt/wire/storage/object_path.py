"""The address of a file or folder in a store of objects, with the words of a `Path`.

Only what readers and writers of tables ask of a path is here.  It is a plain value: it can be sent to another
process, and holds no key.
"""

import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePath, PurePosixPath
from typing import Any

from hushwatt.errors import StorageError
from hushwatt.wire.storage.filesystems import FILE, FOLDER, filesystem
from hushwatt.wire.storage.object_file import ObjectFile
from hushwatt.wire.storage.problems import NO_BUCKET, told_plainly


@dataclass(frozen=True)
class ObjectStat:
    """What a store says about an object, by the names of `os.stat`."""

    st_size: int
    st_mtime_ns: int
    st_ino: int = 0


@dataclass(frozen=True, repr=False)
class ObjectPath:
    """An address, `s3://bucket/key`, and what `?` set of its store."""

    scheme: str
    store: str  # the bucket; for hdfs the host and port
    key: str  # with no / at either end
    settings: tuple[tuple[str, str], ...] = ()
    known: ObjectStat | None = field(default=None, compare=False)  # what a listing said

    def __str__(self) -> str:
        return f"{self.scheme}://{self.store}/{self.key}"

    def __repr__(self) -> str:
        return f"ObjectPath({str(self)!r})"

    def __truediv__(self, name: "str | PurePath") -> "ObjectPath":
        key = f"{self.key}/{name}" if self.key else str(name)
        return ObjectPath(self.scheme, self.store, key, self.settings)

    @property
    def name(self) -> str:
        return PurePosixPath(self.key).name

    @property
    def suffix(self) -> str:
        return PurePosixPath(self.key).suffix

    @property
    def parent(self) -> "ObjectPath":
        return ObjectPath(self.scheme, self.store, self.key.rpartition("/")[0], self.settings)

    @property
    def root(self) -> "ObjectPath":
        """The bucket."""
        return ObjectPath(self.scheme, self.store, "", self.settings)

    @property
    def uri(self) -> str:
        """The address with its settings, as it can be typed."""
        return str(self) + ("?" if self.settings else "") + "&".join(f"{name}={value}" for name, value in self.settings)

    @property
    def inner(self) -> str:
        """How pyarrow's file system calls it."""
        return f"/{self.key}" if self.scheme == "hdfs" else f"{self.store.rpartition('@')[2]}/{self.key}".rstrip("/")

    @property
    def filesystem(self) -> Any:
        """pyarrow's file system for it."""
        with told_plainly(self):
            return filesystem(self.scheme, self.store, self.settings)

    def is_file(self) -> bool:
        return self.known is not None or bool(self._info().type == FILE())

    def is_dir(self) -> bool:
        return self.known is None and bool(self._info().type == FOLDER())

    def exists(self) -> bool:
        return self.is_file() or self.is_dir()

    def stat(self) -> ObjectStat:
        """Its size and when it was written, asked anew; FileNotFoundError when it is not there."""
        info = self._info()
        if info.type != FILE():
            raise FileNotFoundError(2, "there is no such object", str(self))
        return ObjectStat(info.size, info.mtime_ns or 0)

    def open(self, mode: str = "r", **text: Any) -> Any:
        """Open it for reading, bytes or text."""
        with told_plainly(self):
            raw = ObjectFile(self.filesystem.open_input_file(self.inner), self)
        return raw if "b" in mode else io.TextIOWrapper(io.BufferedReader(raw), **text)

    def rglob(self, pattern: str) -> "Iterator[ObjectPath]":
        """Every file below it, for the one pattern `*`."""
        from pyarrow.fs import FileSelector

        assert pattern == "*", "a store lists everything"
        with told_plainly(self):
            listed = self.filesystem.get_file_info(FileSelector(self.inner, allow_not_found=True, recursive=True))
        start = len(self.root.inner.rstrip("/")) + 1
        for info in listed:
            if info.type == FILE():
                known = ObjectStat(info.size, info.mtime_ns or 0)
                yield ObjectPath(self.scheme, self.store, info.path[start:], self.settings, known)

    def relative_to(self, folder: "ObjectPath") -> PurePosixPath:
        """What its key has beyond a folder's."""
        return PurePosixPath(self.key).relative_to(folder.key)

    def unlink(self) -> None:
        """Remove the object."""
        with told_plainly(self):
            self.filesystem.delete_file(self.inner)

    def check_store(self) -> None:
        """Refuse an address whose bucket is not there."""
        if self.root._info().type != FOLDER():
            raise StorageError(f"{self}: {NO_BUCKET}")

    def _info(self) -> Any:
        with told_plainly(self):
            return self.filesystem.get_file_info(self.inner)
