"""Ask a provider something over HTTP: the one door to the network.

Only what is handed in goes out.  A redirect is not followed, an answer is never larger
than a few megabytes, and outside the home's own network only https is spoken.
"""

import json
import urllib.error
import urllib.request
from dataclasses import dataclass
from http.client import HTTPException
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from hushwatt import __version__
from hushwatt.errors import HushwattError, UsageError

LARGEST = 4 << 20  # bytes of an answer
SECONDS = 20  # to wait for one


class Unreachable(HushwattError):
    """The provider does not answer; the same request may be sent again."""


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    headers: dict[str, str]  # names in lower case
    body: bytes

    def json(self) -> Any:
        try:
            return json.loads(self.body)
        except ValueError:
            raise Unreachable("the provider's answer is not JSON") from None

    @property
    def problem(self) -> str:
        """Why a request was refused, in the provider's words, cut short."""
        try:
            told = json.loads(self.body)
            words = ": ".join(str(told[key]) for key in ("title", "detail") if told.get(key))
        except (ValueError, AttributeError):
            words = ""
        printable = "".join(letter for letter in words if letter.isprintable())
        return printable[:200] or f"status {self.status}"


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        return None


OPENER = urllib.request.build_opener(_NoRedirect)


def check_address(address: str) -> str:
    """The provider's address without what follows the host and its folder, or a UsageError."""
    parts = urlsplit(address if "://" in address else f"https://{address}")
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.query:
        raise UsageError(
            f"{address} is no address of a provider; write for example https://energy.example.org"
        )
    if parts.scheme == "http" and not is_near(parts.hostname):
        raise UsageError(f"{address}: outside your own network a provider must be reached by https")
    folder = parts.path.split("/v1")[0].rstrip("/")
    return f"{parts.scheme}://{parts.netloc}{folder}"


def is_near(host: str) -> bool:
    """Whether a host is this machine or in the home's own network.

    >>> is_near("localhost"), is_near("192.168.1.7"), is_near("energy.example.org")
    (True, True, False)
    """
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_private
    except ValueError:
        return False


def ask(method: str, url: str, body: bytes | None = None, headers: dict[str, str] | None = None) -> Answer:
    """Send one request; an Unreachable when there is no answer."""
    sent = {"User-Agent": f"hushwatt/{__version__}", "Connection": "close", **(headers or {})}
    request = urllib.request.Request(url, data=body, headers=sent, method=method)
    try:
        with OPENER.open(request, timeout=SECONDS) as answer:
            return _answer(answer.status, answer)
    except urllib.error.HTTPError as refused:
        with refused:
            return _answer(refused.code, refused)
    except (OSError, HTTPException, ValueError) as wrong:
        reason = getattr(wrong, "reason", None) or wrong
        words = getattr(reason, "strerror", None) or type(reason).__name__
        raise Unreachable(f"{urlsplit(url).netloc} does not answer ({words})") from None


def _answer(status: int, answer: Any) -> Answer:
    body = answer.read(LARGEST + 1)
    if len(body) > LARGEST:
        raise Unreachable("the provider's answer is too large")
    return Answer(status, {name.lower(): value for name, value in answer.headers.items()}, body)
