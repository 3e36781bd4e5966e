"""Which reports of some files are refused, where each stands, and why.

The files are read twice more, and only when somebody asks: once in the order in which reports are judged, once as they
lie.  Between the two, nine bytes are kept of each report that is refused.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hushwatt.plan.plan import Plan
from hushwatt.provider.checks.rotation import IN_PLACE, REFUSALS, rotates
from hushwatt.provider.tally.file_plausible import IMPLAUSIBLE, PLAUSIBLE, plausibility
from hushwatt.provider.tally.file_rotations import RotationChecker
from hushwatt.wire.payload import Layout
from hushwatt.wire.reports.columns import hash_names
from hushwatt.wire.reports.reader import read_row_groups
from hushwatt.wire.reports.report_file import ReportSource
from hushwatt.wire.reports.schema import ReportBatch

REASONS = IMPLAUSIBLE | REFUSALS
SLOT_MULTIPLIER = np.uint64(0xD6E8_FEB8_6659_FD93)  # odd: slots and rounds stay apart

Hashes = NDArray[np.uint64]


@dataclass(frozen=True)
class RefusedReports:
    """Neighbouring reports of a file that are refused."""

    file: str
    rows: NDArray[np.intp]  # counted from 0
    batch: ReportBatch
    reasons: list[str]


def refused_reports(plan: Plan, sources: Sequence[ReportSource]) -> Iterator[RefusedReports]:
    """The reports that are refused when these are tallied, in the order in which they lie."""
    hashes, verdicts = _judged(plan, sources)
    seen = np.zeros(len(hashes), dtype=np.bool_)
    for source in sources:
        for group in source.row_groups():
            first = group.first
            for batch in group.batches(Layout.of(plan).size):
                rows, places = _first_times(batch, hashes, seen)
                seen[places] = True
                if len(rows):
                    reasons = [REASONS[verdict] for verdict in verdicts[places].tolist()]
                    yield RefusedReports(source.name, first + rows, batch.taken(rows), reasons)
                first += len(batch)


def _judged(plan: Plan, sources: Sequence[ReportSource]) -> tuple[Hashes, NDArray[np.int8]]:
    """The hashes of all reports that are refused, ascending, and why."""
    pieces = [piece for source in sources for piece in source.row_groups()]
    checker = RotationChecker(plan) if plan.decision != "household" and rotates(plan) else None
    hashes, reasons = [np.empty(0, np.uint64)], [np.empty(0, np.int8)]
    for batch in read_row_groups(pieces, Layout.of(plan).size):
        verdicts = plausibility(plan, batch)
        fit = np.flatnonzero(verdicts == PLAUSIBLE)
        if checker is not None:
            verdicts[fit] = checker.verdicts(batch.taken(fit))
        refused = np.flatnonzero((verdicts != PLAUSIBLE) & (verdicts != IN_PLACE))
        hashes.append(_hashes(batch.taken(refused)))
        reasons.append(verdicts[refused])
    every, which = np.unique(np.concatenate(hashes), return_index=True)
    return every, np.concatenate(reasons)[which]


def _first_times(
    batch: ReportBatch, hashes: Hashes, seen: NDArray[np.bool_]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The rows of a batch that are refused, each report once, and the place of each among all that are."""
    if not len(hashes):
        return np.empty(0, np.intp), np.empty(0, np.intp)
    own = _hashes(batch)
    places = np.minimum(np.searchsorted(hashes, own), len(hashes) - 1)
    rows = np.flatnonzero((hashes[places] == own) & ~seen[places])
    _, once = np.unique(places[rows], return_index=True)
    rows = rows[np.sort(once)]
    return rows, places[rows]


def _hashes(batch: ReportBatch) -> Hashes:
    """A number for each report's household, slot and round."""
    when = batch.slot.astype(np.uint64) << np.uint64(1) | batch.round.astype(np.uint64)
    mixed = (hash_names(batch.households) ^ when) * SLOT_MULTIPLIER
    return np.asarray(mixed ^ mixed >> np.uint64(32))
