"""Who may ask: analysts by a token, operators by a stronger one, strangers not too often."""

import time
from typing import NoReturn

from starlette.concurrency import run_in_threadpool
from starlette.requests import HTTPConnection

from hushwatt.provider.api.problems import Problem
from hushwatt.provider.api.rate_limit import TokenBucketLimiter
from hushwatt.provider.service.config import is_loopback
from hushwatt.provider.service.service import Service
from hushwatt.provider.store.access_tokens import OPERATE, hash_secret, token_role
from hushwatt.provider.store.logins import add_login, login_role, remove_login
from hushwatt.provider.store.session import Session

COOKIE = "hushwatt_login"
FORWARDED = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via")


class Access:
    """Who may do what at one service, with a rate limit for strangers."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._strangers = TokenBucketLimiter(service.config.strangers_per_second)
        self._right_tokens: set[bytes] = set()  # hashes of those that were right when they were looked up last

    def role(self, request: HTTPConnection) -> str | None:
        """What a request may do by its token or its login; where none is needed, everything."""
        if not self._service.config.needs_token and is_direct(request):
            return OPERATE
        token, secret = bearer_token(request), request.cookies.get(COOKIE, "")
        if not token and not secret:
            return None
        with self._service.database.reading() as session:
            if not token:
                return login_role(session, secret, self._now)
            role = token_role(session, token, self._now)
        (self._right_tokens.discard if role is None else self._right_tokens.add)(hash_secret(token))
        return role

    def was_analyst(self, request: HTTPConnection) -> bool:
        """Whether a request may look, as far as is known without the store: its token was right when last looked up."""
        if not self._service.config.needs_token and is_direct(request):
            return True
        return hash_secret(bearer_token(request)) in self._right_tokens

    def is_analyst(self, request: HTTPConnection) -> bool:
        return self.role(request) is not None

    def need_analyst(self, request: HTTPConnection) -> None:
        """Refuse whoever is no analyst."""
        if not self.is_analyst(request):
            self._refuse(request)

    def need_operator(self, request: HTTPConnection) -> None:
        """Refuse whoever may only look."""
        role = self.role(request)
        if role is None:
            self._refuse(request)
        if role != OPERATE:
            raise Problem("operator-needed", "make one with `hushwatt provider keys token --role operate`")

    async def log_in(self, token: str) -> str | None:
        """A secret for the browser of a token's holder; None: it is no token."""

        def add(session: Session) -> str | None:
            return add_login(session, token, self._now) if token_role(session, token, self._now) else None

        def is_right() -> bool:
            with self._service.database.reading() as session:
                return token_role(session, token, self._now) is not None

        if not await run_in_threadpool(is_right):
            return None
        return await self._service.inbox.write(add)

    async def log_out(self, request: HTTPConnection) -> None:
        """End the login of a request, whoever else has a copy of its secret."""
        secret = request.cookies.get(COOKIE, "")
        if secret:
            await self._service.inbox.write(lambda session: remove_login(session, secret))

    def _refuse(self, request: HTTPConnection) -> NoReturn:
        self.count_stranger(request)
        raise Problem("token-needed", "make one with `hushwatt provider keys token`")

    def turn_away(self, request: HTTPConnection) -> None:
        """Refuse an address from which too many strangers came, before anything of it is read."""
        if not _is_local(request) and self._strangers.is_empty(_address(request), time.monotonic()):
            raise Problem("too-many", retry=1)

    @property
    def _now(self) -> int:
        return int(self._service.clock.now().timestamp())

    def count_stranger(self, request: HTTPConnection) -> None:
        """Count a request of somebody unknown, and refuse when there are too many from one address."""
        if not _is_local(request) and not self._strangers.allows(_address(request), time.monotonic()):
            raise Problem("too-many", retry=1)


def _address(request: HTTPConnection) -> str:
    return request.client.host if request.client else ""


def _is_local(request: HTTPConnection) -> bool:
    return is_loopback(_address(request)) and is_direct(request)


def bearer_token(request: HTTPConnection) -> str:
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else ""


def is_direct(request: HTTPConnection) -> bool:
    """Whether no proxy stands between: a request from elsewhere must not pass for a local one."""
    host = request.url.hostname or ""
    return is_loopback(host) and not any(name in request.headers for name in FORWARDED)
