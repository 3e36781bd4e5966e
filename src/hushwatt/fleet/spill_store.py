"""Things put aside until they are needed again: the only one in memory, several on disk."""

import pickle
from typing import IO, Generic, TypeVar

from hushwatt.fleet.scratch import scratch

Thing = TypeVar("Thing")


class SpillStore(Generic[Thing]):
    """A place for each of `count` things; what is there may be large.

    >>> shelf = SpillStore(2)
    >>> shelf.put(0, "a"); shelf.put(1, "b"); shelf.put(0, "c")
    >>> shelf.take(0), shelf.take(1)
    ('c', 'b')
    """

    def __init__(self, count: int) -> None:
        self._only: dict[int, Thing] = {}
        self._files: list[IO[bytes]] = [scratch(self) for _ in range(count)] if count > 1 else []

    def put(self, place: int, thing: Thing) -> None:
        """Put a thing aside, in the place of what was there."""
        if not self._files:
            self._only[place] = thing
            return
        file = self._files[place]
        file.seek(0)
        pickle.dump(thing, file, protocol=5)
        file.truncate()

    def take(self, place: int) -> Thing:
        """The thing that was put there last."""
        if not self._files:
            return self._only[place]
        self._files[place].seek(0)
        thing: Thing = pickle.load(self._files[place])  # our own, from a file without a name
        return thing
