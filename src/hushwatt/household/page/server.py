"""Serve the owner's page on this machine.

It answers only to this machine, and to one more address when the owner names it (the
one that Home Assistant's ingress comes from).  Buttons need a key that only a page shown
by this very process carries, so no other site can press them.
"""

import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from urllib.parse import parse_qs, urlsplit

from hushwatt.errors import HushwattError
from hushwatt.household.agent import Agent
from hushwatt.household.clock import Clock
from hushwatt.household.config import Folder
from hushwatt.household.join import pause, resume
from hushwatt.household.page.view import Sight, home_page
from hushwatt.household.sources.hub import Hub

LARGEST = 10_000  # bytes of a form
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


@dataclass
class Page:
    """What the server needs to know."""

    folder: Folder
    agent: Agent
    hub: Hub
    clock: Clock
    guest: str | None = None  # one more address that may look
    key: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)

    def allows(self, address: str, host: str) -> bool:
        """Whether a request from this address, for this host, may be answered."""
        if self.guest is not None and address == self.guest:
            return True
        return ip_address(address).is_loopback and _is_local(host)

    def show(self, everything: bool) -> str:
        now = self.clock.look().wall
        with self.folder.store() as store:
            health = self.hub.health(now)
            latest = dict(self.agent.latest)
            return home_page(Sight(store, self.agent.caps, now, latest, health, self.key, everything))

    def press(self, action: str, key: str) -> bool:
        """Do what a button says; False when it was not ours."""
        if not secrets.compare_digest(key.encode(), self.key.encode()) or action not in ("pause", "resume"):
            return False
        with self.folder.store() as store:
            try:
                if action == "pause":
                    pause(store, None, self.clock.look().wall)
                else:
                    resume(store, None)
            except HushwattError:
                return True  # there was nothing to pause
        return True


def serve(page: Page, host: str, port: int, say: Callable[[str], None]) -> ThreadingHTTPServer | None:
    """Start to serve; None, and one line, when the address is taken."""
    try:
        server = ThreadingHTTPServer((host, port), _handler(page))
    except OSError as wrong:
        say(f"no page at http://{host}:{port}/ ({wrong.strerror}); all else goes on")
        return None
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, name="hushwatt-page", daemon=True).start()
    say(f"the page of this home is at http://{host}:{server.server_port}/")
    return server


def _handler(page: Page) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        timeout = 20
        server_version, sys_version = "hushwatt", ""

        def do_GET(self) -> None:
            if self._welcome():
                asked = urlsplit(self.path)
                if asked.path.rstrip("/") not in ("", "/index.html"):
                    self._answer(404, "There is nothing here.")
                else:
                    self._answer(200, page.show("all" in parse_qs(asked.query)))

        def do_POST(self) -> None:
            if not self._welcome():
                return
            length = self.headers.get("Content-Length", "")
            body = self.rfile.read(min(int(length), LARGEST)) if length.isdigit() else b""
            form = parse_qs(body.decode("utf-8", "replace"))
            if not page.press(self.path.rpartition("/")[2], form.get("key", [""])[0]):
                self._answer(403, "This button is not from this page; load it again.")
                return
            self.send_response(303)
            self.send_header("Location", "./")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def _welcome(self) -> bool:
            if page.allows(self.client_address[0], self.headers.get("Host", "")):
                return True
            self._answer(403, "This page is for this machine only.")
            return False

        def _answer(self, status: int, text: str) -> None:
            body = text.encode()
            self.send_response(status)
            kind = "text/html" if text.startswith("<!doctype") else "text/plain"
            for name, value in {**HEADERS, "Content-Type": f"{kind}; charset=utf-8"}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Who looked, and when, is nobody's business."""

    return Handler


def _is_local(host: str) -> bool:
    """Whether a Host header names this machine: another name could be a trick (DNS rebinding)."""
    name = urlsplit(f"//{host}").hostname or ""
    if name == "localhost":
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False
