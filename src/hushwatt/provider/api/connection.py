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

PIECE = 1 << 16  # bytes looked at together
LARGEST_HEAD = 1 << 15  # bytes of a request that are not its body
MOST_AHEAD = 16  # requests sent before the first is answered
SMALL, MANY = 64, 4096  # bytes of a piece of a body that is small, and how many such pieces are enough
FOREVER = inf
SPARE = 5  # seconds more than the application gives, which has better words for it


@dataclass(frozen=True)
class Patience:
    """What a client is given."""

    head: float  # seconds to send the head of a request
    body: float  # seconds to send its body
    answer: float  # seconds to take a part of an answer
    idle: float  # seconds between two requests
    discarded: int  # bytes of a body that nobody wants
    connections: int  # of all clients together


class Refused(Exception):
    """A request that is not worth reading on."""


class Connection(HttpToolsProtocol):
    """A connection that is let go when its client is too slow, or sends too much."""

    patience: ClassVar[Patience]
    their_turn: ClassVar[dict["Connection", None]]  # all connections that wait for their client, oldest first

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._timer: TimerHandle | None = None
        self._looks = self._deadline = FOREVER  # when the timer looks, and when the time is over
        self._seconds: float | None = None  # that the client has now; None: it is our turn
        self._sending = False  # a request has begun and is not whole
        self._head = False  # its head neither
        self._plain = 0  # bytes since the last of a body
        self._size = self._pieces = self._unwanted = 0  # of the body
        self._problem = Problem("not-http")
        transport.set_write_buffer_limits(high=PIECE // 2)
        self._give(self.patience.head)
        self._make_room()

    def connection_lost(self, exc: Exception | None) -> None:
        self._start(None)
        self._look_at(FOREVER)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        for start in range(0, len(data), PIECE):
            if self.transport.is_closing():
                return
            piece = data[start : start + PIECE]
            self._plain += len(piece)
            super().data_received(piece)
            if self._plain > LARGEST_HEAD and self._sending and not self.transport.is_closing():
                self._refuse(Problem("head-too-large", f"at most {LARGEST_HEAD} bytes"))

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._sending = self._head = True
        self._size = self._pieces = self._unwanted = 0
        self._give(self.patience.head)

    def on_headers_complete(self) -> None:
        if sum(len(name) + len(value) for name, value in self.headers) + len(self.url) > LARGEST_HEAD:
            self._problem = Problem("head-too-large", f"at most {LARGEST_HEAD} bytes")
            raise Refused
        if len(self.pipeline) >= MOST_AHEAD:
            raise Refused
        super().on_headers_complete()
        self._head = False
        self._give(self.patience.body + SPARE)

    def on_body(self, body: bytes) -> None:
        super().on_body(body)
        self._plain = 0
        self._size += len(body)
        self._pieces += 1
        self._unwanted += len(body) if self.cycle.response_complete else 0
        if self._unwanted > self.patience.discarded:
            self.transport.abort()
        elif self._pieces > max(MANY, self._size // SMALL):
            raise Refused

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self._sending, self._plain = False, 0
        self._give(None if not self.cycle.response_complete else self.patience.idle)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.transport.is_closing():
            self._give(self.patience.answer)
        elif not self._sending and not self.pipeline and self.cycle.response_complete:
            self._give(self.patience.idle)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._start(self.patience.answer)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._start(self._seconds)

    def send_400_response(self, msg: str) -> None:
        """What uvicorn does with a request that cannot be read."""
        self._refuse(self._problem)

    def _give(self, seconds: float | None) -> None:
        """It is the client's turn for so many seconds; None: it is ours."""
        self._seconds = seconds
        self._start(self.patience.answer if self.flow.write_paused else seconds)

    def _start(self, seconds: float | None) -> None:
        """Let the time run, or stop it.  A timer that is set already is used again, as most are."""
        self.their_turn.pop(self, None)
        if seconds is None:
            self._deadline = FOREVER
            return
        self.their_turn[self] = None
        self._deadline = self.loop.time() + seconds
        if self._deadline < self._looks:
            self._look_at(self._deadline)

    def _look_at(self, moment: float) -> None:
        if self._timer:
            self._timer.cancel()
        self._looks = moment
        self._timer = self.loop.call_at(moment, self._look) if moment < FOREVER else None

    def _look(self) -> None:
        """See whether the time is over."""
        self._timer, self._looks = None, FOREVER
        if self.loop.time() < self._deadline:
            self._look_at(self._deadline)
        else:
            self._let_go()

    def _let_go(self) -> None:
        """The client's time is over."""
        if self.transport.is_closing() or self.flow.write_paused or (self._sending and not self._head):
            self.transport.abort()
        elif self._sending:
            self._refuse(Problem("too-slow", f"at most {self.patience.head:g} seconds for the head"))
        else:
            self.transport.close()
            self._give(self.patience.answer)

    def _refuse(self, problem: Problem) -> None:
        """Say why, unless an answer is on its way, and close."""
        if not self._owes_answer():
            response = problem.response()
            lines = [f"{name.decode()}: {value.decode()}" for name, value in response.raw_headers]
            head = "\r\n".join([f"HTTP/1.1 {problem.status} Refused", *lines, "connection: close", "", ""])
            self.transport.write(head.encode() + bytes(response.body))
        self.transport.close()
        self._give(self.patience.answer)

    def _owes_answer(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _make_room(self) -> None:
        while len(self.connections) > self.patience.connections:
            oldest = next(iter(self.their_turn))
            if oldest is self:
                return
            self.connections.discard(oldest)
            oldest._start(None)
            oldest.transport.abort()


def connections(patience: Patience) -> type[Connection]:
    """The kind of connection for one server."""
    return type("Connection", (Connection,), {"patience": patience, "their_turn": {}})
