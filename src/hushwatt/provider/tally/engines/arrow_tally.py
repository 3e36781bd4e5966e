"""Arrow batches of reports in, tallies out: plain functions that any engine can host.

Nothing here knows Spark.  A batch of reports has the columns of a report file, and
beside them `file` and `row`: where each report stands.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hushwatt.errors import ReportError
from hushwatt.plan.plan import Plan
from hushwatt.provider.checks.rotation import rotates
from hushwatt.provider.tally.engines.tally_arrow import Note, packed, unpacked
from hushwatt.provider.tally.file_plausible import plausible
from hushwatt.provider.tally.file_rotations import Part, held_to_rotation
from hushwatt.provider.tally.tally import Tallies, tally_batches
from hushwatt.wire.payload import Layout
from hushwatt.wire.reports.order import ReportOrder, key_ranges
from hushwatt.wire.reports.reader import drop_rows, keys_of
from hushwatt.wire.reports.rows import check_batch
from hushwatt.wire.reports.schema import ReportBatch
from hushwatt.wire.row_error import locate_row_errors

Batches = Iterator[pa.RecordBatch]


def look(plan: Plan, batches: Batches) -> Batches:
    """Tally reports that tell by themselves when they were drawn, each batch in its own order.

    A batch that is in no order ends it, for then all must be put in order first.
    """
    sieve, tallies, note = Sieve(plan), Tallies(0, {}), Note()
    with locate_row_errors(sieve.refusal):
        for batch in batches:
            reports = sieve.reports(batch, ReportOrder())
            if reports is None:
                yield packed(Tallies(0, {}), Note(ordered=False))
                return
            tallies.add_all(tally_batches(plan, [reports]))
            note.spans += key_ranges(keys_of(reports))
    note.repeats, note.refused = sieve.repeats, sieve.refused
    yield packed(tallies, note)


def settle(plan: Plan, batches: Batches) -> Batches:
    """Tally all reports of some homes, sorted by slot, household and round, and repeats by their place."""
    sieve, tallies = Sieve(plan), Tallies(0, {})

    def once() -> Iterator[ReportBatch]:
        order = ReportOrder()
        for batch in batches:
            reports = sieve.reports(batch, order)
            assert reports is not None, "they are sorted"
            yield reports

    with locate_row_errors(sieve.refusal):
        if rotates(plan):
            parts = (Part(reports, list(tally_batches(plan, [reports]))) for reports in once())
            tallies = held_to_rotation(plan, parts)
        else:
            tallies.add_all(tally_batches(plan, once()))
    yield packed(tallies, Note(sieve.repeats, refused=tallies.refused + sieve.refused))


def add(batches: Batches) -> Batches:
    """Add up tallies of the same key; notes stay as they are."""
    tallies, notes = Tallies(0, {}), []
    for batch in batches:
        found, more = unpacked(batch.to_pylist())
        tallies.merge(found)
        notes += more
    yield packed(tallies, *notes)


@dataclass
class Sieve:
    """Lets every report of a batch through once, and knows where each that it let through stands."""

    plan: Plan
    repeats: int = 0  # reports it held back
    refused: Counter[str] = field(default_factory=Counter)  # others that it held back, by reason
    batch: pa.RecordBatch | None = None  # the one at work
    kept: NDArray[np.intp] | None = None  # the rows of it that were let through; None: all

    def reports(self, batch: pa.RecordBatch, order: ReportOrder) -> ReportBatch | None:
        """The plausible reports of a batch, each once; None when they are in no order."""
        self.batch, self.kept = batch, None
        reports = check_batch(batch, self.plan.calendar.slots, Layout.of(self.plan).size)
        again = order.repeats(keys_of(reports))
        if again is None:
            return None
        self.kept = np.flatnonzero(~again)
        fit, refused = plausible(self.plan, drop_rows(reports, again))
        self.repeats += int(again.sum())
        self.refused += refused
        self.kept = self.kept[fit]
        return reports if len(self.kept) == len(reports) else reports.taken(self.kept)

    def refusal(self, row: int, problem: str) -> ReportError:
        """The error for a row among those let through."""
        assert self.batch is not None
        place = row if self.kept is None else int(self.kept[row])
        file, number = (self.batch.column(name)[place].as_py() for name in ("file", "row"))
        return ReportError(f"{file}, row {number + 1}: {problem}")
