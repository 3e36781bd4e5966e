"""What every dataset can do: say what it is, and give its readings as a table.

Most datasets are folders of meters that were read every few seconds.  Such a
class names the homes in a folder and gives the recordings of each; the table
is made here, home by home, so memory holds one home at a time.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Protocol, Self

import numpy as np
import pyarrow as pa

from hushwatt.errors import PlanError, ReadingsError, UsageError
from hushwatt.evaluate.datasets.appliance_names import MAINS
from hushwatt.evaluate.datasets.time_grid import Moments, TimeGrid
from hushwatt.evaluate.datasets.zero_order_hold import Floats, ZeroOrderHold, summed
from hushwatt.evaluate.readings_file import SCHEMA
from hushwatt.plan.slot import SlotLength
from hushwatt.plan.times import zone

HALF_AN_HOUR = SlotLength(30, "m")

Piece = tuple[Moments, Floats]  # times, and watts of rows × meters; NaN is unmeasured


@dataclass(frozen=True)
class DatasetOptions:
    """What to make of a dataset."""

    every: SlotLength | None = None  # the length of a period, half an hour when not said
    timezone: str = "UTC"  # of periods of whole days
    homes: tuple[str, ...] | None = None  # all of them when not said
    mains: bool = False  # also whole homes' totals, as an appliance called "mains"
    coverage: float = 0.0  # share of a period that must be measured
    longest_gap: float | None = None  # seconds, the dataset's own when not said
    nulls: bool = False  # a row of a tidy table without watts is one that was not measured, and no error
    note: Callable[[str], None] = field(default=lambda line: None, repr=False)  # hears what is odd

    @classmethod
    def parse(
        cls,
        every: str | None,
        homes: str | None,
        timezone: str,
        coverage: float,
        longest_gap: str | None,
        mains: bool,
        note: Callable[[str], None],
    ) -> Self:
        """What somebody typed."""
        if not 0 <= coverage <= 1:
            raise UsageError(f"--coverage is {coverage:g}; it must be a share from 0 to 1")
        zone(timezone)  # refuses one that there is not
        gap = _length("--longest-gap", longest_gap)
        return cls(
            every=_length("--every", every),
            timezone=timezone,
            homes=tuple(filter(None, homes.replace(",", " ").split())) if homes is not None else None,
            mains=mains,
            coverage=coverage,
            longest_gap=None if gap is None else float(gap.seconds),
            note=note,
        )

    @property
    def grid(self) -> TimeGrid:
        """The periods to average over."""
        return TimeGrid(self.every or HALF_AN_HOUR, self.timezone)


@dataclass(frozen=True)
class Recording:
    """One or several meters of a home that were read at the same times."""

    appliances: tuple[str, ...]  # one for each meter
    pieces: Iterable[Piece]  # read when they are asked for, and not before
    longest_gap: float  # seconds that a row is held at most


class Dataset(Protocol):
    """One dataset in its original layout."""

    name: ClassVar[str]  # as the command line calls it, and its card

    def tables(self, folder: Path, options: DatasetOptions) -> Iterator[pa.RecordBatch]:
        """The readings table, piece by piece: household, time, appliance, watts."""
        ...


class MeterDataset:
    """A dataset of meters that were read again and again."""

    name: ClassVar[str]

    def homes(self, folder: Path) -> list[str]:
        """The homes in a folder, as the dataset calls them."""
        raise NotImplementedError

    def recordings(self, folder: Path, home: str) -> Iterator[Recording]:
        """What was recorded in one home."""
        raise NotImplementedError

    def household(self, home: str) -> str:
        """The home's name in the table."""
        return f"{self.name}_{home}"

    def missing(self, folder: Path, homes: list[str]) -> list[str]:
        """What the folder itself says should be there and is not, one line each."""
        return []

    def tables(self, folder: Path, options: DatasetOptions) -> Iterator[pa.RecordBatch]:
        """The readings of one home after the other, each sorted by time and appliance."""
        homes = chosen(self.homes(folder), options.homes, folder)
        for line in self.missing(folder, homes):
            options.note(line)
        for home in homes:
            yield from _table(self.household(home), self.recordings(folder, home), options)


def _length(option: str, text: str | None) -> SlotLength | None:
    """A length of time, such as 30m."""
    try:
        return None if text is None else SlotLength.parse(text)
    except PlanError:
        raise UsageError(f"{option} is {text!r}; write a whole number and s, m, h or d, such as 30m") from None


def chosen(homes: list[str], wanted: tuple[str, ...] | None, folder: Path) -> list[str]:
    """The wanted homes out of all, which is what is meant when none is named.

    >>> chosen(["01", "02"], ("2",), Path("eco"))
    ['02']
    """
    if wanted is None:
        return homes
    plain = {home.lstrip("0"): home for home in homes} | {home: home for home in homes}
    for home in wanted:
        if home not in plain and home.lstrip("0") not in plain:
            shown = ", ".join(homes[:12]) + (", …" if len(homes) > 12 else "")
            raise ReadingsError(f"{folder}: there is no home {home} in it; there are {shown}")
    return list(dict.fromkeys(plain.get(home) or plain[home.lstrip("0")] for home in wanted))


def _table(household: str, recordings: Iterator[Recording], options: DatasetOptions) -> Iterator[pa.RecordBatch]:
    """One home's readings; what it has several of is added up."""
    by_appliance: dict[str, list[Piece]] = defaultdict(list)
    odd: Counter[str] = Counter()
    for recording in recordings:
        if not options.mains and set(recording.appliances) == {MAINS}:
            continue
        hold = _held(recording, options)
        odd["rows left out because they were out of order"] += hold.late
        for appliance, periods in zip(recording.appliances, hold.finish(), strict=True):
            if options.mains or appliance != MAINS:
                by_appliance[appliance].append(periods.means(options.coverage))
                odd["periods left out because too little was measured"] += periods.left_out(options.coverage)
                odd["periods of which less than half was measured"] += periods.partly(options.coverage)
    for what, count in odd.items():
        if count:
            options.note(f"{household}: {what}: {count}")
    if by_appliance:
        yield _batch(household, {appliance: _added(parts) for appliance, parts in by_appliance.items()})


def _held(recording: Recording, options: DatasetOptions) -> ZeroOrderHold:
    gap = recording.longest_gap if options.longest_gap is None else options.longest_gap
    hold = ZeroOrderHold(options.grid, len(recording.appliances), gap)
    for times, watts in recording.pieces:
        hold.add(times, np.where((watts >= 0) & (watts < np.inf), watts, np.nan))  # others are none
    return hold


def _added(parts: list[Piece]) -> Piece:
    """The sum of what several meters of one kind say; one that was not measured adds nothing."""
    every = np.concatenate([starts for starts, _ in parts])
    watts = np.concatenate([watts for _, watts in parts])
    starts, place = np.unique(every, return_inverse=True)
    return starts, summed(place, watts)


def _batch(household: str, by_appliance: dict[str, Piece]) -> pa.RecordBatch:
    names = sorted(by_appliance)
    starts = np.concatenate([by_appliance[name][0] for name in names])
    watts = np.concatenate([by_appliance[name][1] for name in names])
    codes = np.repeat(np.arange(len(names), dtype=np.int32), [by_appliance[name][0].size for name in names])
    order = np.lexsort((codes, starts))
    home = pa.DictionaryArray.from_arrays(pa.array(np.zeros(starts.size, np.int32)), pa.array([household]))
    appliance = pa.DictionaryArray.from_arrays(pa.array(codes[order]), pa.array(names, pa.string()))
    time = pa.array(starts[order] // 1_000, SCHEMA.field("time").type)
    return pa.RecordBatch.from_arrays([home, time, appliance, pa.array(watts[order])], names=SCHEMA.names)
