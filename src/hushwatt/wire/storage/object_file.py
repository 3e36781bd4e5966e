"""An object open for reading a little here and there, as Parquet is read, in few requests.

What is read on in order is fetched ahead, twice as much each time; a jump fetches little.  A store that hands out
fewer bytes than it has is asked again, and then refused: a cut answer never looks like a damaged file.
"""

import time
from typing import TYPE_CHECKING, Any, NamedTuple

from hushwatt.errors import StorageError
from hushwatt.wire.storage.problems import PASSING, reason
from hushwatt.wire.storage.seekable import SeekableFile

if TYPE_CHECKING:
    from hushwatt.wire.storage.object_path import ObjectPath

AHEAD_BYTES = 1 << 22  # fetched at most where reading goes on in order
JUMP_BYTES = 1 << 16  # fetched after a jump
KEPT = 8  # pieces that stay in memory: as many columns are read side by side
ATTEMPTS = 3  # to fetch a piece whole
PAUSE_SECONDS = 0.1  # before the second of them; each pause is twice as long


class Piece(NamedTuple):
    """Neighbouring bytes that were fetched together."""

    first: int
    data: bytes
    ahead: int  # how much was worth fetching

    @property
    def end(self) -> int:
        return self.first + len(self.data)


class ObjectFile(SeekableFile):
    """The bytes of one object."""

    def __init__(self, file: Any, path: "ObjectPath") -> None:
        super().__init__(int(file.size()))
        self._file, self._path = file, path
        self._pieces: list[Piece] = []  # the last one used at the end

    @property
    def name(self) -> str:
        return str(self._path)

    def read(self, size: int = -1) -> bytes:
        """All that was asked for, but at the end of the object."""
        left = max(self._length - self._position, 0)
        data = self._read(left if size is None or size < 0 else min(size, left))
        self._position += len(data)
        return data

    def readall(self) -> bytes:
        return self.read()

    def readinto(self, buffer: Any) -> int:
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        if not self.closed:
            self._pieces = []
            self._file.close()
        super().close()

    def _read(self, size: int) -> bytes:
        start, parts = self._position, list[bytes]()
        while size:
            first, piece = self._piece(start, size)
            part = piece[start - first : start - first + size]
            parts.append(part)
            start, size = start + len(part), size - len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def _piece(self, start: int, size: int) -> tuple[int, bytes]:
        """A piece that holds the byte at `start`, from memory or from the store."""
        for index, piece in enumerate(self._pieces):
            if piece.first <= start < piece.end:
                self._pieces.append(self._pieces.pop(index))
                return piece.first, piece.data
        before = next((piece for piece in self._pieces if piece.end == start), None)
        ahead = JUMP_BYTES if before is None else min(2 * before.ahead, AHEAD_BYTES)
        data = self._fetched(start, min(max(size, ahead), self._length - start))
        others = [piece for piece in self._pieces if piece is not before]
        self._pieces = [*others[1 - KEPT :], Piece(start, data, ahead)]
        return start, data

    def _fetched(self, start: int, size: int) -> bytes:
        problem = ""
        for attempt in range(ATTEMPTS):
            time.sleep(PAUSE_SECONDS * (2**attempt - 1))
            try:
                data: bytes = self._file.read_at(size, start)
            except OSError as error:  # pyarrow asks again for what it opens and lists, but not for what it reads
                problem = reason(error)
                if problem not in PASSING:
                    break
            else:
                if len(data) == size:
                    return data
                problem = f"the store handed out {len(data):,} of {size:,} bytes, {ATTEMPTS} times; try again later"
        raise StorageError(f"{self._path}: {problem}")
