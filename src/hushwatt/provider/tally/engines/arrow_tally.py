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
from hushwatt.provider.tally.engines.tally_arrow import PartitionInfo, decode_tallies, encode_tallies
from hushwatt.provider.tally.file_plausible import plausible
from hushwatt.provider.tally.file_rotations import TalliedBatch, tally_in_rotation
from hushwatt.provider.tally.tally import Tallies, tally_batches
from hushwatt.wire.payload import Layout
from hushwatt.wire.reports.order import ReportOrder, key_ranges
from hushwatt.wire.reports.rows import check_batch
from hushwatt.wire.reports.schema import ReportBatch
from hushwatt.wire.row_error import locate_row_errors

Batches = Iterator[pa.RecordBatch]


def tally_partition(plan: Plan, batches: Batches) -> Batches:
    """Tally reports that tell by themselves when they were drawn, each batch in its own order.

    A batch that is in no order ends it, for then all must be put in order first.
    """
    reports, tallies, info = ReportFilter(plan), Tallies(0, {}), PartitionInfo()
    with locate_row_errors(reports.refusal):
        for batch in batches:
            kept = reports.filter(batch, ReportOrder())
            if kept is None:
                yield encode_tallies(Tallies(0, {}), PartitionInfo(ordered=False))
                return
            tallies.add_all(tally_batches(plan, [kept]))
            info.spans += key_ranges(kept.keys)
    info.repeats, info.refused = reports.repeats, reports.refused
    yield encode_tallies(tallies, info)


def tally_sorted(plan: Plan, batches: Batches) -> Batches:
    """Tally all reports of some homes, sorted by slot, household and round, and repeats by their place."""
    reports, tallies = ReportFilter(plan), Tallies(0, {})

    def deduplicated() -> Iterator[ReportBatch]:
        order = ReportOrder()
        for batch in batches:
            kept = reports.filter(batch, order)
            assert kept is not None, "they are sorted"
            yield kept

    with locate_row_errors(reports.refusal):
        if rotates(plan):
            tallied = (TalliedBatch(kept, list(tally_batches(plan, [kept]))) for kept in deduplicated())
            tallies = tally_in_rotation(plan, tallied)
        else:
            tallies.add_all(tally_batches(plan, deduplicated()))
    yield encode_tallies(tallies, PartitionInfo(reports.repeats, refused=tallies.refused + reports.refused))


def merge_tallies(batches: Batches) -> Batches:
    """Add up tallies of the same key; infos stay as they are."""
    tallies, infos = Tallies(0, {}), []
    for batch in batches:
        part, more = decode_tallies(batch.to_pylist())
        tallies.merge(part)
        infos += more
    yield encode_tallies(tallies, *infos)


@dataclass
class ReportFilter:
    """Deduplicates reports, leaves out implausible ones, and knows where each of the rest stands."""

    plan: Plan
    repeats: int = 0  # reports left out as duplicates
    refused: Counter[str] = field(default_factory=Counter)  # others left out, by reason
    batch: pa.RecordBatch | None = None  # the one at work
    kept: NDArray[np.intp] | None = None  # the rows of it that are kept; None: all

    def filter(self, batch: pa.RecordBatch, order: ReportOrder) -> ReportBatch | None:
        """The plausible reports of a batch, each once; None when they are in no order."""
        self.batch, self.kept = batch, None
        reports = check_batch(batch, self.plan.calendar.slots, Layout.of(self.plan).size)
        repeated = order.repeats(reports.keys)
        if repeated is None:
            return None
        self.kept = np.flatnonzero(~repeated)
        fit, refused = plausible(self.plan, reports.without(repeated))
        self.repeats += int(repeated.sum())
        self.refused += refused
        self.kept = self.kept[fit]
        return reports if len(self.kept) == len(reports) else reports.taken(self.kept)

    def refusal(self, row: int, problem: str) -> ReportError:
        """The error for a row among those kept."""
        assert self.batch is not None
        row = row if self.kept is None else int(self.kept[row])
        file, number = (self.batch.column(name)[row].as_py() for name in ("file", "row"))
        return ReportError(f"{file}, row {number + 1}: {problem}")
