"""Homes come and go.

A signer is a key: a home's own, or a gateway's that speaks for many homes.  Enrolling
twice with the same key or the same code gives the same answer, so a lost answer can be
asked for again.  Homes that files name have no signer, so nobody can speak for them.
"""

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hushwatt.provider.store.cells import NO_CELL, add_to_cells
from hushwatt.provider.store.enrolment_codes import EnrolmentCode
from hushwatt.provider.store.session import HomeNumbers, Rows, Session, device_rows, first_row
from hushwatt.provider.store.turns import take_turn_back

FILE_SIGNER = 0  # the signer of homes that files have named: no key has this number


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
    homes: tuple[int, ...]  # their numbers in the store
    cell: int = NO_CELL  # of all of them
    new: bool = True  # not the answer that was given before


def find_signer(session: Session, plan: int, name: bytes) -> Signer | None:
    row = first_row(session, "SELECT signer, name, key FROM signers WHERE name = ? AND plan = ?", name, plan)
    return Signer(int(row[0]), bytes(row[1]), bytes(row[2])) if row else None


def speaks_for_itself(session: Session, signer: Signer) -> bool:
    """Whether a signer is there still, and is a home, not a gateway."""
    return first_row(session, "SELECT 1 FROM signers WHERE signer = ? AND gateway = 0", signer.signer) is not None


def enrol_home(
    session: Session, plan: int, key: bytes, code: EnrolmentCode | None = None, cell: int = NO_CELL
) -> Enrolled:
    """Enrol one home under its own key; its cell is the code's, or the one given."""
    cell = code.cell if code else cell
    statement = (
        "SELECT device, home, cell FROM signers JOIN devices ON device = name "
        "WHERE signers.plan = ? AND key = ? AND gateway = 0"
    )
    known = first_row(session, statement, plan, key)
    if known:
        return Enrolled(bytes(known[0]), (bytes(known[0]),), (int(known[1]),), int(known[2]), new=False)
    name = os.urandom(16)
    signer = _add_signer(session, plan, name, key, gateway=0)
    first = _add_homes(session, plan, signer, device_rows(name), np.array([cell]))
    _redeem(session, code, signer, first, 1)
    return Enrolled(name, (name,), (first,), cell)


def enrol_gateway(session: Session, plan: int, key: bytes, homes: int, code: EnrolmentCode) -> Enrolled:
    """Enrol `homes` more homes under a gateway's key."""
    known = first_row(session, "SELECT signer, name FROM signers WHERE plan = ? AND key = ?", plan, key)
    if known:
        signer, name = int(known[0]), bytes(known[1])
    else:
        name = os.urandom(16)
        signer = _add_signer(session, plan, name, key, gateway=1)
    devices = device_rows(os.urandom(16 * homes))
    first = _add_homes(session, plan, signer, devices, np.full(homes, code.cell))
    _redeem(session, code, signer, first, homes)
    names = tuple(row.tobytes() for row in devices)
    return Enrolled(name, names, tuple(range(first, first + homes)), code.cell)


def enrol_named(session: Session, plan: int, devices: Rows, cells: HomeNumbers, delivery: int) -> int:
    """Enrol homes that a delivery names, each of a cell; the number of the first of them."""
    first = _add_homes(session, plan, FILE_SIGNER, devices, cells, delivery)
    count_named(session, plan, len(devices))
    return first


def count_named(session: Session, plan: int, more: int) -> None:
    """Note that files have named so many more homes.

    Homes that take part and have not been named yet, because their turn has not come, count too.
    """
    _change_homes(session, plan, lambda declared, named: (declared, named + more))


def set_declared_homes(session: Session, plan: int, declared: int) -> None:
    """Put right how many homes take part by the word of files."""
    _change_homes(session, plan, lambda _, named: (declared, named))


def _change_homes(session: Session, plan: int, change: Callable[[int, int], tuple[int, int]]) -> None:
    """Change how many homes files declare and name, and by that how many take part."""
    ((declared_before, named_before),) = session.all("SELECT told, filed FROM plans WHERE plan = ?", plan)
    declared, named = change(declared_before, named_before)
    if (declared, named) != (declared_before, named_before):
        more = max(0, declared - named) - max(0, declared_before - named_before)
        statement = "UPDATE plans SET told = ?, filed = ?, homes = homes + ? WHERE plan = ?"
        session.run(statement, declared, named, more, plan)


def were_erased(session: Session, devices: Rows) -> NDArray[np.bool_]:
    """Which of these devices have been erased: files may still name them."""
    gone = {bytes(trace) for (trace,) in session.all("SELECT hash FROM erased")}
    if not gone:
        return np.zeros(len(devices), dtype=bool)
    return np.array([_device_hash(row.tobytes()) in gone for row in devices], dtype=bool)


def enrolled_before(session: Session, code: EnrolmentCode, key: bytes) -> Enrolled | None:
    """What a used code gave, if this key used it."""
    rows = session.all("SELECT name FROM signers WHERE signer = ? AND key = ?", code.signer, key)
    if not rows or code.first_home is None or code.enrolled is None:
        return None
    statement = "SELECT device, home FROM devices WHERE plan = ? AND home >= ? AND home < ? ORDER BY home"
    devices = session.all(statement, code.plan, code.first_home, code.first_home + code.enrolled)
    names, homes = tuple(bytes(device) for device, _ in devices), tuple(int(home) for _, home in devices)
    return Enrolled(bytes(rows[0][0]), names, homes, code.cell, new=False)


def remove_device(session: Session, plan: int, device: bytes, home: int, signer: int) -> None:
    """Forget a device, and its signer when it speaks for no other; nothing is done when another was quicker.

    Only a hash of its name stays, so that a file delivered later does not bring it back.
    """
    cell = first_row(session, "SELECT cell FROM devices WHERE device = ?", device)
    if cell is None:
        return
    add_to_cells(session, plan, np.array(cell), -1)
    take_turn_back(session, plan, home)
    named = signer == FILE_SIGNER or session.all("SELECT 1 FROM devices WHERE device = ? AND filed = 1", device)
    session.run("DELETE FROM devices WHERE device = ?", device)
    session.run("UPDATE plans SET homes = homes - 1, erased = erased + 1 WHERE plan = ?", plan)
    session.run("INSERT INTO erased (hash) VALUES (?) ON CONFLICT DO NOTHING", _device_hash(device))
    if named:
        session.run(
            "UPDATE plans SET filed = filed - 1, told = CASE WHEN told > 0 THEN told - 1 ELSE 0 END WHERE plan = ?",
            plan,
        )
        session.run("UPDATE deliveries SET homes = homes - 1 WHERE plan = ? AND homes > 0", plan)
    if not session.all("SELECT 1 FROM devices WHERE signer = ? AND signer > 0 LIMIT 1", signer):
        session.run("DELETE FROM signers WHERE signer = ?", signer)
        session.run("UPDATE codes SET signer = -1 WHERE signer = ?", signer)


def _device_hash(device: bytes) -> bytes:
    return hashlib.sha256(device).digest()


def _add_signer(session: Session, plan: int, name: bytes, key: bytes, gateway: int) -> int:
    statement = "INSERT INTO signers (plan, name, key, gateway) VALUES (?, ?, ?, ?) RETURNING signer"
    ((signer,),) = session.all(statement, plan, name, key, gateway)
    return int(signer)


def _add_homes(session: Session, plan: int, signer: int, devices: Rows, cells: HomeNumbers, delivery: int = 0) -> int:
    """Add new homes, each of a cell; the number of the first of them."""
    first = _allocate_homes(session, plan, len(devices))
    session.add_devices(plan, signer, first, devices, cells, delivery)
    add_to_cells(session, plan, cells)
    return first


def _allocate_homes(session: Session, plan: int, count: int) -> int:
    """Numbers for new homes; a number is never given twice."""
    statement = "UPDATE plans SET homes = homes + ?, next_home = next_home + ? WHERE plan = ? RETURNING next_home"
    ((next_home,),) = session.all(statement, count, count, plan)
    return int(next_home) - count


def _redeem(session: Session, code: EnrolmentCode | None, signer: int, first: int, homes: int) -> None:
    if code:
        statement = "UPDATE codes SET signer = ?, first_home = ?, enrolled = ? WHERE hash = ?"
        session.run(statement, signer, first, homes, code.hash)
