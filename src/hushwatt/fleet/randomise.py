"""Files of readings become files of reports, slot by slot, for a whole fleet.

The steps are the household's own.  A state file carries what the homes remember from
one file to the next; it is on disk before the reports are.
"""

import hashlib
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from os import PathLike
from pathlib import Path
from typing import Self

import pyarrow as pa

from hushwatt.errors import ReadingsError
from hushwatt.files import atomic_write
from hushwatt.fleet.assemble import assemble
from hushwatt.fleet.fleet import Fleet
from hushwatt.fleet.progress import ProgressCallback
from hushwatt.fleet.readings.readings import ReadingsTable, RowCounts, read_slots
from hushwatt.fleet.state import FleetState, save_state
from hushwatt.plan.plan import Plan
from hushwatt.plan.shown import printable
from hushwatt.privacy.entropy import Source, source_for
from hushwatt.privacy.length_bias import refuse_length_bias
from hushwatt.wire.reports import ReportWriter
from hushwatt.wire.storage import Location, atomic_write_to

SLOT, WATTS = itemgetter(0), itemgetter(2)  # of a page


@dataclass(frozen=True)
class RandomiseSummary:
    """What was done, in numbers that say nothing about a home."""

    homes: int
    first: int
    last: int
    reports: int
    counts: RowCounts

    def lines(self) -> list[str]:
        """What a person wants to know afterwards."""
        counts = self.counts
        lines = [f"{self.homes:,} homes, slots {self.first} to {self.last}, {self.reports:,} reports"]
        skipped = {"before the plan's start": counts.before_start, "after it expires": counts.after_expires}
        skipped |= {f"of {printable(name)}, which is not in the plan": rows for name, rows in counts.outside.items()}
        lines += [f"skipped {rows:,} rows {why}" for why, rows in skipped.items() if rows]
        if counts.negative:
            lines.append(f"counted {counts.negative:,} negative readings as 0 W")
        return lines


def randomise_file(
    plan: Plan,
    readings: str | PathLike[str] | Location,
    reports: str | PathLike[str] | Location,
    *,
    seed: int | None = None,
    state: Path | None = None,
    progress: ProgressCallback | None = None,
) -> RandomiseSummary:
    """Randomise a table of readings into a table of reports."""
    known = FleetState.load(plan, state) if state is not None and state.exists() else None
    run = Randomisation.start(plan, readings, seed, known, progress)
    with ExitStack() as files:  # closed in reverse: the state is in place before the reports are
        destination = files.enter_context(atomic_write_to(reports))
        memory = None if state is None else files.enter_context(atomic_write(state))
        with ReportWriter(destination, plan, len(run.table.homes), seed) as writer:
            run.write(writer)
        if memory is not None:
            save_state(memory, run.fleet)
    return run.summary(writer)


def randomise_table(
    plan: Plan, readings: str | PathLike[str] | Location | pa.Table, *, seed: int | None = None
) -> tuple[pa.Table, RandomiseSummary]:
    """Randomise a table of readings into a table of reports in memory."""
    run = Randomisation.start(plan, readings, seed)
    writer = ReportWriter(None, plan, len(run.table.homes), seed)
    run.write(writer)
    return writer.table(), run.summary(writer)


@dataclass(frozen=True)
class Randomisation:
    """A table of readings, the fleet that reports it, and its randomness."""

    table: ReadingsTable
    first: int
    last: int
    source: Source
    fleet: Fleet

    @classmethod
    def start(
        cls,
        plan: Plan,
        readings: str | PathLike[str] | Location | pa.Table,
        seed: int | None,
        known: FleetState | None = None,
        progress: ProgressCallback | None = None,
    ) -> Self:
        """Look at the readings, and gather the homes; those of `known` go on where they were."""
        if known is None and seed is None:  # a collection that has begun goes on, and a simulation is none
            refuse_length_bias(plan)
        households = None if known is None else known.households
        table = read_slots(plan, readings, known=households, progress=progress)
        first, last = slot_span(plan, table)
        source = source_for(seed, seed_purpose(plan, table.homes))
        return cls(table, first, last, source, assemble(plan, known, table.homes, first, source))

    def write(self, writer: ReportWriter) -> None:
        """Write what the homes report, slot by slot."""
        for slot, pages in groupby(self.table.pages(), key=SLOT):
            for batch in self.fleet.advance(slot, map(WATTS, pages), self.source):
                writer.write(batch.households, slot, batch.round, batch.spent, batch.drawn, batch.payloads)

    def summary(self, writer: ReportWriter) -> RandomiseSummary:
        """What was done."""
        return RandomiseSummary(len(self.table.homes), self.first, self.last, writer.rows, self.table.counts)


def slot_span(plan: Plan, table: ReadingsTable) -> tuple[int, int]:
    """The first and the last slot of the readings."""
    if table.first is None or table.last is None:
        begin, end = plan.calendar.start_of(0), plan.expires
        raise ReadingsError(
            f"no reading falls into the plan's time, {begin:%Y-%m-%d %H:%M} to {end:%Y-%m-%d %H:%M} UTC, "
            "for one of its appliances"
        )
    return table.first, table.last


def seed_purpose(plan: Plan, households: pa.Array) -> str:
    """What a seeded run is about: another plan or other homes get other noise."""
    names = hashlib.sha256()
    for start in range(0, len(households), 1 << 16):
        part = "\n".join(households.slice(start, 1 << 16).to_pylist())
        names.update(part.encode() + b"\n")
    return f"{plan.id} {names.hexdigest()}"
