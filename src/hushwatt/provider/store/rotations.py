"""The phases and orders that the store knows: read before reports are judged, written with them."""

from collections.abc import Sequence
from itertools import zip_longest

import numpy as np
from numpy.typing import NDArray

from hushwatt.plan.plan import Plan
from hushwatt.privacy.rotation import order_of
from hushwatt.provider.checks.rotation import Rotations, rotates
from hushwatt.provider.store.enrolment import Enrolled
from hushwatt.provider.store.reports.stored import reports_of
from hushwatt.provider.store.session import HomeNumbers, Rows, Session, report_rows
from hushwatt.provider.store.tallies import reported_slots
from hushwatt.provider.store.turns import offered_turns


class StoredRotations:
    """What is known of some homes; `judge` adds to it, and `save` keeps what was added."""

    def __init__(self, session: Session, number: int, plan: Plan, homes: HomeNumbers) -> None:
        self._session, self._number = session, number
        self._homes = np.unique(homes) if rotates(plan) else homes[:0]
        self._rotations = Rotations(plan, len(self._homes))
        if len(self._homes):
            known, packed = session.find_rotations(number, self._homes)
            rows = np.frombuffer(packed, dtype=np.uint8).reshape(len(known), self._rotations.size)
            self._rotations.unpack(np.searchsorted(self._homes, known), rows)

    def judge(self, slot: int, homes: HomeNumbers, payloads: Rows) -> NDArray[np.int8]:
        """A verdict for the reports of different homes in a slot: 0, or why it is refused."""
        if not len(self._homes):
            return np.zeros(len(homes), dtype=np.int8)
        return self._rotations.judge(slot, np.searchsorted(self._homes, homes), payloads)

    def save(self) -> None:
        changed = np.flatnonzero(self._rotations.changed)
        if len(changed):
            self._session.put_rotations(self._number, self._homes[changed], self._rotations.packed(changed))


def assign_rotations(session: Session, number: int, plan: Plan, enrolled: Enrolled) -> None:
    """Hold new homes to the turns that they are offered and the orders of their devices."""
    if rotates(plan):
        homes = np.array(enrolled.homes, dtype=np.int64)
        session.put_rotations(number, homes, _assigned(session, number, plan, homes, enrolled.devices))


def _assigned(session: Session, number: int, plan: Plan, homes: HomeNumbers, devices: Sequence[bytes]) -> Rows:
    """The turns that homes, ascending, were offered and the orders of their devices, in bytes."""
    rotations, turns = Rotations(plan, len(homes)), offered_turns(session, number, plan, homes)
    for row, (device, turn) in enumerate(zip_longest(devices, turns)):
        rotations.give(row, turn, order_of(plan, device))
    return rotations.packed(np.arange(len(rotations)))


def relearn_rotations(session: Session, number: int, plan: Plan, homes: HomeNumbers) -> None:
    """Know of homes only what their reports still in the store say, unless it is what was given to them."""
    if not rotates(plan):
        return
    session.run(
        "DELETE FROM rotations WHERE plan = ? AND home NOT IN (SELECT home FROM devices WHERE plan = ?)", number, number
    )
    homes = _unassigned(session, number, plan, homes)
    for home in homes.tolist():
        forget_rotation(session, number, home)
    known = StoredRotations(session, number, plan, homes)
    for slot in reported_slots(session, number) if len(homes) else ():
        reports = [each for each in reports_of(session, number, slot, homes) if each.payload]  # not scrubbed
        if reports:
            known.judge(slot, np.array([each.home for each in reports]), report_rows(reports).payloads)
    known.save()


def _unassigned(session: Session, number: int, plan: Plan, homes: HomeNumbers) -> HomeNumbers:
    """Those of some homes that are held to what they said, or what files said of them."""
    rows = session.all("SELECT home, device FROM devices WHERE plan = ? ORDER BY home", number)
    devices = {int(home): bytes(device) for home, device in rows}
    enrolled = np.intersect1d(homes, np.array(list(devices), np.int64))
    known, packed = session.find_rotations(number, enrolled)
    given = _assigned(session, number, plan, known, [devices[home] for home in known.tolist()])
    same: NDArray[np.bool_] = (np.frombuffer(packed, np.uint8).reshape(given.shape) == given).all(axis=1)
    return known[~same]


def forget_rotation(session: Session, number: int, home: int) -> None:
    session.run("DELETE FROM rotations WHERE plan = ? AND home = ?", number, home)
