"""Exchanges have one deadline and one size, whatever the other end does."""

import socket
import threading
import time
from contextlib import closing, contextmanager

import pytest

from hushwatt.household.upload.http import MAX_BODY, Unreachable, connect
from hushwatt.household.upload.timed_socket import Deadline, TimedSocket


@contextmanager
def server(speak):
    """A server that does what a function does with each connection."""
    with socket.create_server(("127.0.0.1", 0)) as plug:

        def serve():
            while True:
                try:
                    connected, _ = plug.accept()
                except OSError:
                    return
                threading.Thread(target=answer, args=(connected,), daemon=True).start()

        def answer(connected):
            with connected:
                try:
                    speak(connected)
                except OSError:
                    return

        threading.Thread(target=serve, daemon=True).start()
        yield f"http://127.0.0.1:{plug.getsockname()[1]}"
        plug.shutdown(socket.SHUT_RDWR)


def saying(text):
    def speak(connected):
        connected.recv(65536)
        connected.sendall(text)

    return speak


def trickle(connected):
    """One byte, and one more, and one more."""
    connected.sendall(b"HTTP/1.1 200 OK\r\n")
    while True:
        connected.sendall(b"a")
        time.sleep(0.05)


class Hand:
    """A clock that moves by a step whenever it is looked at."""

    def __init__(self, step):
        self.now, self.step = 0.0, step

    def __call__(self):
        self.now += self.step
        return self.now


def test_a_deadline_is_for_everything_together():
    """However small the steps, their sum counts."""
    deadline = Deadline(10, clock=Hand(3))
    lefts = []
    with pytest.raises(TimeoutError):
        for _ in range(10):
            lefts.append(deadline.left)

    assert lefts == [7, 4, 1]


def test_a_byte_at_a_time_does_not_extend_it():
    """A thousand short waits are one long one."""

    class Drip:
        reads = 0

        def settimeout(self, seconds):
            assert seconds <= 0.2

        def recv_into(self, buffer):
            self.reads += 1
            buffer[:1] = b"a"
            return 1

    drip = Drip()
    reader = TimedSocket(drip, Deadline(100, clock=Hand(1))).makefile("rb")  # type: ignore[arg-type]
    with pytest.raises(TimeoutError):
        reader.read(1_000)

    assert drip.reads == 99


def test_a_trickle_ends_with_the_deadline():
    """A server that sends a byte now and then is given up in time."""
    began = time.monotonic()
    with (
        server(trickle) as address,
        closing(connect(address, seconds=0.5)) as session,
        pytest.raises(Unreachable, match="takes too long"),
    ):
        session.ask("GET", "/v1/plans")

    assert time.monotonic() - began < 20


def test_stopping_ends_a_trickle():
    """Who stops does not wait for the deadline."""
    stop = threading.Event()
    with server(trickle) as address, closing(connect(address, stop, seconds=600)) as session:
        threading.Timer(0.3, stop.set).start()
        began = time.monotonic()
        with pytest.raises(Unreachable):
            session.ask("GET", "/v1/plans")

    assert time.monotonic() - began < 20


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"\x00\xff\xfe",
        b"HTTP/1.1",
        b"HTTP/9.9 200 OK\r\n\r\n",
        b"HTTP/1.1 xyz OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort",
        b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\nshort",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffff\r\nx",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n" + bytes(3 * MAX_BODY),
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"f" * 99 + b"\r\nx",
        b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * 1000 + b"\r\n",
        b"HTTP/1.1 200 OK\r\na: " + b"b" * 100_000 + b"\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % (MAX_BODY + 1) + bytes(MAX_BODY + 1),
        b"HTTP/1.1 200 OK\r\n\r\n" + bytes(MAX_BODY + 1),
    ],
    ids=range(15),
)
def test_no_http_is_one_line(text):
    """Whatever is no whole answer of a sensible size is one clear line."""
    with (
        server(saying(text)) as address,
        closing(connect(address, seconds=10)) as session,
        pytest.raises(Unreachable) as wrong,
    ):
        session.ask("GET", "/v1/plans")

    assert str(wrong.value).startswith("127.0.0.1:")


def test_a_connection_is_made_once():
    """After the other end hung up nothing is sent again: another connection would need another proof."""
    text = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"
    with server(saying(text)) as address, closing(connect(address, seconds=10)) as session:
        first = session.ask("GET", "/v1/plans")
        with pytest.raises(Unreachable):
            session.ask("POST", "/v1/plans", b"records")

    assert (first.status, first.body) == (200, b"ok")


@pytest.mark.parametrize("status", [b"301 Moved", b"302 Found", b"307 Moved"])
def test_redirects_are_not_followed(status):
    """A redirect is an answer like any other."""
    text = b"HTTP/1.1 " + status + b"\r\nLocation: http://127.0.0.1:9/\r\nContent-Length: 0\r\n\r\n"
    with server(saying(text)) as address, closing(connect(address, seconds=10)) as session:
        answer = session.ask("GET", "/v1/plans")

    assert answer.status == int(status[:3])


@pytest.mark.parametrize("path", ["/v1/plans/a b", "/v1/plans/a\r\nX: y", "/v1/plans/\0"])
def test_no_request_is_bent(path):
    """A path that would be more than a path is not sent."""
    with (
        server(saying(b"")) as address,
        closing(connect(address, seconds=10)) as session,
        pytest.raises(Unreachable),
    ):
        session.ask("GET", path)
