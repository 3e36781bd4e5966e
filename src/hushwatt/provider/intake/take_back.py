"""A wrong delivery is taken back: slots that are not published forget it exactly, published ones stay.

What it brought is known by its number.  Afterwards the store is as if the file had never come, but for
reports of published slots, and for files that lost reports to it: these must be taken in again.
"""

from dataclasses import dataclass

import numpy as np

from hushwatt.errors import UsageError
from hushwatt.provider.checks.rotation import rotates
from hushwatt.provider.intake.collect import Collection, recount, tallied
from hushwatt.provider.store.cells import add_to_cells
from hushwatt.provider.store.deliveries import all_deliveries, declared_by_files, find_delivery
from hushwatt.provider.store.enrolment import FILE_SIGNER, count_named, set_declared_homes
from hushwatt.provider.store.plans import plan_state
from hushwatt.provider.store.reports.stored import (
    count_brought,
    count_reports,
    reports_of,
    take_out_brought,
    unreported,
)
from hushwatt.provider.store.rotations import relearn_rotations
from hushwatt.provider.store.session import HomeNumbers, Session, StoredReport, report_rows
from hushwatt.provider.store.tallies import add_tallies, reported_slots


@dataclass(frozen=True)
class TakenBack:
    """What became of a delivery."""

    reports: int  # forgotten
    stay: int  # of published slots
    homes: int  # that nobody else had named
    again: tuple[str, ...]  # files that must be taken in again


def take_back(session: Session, collection: Collection, number: int) -> TakenBack:
    """Undo what a delivery brought, as far as it can be undone."""
    plan, wrong = collection.number, find_delivery(session, collection.number, number)
    published = plan_state(session, plan).published
    stay, brought = count_brought(session, plan, number, published)
    if wrong.undone:
        raise UsageError(f"delivery {number} was taken back before")
    if not wrong.at:
        raise UsageError(f"delivery {number} cannot be taken back: it came before it was noted what files bring")
    if stay and stay == brought:
        raise UsageError(f"delivery {number} cannot be taken back: all of its slots are published")
    if _dropped(session, plan, published):
        raise UsageError(
            f"delivery {number} cannot be taken back: reports of published slots were dropped from the store, so "
            "nobody knows which homes it alone has named"
        )
    slots = reported_slots(session, plan, published)
    reports, homes = 0, [np.empty(0, dtype=np.int64)]
    for slot in slots:
        for brought_here in take_out_brought(session, plan, slot, number):
            _forget(session, collection, slot, brought_here)
            reports += len(brought_here)
            homes.append(np.array([each.home for each in brought_here]))
    if collection.probe is not None:
        _draw_anew(session, collection, slots, np.unique(np.concatenate(homes)))
    gone = _forget_homes(session, plan, number)
    relearn_rotations(session, plan, collection.plan, np.unique(np.concatenate(homes)))
    again = _come_again(session, collection, number)
    statement = "UPDATE deliveries SET undone = 1, taken = 0, accepted = 0, repeated = 0 WHERE plan = ? AND number = ?"
    session.run(statement, plan, number)
    set_declared_homes(session, plan, declared_by_files(session, plan))
    session.run("UPDATE plans SET undone = undone + 1 WHERE plan = ?", plan)
    return TakenBack(reports, int(stay), gone, again)


def _dropped(session: Session, plan: int, published: int) -> bool:
    """Whether a published slot has been counted, and none of its reports is here."""
    return any(not count_reports(session, plan, slot) for slot in reported_slots(session, plan, -1, published))


def _come_again(session: Session, collection: Collection, number: int) -> tuple[str, ...]:
    """Let other files come again that lost reports to a delivery; their names.

    It had some of them already, or it told turns and orders with which they did not agree.
    """
    others = [each for each in all_deliveries(session, collection.number) if each.number != number]
    lost = [
        each
        for each in others
        if each.repeated or (rotates(collection.plan) and each.at and each.taken > each.accepted)
    ]
    statement = "UPDATE deliveries SET taken = 0, repeated = 0 WHERE plan = ? AND number = ?"
    for each in lost:
        session.run(statement, collection.number, each.number)
    return tuple(each.name for each in lost)


def correct_homes(session: Session, collection: Collection, number: int, homes: int) -> None:
    """Put right how many homes take part by a delivery's word."""
    find_delivery(session, collection.number, number)
    session.run("UPDATE deliveries SET homes = ? WHERE plan = ? AND number = ?", homes, collection.number, number)
    set_declared_homes(session, collection.number, declared_by_files(session, collection.number))


def _forget(session: Session, collection: Collection, slot: int, reports: list[StoredReport]) -> None:
    """Take reports of one slot out of its tallies, and their draws."""
    counted = tallied(collection, slot, report_rows(reports), np.array([each.cell for each in reports]))
    add_tallies(session, collection.number, {key: -tally for key, tally in counted.items()})
    if collection.probe is not None:
        draws = [(collection.number, each.home, slot) for each in reports]
        session.run_each("DELETE FROM draws WHERE plan = ? AND home = ? AND slot = ?", draws)


def _draw_anew(session: Session, collection: Collection, slots: list[int], homes: HomeNumbers) -> None:
    """Repeats that stood by a draw which is gone stand by the one before it."""
    plan = collection.number
    for slot in slots:
        left = [each for each in reports_of(session, plan, slot, homes) if each.spent == collection.probe]
        drawn_in = session.last_draws(plan, slot, np.array([each.home for each in left], dtype=np.int64))
        recount(session, collection, slot, dict(zip(left, drawn_in.tolist(), strict=True)))


def _forget_homes(session: Session, plan: int, number: int) -> int:
    """Forget homes that a delivery alone has named; how many."""
    slots = reported_slots(session, plan)
    named = "SELECT home, cell FROM devices WHERE plan = ? AND delivery = ? AND signer {} ? ORDER BY home"
    cells = dict(session.all(named.format("="), plan, number, FILE_SIGNER))
    gone = unreported(session, plan, slots, np.array(list(cells), dtype=np.int64), of_files=False).tolist()
    add_to_cells(session, plan, np.array([cells[home] for home in gone], dtype=np.int64), -1)
    session.run_each("DELETE FROM devices WHERE plan = ? AND home = ?", [(plan, home) for home in gone])
    others = [home for home, _ in session.all(named.format("<>"), plan, number, FILE_SIGNER)]
    unnamed = unreported(session, plan, slots, np.array(others, dtype=np.int64), of_files=True).tolist()
    statement = "UPDATE devices SET filed = 0, delivery = 0 WHERE plan = ? AND home = ?"
    session.run_each(statement, [(plan, home) for home in unnamed])
    count_named(session, plan, -len(gone) - len(unnamed))
    session.run("UPDATE plans SET homes = homes - ? WHERE plan = ?", len(gone), plan)
    return len(gone)
