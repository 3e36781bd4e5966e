"""Reports become rows and tallies in one transaction: counted once, however often they arrive.

Collecting is idempotent: a report is known by plan, slot and home, and the first write wins.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from hushwatt.errors import StateError
from hushwatt.plan.plan import Plan
from hushwatt.privacy.strategies import rules_of, strategy_for
from hushwatt.provider.checks.plausible import amounts_fit, payloads_fit, unique_rows
from hushwatt.provider.checks.rotation import REFUSALS
from hushwatt.provider.store.reports.stored import add_reports, find_reports, reports_of, set_drawn_in
from hushwatt.provider.store.rotations import StoredRotations
from hushwatt.provider.store.session import HomeNumbers, ReportRows, Rows, Session, StoredReport, report_rows
from hushwatt.provider.store.slots import count_late
from hushwatt.provider.store.tallies import add_tallies
from hushwatt.provider.tally.draws import PUBLICATION, is_fresh, slot_runs
from hushwatt.provider.tally.tally import Tallies, Tally, TallyKey, tally_rows
from hushwatt.wire.payload import Layout
from hushwatt.wire.record import Records

PENDING, ACCEPTED, REPEATED = 0, 1, 2
NOT_ENROLLED, TOO_EARLY, TOO_LATE, WRONG_AMOUNT, WRONG_PAYLOAD = 3, 4, 5, 6, 7
WRONG_ROUND, ERASED = 8, 9  # in files alone
REASONS = REFUSALS | {
    NOT_ENROLLED: "not_enrolled",
    TOO_EARLY: "too_early",
    TOO_LATE: "too_late",
    WRONG_AMOUNT: "wrong_amount",
    WRONG_PAYLOAD: "wrong_payload",
    WRONG_ROUND: "wrong_round",
    ERASED: "erased",
}
UPLOAD_REASONS = tuple(reason for verdict, reason in REASONS.items() if verdict not in (WRONG_ROUND, ERASED))
Verdicts = NDArray[np.int8]


@dataclass(frozen=True)
class Collection:
    """A plan that is being collected, with its number in the store."""

    number: int
    plan: Plan

    @cached_property
    def layout(self) -> Layout:
        return Layout.of(self.plan)

    @cached_property
    def probe(self) -> int | None:
        """What looking costs, when homes decide for themselves whether to publish."""
        if self.plan.decision != "household":
            return None
        return strategy_for(self.plan).probe


class ReportColumns(Protocol):
    """Reports as columns, a row each, wherever they came from."""

    @property
    def slot(self) -> NDArray[np.integer]: ...
    @property
    def spent(self) -> NDArray[np.integer]: ...
    @property
    def drawn(self) -> NDArray[np.integer]: ...
    @property
    def payloads(self) -> Rows: ...
    def __len__(self) -> int: ...


def validate(collection: Collection, records: ReportColumns) -> Verdicts:
    """What can be said of reports without the store: implausible ones are refused."""
    slot, spent, drawn = (column.astype(np.int64) for column in (records.slot, records.spent, records.drawn))
    verdicts = np.zeros(len(records), dtype=np.int8)
    fit = amounts_fit(collection.plan, slot, spent, drawn)
    verdicts[~fit] = WRONG_AMOUNT
    verdicts[fit] = np.where(payloads_fit(collection.layout, drawn[fit], records.payloads[fit]), PENDING, WRONG_PAYLOAD)
    return verdicts


def collect_signed(
    session: Session,
    collection: Collection,
    records: Records,
    signers: HomeNumbers,
    verdicts: Verdicts,
    first: int,
    last: int,
) -> Verdicts:
    """Keep what is new of the slots `first` to `last`; a verdict for every report.

    `signers` says who signed each report.  Whether a device is enrolled is asked first, so that
    nobody learns anything about another's.
    """
    verdicts = verdicts.copy()
    homes, owners, cells = session.find_devices(collection.number, records.devices)
    verdicts[(homes < 0) | (owners != signers)] = NOT_ENROLLED
    return collect(session, collection, records, homes, cells, verdicts, first, last)


def collect(
    session: Session,
    collection: Collection,
    records: ReportColumns,
    homes: HomeNumbers,
    cells: HomeNumbers,
    verdicts: Verdicts,
    first: int,
    last: int,
    delivery: int = 0,
) -> Verdicts:
    """The same for reports whose homes are known, and the cells of these; a delivery may have brought them."""
    verdicts = verdicts.copy()
    slots = records.slot.astype(np.int64)
    verdicts[(verdicts == PENDING) & (slots > last)] = TOO_EARLY
    pending = np.flatnonzero(verdicts == PENDING)
    pending = pending[np.lexsort((homes[pending], slots[pending]))]
    rotations = StoredRotations(session, collection.number, collection.plan, homes[pending])
    for part, slot in slot_runs(slots[pending]):
        rows = pending[part]
        again = np.diff(homes[rows], prepend=-1) == 0  # first write wins
        again[~again] = find_reports(session, collection.number, slot, homes[rows[~again]])
        verdicts[rows[again]] = REPEATED
        rows = rows[~again]
        if slot < first:
            verdicts[rows] = TOO_LATE
            if len(rows):
                count_late(session, collection.number, slot, len(rows))
        else:
            refused = rotations.judge(slot, homes[rows], records.payloads[rows])
            verdicts[rows] = np.where(refused, refused, ACCEPTED)
            rows = rows[refused == 0]
            _insert(session, collection, records, slot, rows, homes[rows], cells[rows], delivery)
    rotations.save()
    return verdicts


def _insert(
    session: Session,
    collection: Collection,
    records: ReportColumns,
    slot: int,
    rows: NDArray[np.intp],
    homes: HomeNumbers,
    cells: HomeNumbers,
    delivery: int,
) -> None:
    """Keep new reports of one slot, homes ascending, and add them to the tallies."""
    if not len(rows):
        return
    spent, drawn = records.spent[rows].astype(np.int64), records.drawn[rows].astype(np.int64)
    fresh = np.ones(len(rows), dtype=bool)
    if collection.probe is not None:
        fresh = is_fresh(spent, drawn, collection.probe)
        session.add_draws(collection.number, slot, homes[fresh])
    as_of = _drawn_in(session, collection, slot, homes, fresh)
    reports = ReportRows(homes, spent, drawn, as_of, records.payloads[rows])
    if add_reports(session, collection.number, slot, reports, delivery) != len(reports):
        raise StateError("a report that was not there is there now: nothing of this was kept")
    add_tallies(session, collection.number, tallied(collection, slot, reports, cells))
    if collection.probe is not None:
        _recount_repeats(session, collection, slot, homes[fresh])


def _drawn_in(
    session: Session, collection: Collection, slot: int, homes: HomeNumbers, fresh: NDArray[np.bool_]
) -> HomeNumbers:
    """The slot in which each report was drawn; one that is not fresh repeats the last draw of its home."""
    plan = collection.plan
    if collection.probe is None:
        return np.full(len(homes), rules_of(plan).drawn_in(slot, plan.window))
    as_of = np.full(len(homes), slot)
    as_of[~fresh] = session.last_draws(collection.number, slot, homes[~fresh])
    return as_of


def _recount_repeats(session: Session, collection: Collection, slot: int, homes: HomeNumbers) -> None:
    """Repeats of a later slot that came before the draw they repeat: count them with that draw."""
    statement = "SELECT DISTINCT slot FROM tallies WHERE plan = ? AND slot > ? AND as_of < ? ORDER BY slot"
    for (after,) in session.all(statement, collection.number, slot, slot):
        if not len(homes):
            return
        reports = reports_of(session, collection.number, after, homes)
        redrawn = {each.home for each in reports if each.spent == each.drawn + (collection.probe or 0)}
        older = [each for each in reports if each.home not in redrawn and each.as_of < slot]
        recount(session, collection, after, dict.fromkeys(older, slot))
        homes = homes[~np.isin(homes, list(redrawn))]


def recount(session: Session, collection: Collection, slot: int, draws: Mapping[StoredReport, int]) -> None:
    """Count repeats of a slot with other draws than before, by the slots of these."""
    moved = sorted((report, when) for report, when in draws.items() if report.as_of != when)
    if not moved:
        return
    before = report_rows([report for report, _ in moved])
    after = replace(before, as_of=np.array([when for _, when in moved]))
    cells = np.array([report.cell for report, _ in moved])
    old = {key: -tally for key, tally in tallied(collection, slot, before, cells).items()}
    add_tallies(session, collection.number, old)
    add_tallies(session, collection.number, tallied(collection, slot, after, cells))
    set_drawn_in(session, collection.number, slot, after.homes, after.as_of)


def tallied(collection: Collection, slot: int, reports: ReportRows, cells: HomeNumbers) -> dict[TallyKey, Tally]:
    """What reports of a slot add up to: those that have the same draw, by their cells."""
    tallies = Tallies(0, {})
    for when, budget in unique_rows(reports.as_of, reports.drawn):
        rows = np.flatnonzero((reports.as_of == when) & (reports.drawn == budget))
        for cell, part in cell_parts(cells[rows]):
            counted = tally_rows(collection.layout, reports.payloads[rows[part]])
            tallies.add(TallyKey(slot, PUBLICATION, when, budget, cell), counted)
    return tallies.groups


def cell_parts(cells: HomeNumbers) -> Iterator[tuple[int, NDArray[np.intp] | slice]]:
    """The rows of each cell, once.

    >>> [(cell, rows.tolist()) for cell, rows in cell_parts(np.array([2, 0, 2]))]
    [(0, [1]), (2, [0, 2])]
    """
    if not len(cells) or (cells == cells[0]).all():
        yield from ((int(cell), slice(None)) for cell in cells[:1])
        return
    order = np.argsort(cells, kind="stable")
    numbers, starts = np.unique(cells[order], return_index=True)
    yield from zip(numbers.tolist(), np.split(order, starts[1:]), strict=True)
