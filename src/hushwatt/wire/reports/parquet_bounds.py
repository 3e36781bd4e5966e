"""How large a foreign Parquet file may make itself when it is read.

A few kilobytes can unpack to gigabytes: names that a dictionary repeats, pages that compress well,
a schema of a million columns, notes of a million row groups.  So the notes at the end of a file are
looked at before Arrow opens it, and the head of every page before it is unpacked.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import pyarrow.parquet as pq

from hushwatt.wire.reports.thrift import STRUCT, Compact

MAGIC = b"PAR1"
LARGEST_FOOTER = 1 << 24  # bytes of notes at the end of a file
SMALL_FOOTER = 1 << 20  # bytes that cannot say too much, whatever they say
MOST_COLUMNS, DEEPEST = 10_000, 32
MOST_CHUNKS = 300_000  # columns of all row groups
LARGEST_PAGE = 1 << 25  # bytes of a page when it is unpacked
MOST_PAGES = 2_000_000
HEAD, LONGEST_HEAD = 1 << 8, 1 << 16  # bytes: of a page's head mostly, and at most
DICTIONARY_PAGE, DELTA_BYTE_ARRAY = 2, 7  # Parquet's numbers for them

SCHEMA, ROW_GROUPS, CHILDREN, COLUMNS, COLUMN_NOTES = 2, 4, 5, 1, 3  # numbers of fields
Opened = Callable[[], Any]  # gives a path, or a file open for reading bytes


class Unfit(Exception):
    """A file that would take too much, or whose notes are not Parquet's."""


class Damaged(Unfit):
    """A column of a row group whose pages do not follow each other."""

    def __init__(self, group: int, column: str) -> None:
        self.group, self.column = group, column
        super().__init__(f"row group {group + 1}: column {column} is damaged")


@dataclass(frozen=True)
class Pages:
    """What the heads of a file's pages say about columns."""

    coded: frozenset[str]  # columns with a dictionary
    largest: int  # bytes of the largest page of texts that build on each other; 0: there is none


def check_footer(opened: Opened) -> None:
    """Refuse notes at the end of a file that would take much more memory than they have bytes."""
    data = footer_of(opened)
    notes = Compact(data)
    try:
        for number, kind in notes.fields():
            if number == SCHEMA:
                _check_schema(notes)
                if len(data) <= SMALL_FOOTER:
                    return
            elif number == ROW_GROUPS:
                _check_groups(notes)
            else:
                notes.value(kind)
    except ValueError:
        raise Unfit("not a Parquet file, or not a complete one") from None


def footer_of(opened: Opened) -> bytes:
    """The bytes of the notes, which stand before their length and Parquet's four letters."""
    with _reading(opened) as file:
        end = file.seek(0, 2)
        file.seek(max(end - 8, 0))
        tail = file.read(8)
        length = int.from_bytes(tail[:4], "little")
        if len(tail) < 8 or tail[4:] != MAGIC or length + 8 > end:
            raise Unfit("not a Parquet file, or not a complete one")
        if length > LARGEST_FOOTER:
            raise Unfit(f"its notes take {length:,} bytes; at most {LARGEST_FOOTER:,} are read")
        file.seek(end - 8 - length)
        data: bytes = file.read(length)
        return data


def look_at_pages(opened: Opened, footer: pq.FileMetaData, columns: Iterable[str]) -> Pages:
    """Look at the head of every page of some columns, and refuse those that would unpack to too much."""
    places = {footer.schema.column(place).path: place for place in range(footer.num_columns)}
    wanted = [(column, places[column]) for column in columns]
    coded, largest, left = set[str](), 0, MOST_PAGES
    groups = _row_groups(footer_of(opened))
    with _reading(opened) as file:
        for group, chunks in enumerate(groups):
            for column, place in wanted:
                try:
                    found = _heads(file, chunks[place], left)
                except (ValueError, LookupError, OverflowError, OSError):
                    raise Damaged(group, column) from None
                left -= len(found)
                _check_pages(column, found, left)
                coded |= {column for head in found if head.kind == DICTIONARY_PAGE}
                largest = max([largest, *(head.size for head in found if head.encoding == DELTA_BYTE_ARRAY)])
    return Pages(frozenset(coded), largest)


def _row_groups(data: bytes) -> list[list["_Chunk"]]:
    """Where the notes say that the columns of every row group lie.

    They are read here, because Arrow's own objects for them end the process when they are damaged.
    """
    notes, found = Compact(data), list[list[_Chunk]]()
    try:
        for number, kind in notes.fields():
            if number == ROW_GROUPS:
                count, _ = notes.items()
                found = [_row_group(notes) for _ in range(count)]
            else:
                notes.value(kind)
    except ValueError:
        raise Unfit("not a Parquet file, or not a complete one") from None
    return found


def _row_group(notes: Compact) -> list["_Chunk"]:
    found = list[_Chunk]()
    for number, kind in notes.fields():
        if number == COLUMNS:
            count, _ = notes.items()
            found = [_chunk(notes) for _ in range(count)]
        else:
            notes.value(kind)
    return found


def _chunk(notes: Compact) -> "_Chunk":
    found: dict[int, int | bytes | None] = {}
    for number, kind in notes.fields():
        if number == COLUMN_NOTES and kind == STRUCT:
            found = {each: notes.value(form) for each, form in notes.fields()}
        else:
            notes.value(kind)
    values, size, place, first = (_whole(found.get(each)) for each in (5, 7, 9, 11))
    return _Chunk(first if 0 < first < place else place, size, values)


def _whole(value: int | bytes | None) -> int:
    return value if isinstance(value, int) else 0


@dataclass(frozen=True)
class _Chunk:
    """One column of one row group."""

    place: int  # in the file, where its first page begins
    size: int  # bytes
    values: int


@dataclass(frozen=True)
class _Head:
    """What the head of a page says."""

    kind: int
    size: int  # bytes when it is unpacked
    stored: int  # bytes in the file
    encoding: int


def _check_schema(notes: Compact) -> None:
    count, kind = notes.items()
    if count > MOST_COLUMNS or kind != STRUCT:
        raise Unfit(f"it has {count:,} columns; at most {MOST_COLUMNS:,} are read")
    waiting: list[int] = []  # for each group around this column, how many of its columns are to come
    for _ in range(count):
        children = 0
        for number, inner in notes.fields():
            value = notes.value(inner)
            children = value if number == CHILDREN and isinstance(value, int) else children
        while waiting and not waiting[-1]:
            waiting.pop()
        if waiting:
            waiting[-1] -= 1
        if children > 0:
            waiting.append(children)
        if len(waiting) > DEEPEST:
            raise Unfit(f"its columns are nested more than {DEEPEST} deep")


def _check_groups(notes: Compact) -> None:
    chunks, (count, _) = 0, notes.items()
    for _ in range(count):
        for number, kind in notes.fields():
            if number == COLUMNS:
                columns, inner = notes.items()
                chunks += columns
                if chunks > MOST_CHUNKS:
                    raise Unfit(f"its row groups have more than {MOST_CHUNKS:,} parts")
                for _ in range(columns):
                    notes.value(inner)
            else:
                notes.value(kind)


def _check_pages(column: str, heads: list[_Head], left: int) -> None:
    largest = max((head.size for head in heads), default=0)
    if largest > LARGEST_PAGE:
        raise Unfit(
            f"a page of column {column} unpacks to {largest:,} bytes; at most {LARGEST_PAGE:,} are read"
        )
    if left < 0:
        raise Unfit(f"it has more than {MOST_PAGES:,} pages")


def _heads(file: IO[bytes], chunk: _Chunk, most: int) -> list[_Head]:
    """The heads of all pages of a column in a row group, in the order in which Arrow comes to them."""
    place, end, values, found = chunk.place, chunk.place + chunk.size, chunk.values, list[_Head]()
    while place < end and len(found) <= most and values > 0:
        head, place, count = _head(file, place)
        if head.size < 0 or head.stored < 0:
            raise ValueError("a size below zero")
        values -= count
        place += head.stored
        found.append(head)
    return found


def _head(file: IO[bytes], place: int) -> tuple[_Head, int, int]:
    """The head of the page at a place, where its bytes begin, and how many values it has."""
    for length in (HEAD, LONGEST_HEAD):
        file.seek(place)
        notes = Compact(file.read(length))
        try:
            kind, size, stored, encoding, values = _read_head(notes)
        except ValueError:
            continue
        return _Head(kind, size, stored, encoding), place + notes.place, values
    raise ValueError("no head of a page")


def _read_head(notes: Compact) -> tuple[int, int, int, int, int]:
    """Kind, both sizes, encoding and values; the last two are the data page's own, in one of two forms."""
    found, encoding, values = {1: 0, 2: 0, 3: 0}, 0, 0
    for number, kind in notes.fields():
        if number in (5, 8) and kind == STRUCT:
            inner = {each: notes.value(form) for each, form in notes.fields()}
            values, encoding = _whole(inner.get(1)), _whole(inner.get(2 if number == 5 else 4))
        else:
            value = notes.value(kind)
            if number in found and isinstance(value, int):
                found[number] = value
    return found[1], found[2], found[3], encoding, values


def _reading(opened: Opened) -> Any:
    source = opened()
    return source if hasattr(source, "read") else Path(source).open("rb")
