"""One-time codes of homes and tokens of analysts: kept as hashes, so a thief of the store has neither."""

import hashlib
import secrets
from dataclasses import dataclass

from hushwatt.errors import UsageError
from hushwatt.provider.store.session import Session, first_row

LETTERS = "ABCDEFGHJKMNPQRSTVWXYZ23456789"  # none that look alike
GROUPS, LENGTH = 4, 5  # 20 letters: 98 bits
MAX_GATEWAY_HOMES = 10_000  # that one code may enrol
READ, OPERATE = ROLES = ("read", "operate")  # looks at answers; also does what cannot be undone


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


@dataclass(frozen=True)
class AccessToken:
    """What is known of a token."""

    label: str
    role: str
    made: int  # seconds since 1970
    expires: int


def new_code() -> str:
    """A code that nobody guesses, easy to read out."""
    groups = ("".join(secrets.choice(LETTERS) for _ in range(LENGTH)) for _ in range(GROUPS))
    return "-".join(groups)


def new_token() -> str:
    return f"hushwatt_{secrets.token_urlsafe(32)}"


def hash_secret(secret: str) -> bytes:
    """What is kept of a code or token; how a code is spelt does not matter.

    >>> hash_secret("abcd-efgh") == hash_secret("ABCDEFGH")
    True
    """
    if not secret.startswith("hushwatt_"):
        secret = secret.upper().replace("-", "").replace(" ", "")
    return hashlib.sha256(secret.encode()).digest()


def add_codes(session: Session, plan: int, count: int, homes: int, now: int, expires: int) -> list[str]:
    """New codes, each good for one device (`homes` = 1) or for a gateway of up to `homes` homes."""
    if not 1 <= homes <= MAX_GATEWAY_HOMES:
        raise UsageError(f"a code is good for 1 to {MAX_GATEWAY_HOMES} homes, not {homes}")
    codes = [new_code() for _ in range(count)]
    statement = "INSERT INTO codes (hash, plan, homes, made, expires) VALUES (?, ?, ?, ?, ?)"
    for code in codes:
        session.run(statement, hash_secret(code), plan, homes, now, expires)
    return codes


def find_code(session: Session, plan: int, code: str) -> EnrolmentCode | None:
    columns = "hash, plan, homes, expires, signer, first_home, enrolled"
    row = first_row(session, f"SELECT {columns} FROM codes WHERE hash = ? AND plan = ?", hash_secret(code), plan)
    return EnrolmentCode(bytes(row[0]), *row[1:]) if row else None


def add_token(session: Session, label: str, now: int, expires: int, role: str = READ) -> str:
    """A new token; an older one of that label stops working, and so do the logins made with it."""
    token = new_token()
    _drop_token(session, label)
    statement = "INSERT INTO tokens (hash, label, made, expires, role) VALUES (?, ?, ?, ?, ?)"
    session.run(statement, hash_secret(token), label, now, expires, role)
    return token


def remove_token(session: Session, label: str) -> None:
    if not _drop_token(session, label):
        raise UsageError(f"there is no token called {label!r}")


def token_role(session: Session, token: str, now: int) -> str | None:
    """What the holder of a token may do; None: it is not one of ours, or has expired."""
    row = first_row(session, "SELECT role FROM tokens WHERE hash = ? AND expires > ?", hash_secret(token), now)
    return str(row[0]) if row else None


def tokens(session: Session) -> list[AccessToken]:
    """All tokens, by their labels."""
    rows = session.all("SELECT label, role, made, expires FROM tokens ORDER BY label")
    return [AccessToken(str(label), str(role), int(made), int(expires)) for label, role, made, expires in rows]


def _drop_token(session: Session, label: str) -> int:
    session.run("DELETE FROM logins WHERE token IN (SELECT hash FROM tokens WHERE label = ?)", label)
    return session.run("DELETE FROM tokens WHERE label = ?", label)
