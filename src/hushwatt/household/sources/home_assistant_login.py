"""Where Home Assistant is, and the long-lived token that opens it.

Whoever has the token can read and switch everything that its user can in Home Assistant, so it
is in no `repr`, no line and no error.
"""

import ipaddress
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from hushwatt.errors import UsageError

EXAMPLE = "http://homeassistant.local:8123"
PATHS = ("", "/", "/core", "/core/")  # /core: as an add-on sees it, through the Supervisor
LOCAL_ENDINGS = (".local", ".lan", ".home", ".internal", ".home.arpa", ".fritz.box")
MAX_TOKEN = 10_000  # characters


@dataclass(frozen=True)
class HomeAssistantLogin:
    """One Home Assistant, and how to be let in."""

    url: str
    token: str | None = field(default=None, repr=False)
    token_file: str | None = None
    ca_file: str | None = None  # certificates to believe, where its own is not from a public authority

    @property
    def problem(self) -> str | None:
        """What is wrong with it, in words for the owner; None where nothing is.

        >>> HomeAssistantLogin("homeassistant.local:8123", token="t").problem
        'url must begin with http:// or https://, such as http://homeassistant.local:8123'
        """
        return _url_problem(self.url) or self._token_problem()

    def _token_problem(self) -> str | None:
        if self.token is None and self.token_file is None:
            return "needs token_file, a file with a long-lived access token of Home Assistant"
        if self.token is not None and self.token_file is not None:
            return "has both token and token_file; keep one of them"
        if self.token is not None and not _is_token(self.token):
            return "token must be a long-lived access token, one word as Home Assistant shows it"
        return None

    def in_folder(self, folder: Path) -> "HomeAssistantLogin":
        """The same with its files found from a folder, where they are not named in full."""
        names = {key: value for key in ("token_file", "ca_file") if (value := getattr(self, key)) is not None}
        return replace(self, **{key: str(folder / Path(name).expanduser()) for key, name in names.items()})

    @property
    def websocket_url(self) -> str:
        """The address of its WebSocket.

        >>> HomeAssistantLogin("https://ha.example.org/").websocket_url
        'wss://ha.example.org/api/websocket'
        """
        return f"ws{self.url.strip().removeprefix('http').rstrip('/')}/api/websocket"

    @property
    def host(self) -> str:
        """Its name or address, with the port where there is one."""
        return urlsplit(self.url.strip()).netloc

    @property
    def is_tls(self) -> bool:
        return self.url.strip().startswith("https:")

    @property
    def leaves_home(self) -> bool:
        """Whether its address is not one of this machine or of a home's own network.

        >>> [HomeAssistantLogin(f"http://{host}:8123").leaves_home for host in ("192.168.1.2", "ha.example.org")]
        [False, True]
        """
        name = urlsplit(self.url.strip()).hostname or ""
        try:
            return not ipaddress.ip_address(name.partition("%")[0]).is_private
        except ValueError:
            return "." in name and not name.endswith(LOCAL_ENDINGS)

    def secret(self) -> str:
        """The token, from its own file when there is one; read anew every time, as the owner may change it."""
        if self.token_file is None:
            return self.token or ""
        try:
            token = Path(self.token_file).read_text(encoding="utf-8").strip()
        except FileNotFoundError:
            raise UsageError(f"{self.token_file} is not there; it must hold Home Assistant's token") from None
        except (OSError, UnicodeDecodeError):
            raise UsageError(f"{self.token_file} cannot be read; it must hold Home Assistant's token") from None
        if not _is_token(token):
            raise UsageError(f"{self.token_file} must hold Home Assistant's token, one word, and nothing else")
        return token


def _is_token(text: str) -> bool:
    return 0 < len(text) <= MAX_TOKEN and text.isascii() and text.isprintable() and " " not in text


def _url_problem(url: str) -> str | None:
    parts = _split(url.strip())
    if parts is None or not url.strip().isprintable():
        return f"url must be an address such as {EXAMPLE}"
    if parts.scheme not in ("http", "https") or not url.strip().startswith(f"{parts.scheme}://"):
        return f"url must begin with http:// or https://, such as {EXAMPLE}"
    if not parts.hostname:
        return f"url must name a host, such as {EXAMPLE}"
    if parts.username is not None or parts.password is not None:
        return f"url must be without a name and a password, such as {EXAMPLE}"
    if parts.path not in PATHS or parts.query or parts.fragment:
        return f"url must end after the host and the port, such as {EXAMPLE}"
    return None


def _split(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url)
        _ = parts.port  # a port that is none is found here
    except ValueError:
        return None
    return parts
