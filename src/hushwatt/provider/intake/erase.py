"""A home is erased: its reports, its draws and its place in the rotation; published numbers stay."""

import numpy as np

from hushwatt.provider.intake.collect import Collection, tallied
from hushwatt.provider.store.enrolment import remove_device
from hushwatt.provider.store.plans import plan_state
from hushwatt.provider.store.reports.stored import remove_reports, reports_of
from hushwatt.provider.store.rotations import forget_rotation
from hushwatt.provider.store.session import HomeNumbers, Session, report_rows
from hushwatt.provider.store.tallies import add_tallies, reported_slots


def erase_home(session: Session, collection: Collection, home: int, published: int) -> int:
    """Remove every report of a home; slots not yet published forget it, published numbers stay."""
    number, homes, erased = collection.number, np.array([home], dtype=np.int64), 0
    for slot in reported_slots(session, number):
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


def erase_device(session: Session, collection: Collection, device: bytes, home: int, signer: int) -> int:
    """Remove a device and all its reports; how many these were."""
    erased = erase_home(session, collection, home, plan_state(session, collection.number).published)
    remove_device(session, collection.number, device, home, signer)
    return erased
