"""Make the readings table of a dataset and write it, counting what went in."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from hushwatt.errors import ReadingsError
from hushwatt.evaluate.datasets import read
from hushwatt.evaluate.datasets.dataset import DatasetOptions
from hushwatt.evaluate.readings_file import SOURCE, write_readings


@dataclass
class Converted:
    """What a table has: counted while it passes."""

    readings: int = 0
    homes: set[str] = field(default_factory=set)
    appliances: set[str] = field(default_factory=set)
    first: datetime | None = None  # UTC
    last: datetime | None = None

    def counted(self, tables: Iterator[pa.RecordBatch], folder: Path) -> Iterator[pa.RecordBatch]:
        """The same tables, without the empty ones; an error when there are no others, so that no file is written."""
        for table in tables:
            if table.num_rows:
                self.readings += table.num_rows
                self.homes.update(table["household"].unique().to_pylist())
                self.appliances.update(table["appliance"].unique().to_pylist())
                ends = pc.min_max(table["time"]).as_py()
                self.first = min(self.first or ends["min"], ends["min"])
                self.last = max(self.last or ends["max"], ends["max"])
                yield table
        if not self.readings:
            raise ReadingsError(f"{folder}: no readings of appliances in it, as far as these options allow")

    def lines(self) -> list[str]:
        """What was converted, for people."""
        period = f"{self.first:%Y-%m-%d %H:%M} to {self.last:%Y-%m-%d %H:%M} UTC"
        return [
            f"{_number(self.readings, 'reading')} of {_number(len(self.homes), 'home')}, {period}",
            f"{_number(len(self.appliances), 'appliance')}: {', '.join(sorted(self.appliances))}",
        ]


def _number(count: int, of: str) -> str:
    """A number of things.

    >>> _number(1, "home"), _number(2, "home")
    ('1 home', '2 homes')
    """
    return f"{count} {of}" if count == 1 else f"{count} {of}s"


def convert(
    name: str, folder: Path, path: Path, options: DatasetOptions, advance: Callable[[int], None] = lambda rows: None
) -> Converted:
    """Write the readings of a dataset to `path`: Parquet, or CSV by its suffix."""
    done = Converted()
    write_readings(done.counted(read(name, folder, options), folder), path, {SOURCE: name}, advance)
    return done
