"""Which reports of some files are refused, where each stands, and why.

The files are read twice more, and only when somebody asks: once to find who may be refused, once as they lie.  Between
the two, nine bytes are kept of each such report.  Nothing here knows who reads: one machine does all of it, or many
processes read a part each, and one of them names the first of each report.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hushwatt.parallel import map_ordered
from hushwatt.plan.plan import Plan
from hushwatt.provider.checks.rotation import IN_PLACE, REFUSALS, rotates
from hushwatt.provider.tally.file_plausible import IMPLAUSIBLE, PLAUSIBLE, plausibility
from hushwatt.provider.tally.file_rotations import RotationChecker
from hushwatt.wire.payload import Layout
from hushwatt.wire.reports.columns import hash_names
from hushwatt.wire.reports.reader import read_row_groups
from hushwatt.wire.reports.refused_files import RefusedFile
from hushwatt.wire.reports.report_file import ReportSource, RowGroups
from hushwatt.wire.reports.schema import ReportBatch

REASONS = IMPLAUSIBLE | REFUSALS
SLOT_MULTIPLIER = np.uint64(0xD6E8_FEB8_6659_FD93)  # odd: slots and rounds stay apart

Hashes = NDArray[np.uint64]
Verdicts = NDArray[np.int8]


def _no_hashes() -> Hashes:
    return np.empty(0, np.uint64)


def _no_verdicts() -> Verdicts:
    return np.empty(0, np.int8)


@dataclass(frozen=True)
class RefusedReports:
    """Neighbouring reports of a file that are refused."""

    file: str
    rows: NDArray[np.intp]  # counted from 0
    batch: ReportBatch
    reasons: list[str]


Refused = RefusedFile | RefusedReports
KeepRefused = Callable[[int, Iterable[Refused]], None]  # told how many homes take part, and what is refused


@dataclass(frozen=True)
class Suspects:
    """Reports of which one is refused, by their hashes, ascending, and why.

    Where every report tells by itself whether it is refused, the first of the same household, slot and round may not
    be: only that one counts, and tells.
    """

    hashes: Hashes = field(default_factory=_no_hashes)
    verdicts: Verdicts = field(default_factory=_no_verdicts)

    @staticmethod
    def merged(parts: "Iterable[Suspects]") -> "Suspects":
        """All in one."""
        every = list(parts) or [Suspects()]
        hashes, which = np.unique(np.concatenate([part.hashes for part in every]), return_index=True)
        return Suspects(hashes, np.concatenate([part.verdicts for part in every])[which])

    def places(self, batch: ReportBatch) -> NDArray[np.intp]:
        """The place of each report among these, -1 for one that is not."""
        if not len(self.hashes):
            return np.full(len(batch), -1, np.intp)
        own = _hashes(batch)
        found = np.minimum(np.searchsorted(self.hashes, own), len(self.hashes) - 1)
        return np.where(self.hashes[found] == own, found, -1)


@dataclass(frozen=True)
class SuspectRows:
    """Neighbouring reports of a file that are among the suspects, each with its own verdict."""

    file: str
    rows: NDArray[np.intp]  # counted from 0
    batch: ReportBatch
    verdicts: Verdicts


def refused_reports(plan: Plan, sources: Sequence[ReportSource]) -> Iterator[RefusedReports]:
    """The reports that are refused when these are tallied, in the order in which they lie."""
    pieces = [piece for source in sources for piece in source.row_groups()]
    if judged_in_order(plan):
        suspects = Suspects.merged([suspects_in_order(plan, read_row_groups(pieces, Layout.of(plan).size))])
    else:
        size = Layout.of(plan).size
        suspects = Suspects.merged(map_ordered(lambda piece: suspects_of(plan, piece.batches(size)), pieces))
    found = (rows for piece in pieces for rows in suspect_rows(plan, suspects, piece))
    return first_times(suspects, found)


def judged_in_order(plan: Plan) -> bool:
    """Do only a home's earlier reports tell whether a report is refused?"""
    return plan.decision != "household" and rotates(plan)


def suspects_in_order(plan: Plan, batches: Iterable[ReportBatch]) -> Suspects:
    """Who is refused of all reports of some homes, slots ascending, each once."""
    checker, found = RotationChecker(plan), list[Suspects]()
    for batch in batches:
        verdicts = plausibility(plan, batch)
        fit = np.flatnonzero(verdicts == PLAUSIBLE)
        verdicts[fit] = checker.verdicts(batch.taken(fit))
        found.append(_suspects(batch, verdicts))
    return Suspects.merged(found)


def suspects_of(plan: Plan, batches: Iterable[ReportBatch]) -> Suspects:
    """Who of some reports, in any order, is implausible."""
    return Suspects.merged([_suspects(batch, plausibility(plan, batch)) for batch in batches])


def suspect_rows(plan: Plan, suspects: Suspects, piece: RowGroups) -> Iterator[SuspectRows]:
    """The reports of a piece of a file that are among the suspects."""
    first = piece.first
    for batch in piece.batches(Layout.of(plan).size):
        rows = np.flatnonzero(suspects.places(batch) >= 0)
        if len(rows):
            suspected = batch.taken(rows)
            yield SuspectRows(piece.file.name, first + rows, suspected, verdicts_on(plan, suspects, suspected))
        first += len(batch)


def verdicts_on(plan: Plan, suspects: Suspects, suspected: ReportBatch) -> Verdicts:
    """What is said of each, should it be the first of its household, slot and round."""
    if judged_in_order(plan):
        return suspects.verdicts[suspects.places(suspected)]
    return plausibility(plan, suspected)


def first_times(suspects: Suspects, found: Iterable[SuspectRows]) -> Iterator[RefusedReports]:
    """Of what was found, in the order in which it lies, the first of each report, where that is refused."""
    seen = np.zeros(len(suspects.hashes), dtype=np.bool_)
    for each in found:
        places = suspects.places(each.batch)
        _, firsts = np.unique(places, return_index=True)
        rows = np.sort(firsts)
        rows = rows[~seen[places[rows]]]
        seen[places[rows]] = True
        rows = rows[each.verdicts[rows] != PLAUSIBLE]
        if len(rows):
            reasons = [REASONS[verdict] for verdict in each.verdicts[rows].tolist()]
            yield RefusedReports(each.file, each.rows[rows], each.batch.taken(rows), reasons)


def _suspects(batch: ReportBatch, verdicts: Verdicts) -> Suspects:
    refused = np.flatnonzero((verdicts != PLAUSIBLE) & (verdicts != IN_PLACE))
    return Suspects(_hashes(batch.taken(refused)), verdicts[refused])


def _hashes(batch: ReportBatch) -> Hashes:
    """A number for each report's household, slot and round."""
    when = batch.slot.astype(np.uint64) << np.uint64(1) | batch.round.astype(np.uint64)
    mixed = (hash_names(batch.households) ^ when) * SLOT_MULTIPLIER
    return np.asarray(mixed ^ mixed >> np.uint64(32))
