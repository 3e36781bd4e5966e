"""Who may ask: analysts by a token, strangers not too often."""

import time

from starlette.requests import HTTPConnection

from hushwatt.provider.api.limits import Limit
from hushwatt.provider.api.problems import Problem
from hushwatt.provider.config import is_loopback
from hushwatt.provider.service import Service
from hushwatt.provider.store.access import token_holds

COOKIE = "hushwatt_token"
FORWARDED = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via")


class Access:
    """The doorkeeper of one service."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._strangers = Limit(service.config.strangers_per_second)

    def is_analyst(self, request: HTTPConnection) -> bool:
        """Whether a request carries a token, as a bearer or in the cookie, or needs none."""
        if not self._service.config.needs_token and is_direct(request):
            return True
        token = bearer(request) or request.cookies.get(COOKIE, "")
        return bool(token) and self.token_holds(token)

    def token_holds(self, token: str) -> bool:
        with self._service.database.reading() as session:
            return token_holds(session, token, int(self._service.clock.now().timestamp()))

    def need_analyst(self, request: HTTPConnection) -> None:
        """Refuse whoever is no analyst."""
        if not self.is_analyst(request):
            self.count_stranger(request)
            raise Problem("token-needed", "make one with `hushwatt provider keys token`")

    def count_stranger(self, request: HTTPConnection) -> None:
        """Count a request of somebody unknown, and refuse when there are too many from one address."""
        address = request.client.host if request.client else ""
        if is_loopback(address) and is_direct(request):
            return
        if not self._strangers.allows(address, time.monotonic()):
            raise Problem("too-many", retry=1)


def bearer(request: HTTPConnection) -> str:
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else ""


def is_direct(request: HTTPConnection) -> bool:
    """Whether no proxy stands between: a request from elsewhere must not pass for a local one."""
    host = request.url.hostname or ""
    return is_loopback(host) and not any(name in request.headers for name in FORWARDED)
