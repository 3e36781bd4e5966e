"""Thrift's compact protocol, as far as Parquet's own notes need it: fields are found, others passed over.

Whatever is cut off, nested too deep or longer than its bytes is a ValueError.
"""

from collections.abc import Iterator

TRUE, FALSE, BYTE, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = 1, 2, 3, 7, 8, 9, 10, 11, 12
NUMBERS = (4, 5, 6)  # of 16, 32 and 64 bits, all written alike
MAX_DEPTH = 32


class CompactReader:
    """Bytes that are read from a place on."""

    def __init__(self, data: bytes, position: int = 0) -> None:
        self._data, self.position = data, position

    def fields(self) -> Iterator[tuple[int, int]]:
        """The number and the kind of each field of a struct; whoever asks reads or passes its value.

        >>> compact = CompactReader(bytes([0x15, 0x0A, 0x18, 0x01, 0x61, 0x00]))
        >>> [(number, compact.value(kind)) for number, kind in compact.fields()]
        [(1, 5), (2, b'a')]
        """
        number = 0
        while head := self._byte():
            step, kind = head >> 4, head & 15
            number = number + step if step else self.number()
            yield number, kind

    def value(self, kind: int, depth: int = 0) -> int | bytes | None:
        """A number or a text; anything else is passed over."""
        if kind in NUMBERS:
            return self.number()
        if kind == BINARY:
            return self._take(self._whole())
        self._pass(kind, depth)
        return None

    def items(self) -> tuple[int, int]:
        """How many items a list has, and of which kind."""
        head = self._byte()
        count = head >> 4
        count = self._whole() if count == 15 else count
        if count > len(self._data):
            raise ValueError("more items than bytes")
        return count, head & 15

    def number(self) -> int:
        whole = self._whole()
        return (whole >> 1) ^ -(whole & 1)

    def _pass(self, kind: int, depth: int) -> None:
        if depth > MAX_DEPTH:
            raise ValueError("nested too deep")
        if kind == DOUBLE:
            self._take(8)
        elif kind == BYTE:
            self._take(1)
        elif kind in (LIST, SET):
            count, inner = self.items()
            for _ in range(count):
                self._item(inner, depth)
        elif kind == MAP:
            self._pass_map(depth)
        elif kind == STRUCT:
            for _, inner in self.fields():
                self.value(inner, depth + 1)
        elif kind not in (TRUE, FALSE):
            raise ValueError("no such kind")

    def _pass_map(self, depth: int) -> None:
        count = self._whole()
        kinds = self._byte() if count else 0
        if count > len(self._data):
            raise ValueError("more items than bytes")
        for _ in range(count):
            self._item(kinds >> 4, depth)
            self._item(kinds & 15, depth)

    def _item(self, kind: int, depth: int) -> None:
        """An item of a list; there, a truth takes a byte."""
        self.value(BYTE if kind in (TRUE, FALSE) else kind, depth + 1)

    def _whole(self) -> int:
        found = shift = 0
        while True:
            byte = self._byte()
            found |= (byte & 127) << shift
            if byte < 128:
                return found
            shift += 7
            if shift > 63:
                raise ValueError("a number too long")

    def _byte(self) -> int:
        return self._take(1)[0]

    def _take(self, count: int) -> bytes:
        end = self.position + count
        if end > len(self._data):
            raise ValueError("cut off")
        taken = self._data[self.position : end]
        self.position = end
        return taken
