"""The rows of a CSV file, also of one that is still being written."""

import csv
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from hushwatt.errors import ReadingsError

Row = dict[str, object]
MAX_LINE = 1 << 17  # characters of a line


def follow_csv(path: Path) -> Iterator[Row | None]:
    """Every row by the header's names; None where the file ends for now, and on from there when it grows.

    A last line without its end is still being written, and waits.  A file that was replaced or cut
    short is a ReadingsError, and is read from its start next time.
    """
    with path.open(newline="", encoding="utf-8-sig") as file:
        header: list[str] | None = None
        for line in _lines(path, file):
            if line is None:
                yield None
            elif header is None:
                header = [name.strip() for name in _cells(path, line)]
            elif line.strip():
                yield dict(zip(header, _cells(path, line), strict=False))


def _cells(path: Path, line: str) -> list[str]:
    try:
        return next(csv.reader([line]))
    except (csv.Error, StopIteration):
        raise ReadingsError(f"{path.name}: a line is not a row of a table") from None


def _lines(path: Path, file: TextIO) -> Iterator[str | None]:
    begun = ""
    while True:
        try:
            begun += file.readline(MAX_LINE)
        except UnicodeDecodeError:
            raise ReadingsError(f"{path.name}: not UTF-8 text") from None
        if begun.endswith("\n"):
            yield begun
            begun = ""
        elif len(begun) >= MAX_LINE:
            raise ReadingsError(f"{path.name}: a line is longer than {MAX_LINE} characters")
        else:
            _check_same(path, file)
            yield None


def _check_same(path: Path, file: TextIO) -> None:
    """Whether the file that was opened is still the one of that name, and has all that was read."""
    opened, named = os.fstat(file.fileno()), path.stat()
    if (opened.st_dev, opened.st_ino) != (named.st_dev, named.st_ino) or opened.st_size < file.tell():
        raise ReadingsError(f"{path.name}: was replaced or cut short; it is read from its start")
