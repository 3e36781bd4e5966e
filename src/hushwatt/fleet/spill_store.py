"""What does not fit in memory waits on disk, and no longer than it is needed.

A scratch file has no name: nobody else can open it, and it is gone when the process
is, however that ends.  It lies where `TMPDIR` points.
"""

import pickle
import tempfile
import weakref
from typing import IO, Generic, TypeVar

Item = TypeVar("Item")


def scratch_file(owner: object) -> IO[bytes]:
    """An empty file without a name that is closed together with its owner's life."""
    file = tempfile.TemporaryFile()  # noqa: SIM115 (it lives as long as its owner)
    weakref.finalize(owner, file.close)
    return file


class SpillStore(Generic[Item]):
    """`count` items put aside until they are needed again: the only one in memory, several on disk.

    >>> store = SpillStore(2)
    >>> store.put(0, "a"); store.put(1, "b"); store.put(0, "c")
    >>> store.take(0), store.take(1)
    ('c', 'b')
    """

    def __init__(self, count: int) -> None:
        self._only: dict[int, Item] = {}
        self._files: list[IO[bytes]] = [scratch_file(self) for _ in range(count)] if count > 1 else []

    def put(self, index: int, item: Item) -> None:
        """Put an item aside, in the place of what was there."""
        if not self._files:
            self._only[index] = item
            return
        file = self._files[index]
        file.seek(0)
        pickle.dump(item, file, protocol=5)
        file.truncate()

    def take(self, index: int) -> Item:
        """The item that was put there last."""
        if not self._files:
            return self._only[index]
        self._files[index].seek(0)
        item: Item = pickle.load(self._files[index])  # our own, from a file without a name
        return item
