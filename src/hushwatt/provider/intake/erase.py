"""A home is erased: its reports, its draws and its place in the rotation; published numbers stay."""

import numpy as np

from hushwatt.provider.intake.collect import Collection, tally_key, tally_of
from hushwatt.provider.store.enrolment import remove_device
from hushwatt.provider.store.plans import plan_state
from hushwatt.provider.store.rotations import forget_rotation
from hushwatt.provider.store.session import Session
from hushwatt.provider.store.tallies import add_tallies, reported_slots


def erase_home(session: Session, collection: Collection, home: int, published: int) -> int:
    """Remove every report of a home; slots not yet published forget it, published numbers stay."""
    number, homes, erased = collection.number, np.array([home], dtype=np.int64), 0
    for slot in reported_slots(session, number):
        for report in session.reports_of(number, slot, homes):
            if slot > published:
                add_tallies(session, number, {tally_key(slot, report): -tally_of(collection, report.payload)})
            erased += session.run("DELETE FROM reports WHERE plan = ? AND slot = ? AND home = ?", number, slot, home)
    session.run("DELETE FROM draws WHERE plan = ? AND home = ?", number, home)
    forget_rotation(session, number, home)
    return erased


def erase_device(session: Session, collection: Collection, device: bytes, home: int, signer: int) -> int:
    """Remove a device and all its reports; how many these were."""
    erased = erase_home(session, collection, home, plan_state(session, collection.number).published)
    remove_device(session, collection.number, device, home, signer)
    return erased
