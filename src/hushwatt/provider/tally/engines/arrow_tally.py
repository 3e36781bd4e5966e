"""Arrow batches of reports in, tallies out: plain functions that any engine can host.

Nothing here knows Spark.  A batch of reports has the columns of a report file.  Where a report that
is refused stands in its file is not known here: it is counted from the first of its batch.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import pyarrow as pa

from hushwatt.plan.plan import Plan
from hushwatt.provider.checks.rotation import rotates
from hushwatt.provider.tally.engines.tally_arrow import PartitionInfo, decode_tallies, encode_tallies
from hushwatt.provider.tally.file_plausible import plausible
from hushwatt.provider.tally.file_rotations import TalliedBatch, tally_in_rotation
from hushwatt.provider.tally.label_table import LabelTable
from hushwatt.provider.tally.tally import Tallies, tally_batches
from hushwatt.wire.payload import Layout
from hushwatt.wire.reports.order import ReportOrder, key_ranges
from hushwatt.wire.reports.rows import check_batch
from hushwatt.wire.reports.schema import ReportBatch

Batches = Iterator[pa.RecordBatch]


def tally_partition(plan: Plan, batches: Batches, labels: LabelTable | None = None) -> Batches:
    """Tally reports that tell by themselves when they were drawn, each batch in its own order.

    A batch that is in no order ends it, for then all must be put in order first.
    """
    reports, tallies, info = ReportFilter(plan), Tallies(0, {}), PartitionInfo()
    for batch in checked(plan, batches):
        kept = reports.filter(batch, ReportOrder())
        if kept is None:
            yield encode_tallies(Tallies(0, {}), PartitionInfo(ordered=False))
            return
        tallies.add_all(tally_batches(plan, [kept], labels))
        info.spans += key_ranges(batch.keys)
    info.repeats, info.refused = reports.repeats, reports.refused
    yield encode_tallies(tallies, info)


def tally_sorted(plan: Plan, batches: Batches, labels: LabelTable | None = None) -> Batches:
    """Tally all reports of some homes, sorted by slot, household and round, and repeats by their place."""
    tallies = tally_homes(plan, checked(plan, batches), labels)
    yield encode_tallies(tallies, PartitionInfo(tallies.repeats, refused=tallies.refused))


def tally_homes(plan: Plan, batches: Iterable[ReportBatch], labels: LabelTable | None = None) -> Tallies:
    """What all reports of some homes add up to, sorted as they should be, the first of each counted."""
    reports, tallies, order = ReportFilter(plan), Tallies(0, {}), ReportOrder()

    def kept() -> Iterator[ReportBatch]:
        for batch in batches:
            once = reports.filter(batch, order)
            assert once is not None, "they are sorted"
            yield once

    if rotates(plan):
        tallied = (TalliedBatch(batch, list(tally_batches(plan, [batch], labels))) for batch in kept())
        tallies = tally_in_rotation(plan, tallied, labels)
    else:
        tallies.add_all(tally_batches(plan, kept(), labels))
    tallies.repeats += reports.repeats
    tallies.refused += reports.refused
    return tallies


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
    """Leaves out reports that are there again, and implausible ones."""

    plan: Plan
    repeats: int = 0  # reports left out as duplicates
    refused: Counter[str] = field(default_factory=Counter)  # others left out, by reason

    def filter(self, batch: ReportBatch, order: ReportOrder) -> ReportBatch | None:
        """The plausible reports of a batch, each once; None when they are in no order."""
        repeated = order.repeats(batch.keys)
        if repeated is None:
            return None
        once = batch.without(repeated)
        fit, refused = plausible(self.plan, once)
        self.repeats += len(batch) - len(once)
        self.refused += refused
        return once.without(~fit)


def checked(plan: Plan, batches: Batches) -> Iterator[ReportBatch]:
    """The reports of Arrow batches, every row held to what a report is."""
    slots, size = plan.calendar.slots, Layout.of(plan).size
    return (check_batch(batch, slots, size) for batch in batches)
