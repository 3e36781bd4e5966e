"""Tokens of analysts and operators: kept as hashes, so a thief of the store has none."""

import hashlib
import secrets
from dataclasses import dataclass

from hushwatt.errors import UsageError
from hushwatt.provider.store.session import Session, first_row

READ, OPERATE = ROLES = ("read", "operate")  # looks at answers; also does what cannot be undone


@dataclass(frozen=True)
class AccessToken:
    """What is known of a token."""

    label: str
    role: str
    made: int  # seconds since 1970
    expires: int


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
