"""Reports added up on this machine, all cores at work, in a memory that does not grow with them.

Every piece of a file is tallied by itself.  Pieces that are in order and do not
overlap cannot hold a report twice; those that do are put in order once more, on
disk, and tallied again.  Where each home decides for itself, the slots must be
seen one after the other, so there only the reading is shared out.
"""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from hushwatt.errors import UsageError
from hushwatt.parallel import map_ordered
from hushwatt.plan.plan import Plan
from hushwatt.provider.checks.rotation import rotates
from hushwatt.provider.tally.engines.overlaps import contested, every_home
from hushwatt.provider.tally.file_plausible import plausible
from hushwatt.provider.tally.file_rotations import Part, held_to_rotation
from hushwatt.provider.tally.tally import Tallies, settled, tally_batches
from hushwatt.wire.payload import Layout
from hushwatt.wire.reports.order import KeyRange, ReportOrder, SortKey, key_at, key_ranges
from hushwatt.wire.reports.reader import drop_rows, keys_of, read_reports, report_files, spill_reports
from hushwatt.wire.reports.report_file import RowGroups
from hushwatt.wire.reports.schema import ReportBatch
from hushwatt.wire.row_error import RowError


@dataclass
class Look:
    """What a piece adds up to, and where its reports lie in the order of all."""

    tallies: Tallies = field(default_factory=lambda: Tallies(0, {}))
    spans: list[KeyRange] = field(default_factory=list)
    ordered: bool = True  # if not, a report may be in it twice


@dataclass(frozen=True)
class Embedded:
    """pyarrow, our kernels, and every core of this machine."""

    def tallies(self, plan: Plan, reports: str | Path) -> Tallies:
        """What the reports of a file, or of a folder of them, add up to."""
        if "://" in str(reports):
            raise UsageError(f"{reports}: an address is for the engine spark")
        files = report_files(plan, Path(reports))
        tallies = Tallies(max(file.homes for file in files), {})
        pieces = [piece for file in files for piece in file.row_groups()]
        if plan.decision == "household":
            _in_turn(plan, reports, pieces, tallies)
        elif rotates(plan):
            _in_rotation(plan, pieces, tallies)
        else:
            _at_once(plan, pieces, tallies)
        return settled(plan, tallies)


def look(plan: Plan, piece: RowGroups) -> Look:
    """Tally a piece by itself; a repeat of the report just before it is left out."""
    found = Look()
    for part in parts_of(plan, piece):
        found.ordered &= part.ordered
        found.tallies.repeats += part.repeats
        found.tallies.refused += part.refused
        found.tallies.add_all(part.groups)
        if len(part.batch):
            found.spans += key_ranges(keys_of(part.batch)) if found.ordered else [every_home(part.batch.slot)]
    return found


def parts_of(plan: Plan, piece: RowGroups) -> Iterator[Part]:
    """The batches of a piece, each with what it adds up to."""
    order, ordered = ReportOrder(), True
    first, size = piece.first, Layout.of(plan).size
    for batch in piece.batches(size):
        again = order.repeats(keys_of(batch)) if ordered else None
        ordered = again is not None
        try:
            groups = list(tally_batches(plan, [batch]))
        except RowError as wrong:
            raise piece.file.refusal(first + wrong.row, wrong.problem) from None
        first += len(batch)
        once = batch if again is None else drop_rows(batch, again)
        fit, refused = plausible(plan, once)
        kept = drop_rows(once, ~fit)
        if len(kept) < len(batch):
            groups = list(tally_batches(plan, [kept]))
        yield Part(kept, groups, len(batch) - len(once), refused, ordered)


def _at_once(plan: Plan, pieces: list[RowGroups], tallies: Tallies) -> None:
    """Every report tells by itself when it was drawn, so the pieces need not wait for each other."""
    looks = list(map_ordered(lambda piece: look(plan, piece), pieces))
    again = contested([found.spans for found in looks])
    again |= {place for place, found in enumerate(looks) if not found.ordered}
    for place, found in enumerate(looks):
        if place not in again:
            tallies.merge(found.tallies)
    for part in _put_in_order(plan, [pieces[place] for place in sorted(again)]):
        tallies.add_all(part.groups)
        tallies.repeats += part.repeats
        tallies.refused += part.refused


def _put_in_order(plan: Plan, pieces: list[RowGroups]) -> Iterator[Part]:
    """The reports of some pieces, slots ascending, each once."""
    if not pieces:
        return
    with closing(spill_reports(pieces, Layout.of(plan).size)) as spill:

        def tallied(bucket: int) -> Part:
            batch, repeats = spill.bucket(bucket)
            fit, refused = plausible(plan, batch)
            kept = drop_rows(batch, ~fit)
            return Part(kept, list(tally_batches(plan, [kept])), repeats, refused)

        yield from map_ordered(tallied, spill.buckets())


def _in_rotation(plan: Plan, pieces: list[RowGroups], tallies: Tallies) -> None:
    """Homes take turns or walk orders: only a home's earlier reports tell whether a report is in place."""
    try:
        tallies.merge(held_to_rotation(plan, _as_they_lie(plan, pieces)))
    except NotInOrder:
        with _named(plan, pieces):
            tallies.merge(held_to_rotation(plan, _put_in_order(plan, pieces)))


def _as_they_lie(plan: Plan, pieces: list[RowGroups]) -> Iterator[Part]:
    """The reports of all pieces as they come, while they come in order."""
    last: SortKey | None = None
    for parts in map_ordered(lambda piece: list(parts_of(plan, piece)), pieces):
        for part in parts:
            places, any_left = keys_of(part.batch), len(part.batch) > 0
            if not part.ordered or (any_left and last is not None and key_at(places, 0) <= last):
                raise NotInOrder
            last = key_at(places, -1) if any_left else last
            yield part


class NotInOrder(Exception):
    """A report is not above the one before it."""


def _in_turn(plan: Plan, reports: str | Path, pieces: list[RowGroups], tallies: Tallies) -> None:
    """Each home decides for itself: only its earlier reports tell when a report was drawn."""

    def told(repeats: int) -> None:
        tallies.repeats += repeats

    def kept() -> Iterator[ReportBatch]:
        for batch in read_reports(plan, reports, Layout.of(plan).size, told):
            fit, refused = plausible(plan, batch)
            tallies.refused += refused
            yield drop_rows(batch, ~fit)

    with _named(plan, pieces):
        tallies.add_all(tally_batches(plan, kept()))


@contextmanager
def _named(plan: Plan, pieces: list[RowGroups]) -> Iterator[None]:
    """A row that is refused in the order of all is looked for again, to name its file and row."""
    try:
        yield
    except RowError:
        for _ in map_ordered(lambda piece: look(plan, piece), pieces):
            pass
        raise
