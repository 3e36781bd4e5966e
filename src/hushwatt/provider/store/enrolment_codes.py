"""One-time codes that enrol homes: kept as hashes, so a thief of the store has none."""

import secrets
from dataclasses import dataclass

from hushwatt.errors import UsageError
from hushwatt.provider.store.access_tokens import hash_secret
from hushwatt.provider.store.cells import cell_of
from hushwatt.provider.store.session import Session, first_row
from hushwatt.wire.labels import NO_LABELS, Labels

LETTERS = "ABCDEFGHJKMNPQRSTVWXYZ23456789"  # none that look alike
GROUPS, LENGTH = 4, 5  # 20 letters: 98 bits
MAX_GATEWAY_HOMES = 10_000  # that one code may enrol


@dataclass(frozen=True)
class EnrolmentCode:
    """What a one-time code is good for, and for whom it was used."""

    hash: bytes
    plan: int
    homes: int
    expires: int
    signer: int | None
    first_home: int | None
    enrolled: int | None
    cell: int = 0  # of the homes that it enrols


def new_code() -> str:
    """A code that nobody guesses, easy to read out."""
    groups = ("".join(secrets.choice(LETTERS) for _ in range(LENGTH)) for _ in range(GROUPS))
    return "-".join(groups)


def add_codes(
    session: Session, plan: int, count: int, homes: int, now: int, expires: int, labels: Labels = NO_LABELS
) -> list[str]:
    """New codes, each good for one device (`homes` = 1) or for a gateway of up to `homes` homes, all with labels."""
    if not 1 <= homes <= MAX_GATEWAY_HOMES:
        raise UsageError(f"a code is good for 1 to {MAX_GATEWAY_HOMES} homes, not {homes}")
    codes, cell = [new_code() for _ in range(count)], cell_of(session, plan, labels)
    statement = "INSERT INTO codes (hash, plan, homes, made, expires, cell) VALUES (?, ?, ?, ?, ?, ?)"
    for code in codes:
        session.run(statement, hash_secret(code), plan, homes, now, expires, cell)
    return codes


def find_code(session: Session, plan: int, code: str) -> EnrolmentCode | None:
    columns = "hash, plan, homes, expires, signer, first_home, enrolled, cell"
    row = first_row(session, f"SELECT {columns} FROM codes WHERE hash = ? AND plan = ?", hash_secret(code), plan)
    return EnrolmentCode(bytes(row[0]), *row[1:]) if row else None
