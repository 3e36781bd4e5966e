"""Pieces of report files that other processes tally: only their addresses travel there, and tallies come back.

Nothing here knows Spark.  Whoever is told an address opens the file, reads the piece and adds it up as
the engine on one machine does.  Where all reports of a home must meet, those of a piece are dealt into
buckets by their homes, as messages of whole columns, and each bucket is put in order and added up.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import numpy as np

from hushwatt.errors import HushwattError, UsageError
from hushwatt.plan.plan import Plan
from hushwatt.provider.tally.engines.arrow_tally import tally_homes
from hushwatt.provider.tally.engines.embedded import PieceTally, tally_piece
from hushwatt.provider.tally.engines.overlaps import overlapping
from hushwatt.provider.tally.engines.turn_check import deal_claims, disagree
from hushwatt.provider.tally.label_table import LabelTable
from hushwatt.provider.tally.refused_reports import (
    SuspectRows,
    Suspects,
    suspect_rows,
    suspects_in_order,
    suspects_of,
)
from hushwatt.provider.tally.tally import Tallies
from hushwatt.wire.payload import Layout
from hushwatt.wire.reports.columns import hash_names
from hushwatt.wire.reports.external_sort import BUCKET_REPORTS, MAX_BUCKETS, deal_reports, reports_in_order
from hushwatt.wire.reports.order import KeyRange
from hushwatt.wire.reports.report_file import ReportFile, RowGroups
from hushwatt.wire.reports.schema import ReportBatch
from hushwatt.wire.storage import Location

Message = tuple[int, bytes]  # its place among all, and reports in columns
OPEN_FILES = 64  # that a process keeps in mind


@dataclass(frozen=True)
class PieceAddress:
    """Where a piece lies, for a process that sees the same files."""

    number: int  # among all pieces, in the order in which their reports count
    path: Location
    name: str  # of the file, as it was given
    groups: range
    first: int
    rows: int

    def opened(self, plan: Plan) -> RowGroups:
        return RowGroups(_open(plan, self.path, self.name), self.groups, self.first, self.rows)


@dataclass
class PartTally:
    """What some pieces add up to, and what is to be known of each by its number."""

    tallies: Tallies = field(default_factory=lambda: Tallies(0, {}))
    spans: dict[int, list[KeyRange]] = field(default_factory=dict)  # where its reports lie in the order of all
    unordered: set[int] = field(default_factory=set)
    problems: dict[int, HushwattError] = field(default_factory=dict)
    two_turns: bool = False  # whether a home may have spoken out of its turn

    def merged(self, other: "PartTally") -> "PartTally":
        """Both in one; this one is used up."""
        self.tallies.merge(other.tallies)
        self.spans |= other.spans
        self.unordered |= other.unordered
        self.problems |= other.problems
        self.two_turns |= other.two_turns
        return self

    def without(self, part: "PartTally") -> "PartTally":
        """The same but for a part of it: whole numbers come out as if they had never been added."""
        self.tallies.add_all((key, -tally) for key, tally in part.tallies.groups.items())
        left = {key: tally for key, tally in self.tallies.groups.items() if tally.rows}
        repeats, refused = self.tallies.repeats - part.tallies.repeats, self.tallies.refused - part.tallies.refused
        return PartTally(Tallies(0, left, repeats, refused))

    def again(self) -> set[int]:
        """The pieces that may hold a report twice, alone or together."""
        numbers = list(self.spans)
        return {numbers[index] for index in overlapping(list(self.spans.values()))} | self.unordered


def piece_addresses(files: Iterable[ReportFile]) -> list[PieceAddress]:
    """All pieces of some files."""
    pieces = [(file, piece) for file in files for piece in file.row_groups()]
    return [
        PieceAddress(number, _from_anywhere(file.path), file.name, piece.groups, piece.first, piece.rows)
        for number, (file, piece) in enumerate(pieces)
    ]


def tally_address(
    plan: Plan,
    address: PieceAddress,
    labels: LabelTable | None = None,
    heard: Callable[[ReportBatch], None] = lambda batch: None,
) -> PartTally:
    """What a piece adds up to by itself, or what is wrong with it: of several, the first is told in the end."""
    try:
        piece = tally_piece(plan, address.opened(plan), labels, heard)
    except HushwattError as problem:
        return PartTally(problems={address.number: problem})
    return _part(address.number, piece)


def tally_with_turns(
    plan: Plan, buckets: int, address: PieceAddress, labels: LabelTable | None = None
) -> Iterator[tuple[int, PartTally | bytes]]:
    """The same, and by bucket who says that which turn is its own."""
    claims: list[tuple[int, bytes]] = []
    part = tally_address(plan, address, labels, lambda batch: claims.extend(deal_claims(plan, batch, buckets)))
    yield 0, part
    yield from claims


def with_turns(plan: Plan, items: Iterable[PartTally | bytes]) -> PartTally:
    """What came into a bucket: tallies of some pieces, and all turns of some homes."""
    whole, messages = PartTally(), list[bytes]()
    for item in items:
        if isinstance(item, PartTally):
            whole = whole.merged(item)
        else:
            messages.append(item)
    whole.two_turns |= disagree(plan, messages)
    return whole


def bucket_count(addresses: Sequence[PieceAddress], least: int) -> int:
    """Over how many buckets the homes of these pieces are spread; no fewer than there are cores to work."""
    reports = sum(address.rows for address in addresses)
    return min(max(least, -(-reports // BUCKET_REPORTS)), MAX_BUCKETS)


def deal_piece(plan: Plan, buckets: int, address: PieceAddress) -> Iterator[tuple[int, Message]]:
    """The reports of a piece as messages, each with its bucket: that of all reports of these homes."""
    for number, batch in enumerate(address.opened(plan).batches(Layout.of(plan).size)):
        homes = (hash_names(batch.households) % np.uint64(buckets)).astype(np.uint16)
        for bucket, part in deal_reports(batch, homes):
            yield bucket, (address.number << 32 | number, part.serialize().to_pybytes())


def tally_bucket(plan: Plan, messages: Iterable[Message], labels: LabelTable | None = None) -> PartTally:
    """What all reports of some homes add up to, the first of each counted."""
    parts = [part for _, part in sorted(messages)]
    if not parts:
        return PartTally()
    batch, repeats = reports_in_order(parts, Layout.of(plan).size)
    tallies = tally_homes(plan, [batch], labels)
    tallies.repeats += repeats
    return PartTally(tallies)


def suspects_of_piece(plan: Plan, address: PieceAddress) -> Suspects:
    """Who is refused in a piece, where every report tells by itself."""
    return suspects_of(plan, address.opened(plan).batches(Layout.of(plan).size))


def suspects_of_bucket(plan: Plan, messages: Iterable[Message]) -> Suspects:
    """Who is refused of all reports of some homes, where earlier ones tell."""
    parts = [part for _, part in sorted(messages)]
    return suspects_in_order(plan, [reports_in_order(parts, Layout.of(plan).size)[0]] if parts else [])


def suspects_in_piece(plan: Plan, suspects: Suspects, address: PieceAddress) -> list[SuspectRows]:
    """The reports of a piece that are among the suspects."""
    return list(suspect_rows(plan, suspects, address.opened(plan)))


def _from_anywhere(path: Location) -> Location:
    return path.absolute() if isinstance(path, Path) else path


def _part(number: int, piece: PieceTally) -> PartTally:
    return PartTally(piece.tallies, {number: piece.spans}, set() if piece.ordered else {number})


@lru_cache(maxsize=OPEN_FILES)
def _open(plan: Plan, path: Location, name: str) -> ReportFile:
    """The file as this process sees it, its footer and pages looked at once."""
    if not path.exists():
        raise UsageError(f"{name}: Spark's workers do not see it")
    return ReportFile(plan, path, name)
