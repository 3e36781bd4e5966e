"""A disk between SQLite and the real one, which knows what would survive a power loss.

SQLite goes on working on real files.  Beside them the disk keeps, for each file, what was
synced, and every write and truncation since.  When the power goes, the synced part is there;
of what came after, any part may be, in any order: whole writes, some sectors of one, or none.
What a failed sync should have saved is gone for good, though programs still read it.
Names of new and deleted files are safe once their folder was synced, which SQLite does with
the first sync of a journal.
"""

import copy
import random
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

import apsw

SECTOR = 512
JOURNALS = apsw.SQLITE_OPEN_WAL | apsw.SQLITE_OPEN_MAIN_JOURNAL | apsw.SQLITE_OPEN_SUPER_JOURNAL
NUMBERS = count()

Change = tuple[int, bytes | None]  # bytes at an offset, or, without bytes, cut or stretched to a length
Trouble = Callable[[str], None]
"""Told of every write, sync, truncation and deletion before it happens; may raise, or end the process."""


@dataclass
class FileContent:
    """One file: what is surely on the disk, and what may be."""

    settled: bytearray = field(default_factory=bytearray)
    waiting: list[Change] = field(default_factory=list)
    named: bool = False  # its name is surely in its folder
    there: bool = True  # it has not been deleted

    def sync(self) -> None:
        for change in self.waiting:
            apply(self.settled, change)
        self.waiting.clear()


def apply(content: bytearray, change: Change) -> None:
    """Carry a change out; what nobody wrote is zero.

    >>> content = bytearray(b"ab"); apply(content, (3, b"d")); content
    bytearray(b'ab\\x00d')
    """
    offset, data = change
    content.extend(bytes(max(0, offset - len(content))))
    if data is None:
        del content[offset:]
    else:
        content[offset : offset + len(data)] = data


class PowerLossFile(apsw.VFSFile):
    """An open file; writes go to the real one and are noted."""

    def __init__(self, disk: "PowerLossDisk", name: Any, flags: list[int]) -> None:
        super().__init__("unix", name, flags)
        self.disk, self.path = disk, _path(name)
        self.syncs_folder = bool(flags[0] & JOURNALS and flags[0] & apsw.SQLITE_OPEN_CREATE)

    def xWrite(self, data: Any, offset: int) -> None:
        self.disk.happens("write", self.path, (offset, bytes(data)))
        super().xWrite(data, offset)

    def xTruncate(self, newsize: int) -> None:
        self.disk.happens("truncate", self.path, (newsize, None))
        super().xTruncate(newsize)

    def xSync(self, flags: int) -> None:
        try:
            self.disk.happens("sync", self.path)
        except apsw.Error:
            self.disk.forgot(self.path)
            raise
        super().xSync(flags)
        self.disk.synced(self.path, self.syncs_folder)
        self.syncs_folder = False


class PowerLossDisk(apsw.VFS):
    """The disk that SQLite sees; `lose_power` ends what is known of it."""

    def __init__(self, trouble: Trouble = lambda kind: None) -> None:
        self.name = f"hushwatt-chaos-{next(NUMBERS)}"
        super().__init__(self.name, "unix")
        self.trouble = trouble
        self.settle: Callable[[], None] = lambda: None  # lets witnesses finish their notes
        self.on = True
        self.steps = 0
        self.contents: dict[str, FileContent] = {}

    def xOpen(self, name: Any, flags: list[int]) -> apsw.VFSFile:
        if name is None:  # a temporary file of SQLite's own, which nobody misses
            return apsw.VFSFile("unix", name, flags)
        path, there = _path(name), Path(_path(name))
        if path not in self.contents:  # what was there before has been synced long ago
            old = there.read_bytes() if there.exists() else b""
            self.contents[path] = FileContent(bytearray(old), named=there.exists())
        self.contents[path].there = True
        return PowerLossFile(self, name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:
        self.happens("delete", filename)
        super().xDelete(filename, syncdir)
        if self.on and filename in self.contents:
            self.contents[filename] = FileContent(self.contents[filename].settled, there=False, named=True)
            if syncdir:
                self._sync_folder()

    def happens(self, kind: str, path: str, change: Change | None = None) -> None:
        """Note a step; it is in doubt until it is synced, even if it fails."""
        if not self.on:
            return
        self.steps += 1
        if change is not None:
            self.contents[path].waiting.append(change)
        self.trouble(kind)

    def synced(self, path: str, folder: bool) -> None:
        if self.on:
            self.contents[path].sync()
            if folder:
                self._sync_folder()

    def forgot(self, path: str) -> None:
        """A sync failed: the system shows what was written, and will never write it again by itself."""
        if self.on:
            self.contents[path].waiting.clear()

    def _sync_folder(self) -> None:
        for content in self.contents.values():
            content.named = content.there

    def lose_power(self) -> None:
        """From here on nothing is noted: the programs that go on do so in a world nobody sees."""
        self.settle()
        self.on = False

    def kill(self, folder: Path) -> "PowerLossDisk":
        """The programs are gone and the system lives: the disk as it is, in an empty folder."""
        again = PowerLossDisk()
        for path, content in self.contents.items():
            if Path(path).exists():
                shutil.copy(path, folder)
            again.contents[str(folder / Path(path).name)] = copy.deepcopy(content)
        return again

    def leave(self, folder: Path, chance: random.Random) -> None:
        """Write what is on the disk when the power comes back into an empty folder."""
        fate = chance.choice(FATES)
        for path, content in self.contents.items():
            if content.named or (content.there and chance.random() < 0.5):
                data = bytearray(content.settled)
                for change in fate(content.waiting, chance):
                    apply(data, change)
                (folder / Path(path).name).write_bytes(data)


AnyDisk = TypeVar("AnyDisk", bound=PowerLossDisk)


@contextmanager
def mounted(disk: AnyDisk) -> Iterator[AnyDisk]:
    """Let everything that opens SQLite in this block go through the disk; all must be closed at its end."""
    apsw.set_default_vfs(disk.name)
    try:
        yield disk
    finally:
        apsw.set_default_vfs("unix")
        disk.unregister()


def all_lost(waiting: list[Change], chance: random.Random) -> list[Change]:
    return []


def in_order(waiting: list[Change], chance: random.Random) -> list[Change]:
    """The first so many are there."""
    return waiting[: chance.randint(0, len(waiting))]


def some(waiting: list[Change], chance: random.Random) -> list[Change]:
    """Each is there or not, whatever became of the others."""
    return [change for change in waiting if chance.random() < 0.5]


def torn(waiting: list[Change], chance: random.Random) -> list[Change]:
    """Each sector of each write is there or not."""
    return some([part for change in waiting for part in _sectors(change)], chance)


FATES = (all_lost, in_order, some, torn)


def _sectors(change: Change) -> Iterator[Change]:
    """A write, cut where the disk's sectors end."""
    offset, data = change
    if data is None:
        yield change
        return
    start = 0
    while start < len(data):
        end = min(len(data), start + SECTOR - (offset + start) % SECTOR)
        yield offset + start, data[start:end]
        start = end


def _path(name: Any) -> str:
    return name if isinstance(name, str) else str(name.filename())
