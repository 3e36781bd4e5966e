"""An object is read a little here and there, in few requests, and a cut answer is never a damaged file."""

import io
import random

import pyarrow as pa
import pytest

from hushwatt.errors import StorageError
from hushwatt.wire.storage import ObjectPath
from hushwatt.wire.storage.object_file import AHEAD_BYTES, JUMP_BYTES, ObjectFile

PLACE = ObjectPath("s3", "meters", "a")


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch):
    monkeypatch.setattr("hushwatt.wire.storage.object_file.PAUSE_SECONDS", 0)


class Store:
    """Hands out the bytes of one object, and remembers what was asked for."""

    def __init__(self, data: bytes) -> None:
        self.data, self.asked, self.short = data, list[tuple[int, int]](), 0

    def size(self) -> int:
        return len(self.data)

    def read_at(self, size: int, start: int) -> bytes:
        self.asked.append((start, size))
        if self.short:
            self.short -= 1
            size //= 2
        return self.data[start : start + size]

    def close(self) -> None:
        pass


def test_reads_like_a_file():
    """Whatever is read and sought, it is what a file gives."""
    draw, data = random.Random(7), random.Random(1).randbytes(3_000_000)
    file, plain = ObjectFile(Store(data), PLACE), io.BytesIO(data)
    steps = [(draw.randrange(3_100_000), draw.choice([0, 1, 100, 70_000, 500_000])) for _ in range(300)]

    for start, size in steps:
        assert file.seek(start) == plain.seek(start)
        assert file.read(size) == plain.read(size)
        assert file.read(10) == plain.read(10)
        assert file.tell() == plain.tell()
    assert file.seek(-5, io.SEEK_END) == plain.seek(-5, io.SEEK_END)
    assert file.read() == plain.read()


def test_fetches_ahead_in_order():
    """What goes on is fetched in large pieces, also where several columns are read side by side."""
    store = Store(bytes(40 << 20))
    file = ObjectFile(store, PLACE)
    for step in range(160):
        for column in range(2):
            file.seek(column * (20 << 20) + step * 100_000)
            file.read(100_000)

    assert len(store.asked) <= 2 * (7 + 16_000_000 // AHEAD_BYTES)


def test_fetches_little_after_a_jump():
    """The heads of pages cost a small piece each."""
    store = Store(bytes(40 << 20))
    file = ObjectFile(store, PLACE)
    for page in range(20):
        file.seek(page << 21)
        file.read(256)

    assert sum(size for _, size in store.asked) == 20 * JUMP_BYTES


def test_short_answers_are_asked_for_again():
    """An answer that is cut is fetched anew; when it is always cut, that is said, and no half is handed on."""
    store = Store(bytes(1000))
    file = ObjectFile(store, PLACE)
    store.short = 2

    assert len(file.read()) == 1000
    store.short = 99
    with pytest.raises(StorageError, match=r"^s3://meters/a: the store handed out 500 of 1,000 bytes, 3 times"):
        ObjectFile(store, PLACE).read()


@pytest.mark.parametrize("code, asked", [("SLOW_DOWN", 3), ("ACCESS_DENIED", 1)])
def test_only_what_may_pass_is_asked_for_again(code, asked):
    """A busy store is asked three times, one that forbids it once."""

    class Refusing(Store):
        def read_at(self, size: int, start: int) -> bytes:
            self.asked.append((start, size))
            raise OSError(f"AWS Error {code} during GetObject operation: AKIAKEY")

    store = Refusing(bytes(10))
    with pytest.raises(StorageError) as refused:
        ObjectFile(store, PLACE).read()

    assert len(store.asked) == asked
    assert "AKIA" not in str(refused.value)


def test_refusals_pass_through_arrow():
    """Arrow reads it like any file, and hands our own refusal on."""
    store = Store(b"time,watts\n" + b"1,2\n" * 1000)
    from pyarrow import csv

    table = csv.read_csv(ObjectFile(store, PLACE))
    store.short = 99

    assert table.num_rows == 1000
    with pytest.raises(StorageError), pa.PythonFile(ObjectFile(store, PLACE)) as file:
        file.read()
