"""Reports added up on this machine, all cores at work, in a memory that does not grow with them.

Every piece of a file is tallied by itself.  Pieces that are in order and do not
overlap cannot hold a report twice; those that do are put in order once more, on
disk, and tallied again.  Where each home decides for itself, the slots must be
seen one after the other, so there only the reading is shared out.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from hushwatt.errors import ReportError
from hushwatt.parallel import map_ordered
from hushwatt.plan.plan import Plan
from hushwatt.provider.checks.rotation import rotates
from hushwatt.provider.tally.engines.overlaps import overlapping, whole_slots
from hushwatt.provider.tally.engines.sound_files import tally_sound
from hushwatt.provider.tally.file_plausible import plausible
from hushwatt.provider.tally.file_rotations import TalliedBatch, tally_in_rotation
from hushwatt.provider.tally.label_table import LabelTable
from hushwatt.provider.tally.refused_reports import KeepRefused, refused_reports
from hushwatt.provider.tally.tally import Tallies, finish_tallies, tally_batches
from hushwatt.wire.payload import Layout
from hushwatt.wire.reports.order import KeyRange, ReportOrder, SortKey, key_at, key_ranges
from hushwatt.wire.reports.reader import read_row_groups, report_files, spill_reports
from hushwatt.wire.reports.refused_files import RefusedFile
from hushwatt.wire.reports.report_file import ReportSource, RowGroups
from hushwatt.wire.reports.schema import ReportBatch
from hushwatt.wire.row_error import RowError
from hushwatt.wire.storage import location


@dataclass
class PieceTally:
    """What a piece adds up to, and where its reports lie in the order of all."""

    tallies: Tallies = field(default_factory=lambda: Tallies(0, {}))
    spans: list[KeyRange] = field(default_factory=list)
    ordered: bool = True  # if not, a report may be in it twice: then it adds up to nothing by itself


@dataclass(frozen=True)
class EmbeddedEngine:
    """pyarrow, our kernels, and every core of this machine."""

    def tallies(
        self, plan: Plan, reports: str | Path, labels: LabelTable | None = None, keep: KeepRefused | None = None
    ) -> Tallies:
        """What the reports of a file, or of a folder of them, add up to; `keep` is given those that do not."""
        refused: list[RefusedFile] | None = None if keep is None else []
        tallies, sources = tally_sound(
            report_files(plan, location(reports), refused),
            lambda files: tally_sources(plan, files, labels),
            lambda file: first_fault(plan, file),
            refused,
        )
        if keep is not None:
            rows = refused_reports(plan, sources) if tallies.refused else ()
            keep(tallies.homes, chain(refused or (), rows))
        return tallies


def tally_sources(plan: Plan, sources: Sequence[ReportSource], labels: LabelTable | None = None) -> Tallies:
    """What the reports of some files or tables add up to; with `labels` every kind of home by itself."""
    tallies = Tallies(max(source.homes for source in sources), {})
    pieces = [piece for source in sources for piece in source.row_groups()]
    if plan.decision == "household":
        _tally_in_sequence(plan, pieces, tallies, labels)
    elif rotates(plan):
        _tally_in_rotation(plan, pieces, tallies, labels)
    else:
        _tally_in_parallel(plan, pieces, tallies, labels)
    return finish_tallies(plan, tallies, labels)


def first_fault(plan: Plan, source: ReportSource) -> ReportError | None:
    """Read all of a file, up to what is wrong in it."""
    try:
        for _ in map_ordered(lambda piece: tally_piece(plan, piece), source.row_groups()):
            pass
    except ReportError as wrong:
        return wrong
    return None


def tally_piece(
    plan: Plan,
    piece: RowGroups,
    labels: LabelTable | None = None,
    heard: Callable[[ReportBatch], None] = lambda batch: None,
) -> PieceTally:
    """Tally a piece by itself; a repeat of the report just before it is left out, and `heard` is told of the others."""
    result = PieceTally()
    for tallied in tallied_batches(plan, piece, labels):
        heard(tallied.batch)
        result.ordered &= tallied.ordered
        if result.ordered:
            tallied.add_to(result.tallies)
        else:
            result.tallies = Tallies(0, {})  # as large as all slots, and never asked for
        if tallied.keys is not None and len(tallied.keys[1]):  # what is refused tells of others that it came first
            result.spans += key_ranges(tallied.keys) if result.ordered else [whole_slots(tallied.keys[1])]
    return result


def tallied_batches(plan: Plan, piece: RowGroups, labels: LabelTable | None = None) -> Iterator[TalliedBatch]:
    """The batches of a piece, each with what it adds up to."""
    order, ordered = ReportOrder(), True
    first, size = piece.first, Layout.of(plan).size
    for batch in piece.batches(size):
        repeated = order.repeats(batch.keys) if ordered else None
        ordered = repeated is not None
        try:
            groups = list(tally_batches(plan, [batch], labels))
        except RowError as wrong:
            raise piece.file.refusal(first + wrong.row, wrong.problem) from None
        first += len(batch)
        once = batch if repeated is None else batch.without(repeated)
        kept, refused = _plausible(plan, once)
        if len(kept) < len(batch):
            groups = list(tally_batches(plan, [kept], labels))
        yield TalliedBatch(kept, groups, len(batch) - len(once), refused, ordered, batch.keys)


def _plausible(plan: Plan, batch: ReportBatch) -> tuple[ReportBatch, Counter[str]]:
    """The reports to be counted, and how many others there are, by reason."""
    fit, refused = plausible(plan, batch)
    return batch.without(~fit), refused


def _tally_in_parallel(plan: Plan, pieces: list[RowGroups], tallies: Tallies, labels: LabelTable | None) -> None:
    """Every report tells by itself when it was drawn, so the pieces need not wait for each other."""
    results = list(map_ordered(lambda piece: tally_piece(plan, piece, labels), pieces))
    again = overlapping([result.spans for result in results])
    again |= {index for index, result in enumerate(results) if not result.ordered}
    for index, result in enumerate(results):
        if index not in again:
            tallies.merge(result.tallies)
    for tallied in _sorted_on_disk(plan, [pieces[index] for index in sorted(again)], labels):
        tallied.add_to(tallies)


def _sorted_on_disk(plan: Plan, pieces: list[RowGroups], labels: LabelTable | None) -> Iterator[TalliedBatch]:
    """The reports of some pieces after an external sort: slots ascending, each once."""
    if not pieces:
        return
    with closing(spill_reports(pieces, Layout.of(plan).size)) as spill:

        def tally_bucket(bucket: int) -> TalliedBatch:
            batch, repeats = spill.bucket(bucket)
            kept, refused = _plausible(plan, batch)
            return TalliedBatch(kept, list(tally_batches(plan, [kept], labels)), repeats, refused)

        yield from map_ordered(tally_bucket, spill.buckets())


def _tally_in_rotation(plan: Plan, pieces: list[RowGroups], tallies: Tallies, labels: LabelTable | None) -> None:
    """Homes take turns or walk orders: only a home's earlier reports tell whether a report is in place."""
    try:
        tallies.merge(tally_in_rotation(plan, _in_file_order(plan, pieces, labels), labels))
    except UnsortedReports:
        with _locating_row_errors(plan, pieces):
            tallies.merge(tally_in_rotation(plan, _sorted_on_disk(plan, pieces, labels), labels))


def _in_file_order(plan: Plan, pieces: list[RowGroups], labels: LabelTable | None) -> Iterator[TalliedBatch]:
    """The reports of all pieces as they come, while they come in order."""
    last: SortKey | None = None
    for batches in map_ordered(lambda piece: list(tallied_batches(plan, piece, labels)), pieces):
        for tallied in batches:
            keys = tallied.keys
            assert keys is not None, "it is a batch of a piece"
            if not tallied.ordered or (len(keys[1]) and last is not None and key_at(keys, 0) <= last):
                raise UnsortedReports
            last = key_at(keys, -1) if len(keys[1]) else last
            yield tallied


class UnsortedReports(Exception):
    """A report is not above the one before it."""


def _tally_in_sequence(plan: Plan, pieces: list[RowGroups], tallies: Tallies, labels: LabelTable | None) -> None:
    """Each home decides for itself: only its earlier reports tell when a report was drawn."""

    def add_repeats(repeats: int) -> None:
        tallies.repeats += repeats

    def plausible_batches() -> Iterator[ReportBatch]:
        for batch in read_row_groups(pieces, Layout.of(plan).size, add_repeats):
            kept, refused = _plausible(plan, batch)
            tallies.refused += refused
            yield kept

    with _locating_row_errors(plan, pieces):
        tallies.add_all(tally_batches(plan, plausible_batches(), labels))


@contextmanager
def _locating_row_errors(plan: Plan, pieces: list[RowGroups]) -> Iterator[None]:
    """A row that is refused in the order of all is looked for again, to name its file and row."""
    try:
        yield
    except RowError:
        for _ in map_ordered(lambda piece: tally_piece(plan, piece), pieces):
            pass
        raise
