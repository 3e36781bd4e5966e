"""Homes come and go.

A signer is a key: a home's own, or a gateway's that speaks for many homes.  Enrolling
twice with the same key or the same code gives the same answer, so a lost answer can be
asked for again.
"""

import os
from dataclasses import dataclass

import numpy as np

from hushwatt.provider.store.access import Code
from hushwatt.provider.store.session import Rows, Session, one


@dataclass(frozen=True)
class Signer:
    """Who may sign, and with which key."""

    signer: int
    name: bytes  # 16 bytes: the device of a home, or the gateway itself
    key: bytes


@dataclass(frozen=True)
class Enrolled:
    """The signer's name, and the devices it speaks for: its own name for a home."""

    name: bytes
    devices: tuple[bytes, ...]


def find_signer(session: Session, plan: int, name: bytes) -> Signer | None:
    found = one(session.all("SELECT signer, name, key FROM signers WHERE name = ? AND plan = ?", name, plan))
    return Signer(int(found[0]), bytes(found[1]), bytes(found[2])) if found else None


def enrol_home(session: Session, plan: int, key: bytes, code: Code | None = None) -> Enrolled:
    """Enrol one home under its own key."""
    known = one(session.all("SELECT name FROM signers WHERE plan = ? AND key = ? AND gateway = 0", plan, key))
    if known:
        return Enrolled(bytes(known[0]), (bytes(known[0]),))
    name = os.urandom(16)
    signer = _add_signer(session, plan, name, key, gateway=0)
    first = _take_homes(session, plan, 1)
    session.add_devices(plan, signer, first, _matrix(name))
    _use(session, code, signer, first, 1)
    return Enrolled(name, (name,))


def enrol_gateway(session: Session, plan: int, key: bytes, homes: int, code: Code) -> Enrolled:
    """Enrol `homes` more homes under a gateway's key."""
    known = one(session.all("SELECT signer, name FROM signers WHERE plan = ? AND key = ?", plan, key))
    if known:
        signer, name = int(known[0]), bytes(known[1])
    else:
        name = os.urandom(16)
        signer = _add_signer(session, plan, name, key, gateway=1)
    first = _take_homes(session, plan, homes)
    devices = _matrix(os.urandom(16 * homes))
    session.add_devices(plan, signer, first, devices)
    _use(session, code, signer, first, homes)
    return Enrolled(name, tuple(row.tobytes() for row in devices))


def enrolled_with(session: Session, code: Code, key: bytes) -> Enrolled | None:
    """What a used code gave, if this key used it."""
    rows = session.all("SELECT name FROM signers WHERE signer = ? AND key = ?", code.signer, key)
    if not rows or code.first_home is None or code.enrolled is None:
        return None
    devices = session.all(
        "SELECT device FROM devices WHERE plan = ? AND home >= ? AND home < ? ORDER BY home",
        code.plan,
        code.first_home,
        code.first_home + code.enrolled,
    )
    return Enrolled(bytes(rows[0][0]), tuple(bytes(device) for (device,) in devices))


def remove_device(session: Session, plan: int, device: bytes, home: int, signer: int) -> None:
    """Forget a device, and its signer when it speaks for no other."""
    session.run("DELETE FROM devices WHERE device = ?", device)
    session.run("UPDATE plans SET homes = homes - 1 WHERE plan = ?", plan)
    if not session.all("SELECT 1 FROM devices WHERE signer = ? LIMIT 1", signer):
        session.run("DELETE FROM signers WHERE signer = ?", signer)
        session.run("UPDATE codes SET signer = -1 WHERE signer = ?", signer)


def _add_signer(session: Session, plan: int, name: bytes, key: bytes, gateway: int) -> int:
    rows = session.all(
        "INSERT INTO signers (plan, name, key, gateway) VALUES (?, ?, ?, ?) RETURNING signer",
        plan,
        name,
        key,
        gateway,
    )
    return int(rows[0][0])


def _take_homes(session: Session, plan: int, count: int) -> int:
    """Numbers for new homes; a number is never given twice."""
    rows = session.all(
        "UPDATE plans SET homes = homes + ?, next_home = next_home + ? WHERE plan = ? RETURNING next_home",
        count,
        count,
        plan,
    )
    return int(rows[0][0]) - count


def _use(session: Session, code: Code | None, signer: int, first: int, homes: int) -> None:
    if code:
        session.run(
            "UPDATE codes SET signer = ?, first_home = ?, enrolled = ? WHERE hash = ?",
            signer,
            first,
            homes,
            code.hash,
        )


def _matrix(devices: bytes) -> Rows:
    return np.frombuffer(devices, dtype=np.uint8).reshape(-1, 16)
