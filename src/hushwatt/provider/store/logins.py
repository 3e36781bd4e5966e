"""Browsers that have signed in: each holds a secret of its own, which lasts no longer than its token.

Only a hash of the secret is kept.  A token that is revoked, replaced or over ends every login made with it.
"""

import secrets

from hushwatt.provider.store.access_tokens import hash_secret
from hushwatt.provider.store.session import Session, first_row

LOGIN_SECONDS = 7 * 86_400  # seconds
PREFIX = "hushwatt_login_"


def add_login(session: Session, token: str, now: int) -> str:
    """A new secret for the holder of a token."""
    secret = PREFIX + secrets.token_urlsafe(32)
    session.run("DELETE FROM logins WHERE expires <= ?", now)
    statement = "INSERT INTO logins (hash, token, expires) VALUES (?, ?, ?)"
    session.run(statement, hash_secret(secret), hash_secret(token), now + LOGIN_SECONDS)
    return secret


def remove_login(session: Session, secret: str) -> None:
    session.run("DELETE FROM logins WHERE hash = ?", hash_secret(secret))


def login_role(session: Session, secret: str, now: int) -> str | None:
    """What the holder of a secret may do; None: nothing."""
    statement = (
        "SELECT role FROM logins JOIN tokens ON tokens.hash = logins.token "
        "WHERE logins.hash = ? AND logins.expires > ? AND tokens.expires > ?"
    )
    row = first_row(session, statement, hash_secret(secret), now, now)
    return str(row[0]) if row else None
