"""One connection to Home Assistant's WebSocket: be let in, ask, and hear of what changes.

Whatever comes is bounded and read with care; what cannot be understood ends the connection
with one `HomeAssistantError`, in words that repeat nothing of it.
"""

import asyncio
import json
import logging
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC
from email.utils import parsedate_to_datetime
from inspect import signature
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus, WebSocketException

from hushwatt.errors import UsageError
from hushwatt.household.sources.home_assistant_login import HomeAssistantLogin
from hushwatt.household.untrusted_json import Malformed, as_count, as_list, as_table, as_text, parse_json
from hushwatt.plan.times import nanoseconds

MAX_MESSAGE = 1 << 24  # bytes: a registry of thousands of entities is a few millions
OPEN_SECONDS = 10.0  # seconds for a connection, and for each step of being let in
NO_HOME_ASSISTANT = "there is a server, but no Home Assistant"
QUIET = logging.Logger("hushwatt.home_assistant", logging.CRITICAL + 1)  # the library would log frames, token and all
NO_PROXY: dict[str, Any] = {"proxy": None} if "proxy" in signature(connect.__init__).parameters else {}

OnResult = Callable[[Any], None]


class HomeAssistantError(Exception):
    """Home Assistant is out of reach, or says what nobody understands; the words are for the owner."""


class TokenRefused(HomeAssistantError):
    """Home Assistant does not accept the token."""


class HomeAssistantSession:
    """A connection that was let in; every request is answered in its own time."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket, self._last = socket, 0
        self._waiting: dict[int, tuple[OnResult, OnResult]] = {}
        self._events: dict[int, OnResult] = {}

    @property
    def date(self) -> int | None:
        """What time it is there, in nanoseconds, as it said when the connection began."""
        response = self._socket.response
        try:
            return nanoseconds(parsedate_to_datetime(response.headers["Date"]).astimezone(UTC)) if response else None
        except (KeyError, ValueError, TypeError, OverflowError):
            return None

    async def ask(self, kind: str, then: OnResult, otherwise: OnResult = lambda code: None, **fields: Any) -> None:
        """Ask for something; `then` gets the result when it comes, or `otherwise` the code of an error."""
        await self._send(kind, fields)
        self._waiting[self._last] = then, otherwise

    async def subscribe(self, kind: str, on_event: OnResult, **fields: Any) -> None:
        """Ask to be told of something again and again."""
        await self._send(kind, fields)
        self._events[self._last] = on_event

    async def listen(self, seconds: float) -> None:
        """Hand on the next message, if one comes within some seconds."""
        try:
            async with asyncio.timeout(seconds):
                message = await receive(self._socket)
        except TimeoutError:
            return
        self._dispatch(message)

    async def result(self, kind: str, **fields: Any) -> Any:
        """Ask, and wait for the answer; None where it is an error."""
        answers: list[Any] = []
        await self.ask(kind, answers.append, lambda code: answers.append(None), **fields)
        try:
            async with asyncio.timeout(OPEN_SECONDS):
                while not answers:
                    self._dispatch(await receive(self._socket))
        except TimeoutError:
            raise HomeAssistantError("it does not answer in time") from None
        return answers[0]

    async def _send(self, kind: str, fields: dict[str, Any]) -> None:
        self._last += 1
        await _send(self._socket, {"id": self._last, "type": kind, **fields})

    def _dispatch(self, message: Any) -> None:
        for each in as_list(message) or [message]:  # it may send several together
            table = as_table(each)
            number = as_count(table.get("id"))
            if number is None:
                continue
            if table.get("type") == "event" and number in self._events:
                self._events[number](table.get("event"))
            elif table.get("type") in ("result", "pong") and number in self._waiting:
                then, otherwise = self._waiting.pop(number)
                good = table.get("type") == "pong" or table.get("success") is True
                (then if good else otherwise)(table.get("result") if good else _code(table))


def _code(table: dict[str, Any]) -> str:
    return as_text(as_table(table.get("error")).get("code"))[:100]


@asynccontextmanager
async def open_session(login: HomeAssistantLogin) -> AsyncIterator[HomeAssistantSession]:
    """A connection that was let in; whatever ends it is a HomeAssistantError."""
    token, context = login.secret(), _tls(login)
    try:
        async with await _connect(login, context) as socket:
            await _authenticate(socket, token)
            yield HomeAssistantSession(socket)
    except (OSError, TimeoutError, WebSocketException, EOFError) as wrong:
        raise HomeAssistantError(_words(wrong)) from None


async def _connect(login: HomeAssistantLogin, context: ssl.SSLContext | None) -> ClientConnection:
    try:
        return await connect(
            login.websocket_url,
            ssl=context,
            max_size=MAX_MESSAGE,
            open_timeout=OPEN_SECONDS,
            close_timeout=1,
            ping_interval=None,
            logger=QUIET,
            **NO_PROXY,
        )
    except ValueError as wrong:  # as older releases of the library say it; a bad certificate is one too
        raise wrong if isinstance(wrong, OSError) else HomeAssistantError(NO_HOME_ASSISTANT) from None


def _tls(login: HomeAssistantLogin) -> ssl.SSLContext | None:
    if not login.is_tls:
        return None
    try:
        return ssl.create_default_context(cafile=login.ca_file)
    except (OSError, ssl.SSLError):
        raise UsageError(f"{login.ca_file} is not there, or holds no certificates (home_assistant, ca_file)") from None


async def _authenticate(socket: ClientConnection, token: str) -> None:
    """Be let in: it asks for a token first, and says whether it is good."""
    async with asyncio.timeout(OPEN_SECONDS):
        if as_table(await receive(socket)).get("type") != "auth_required":
            raise HomeAssistantError("it is no Home Assistant")
        await _send(socket, {"type": "auth", "access_token": token})
        answer = as_table(await receive(socket)).get("type")
    if answer == "auth_invalid":
        raise TokenRefused("it refuses the token")
    if answer != "auth_ok":
        raise HomeAssistantError("it is no Home Assistant")


async def receive(socket: ClientConnection) -> Any:
    """The next message."""
    message = await socket.recv()
    try:
        return parse_json(message if isinstance(message, bytes) else message.encode(), MAX_MESSAGE)
    except (Malformed, UnicodeEncodeError):
        raise HomeAssistantError("its message cannot be read") from None


async def _send(socket: ClientConnection, message: dict[str, Any]) -> None:
    await socket.send(json.dumps(message))


def _words(wrong: Exception) -> str:
    """Why there is no connection, in our own words."""
    if isinstance(wrong, ssl.SSLCertVerificationError):
        return "its certificate is not to be trusted; see ca_file"
    if isinstance(wrong, ssl.SSLError):
        return "it does not speak TLS as it should; is it http:// rather than https://?"
    if isinstance(wrong, TimeoutError):
        return "no answer in time"
    if isinstance(wrong, OSError):
        return (wrong.strerror or "no connection").lower()
    if isinstance(wrong, InvalidStatus):
        return f"{NO_HOME_ASSISTANT}: HTTP {wrong.response.status_code}"
    if isinstance(wrong, InvalidHandshake | EOFError):
        return NO_HOME_ASSISTANT
    return "the connection ended" if isinstance(wrong, ConnectionClosed) else "the connection failed"
