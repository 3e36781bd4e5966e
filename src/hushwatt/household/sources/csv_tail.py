"""The rows of a CSV file, also of one that is still being written."""

import csv
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from hushwatt.errors import ReadingsError

Row = dict[str, object]
MAX_LINE = 1 << 17  # bytes of a line


@dataclass(frozen=True)
class BadRow:
    """A line that is no row; those after it are read all the same."""

    problem: str


def follow_csv(path: Path) -> Iterator[Row | BadRow | None]:
    """Every row by the header's names; None where the file ends for now, and on from there when it grows.

    A last line without its end is still being written, and waits.  A file without a header, or one
    that was replaced or cut short, is a ReadingsError, and is read from its start next time.
    """
    with path.open("rb") as file:
        header: list[str] | None = None
        for line in _lines(path, file):
            cells = _cells(line) if isinstance(line, bytes) else line
            if header is not None:
                yield dict(zip(header, cells, strict=False)) if isinstance(cells, list) else cells
            elif isinstance(cells, BadRow):
                raise ReadingsError(f"{path.name}: {cells.problem}")
            elif cells is None:
                yield None
            else:
                header = [name.strip() for name in cells]


def _cells(line: bytes) -> list[str] | BadRow:
    try:
        return next(csv.reader([line.decode("utf-8-sig")]))
    except UnicodeDecodeError:
        return BadRow("not UTF-8 text")
    except (csv.Error, StopIteration):
        return BadRow("a line is not a row of a table")


def _lines(path: Path, file: IO[bytes]) -> Iterator[bytes | BadRow | None]:
    """Every line that is whole and not blank; of one that is too long only that it is."""
    begun, skipping = b"", False
    while True:
        part = file.readline(MAX_LINE)
        begun += part
        if begun.endswith(b"\n"):
            if begun.strip() and not skipping:
                yield begun
            begun, skipping = b"", False
        elif len(begun) >= MAX_LINE:
            if not skipping:
                yield BadRow(f"a line is longer than {MAX_LINE} bytes")
            begun, skipping = b"", True
        elif not part:
            _check_same(path, file)
            yield None


def _check_same(path: Path, file: IO[bytes]) -> None:
    """Whether the file that was opened is still the one of that name, and has all that was read."""
    opened, named = os.fstat(file.fileno()), path.stat()
    if (opened.st_dev, opened.st_ino) != (named.st_dev, named.st_ino) or opened.st_size < file.tell():
        raise ReadingsError(f"{path.name}: was replaced or cut short; it is read from its start")
