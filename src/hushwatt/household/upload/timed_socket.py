"""A connection that keeps to a deadline: one for everything that is done with it together.

The time that a socket waits for one byte says nothing about how long a thousand take.  Here
every wait is cut to what is left in all, and to a moment after which it looks whether the
agent is to stop.
"""

import io
import socket
import ssl
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import SplitResult

MAX_BYTES = 10 << 20  # bytes that are read from one connection
STOP_POLL_SECONDS = 0.2  # seconds between two looks whether the agent is to stop


@dataclass
class Deadline:
    """How long something may take in all, and whether it is still wanted."""

    seconds: float
    stop: threading.Event = field(default_factory=threading.Event)
    clock: Callable[[], float] = time.monotonic

    def __post_init__(self) -> None:
        self._end = self.clock() + self.seconds

    @property
    def left(self) -> float:
        """The seconds that are left; a TimeoutError when there are none."""
        left = self._end - self.clock()
        if left <= 0:
            raise TimeoutError("took too long")
        if self.stop.is_set():
            raise TimeoutError("the agent stops")
        return left


class TimedSocket:
    """A socket whose every read and write keeps to a deadline, and all reads together to a size."""

    def __init__(self, plug: socket.socket, deadline: Deadline, largest: int = MAX_BYTES) -> None:
        self.plug, self.deadline, self.left = plug, deadline, largest
        self.sent = bytearray()  # what the network took, since whoever uses the socket last cleared it

    def receive(self, buffer: Any) -> int:
        """Read what has come, waiting for at least something; a ValueError when it is too much in all."""
        count = self._patiently(lambda: self.plug.recv_into(buffer))
        self.left -= count
        if self.left < 0:
            raise ValueError("too large")
        return count

    def sendall(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            part = rest[: 1 << 16]
            count = self._patiently(lambda part=part: self.plug.send(part))  # type: ignore[misc]
            self.sent += part[:count]
            rest = rest[count:]

    def makefile(self, mode: str) -> io.BufferedReader:
        """What http.client reads an answer from; closing it leaves the connection open."""
        return io.BufferedReader(_SocketReader(self))

    def close(self) -> None:
        """What http.client does when the other end wants to; the plug is pulled by `hang_up`."""

    def hang_up(self) -> None:
        self.plug.close()

    def _patiently(self, step: Callable[[], int]) -> int:
        while True:
            self.plug.settimeout(min(STOP_POLL_SECONDS, self.deadline.left))
            try:
                return step()
            except TimeoutError:
                continue


class _SocketReader(io.RawIOBase):
    def __init__(self, socket: TimedSocket) -> None:
        self.socket = socket

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return self.socket.receive(buffer)


def dial(parts: SplitResult, deadline: Deadline) -> TimedSocket:
    """A connection to an address, with TLS where it says so."""
    secure, host = parts.scheme == "https", parts.hostname or ""
    plug = _connect(host, parts.port or (443 if secure else 80), deadline)
    try:
        plug.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if secure:
            plug.settimeout(deadline.left)
            plug = ssl.create_default_context().wrap_socket(plug, server_hostname=host)
    except BaseException:
        plug.close()
        raise
    return TimedSocket(plug, deadline)


def _connect(host: str, port: int, deadline: Deadline) -> socket.socket:
    """The first of a host's addresses that answers."""
    wrong: OSError = OSError("no address")
    for family, kind, protocol, _, address in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
        plug = socket.socket(family, kind, protocol)
        try:
            plug.settimeout(deadline.left)
            plug.connect(address)
            return plug
        except OSError as failed:
            plug.close()
            wrong = failed
    raise wrong
