"""Serve the owner's page on this machine.

It answers only to this machine, and to one more address when the owner names it (the
one that Home Assistant's ingress comes from).  Buttons need a key that only a page shown
by this very process carries, so no other site can press them; and no other site can show
the page in a frame, where its buttons might be pressed by mistake.
"""

import secrets
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import tzinfo
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from urllib.parse import parse_qs, urlsplit

from hushwatt.errors import HushwattError
from hushwatt.household.agent import Agent
from hushwatt.household.clock import HomeClock
from hushwatt.household.guard import Guard
from hushwatt.household.home_folder import HomeFolder
from hushwatt.household.ledger.store import Store
from hushwatt.household.page.act import NOT_OURS, act
from hushwatt.household.page.data import OwnerPageData, Rendered
from hushwatt.household.page.render import PLAIN, render
from hushwatt.household.sources.hub import Hub

MAX_FORM = 10_000  # bytes of a form
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",  # with no-referrer, browsers would not say where a button was pressed
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
POLICY = "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors "
NO_FRAME = {"Content-Security-Policy": f"{POLICY}'none'", "X-Frame-Options": "DENY"}
OWN_FRAME = {"Content-Security-Policy": f"{POLICY}'self'", "X-Frame-Options": "SAMEORIGIN"}


@dataclass
class OwnerPage:
    """What the server needs to know."""

    folder: HomeFolder
    agent: Agent
    hub: Hub
    clock: HomeClock
    guest: str | None = None  # one more address that may look
    zone: tzinfo | None = None  # of the clock times that are shown; None: the machine's
    csrf_token: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)

    def allows(self, address: str, host: str) -> bool:
        """Whether a request from this address, for this host, may be answered."""
        return address == self.guest or (ip_address(address).is_loopback and _is_local(host))

    def framing(self, address: str) -> dict[str, str]:
        """Who may show the page in a frame: nobody, but for Home Assistant, where the page is a panel."""
        return OWN_FRAME if address == self.guest else NO_FRAME

    def pressed_here(self, address: str, headers: Message | Mapping[str, str]) -> bool:
        """Whether a browser says, as all do that can, that a button was pressed on this very page."""
        if headers.get("Sec-Fetch-Site", "same-origin") not in ("same-origin", "none"):
            return False
        origin = headers.get("Origin")
        if origin is None or address == self.guest:  # ingress has another name for the browser than for us
            return True
        return origin.partition("://")[2] == headers.get("Host", "")

    def get(self, path: str, query: Mapping[str, str]) -> Rendered:
        """The page at a path, for whoever may look."""
        with self.folder.store() as store:
            return render(path, query, self._data(store))

    def post(self, path: str, form: Mapping[str, str]) -> Rendered:
        """Do what a form says, and the page that says so."""
        with self.folder.store() as store:
            return act(path, form, self._data(store))

    def _data(self, store: Store) -> OwnerPageData:
        now = self.clock.look().wall
        health, latest = self.hub.health(now), dict(self.agent.latest)
        return OwnerPageData(
            store, self.agent.caps, now, latest, health, self.csrf_token, zone=self.zone, folder=self.folder
        )


def serve(page: OwnerPage, host: str, port: int, say: Callable[[str], None]) -> ThreadingHTTPServer | None:
    """Start to serve; None, and one line, when the address is taken."""
    try:
        server = PageServer((host, port), page, say)
    except OSError as wrong:
        say(f"no page at http://{host}:{port}/ ({wrong.strerror}); all else goes on")
        return None
    threading.Thread(target=server.serve_forever, name="hushwatt-page", daemon=True).start()
    say(f"the page of this home is at http://{host}:{server.server_port}/")
    return server


class PageServer(ThreadingHTTPServer):
    """Serves each request in a thread of its own; one that fails is said once."""

    daemon_threads = True

    def __init__(self, place: tuple[str, int], page: OwnerPage, say: Callable[[str], None]) -> None:
        self.guard = Guard(say)
        super().__init__(place, _handler(page))

    def handle_error(self, request: object, client_address: object) -> None:
        wrong = sys.exc_info()[1]
        if wrong is not None and not isinstance(wrong, OSError):
            self.guard.note("a request for the page", wrong)


def _handler(page: OwnerPage) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        timeout = 20
        server_version, sys_version = "hushwatt", ""

        def do_GET(self) -> None:
            if not self._welcome():
                return
            path, _, query = self.path.partition("?")
            self._answer(lambda: page.get(path.lstrip("/"), _fields(query)))

        def do_POST(self) -> None:
            if not self._welcome():
                return
            length = self.headers.get("Content-Length", "")
            size = int(length) if length.isascii() and length.isdigit() and len(length) < 9 else 0
            form = _fields(self.rfile.read(min(size, MAX_FORM)).decode("utf-8", "replace"))
            here = page.pressed_here(self.client_address[0], self.headers)
            self._answer(lambda: page.post(self.path.rpartition("/")[2], form) if here else NOT_OURS)

        def _welcome(self) -> bool:
            hosts = self.headers.get_all("Host") or [""]
            if len(hosts) == 1 and page.allows(self.client_address[0], hosts[0]):
                return True
            self._answer(lambda: Rendered(403, PLAIN, "This page is for this machine only."))
            return False

        def _answer(self, work: Callable[[], Rendered]) -> None:
            try:
                status, about, text = work()
            except HushwattError as wrong:
                status, about, text = 503, PLAIN, str(wrong)
            body = text.encode("utf-8", "replace")
            self.send_response(status)
            framing = page.framing(self.client_address[0])
            for name, value in {**HEADERS, **framing, **about, "Content-Length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Who looked, and when, is nobody's business."""

    return Handler


def _fields(text: str) -> dict[str, str]:
    """The first value of each field of a form or a query."""
    try:
        return {name: values[0] for name, values in parse_qs(text, keep_blank_values=True, max_num_fields=100).items()}
    except ValueError:  # more fields than any page of ours has
        return {}


def _is_local(host: str) -> bool:
    """Whether a Host header names this machine: another name could be a trick (DNS rebinding)."""
    try:
        name = urlsplit(f"//{host}").hostname or ""
        return name == "localhost" or ip_address(name).is_loopback
    except ValueError:
        return False
