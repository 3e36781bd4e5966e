"""A file far away of known length, in which a reader can go anywhere: all of it but the reading itself."""

import io


class SeekableFile(io.RawIOBase):
    """Knows how long it is and where it is read next."""

    def __init__(self, length: int) -> None:
        super().__init__()
        self._length, self._position = length, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._length}[whence]
        self._position = max(start + offset, 0)
        return self._position
