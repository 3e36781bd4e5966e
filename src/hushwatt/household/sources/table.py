"""Tables of readings: a CSV file that another program appends to, or an archive played again.

Tidy tables have time, appliance and watts, and perhaps household.  Wide ones, as programs
that take the mains apart write them (NILM), have a time and a column per appliance.  All
rows of a slot are averaged, as in bulk.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

from hushwatt.errors import ReadingsError
from hushwatt.household.sources.csv_tail import BadRow, Row
from hushwatt.household.sources.sources_file import TableEntry
from hushwatt.household.untrusted_json import as_finite, parse_decimal
from hushwatt.plan.times import nanoseconds

TIME_COLUMNS = ("time", "timestamp", "datetime")
RowReader = Callable[[Path], Iterator[Row | BadRow | None]]  # None: no more for now
Reading = tuple[int, str, float]
END: list[Reading] = []  # told apart by being this very list


@dataclass
class SlotSum:
    """Rows of one appliance in one slot [start, end)."""

    start: int
    end: int
    total: float = 0.0
    count: int = 0

    def __repr__(self) -> str:
        return "<a slot being added up>"


@dataclass
class TableSource:
    """One table; `poll` takes in the rows whose time has come."""

    entry: TableEntry
    rows: RowReader
    heard: int | None = None
    trouble: str | None = None
    faults: dict[str, str] = field(default_factory=dict)  # by problem, where it was first
    over: bool = False  # an archive whose last row was played
    _stream: Iterator[list[Reading] | None] | None = field(default=None, repr=False)
    _waiting: list[Reading] = field(default_factory=list, repr=False)
    _shift: int | None = field(default=None, repr=False)
    _slots: dict[tuple[str, str], list[SlotSum]] = field(default_factory=dict, repr=False)
    measures: set[str] = field(default_factory=set)  # appliances that it had rows of

    @property
    def name(self) -> str:
        return self.entry.path.name

    def open(self, plan: str, appliances: Iterable[str], *edges: int) -> None:
        """Begin to add up the slots of a plan between these edges; one that is open already stays so."""
        for appliance in appliances:
            here = {(each.start, each.end): each for each in self._slots.get((plan, appliance), [])}
            self._slots[plan, appliance] = [here.get(span) or SlotSum(*span) for span in pairwise(edges)]

    def take_mean(self, plan: str, appliance: str, missing: float = 0.0) -> float:
        """The mean of an appliance's rows over the first slot that is open, `missing` without any; forgets it."""
        slot = self._slots[plan, appliance].pop(0)
        return slot.total / slot.count if slot.count else missing

    def poll(self, now: int) -> None:
        """Take in every row up to now; each counts for the open slot that holds its time."""
        try:
            while not self.over and self._due(now):
                for reading in self._waiting:
                    self._take(reading, now)
                self._waiting = []
        except Exception as wrong:
            self._stream, self._waiting = None, []  # begin anew: a stream that failed gives nothing more
            if not isinstance(wrong, ReadingsError | OSError):
                raise
            self._note(str(wrong) if isinstance(wrong, ReadingsError) else f"{self.name} cannot be read")

    def _due(self, now: int) -> bool:
        """Whether the next row is there and its time has come."""
        if not self._waiting:
            if self._stream is None:
                self._stream = self._readings()
            readings = next(self._stream, END)
            self.over = readings is END
            self._waiting = readings or []
        return bool(self._waiting) and self._time(self._waiting[0][0], now) <= now

    def _time(self, time: int, now: int) -> int:
        if self.entry.mode == "follow":
            return time
        if self._shift is None:
            self._shift = now - time
        return time + self._shift

    def _take(self, reading: Reading, now: int) -> None:
        time, appliance, watts = self._time(reading[0], now), reading[1], reading[2]
        for slot in (each for (_, name), slots in self._slots.items() if name == appliance for each in slots):
            if slot.start <= time < slot.end:
                slot.total += max(0.0, watts)
                slot.count += 1
        self.measures.add(appliance)
        self.heard, self.trouble = time, None

    def _note(self, trouble: str) -> None:
        self.trouble = trouble
        self.faults.setdefault(trouble.rpartition(": ")[2], trouble)

    def _readings(self) -> Iterator[list[Reading] | None]:
        """The readings of every row; a bad row is noted and left out."""
        count = 0
        for row in self.rows(self.entry.path):
            if row is None:
                yield None
                continue
            count += 1
            try:
                found = self._row_readings(row, f"{self.name}, row {count}")
            except ReadingsError as wrong:
                self._note(str(wrong))
                continue
            if found:
                yield found

    def _row_readings(self, row: Row | BadRow, where: str) -> list[Reading]:
        if isinstance(row, BadRow):
            raise ReadingsError(f"{where}: {row.problem}")
        if self.entry.household is not None and str(row.get("household")) != self.entry.household:
            return []
        return list(row_readings(row, self.entry.appliances, where))


def row_readings(row: Row, names: Mapping[str, str], where: str) -> Iterator[Reading]:
    """The readings in one row, tidy or wide; a cell left empty is none."""
    column = next((name for name in TIME_COLUMNS if name in row), None)
    if column is None:
        raise ReadingsError(f"{where}: there is no column {' or '.join(TIME_COLUMNS)}")
    time = parse_time(row[column], f"{where}, column {column}")
    if "appliance" in row:
        cells = {str(row["appliance"]): row.get("watts")}
    else:
        cells = {name: value for name, value in row.items() if name not in (column, "household")}
    for name, value in cells.items():
        if value not in (None, ""):
            yield time, names.get(name, name), _watts(value, f"{where}, column {name}")


def parse_time(value: object, where: str) -> int:
    """UTC nanoseconds of a time; one without a zone is UTC."""
    try:
        time = value if isinstance(value, datetime) else datetime.fromisoformat(str(value).strip())
        return nanoseconds(time if time.tzinfo else time.replace(tzinfo=UTC))
    except (ValueError, OverflowError):
        raise ReadingsError(f"{where}: not a time") from None


def _watts(value: object, where: str) -> float:
    try:
        return parse_decimal(value) if isinstance(value, str) else as_finite(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise ReadingsError(f"{where}: not a number") from None
