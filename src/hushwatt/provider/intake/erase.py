"""A home is erased: its reports, its draws and its place in the rotation; published numbers stay.

A year has thousands of slots, so it leaves the published ones a little at a time, and others get their turn.  Its
device goes last: whoever was stopped asks once more.
"""

import time

import numpy as np

from hushwatt.provider.intake.collect import Collection, tallied
from hushwatt.provider.store.enrolment import remove_device
from hushwatt.provider.store.plans import plan_state
from hushwatt.provider.store.reports.stored import remove_reports, reports_of
from hushwatt.provider.store.rotations import forget_rotation
from hushwatt.provider.store.session import Database, HomeNumbers, Session, report_rows
from hushwatt.provider.store.tallies import add_tallies, reported_slots

STEP_SLOTS = 128  # slots that a transaction takes a home out of, at most
PAUSE_SECONDS = 0.01  # seconds after a transaction, so that a service beside gets its turn


class Erasure:
    """Erases a home step by step; those of one home may not be mixed with another's."""

    def __init__(self, collection: Collection, device: bytes, home: int, signer: int) -> None:
        self._collection, self._device, self._home, self._signer = collection, device, home, signer
        self._slots: list[int] | None = None  # published ones that it is to leave; None: nobody has looked
        self._after = -1  # it has left the slots up to this one
        self.erased = 0  # reports

    def step(self, session: Session) -> bool:
        """Leave some more slots; whether anything is left to be done."""
        number, homes = self._collection.number, np.array([self._home], dtype=np.int64)
        if self._slots is None:
            self._slots = reported_slots(session, number, until=plan_state(session, number).published)
        part, self._slots = self._slots[:STEP_SLOTS], self._slots[STEP_SLOTS:]
        for self._after in part:
            self.erased += remove_reports(session, number, self._after, homes)
        if not part:
            words = (self._device, self._home, self._signer, self._after)
            self.erased += erase_device(session, self._collection, *words)
        return bool(part)


def erase(database: Database, collection: Collection, device: bytes, home: int, signer: int) -> int:
    """Remove a device and all its reports, while a service may run beside it; how many these were."""
    erasure, left = Erasure(collection, device, home, signer), True
    while left:
        with database.writing() as session:
            left = erasure.step(session)
        time.sleep(PAUSE_SECONDS)
    return erasure.erased


def erase_home(session: Session, collection: Collection, home: int, published: int, after: int = -1) -> int:
    """Remove every report of a home above a slot; slots not yet published forget it, published numbers stay."""
    number, homes, erased = collection.number, np.array([home], dtype=np.int64), 0
    for slot in reported_slots(session, number, after):
        if slot > published:
            _uncount(session, collection, slot, homes)
        erased += remove_reports(session, number, slot, homes)
    session.run("DELETE FROM draws WHERE plan = ? AND home = ?", number, home)
    forget_rotation(session, number, home)
    return erased


def _uncount(session: Session, collection: Collection, slot: int, homes: HomeNumbers) -> None:
    """Take the reports of some homes out of a slot's tallies."""
    reports = reports_of(session, collection.number, slot, homes)
    if not reports:
        return
    counted = tallied(collection, slot, report_rows(reports), np.array([each.cell for each in reports]))
    add_tallies(session, collection.number, {key: -tally for key, tally in counted.items()})


def erase_device(
    session: Session, collection: Collection, device: bytes, home: int, signer: int, after: int = -1
) -> int:
    """Remove a device and its reports in slots above `after`; how many these were."""
    erased = erase_home(session, collection, home, plan_state(session, collection.number).published, after)
    remove_device(session, collection.number, device, home, signer)
    return erased
