"""One client's connection, on which nobody keeps the service waiting for long.

uvicorn watches idle connections and nothing else.  Here, whenever it is the client's turn, a
time is running: to send the head of a request, its body, or to take the answer.  What is held for
a client that has not finished is bounded too, and when there are more connections than allowed,
the one that has had its turn for the longest is closed.
"""

from asyncio import TimerHandle, Transport
from dataclasses import dataclass
from math import inf
from typing import ClassVar

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from hushwatt.provider.api.problems import Problem

CHUNK_BYTES = 1 << 16  # bytes parsed at a time
MAX_HEAD_BYTES = 1 << 15  # bytes of a request that are not its body
MAX_PIPELINED = 16  # requests sent before the first is answered
SMALL_CHUNK = 64  # bytes of a part of a body that is small
MAX_SMALL_CHUNKS = 4096
NEVER = inf
SPARE_SECONDS = 5  # seconds more than the application gives, which has better words for it


@dataclass(frozen=True)
class ConnectionTimeouts:
    """How long and how much a client is waited for: a timeout for each of its turns."""

    head: float  # seconds to send the head of a request
    body: float  # seconds to send its body
    answer: float  # seconds to take a part of an answer
    keep_alive: float  # seconds between two requests
    discarded: int  # bytes of a body that nobody wants
    connections: int  # of all clients together


class UnreadableRequest(Exception):
    """A request that is not worth reading on."""


class Connection(HttpToolsProtocol):
    """A connection that is let go when its client is too slow, or sends too much."""

    timeouts: ClassVar[ConnectionTimeouts]
    waiting_on_client: ClassVar[dict["Connection", None]]  # all whose client's turn it is, oldest first

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._timer: TimerHandle | None = None
        self._wakes = self._deadline = NEVER  # when the timer wakes, and when the time is over
        self._seconds: float | None = None  # that the client has now; None: it is our turn
        self._sending = False  # a request has begun and is not whole
        self._head = False  # its head neither
        self._head_bytes = 0  # bytes since the last of a body
        self._size = self._chunks = self._discarded = 0  # of the body
        self._problem = Problem("not-http")
        transport.set_write_buffer_limits(high=CHUNK_BYTES // 2)
        self._set_timeout(self.timeouts.head)
        self._evict_oldest()

    def connection_lost(self, exc: Exception | None) -> None:
        self._restart_timer(None)
        self._wake_at(NEVER)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        for start in range(0, len(data), CHUNK_BYTES):
            if self.transport.is_closing():
                return
            chunk = data[start : start + CHUNK_BYTES]
            self._head_bytes += len(chunk)
            super().data_received(chunk)
            if self._head_bytes > MAX_HEAD_BYTES and self._sending and not self.transport.is_closing():
                self._refuse(Problem("head-too-large", f"at most {MAX_HEAD_BYTES} bytes"))

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._sending = self._head = True
        self._size = self._chunks = self._discarded = 0
        self._set_timeout(self.timeouts.head)

    def on_headers_complete(self) -> None:
        if sum(len(name) + len(value) for name, value in self.headers) + len(self.url) > MAX_HEAD_BYTES:
            self._problem = Problem("head-too-large", f"at most {MAX_HEAD_BYTES} bytes")
            raise UnreadableRequest
        if len(self.pipeline) >= MAX_PIPELINED:
            raise UnreadableRequest
        super().on_headers_complete()
        self._head = False
        self._set_timeout(self.timeouts.body + SPARE_SECONDS)

    def on_body(self, body: bytes) -> None:
        super().on_body(body)
        self._head_bytes = 0
        self._size += len(body)
        self._chunks += 1
        self._discarded += len(body) if self.cycle.response_complete else 0
        if self._discarded > self.timeouts.discarded:
            self.transport.abort()
        elif self._chunks > max(MAX_SMALL_CHUNKS, self._size // SMALL_CHUNK):
            raise UnreadableRequest

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self._sending, self._head_bytes = False, 0
        self._set_timeout(None if not self.cycle.response_complete else self.timeouts.keep_alive)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.transport.is_closing():
            self._set_timeout(self.timeouts.answer)
        elif not self._sending and not self.pipeline and self.cycle.response_complete:
            self._set_timeout(self.timeouts.keep_alive)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._restart_timer(self.timeouts.answer)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._restart_timer(self._seconds)

    def send_400_response(self, msg: str) -> None:
        """What uvicorn does with a request that cannot be read."""
        self._refuse(self._problem)

    def _set_timeout(self, seconds: float | None) -> None:
        """It is the client's turn for so many seconds; None: it is ours."""
        self._seconds = seconds
        self._restart_timer(self.timeouts.answer if self.flow.write_paused else seconds)

    def _restart_timer(self, seconds: float | None) -> None:
        """Let the time run, or stop it.  A timer that is set already is used again, as most are."""
        self.waiting_on_client.pop(self, None)
        if seconds is None:
            self._deadline = NEVER
            return
        self.waiting_on_client[self] = None
        self._deadline = self.loop.time() + seconds
        if self._deadline < self._wakes:
            self._wake_at(self._deadline)

    def _wake_at(self, moment: float) -> None:
        if self._timer:
            self._timer.cancel()
        self._wakes = moment
        self._timer = self.loop.call_at(moment, self._wake) if moment < NEVER else None

    def _wake(self) -> None:
        """See whether the time is over."""
        self._timer, self._wakes = None, NEVER
        if self.loop.time() < self._deadline:
            self._wake_at(self._deadline)
        else:
            self._time_out()

    def _time_out(self) -> None:
        """The client's time is over."""
        if self.transport.is_closing() or self.flow.write_paused or (self._sending and not self._head):
            self.transport.abort()
        elif self._sending:
            self._refuse(Problem("too-slow", f"at most {self.timeouts.head:g} seconds for the head"))
        else:
            self.transport.close()
            self._set_timeout(self.timeouts.answer)

    def _refuse(self, problem: Problem) -> None:
        """Say why, unless an answer is on its way, and close."""
        if not self._owes_answer():
            response = problem.response()
            lines = [f"{name.decode()}: {value.decode()}" for name, value in response.raw_headers]
            head = "\r\n".join([f"HTTP/1.1 {problem.status} Refused", *lines, "connection: close", "", ""])
            self.transport.write(head.encode() + bytes(response.body))
        self.transport.close()
        self._set_timeout(self.timeouts.answer)

    def _owes_answer(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _evict_oldest(self) -> None:
        while len(self.connections) > self.timeouts.connections:
            oldest = next(iter(self.waiting_on_client))
            if oldest is self:
                return
            self.connections.discard(oldest)
            oldest._restart_timer(None)
            oldest.transport.abort()


def connection_class(timeouts: ConnectionTimeouts) -> type[Connection]:
    """The kind of connection for one server."""
    return type("Connection", (Connection,), {"timeouts": timeouts, "waiting_on_client": {}})
