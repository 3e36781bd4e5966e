"""What the head of a request must be: for one host, and from no page of another site."""

import re
from urllib.parse import urlsplit

from starlette.types import Scope

from hushwatt.provider.api.problems import Problem

HOST = re.compile(rb"[A-Za-z0-9._-]+(:[0-9]{1,5})?|\[[0-9A-Fa-f:.]+\](:[0-9]{1,5})?")
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
SAME_SITE = (b"same-origin", b"none")  # none: typed in, or from a bookmark


def head_problem(scope: Scope) -> Problem | None:
    """Why a request is refused: its host is not clear, or another site's page made a browser send it.

    Browsers say from which page a request comes whenever it may change something; programs do not.
    What they say themselves about the two sites comes first: they know both, whatever proxies do.
    """
    host = origin = site = b""
    hosts = 0
    for name, value in scope["headers"]:
        if name == b"host":
            hosts, host = hosts + 1, value
        elif name == b"origin":
            origin = origin or value
        elif name == b"sec-fetch-site":
            site = value
    if hosts != 1 or not HOST.fullmatch(host):
        return Problem("wrong-host")
    if scope["method"] in SAFE_METHODS or site in SAME_SITE or not (site or origin):
        return None
    if site or not is_same_origin(origin, host, scope["scheme"]):
        return Problem("wrong-origin", "open this site's own page and try again there")
    return None


def is_same_origin(origin: bytes, host: bytes, scheme: str) -> bool:
    """Whether a page of this origin is one of the host's own; one from https was not sent in the clear.

    >>> is_same_origin(b"http://127.0.0.1:8040", b"127.0.0.1:8040", "http")
    True
    >>> is_same_origin(b"null", b"127.0.0.1", "http")
    False
    >>> is_same_origin(b"http://energy.example", b"energy.example", "https")
    False
    """
    try:
        parts = urlsplit(origin.decode("ascii"))
    except ValueError:
        return False
    same = parts.netloc.lower() == host.decode("ascii").lower()
    return same and (parts.scheme == "https" or (parts.scheme == "http" and scheme != "https"))
