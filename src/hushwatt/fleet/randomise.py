"""Files of readings become files of reports, slot by slot, for a whole fleet.

The steps are the household's own.  A state file carries what the homes remember from
one file to the next; it is on disk before the reports are.
"""

import hashlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hushwatt.errors import ReadingsError, StateError
from hushwatt.files import written
from hushwatt.fleet.decided import Decided, report_rounds
from hushwatt.fleet.readings import Counts, Readings, read_slots
from hushwatt.fleet.state import load_state, save_state
from hushwatt.household.homes import Homes, enrol
from hushwatt.household.levels import Levels
from hushwatt.household.report import Sent, levels_of, report
from hushwatt.plan.plan import Plan
from hushwatt.privacy.entropy import Source, source_for
from hushwatt.wire.table import ReportBatch, ReportWriter

Progress = Callable[[float], None]


@dataclass(frozen=True)
class Randomised:
    """What was done, in numbers that say nothing about a home."""

    homes: int
    first: int
    last: int
    reports: int
    counts: Counts

    def lines(self) -> list[str]:
        """What a person wants to know afterwards."""
        counts = self.counts
        lines = [f"{self.homes:,} homes, slots {self.first} to {self.last}, {self.reports:,} reports"]
        skipped = {"before the plan's start": counts.before_start, "after it expires": counts.after_expires}
        skipped |= {f"of {name}, which is not in the plan": rows for name, rows in counts.outside.items()}
        lines += [f"skipped {rows:,} rows {why}" for why, rows in skipped.items() if rows]
        if counts.negative:
            lines.append(f"counted {counts.negative:,} negative readings as 0 W")
        return lines


@dataclass
class Fleet:
    """Homes by name, and what they and the provider remember."""

    plan: Plan
    households: pa.Array  # sorted
    homes: Homes
    decided: Decided | None

    def slot(self, slot: int, levels: Levels, source: Source) -> Iterator[Sent]:
        """What the fleet sends in one slot, in the order of the report table."""
        if self.decided is None:
            yield report(self.homes, slot, levels, source)
        else:
            yield from report_rounds(self.homes, self.decided, slot, levels, source)


def randomise_file(
    plan: Plan,
    readings: Path,
    reports: Path,
    *,
    seed: int | None = None,
    state: Path | None = None,
    progress: Progress | None = None,
) -> Randomised:
    """Randomise a table of readings into a table of reports."""
    known = load_state(plan, state) if state is not None and state.exists() else None
    table = read_slots(plan, readings, known=None if known is None else known[0], progress=progress)
    first, last = span(plan, table)
    source = source_for(seed, purpose(plan, table.homes))
    fleet = assemble(plan, known, table.homes, first, source)
    with ExitStack() as files:  # closed in reverse: the state is in place before the reports are
        destination = files.enter_context(written(reports))
        memory = None if state is None else files.enter_context(written(state))
        with ReportWriter(destination, plan, len(table.homes), seed) as writer:
            for slot, watts in table.matrices():
                levels = levels_of(plan, slot, watts, source)
                batch = batch_of(fleet.households, list(fleet.slot(slot, levels, source)))
                writer.write(batch.households, slot, batch.round, batch.spent, batch.drawn, batch.payloads)
        if memory is not None:
            save_state(memory, fleet.households, fleet.homes, fleet.decided)
    return Randomised(len(table.homes), first, last, writer.rows, table.counts)


def batch_of(households: pa.Array, sents: list[Sent]) -> ReportBatch:
    """What was sent in one slot, all rounds together, in the order of the households."""
    who = np.concatenate([sent.homes for sent in sents])
    rounds = np.concatenate([np.full(len(sent.homes), sent.round, dtype=np.int8) for sent in sents])
    spent, drawn, payloads = (
        np.concatenate([getattr(sent, name) for sent in sents]) for name in ("spent", "drawn", "payloads")
    )
    if len(sents) > 1:
        order = np.lexsort((rounds, who))
        who, rounds, spent, drawn, payloads = (c[order] for c in (who, rounds, spent, drawn, payloads))
    everyone = len(sents) == 1 and len(who) == len(households)
    named = households if everyone else households.take(pa.array(who))
    slots = np.full(len(who), sents[0].slot, dtype=np.int32)
    return ReportBatch(named, slots, rounds, spent, drawn, payloads)


def span(plan: Plan, table: Readings) -> tuple[int, int]:
    """The first and the last slot of the readings."""
    if table.first is None or table.last is None:
        begin, end = plan.calendar.start_of(0), plan.expires
        raise ReadingsError(
            f"no reading falls into the plan's time, {begin:%Y-%m-%d %H:%M} to {end:%Y-%m-%d %H:%M} UTC, "
            "for one of its appliances"
        )
    return table.first, table.last


def purpose(plan: Plan, households: pa.Array) -> str:
    """What a seeded run is about: another plan or other homes get other noise."""
    names = hashlib.sha256()
    for start in range(0, len(households), 1 << 16):
        part = "\n".join(households.slice(start, 1 << 16).to_pylist())
        names.update(part.encode() + b"\n")
    return f"{plan.id} {names.hexdigest()}"


def assemble(
    plan: Plan,
    known: tuple[pa.Array, Homes, Decided | None] | None,
    households: pa.Array,
    first: int,
    source: Source,
) -> Fleet:
    """The homes of an earlier state and the new ones, in the order of their names."""
    if known is None:
        decided = Decided.start(plan, len(households)) if plan.decision == "provider" else None
        return Fleet(plan, households, enrol(plan, len(households), first, source), decided)
    names, homes, decided = known
    if first < homes.slot:
        raise StateError(
            f"the readings begin in slot {first}, but the state has already passed slot {homes.slot - 1}"
        )
    if decided is None:
        homes.skip_to(first)
    new = households.filter(pc.invert(pc.is_in(households, value_set=names)))
    if len(new):
        homes = homes.joined(enrol(plan, len(new), first, source, beside=homes))
        if decided is not None:
            decided.joined(len(new))
        names = pa.concat_arrays([names, new])
        order = pc.sort_indices(names).to_numpy()
        homes = homes.reordered(order)
        if decided is not None:
            decided.spoke = decided.spoke[order]
    return Fleet(plan, households, homes, decided)
