"""Ask a provider something over HTTP: the one door to the network.

Only what is handed in goes out.  A redirect is not followed, outside the home's own network
only https is spoken, an answer is never larger than a few megabytes, and a whole session,
from the first connection to the last byte of the last answer, has one deadline.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from ipaddress import ip_address
from typing import Any, Protocol, TypeVar
from urllib.parse import SplitResult, urlsplit

from hushwatt import __version__
from hushwatt.errors import HushwattError, UsageError
from hushwatt.household.untrusted_json import Malformed, as_table, as_text, parse_json
from hushwatt.household.upload.request_log import LoggedRequest
from hushwatt.household.upload.timed_socket import Deadline, TimedSocket, dial
from hushwatt.sanitise import sanitised

Result = TypeVar("Result")
MAX_BODY = 4 << 20  # bytes of an answer
SESSION_TIMEOUT = 30.0  # that a session may take


class Unreachable(HushwattError):
    """The provider does not answer; the same request may be sent again."""


@dataclass(frozen=True)
class HttpResponse:
    """What came back."""

    status: int
    headers: dict[str, str]  # names in lower case
    body: bytes

    def json(self) -> Any:
        try:
            return parse_json(self.body, MAX_BODY)
        except Malformed as wrong:
            raise Unreachable(f"the provider's answer {wrong}") from None

    @property
    def problem(self) -> str:
        """Why a request was refused, in the provider's words, cut short."""
        try:
            body = as_table(parse_json(self.body))
        except Malformed:
            body = {}
        words = ": ".join(filter(None, (as_text(body.get(key)) for key in ("title", "detail"))))
        return sanitised(words, 200) or f"status {self.status}"


class HttpTransport(Protocol):
    """One connection to a provider, for a few questions."""

    def ask(
        self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> HttpResponse: ...

    def close(self) -> None: ...


@dataclass
class HttpSession:
    """A connection that is made once: when it breaks, so does the session."""

    address: str
    deadline: Deadline
    dial: Callable[[SplitResult, Deadline], TimedSocket] = dial
    record: Callable[[LoggedRequest], None] = lambda request: None  # is shown each request as it went out

    def __post_init__(self) -> None:
        parts = urlsplit(self.address)
        self.host, self.folder = parts.netloc, parts.path
        self._http = HTTPConnection(parts.hostname or "", parts.port)
        self._http.auto_open = 0
        self._socket: TimedSocket = self._told(lambda: self.dial(parts, self.deadline))
        self._http.sock = self._socket

    def ask(
        self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> HttpResponse:
        """Send one request; an Unreachable when there is no answer."""
        sent = {"Host": self.host, "User-Agent": f"hushwatt/{__version__}", **(headers or {})}
        status = None
        self._socket.sent.clear()
        try:
            answer = self._told(lambda: self._exchange(method, self.folder + path, body, sent))
            status = answer.status
        finally:
            if self._socket.sent:
                self.record(LoggedRequest(self.address, bytes(self._socket.sent), status))
        return answer

    def close(self) -> None:
        """End the session, whatever it is at."""
        self._socket.hang_up()

    def _exchange(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> HttpResponse:
        self._http.request(method, path, body, headers)
        answer = self._http.getresponse()
        content = answer.read(MAX_BODY + 1)
        if len(content) > MAX_BODY or answer.length:
            raise ValueError("too large, or less than was announced")
        return HttpResponse(answer.status, {name.lower(): value for name, value in answer.getheaders()}, content)

    def _told(self, step: Callable[[], Result]) -> Result:
        """Do something with the network; whatever goes wrong with it is one line."""
        try:
            return step()
        except (OSError, HTTPException, ValueError, OverflowError) as wrong:
            words = getattr(wrong, "strerror", None) or ERROR_WORDS.get(type(wrong)) or type(wrong).__name__
            raise Unreachable(f"{self.host} does not answer ({words})") from None


ERROR_WORDS = {TimeoutError: "it takes too long", ValueError: "the answer makes no sense or is too large"}


def connect(
    address: str,
    stop: threading.Event | None = None,
    seconds: float = SESSION_TIMEOUT,
    record: Callable[[LoggedRequest], None] = lambda request: None,
) -> HttpSession:
    """A session with whoever is at an address; it ends early when `stop` is set."""
    return HttpSession(address, Deadline(seconds, stop or threading.Event()), record=record)


def check_address(address: str) -> str:
    """The provider's address without what follows the host and its folder, or a UsageError."""
    address, shown = address.strip(), sanitised(address, 200)
    parts = _parts(address if "://" in address else f"https://{address}")
    if parts is None or parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.query:
        raise UsageError(f"{shown} is no address of a provider; write for example https://energy.example.org")
    if "://" not in address and (parts.port is not None or is_private_host(parts.hostname)):
        scheme = "http" if is_private_host(parts.hostname) else "https"
        raise UsageError(f"{shown} does not say http or https; write {scheme}://{shown}")
    if parts.scheme == "http" and not is_private_host(parts.hostname):
        raise UsageError(f"{shown}: outside your own network a provider must be reached by https")
    folder = parts.path.split("/v1")[0].rstrip("/")
    return f"{parts.scheme}://{parts.netloc}{folder}"


def _parts(address: str) -> SplitResult | None:
    """What an address consists of; None where it makes no sense."""
    try:
        parts = urlsplit(address)
        return parts if parts.port != 0 else None
    except ValueError:  # a port that is none, brackets that do not close
        return None


def is_private_host(host: str) -> bool:
    """Whether a host is this machine or in the home's own network.

    >>> is_private_host("localhost"), is_private_host("192.168.1.7"), is_private_host("energy.example.org")
    (True, True, False)
    """
    try:
        return host == "localhost" or ip_address(host).is_private
    except ValueError:
        return False
