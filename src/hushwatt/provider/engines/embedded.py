"""Reports added up on this machine, all cores at work, in a memory that does not grow with them.

Every piece of a file is tallied by itself.  Pieces that are in order and do not
overlap cannot hold a report twice; those that do are put in order once more, on
disk, and tallied again.  Where each home decides for itself, the slots must be
seen one after the other, so there only the reading is shared out.
"""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from hushwatt.beside import beside
from hushwatt.errors import UsageError
from hushwatt.plan.plan import Plan
from hushwatt.provider.engines.contest import contested, every_home
from hushwatt.provider.tally import Tallies, settled, tally_batches
from hushwatt.wire.payload import Layout
from hushwatt.wire.report_file import Piece
from hushwatt.wire.report_order import ReportOrder, Span, spans
from hushwatt.wire.report_reader import places_of, read_reports, report_files, spilled, without
from hushwatt.wire.row_error import RowError


@dataclass
class Look:
    """What a piece adds up to, and where its reports lie in the order of all."""

    tallies: Tallies = field(default_factory=lambda: Tallies(0, {}))
    spans: list[Span] = field(default_factory=list)
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
        pieces = [piece for file in files for piece in file.pieces()]
        if plan.decision == "household":
            _in_turn(plan, reports, pieces, tallies)
        else:
            _at_once(plan, pieces, tallies)
        return settled(plan, tallies)


def look(plan: Plan, piece: Piece) -> Look:
    """Tally a piece by itself; a repeat of the report just before it is left out."""
    found, order = Look(), ReportOrder()
    first, size = piece.first, Layout.of(plan).size
    for batch in piece.batches(size):
        again = order.repeats(places_of(batch)) if found.ordered else None
        found.ordered = again is not None
        try:
            groups = list(tally_batches(plan, [batch]))
        except RowError as wrong:
            raise piece.file.refusal(first + wrong.row, wrong.problem) from None
        if again is not None and again.any():
            groups = list(tally_batches(plan, [without(batch, again)]))
            found.tallies.repeats += int(again.sum())
        found.tallies.add_all(groups)
        found.spans += spans(places_of(batch)) if found.ordered else [every_home(batch.slot)]
        first += len(batch)
    return found


def _at_once(plan: Plan, pieces: list[Piece], tallies: Tallies) -> None:
    """Every report tells by itself when it was drawn, so the pieces need not wait for each other."""
    looks = list(beside(lambda piece: look(plan, piece), pieces))
    again = contested([found.spans for found in looks])
    again |= {place for place, found in enumerate(looks) if not found.ordered}
    for place, found in enumerate(looks):
        if place not in again:
            tallies.merge(found.tallies)
    for part in _put_in_order(plan, [pieces[place] for place in sorted(again)]):
        tallies.merge(part)


def _put_in_order(plan: Plan, pieces: list[Piece]) -> Iterator[Tallies]:
    if not pieces:
        return
    with closing(spilled(pieces, Layout.of(plan).size)) as spill:

        def tallied(bucket: int) -> Tallies:
            batch, repeats = spill.bucket(bucket)
            tallies = Tallies(0, {}, repeats)
            tallies.add_all(tally_batches(plan, [batch]))
            return tallies

        yield from beside(tallied, spill.buckets())


def _in_turn(plan: Plan, reports: str | Path, pieces: list[Piece], tallies: Tallies) -> None:
    """Each home decides for itself: only its earlier reports tell when a report was drawn."""

    def told(repeats: int) -> None:
        tallies.repeats += repeats

    try:
        tallies.add_all(tally_batches(plan, read_reports(plan, reports, Layout.of(plan).size, told)))
    except RowError:
        for _ in beside(lambda piece: look(plan, piece), pieces):  # it is found again, with its file and row
            pass
        raise
