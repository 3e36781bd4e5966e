"""The rows of a CSV file, also of one that is still being written."""

import csv
from collections.abc import Iterator
from pathlib import Path

from hushwatt.errors import ReadingsError

Row = dict[str, object]


def csv_rows(path: Path) -> Iterator[Row | None]:
    """Every row by the header's names; None where the file ends for now, and on from there when it grows.

    A last line without its end is still being written, and waits.
    """
    with path.open(newline="", encoding="utf-8-sig") as file:
        header: list[str] | None = None
        for line in _lines(path, file):
            if line is None:
                yield None
            elif header is None:
                header = [name.strip() for name in next(csv.reader([line]))]
            elif line.strip():
                yield dict(zip(header, next(csv.reader([line])), strict=False))


def _lines(path: Path, file: object) -> Iterator[str | None]:
    begun = ""
    while True:
        try:
            begun += file.readline()  # type: ignore[attr-defined]
        except UnicodeDecodeError:
            raise ReadingsError(f"{path.name}: not UTF-8 text") from None
        if begun.endswith("\n"):
            yield begun
            begun = ""
        else:
            yield None
