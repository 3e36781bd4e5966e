"""How large a foreign Parquet file may make itself when it is read.

A few kilobytes can unpack to gigabytes: names that a dictionary repeats, pages that compress well,
a schema of a million columns, notes of a million row groups.  So the notes at the end of a file are
looked at before Arrow opens it, and the header of every page before it is unpacked.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import pyarrow.parquet as pq

from hushwatt.wire.reports.thrift import STRUCT, CompactReader

MAGIC = b"PAR1"
MAX_FOOTER = 1 << 24  # bytes of notes at the end of a file
SMALL_FOOTER = 1 << 20  # bytes that cannot say too much, whatever they say
MAX_COLUMNS, MAX_DEPTH = 10_000, 32
MAX_COLUMN_CHUNKS = 300_000  # columns of all row groups
MAX_PAGE = 1 << 25  # bytes of a page when it is unpacked
MAX_PAGES = 2_000_000
USUAL_HEADER, MAX_HEADER = 1 << 8, 1 << 16  # bytes: of a page's head mostly, and at most
DICTIONARY_PAGE, DELTA_BYTE_ARRAY = 2, 7  # Parquet's numbers for them

SCHEMA, ROW_GROUPS, CHILDREN, COLUMNS, COLUMN_METADATA = 2, 4, 5, 1, 3  # numbers of fields
FileOpener = Callable[[], Any]  # gives a path, or a file open for reading bytes


class UnsafeParquet(Exception):
    """A file that would take too much, or whose notes are not Parquet's."""


class DamagedColumn(UnsafeParquet):
    """A column of a row group whose pages do not follow each other."""

    def __init__(self, group: int, column: str) -> None:
        self.group, self.column = group, column
        super().__init__(f"row group {group + 1}: column {column} is damaged")


@dataclass(frozen=True)
class PageSummary:
    """What the headers of a file's pages say about columns."""

    coded: frozenset[str]  # columns with a dictionary
    largest: int  # bytes that a value may take: of a page of texts that build on each other, or its share of a page
    open: int  # bytes of the largest page of each column


def check_footer(opened: FileOpener) -> None:
    """Refuse notes at the end of a file that would take much more memory than they have bytes."""
    data = read_footer(opened)
    metadata = CompactReader(data)
    try:
        for number, kind in metadata.fields():
            if number == SCHEMA:
                _check_schema(metadata)
                if len(data) <= SMALL_FOOTER:
                    return
            elif number == ROW_GROUPS:
                _check_row_groups(metadata)
            else:
                metadata.value(kind)
    except ValueError:
        raise UnsafeParquet("not a Parquet file, or not a complete one") from None


def read_footer(opened: FileOpener) -> bytes:
    """The bytes of the notes, which stand before their length and Parquet's four letters."""
    with _reading(opened) as file:
        end = file.seek(0, 2)
        file.seek(max(end - 8, 0))
        tail = file.read(8)
        length = int.from_bytes(tail[:4], "little")
        if len(tail) < 8 or tail[4:] != MAGIC or length + 8 > end:
            raise UnsafeParquet("not a Parquet file, or not a complete one")
        if length > MAX_FOOTER:
            raise UnsafeParquet(f"its notes take {length:,} bytes; at most {MAX_FOOTER:,} are read")
        file.seek(end - 8 - length)
        data: bytes = file.read(length)
        return data


def check_pages(opened: FileOpener, footer: pq.FileMetaData, columns: Iterable[str]) -> PageSummary:
    """Look at the header of every page of some columns, and refuse those that would unpack to too much."""
    names = set(columns)
    paths = [(footer.schema.column(index).path, index) for index in range(footer.num_columns)]
    wanted = [(path, index) for path, index in paths if any(each in names for each in _with_parents(path))]
    coded, largest, left, pages = set[str](), 0, MAX_PAGES, dict.fromkeys(wanted, 0)
    groups = _row_groups(read_footer(opened))
    with _reading(opened) as file:
        for group, chunks in enumerate(groups):
            for column, index in wanted:
                try:
                    headers = _page_headers(file, chunks[index], left)
                except (ValueError, LookupError, OverflowError, OSError):
                    raise DamagedColumn(group, column) from None
                left -= len(headers)
                _check_page_sizes(column, headers, left)
                coded |= {column for header in headers if header.kind == DICTIONARY_PAGE}
                largest = max([largest, *(header.value_bytes for header in headers)])
                pages[column, index] = max([pages[column, index], *(header.size for header in headers)])
    return PageSummary(frozenset(coded), largest, sum(pages.values()))


def _with_parents(path: str) -> Iterator[str]:
    """The column at a path and those around it: `a.list.element`, `a.list`, `a`."""
    while path:
        yield path
        path = path.rpartition(".")[0]


def _row_groups(data: bytes) -> list[list["_ColumnChunk"]]:
    """Where the notes say that the columns of every row group lie.

    They are read here, because Arrow's own objects for them end the process when they are damaged.
    """
    metadata, row_groups = CompactReader(data), list[list[_ColumnChunk]]()
    try:
        for number, kind in metadata.fields():
            if number == ROW_GROUPS:
                count, _ = metadata.items()
                row_groups = [_row_group(metadata) for _ in range(count)]
            else:
                metadata.value(kind)
    except ValueError:
        raise UnsafeParquet("not a Parquet file, or not a complete one") from None
    return row_groups


def _row_group(metadata: CompactReader) -> list["_ColumnChunk"]:
    chunks = list[_ColumnChunk]()
    for number, kind in metadata.fields():
        if number == COLUMNS:
            count, _ = metadata.items()
            chunks = [_column_chunk(metadata) for _ in range(count)]
        else:
            metadata.value(kind)
    return chunks


def _column_chunk(metadata: CompactReader) -> "_ColumnChunk":
    fields: dict[int, int | bytes | None] = {}
    for number, kind in metadata.fields():
        if number == COLUMN_METADATA and kind == STRUCT:
            fields = {each: metadata.value(form) for each, form in metadata.fields()}
        else:
            metadata.value(kind)
    values, size, offset, first = (_whole(fields.get(each)) for each in (5, 7, 9, 11))
    return _ColumnChunk(first if 0 < first < offset else offset, size, values)


def _whole(value: int | bytes | None) -> int:
    return value if isinstance(value, int) else 0


@dataclass(frozen=True)
class _ColumnChunk:
    """One column of one row group."""

    offset: int  # in the file, where its first page begins
    size: int  # bytes
    values: int


@dataclass(frozen=True)
class _PageHeader:
    """What the header of a page says."""

    kind: int
    size: int  # bytes when it is unpacked
    stored: int  # bytes in the file
    encoding: int
    values: int

    @property
    def value_bytes(self) -> int:
        """What each of its values takes when many are read: the whole page where texts build on each other."""
        if self.encoding == DELTA_BYTE_ARRAY:
            return self.size
        return self.size // self.values if self.values > 0 else 0


def _check_schema(metadata: CompactReader) -> None:
    count, kind = metadata.items()
    if count > MAX_COLUMNS or kind != STRUCT:
        raise UnsafeParquet(f"it has {count:,} columns; at most {MAX_COLUMNS:,} are read")
    waiting: list[int] = []  # for each group around this column, how many of its columns are to come
    for _ in range(count):
        children = 0
        for number, inner in metadata.fields():
            value = metadata.value(inner)
            children = value if number == CHILDREN and isinstance(value, int) else children
        while waiting and not waiting[-1]:
            waiting.pop()
        if waiting:
            waiting[-1] -= 1
        if children > 0:
            waiting.append(children)
        if len(waiting) > MAX_DEPTH:
            raise UnsafeParquet(f"its columns are nested more than {MAX_DEPTH} deep")


def _check_row_groups(metadata: CompactReader) -> None:
    chunks, (count, _) = 0, metadata.items()
    for _ in range(count):
        for number, kind in metadata.fields():
            if number == COLUMNS:
                columns, inner = metadata.items()
                chunks += columns
                if chunks > MAX_COLUMN_CHUNKS:
                    raise UnsafeParquet(f"its row groups have more than {MAX_COLUMN_CHUNKS:,} parts")
                for _ in range(columns):
                    metadata.value(inner)
            else:
                metadata.value(kind)


def _check_page_sizes(column: str, headers: list[_PageHeader], left: int) -> None:
    largest = max((header.size for header in headers), default=0)
    if largest > MAX_PAGE:
        raise UnsafeParquet(f"a page of column {column} unpacks to {largest:,} bytes; at most {MAX_PAGE:,} are read")
    if left < 0:
        raise UnsafeParquet(f"it has more than {MAX_PAGES:,} pages")


def _page_headers(file: IO[bytes], chunk: _ColumnChunk, most: int) -> list[_PageHeader]:
    """The headers of all pages of a column in a row group, in the order in which Arrow comes to them."""
    offset, end, values, headers = chunk.offset, chunk.offset + chunk.size, chunk.values, list[_PageHeader]()
    while offset < end and len(headers) <= most and values > 0:
        header, offset = _page_header(file, offset)
        if header.size < 0 or header.stored < 0:
            raise ValueError("a size below zero")
        values -= header.values
        offset += header.stored
        headers.append(header)
    return headers


def _page_header(file: IO[bytes], offset: int) -> tuple[_PageHeader, int]:
    """The header of the page at an offset, and where its bytes begin."""
    for length in (USUAL_HEADER, MAX_HEADER):
        file.seek(offset)
        metadata = CompactReader(file.read(length))
        try:
            return _parse_page_header(metadata), offset + metadata.position
        except ValueError:
            continue
    raise ValueError("no head of a page")


def _parse_page_header(metadata: CompactReader) -> _PageHeader:
    """Encoding and values are the data page's own, in one of two forms."""
    fields, encoding, values = {1: 0, 2: 0, 3: 0}, 0, 0
    for number, kind in metadata.fields():
        if number in (5, 8) and kind == STRUCT:
            inner = {each: metadata.value(form) for each, form in metadata.fields()}
            values, encoding = _whole(inner.get(1)), _whole(inner.get(2 if number == 5 else 4))
        else:
            value = metadata.value(kind)
            if number in fields and isinstance(value, int):
                fields[number] = value
    return _PageHeader(fields[1], fields[2], fields[3], encoding, values)


def _reading(opened: FileOpener) -> Any:
    source = opened()
    return source if hasattr(source, "read") else Path(source).open("rb")
