"""What the owner is shown is what the network got, byte for byte, and no more of it is kept than is bounded."""

import json
import os
import re
import socket
import stat
import threading
from contextlib import suppress

import apsw
import pytest

from hushwatt.household.upload import request_log
from hushwatt.household.upload.http import Unreachable, connect
from hushwatt.household.upload.request_log import LoggedRequest, RequestLog

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"


class Listener:
    """A real server that keeps every byte it is sent, and answers each request once it is whole."""

    def __init__(self, answer=ANSWER):
        self.received, self.answer = bytearray(), answer

    def __enter__(self):
        self.plug = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self.plug.getsockname()[1]}/folder"
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.plug.shutdown(socket.SHUT_RDWR)
        self.thread.join(5)
        self.plug.close()

    def _serve(self):
        with suppress(OSError):
            connected, _ = self.plug.accept()
            with connected:
                while self._request(connected) and self.answer:
                    connected.sendall(self.answer)

    def _request(self, connected):
        """Read one request, as long as its headers say; False when there is none."""
        head = b""
        while b"\r\n\r\n" not in head:
            if not (byte := connected.recv(1)):
                return False
            head += byte
        self.received += head
        length = re.search(rb"Content-Length: (\d+)", head)
        rest = int(length[1]) if length else 0
        while rest:
            part = connected.recv(min(rest, 65536))
            self.received += part
            rest -= len(part)
        return True


@pytest.fixture
def log(folder):
    return RequestLog(folder / "requests.sqlite", clock=lambda: 7)


def test_what_is_shown_is_what_was_received(log):
    """Two requests over one connection, with headers of our own and a large body of any bytes."""
    body = os.urandom(300_000)
    with Listener() as listener:
        session = connect(listener.address, record=log.add)
        session.ask("GET", "/v1/plans", None, {"Hushwatt-Nonce": "ab" * 16})
        session.ask("POST", "/v1/plans/x/reports", body, {"Content-Type": "application/octet-stream"})
        session.close()
    second, first = log.latest()

    assert first.sent + second.sent == bytes(listener.received)
    assert first.line == "GET /folder/v1/plans HTTP/1.1"
    assert b"Hushwatt-Nonce: " + b"ab" * 16 in first.head
    assert second.body == body
    assert (first.status, second.status, first.time) == (200, 200, 7)
    assert second.number == first.number + 1
    assert log.get(first.number) == first
    assert log.get(99) is None


def test_a_request_without_an_answer_is_shown_too(log):
    """It left, whatever became of it."""
    with Listener(answer=b"") as listener:
        session = connect(listener.address, record=log.add)
        with pytest.raises(Unreachable):
            session.ask("GET", "/v1/plans")
        session.close()
    (only,) = log.latest()

    assert only.status is None
    assert only.sent == bytes(listener.received)


def test_only_the_latest_are_kept(log, monkeypatch):
    """So many at most, and so many bytes."""
    monkeypatch.setattr(request_log, "MAX_REQUESTS", 5)
    monkeypatch.setattr(request_log, "MAX_TOTAL", 35)
    for number in range(8):
        log.add(LoggedRequest("a", bytes([number]) * 10, None))
    by_size = [each.sent[0] for each in log.latest()]
    monkeypatch.setattr(request_log, "MAX_TOTAL", 1_000)
    for number in range(8):
        log.add(LoggedRequest("a", bytes([number]) * 10, None))

    assert by_size == [7, 6, 5]
    assert [each.sent[0] for each in log.latest()] == [7, 6, 5, 4, 3]
    assert len(log.latest(2)) == 2


def test_a_log_that_cannot_be_written_stops_nothing(folder):
    """No folder, a damaged file: nothing is raised, and a damaged file is begun anew."""
    nowhere = RequestLog(folder / "none" / "requests.sqlite")
    nowhere.add(LoggedRequest("a", b"x", None))
    damaged = RequestLog(folder / "requests.sqlite")
    damaged.path.write_bytes(b"no database at all, but long enough to be one" * 40)
    before = damaged.latest()
    damaged.add(LoggedRequest("a", b"x", None))
    damaged.add(LoggedRequest("a", b"y", None))

    assert nowhere.latest() == before == []
    assert [each.sent for each in damaged.latest()] == [b"y"]


def test_it_is_the_owners_alone(folder):
    """Nobody else on the machine can read it."""
    log = RequestLog.of(folder)
    log.add(LoggedRequest("a", b"x", None))

    assert stat.S_IMODE(log.path.stat().st_mode) == 0o600


CODES = ("river-table-7", 'a"b\\c', "ключ", "*")


@pytest.mark.parametrize("code", CODES)
def test_a_code_is_never_kept(log, code):
    """What went out has it; the file, what is read from it, and the length of the whole do not tell it."""
    body = json.dumps({"public_key": "ab" * 32, "code": code}).encode()
    with Listener() as listener:
        session = connect(listener.address, record=log.add)
        session.ask("POST", "/v1/plans/x/devices", body, {"Content-Type": "application/json"})
        session.close()
    (only,) = log.latest()
    kept = json.loads(only.body)
    on_disk = b"".join(each.read_bytes() for each in log.path.parent.glob("requests.sqlite*"))

    assert bytes(listener.received).endswith(body)
    assert (kept["public_key"], set(kept["code"])) == ("ab" * 32, {"*"})
    assert len(only.sent) == len(listener.received)
    assert only.is_masked
    assert code == "*" or json.dumps(code).encode()[1:-1] not in on_disk


def test_a_code_that_was_cut_short_is_masked_too(log):
    """The network took half of the body."""
    log.add(LoggedRequest("a", b'POST /v1/plans/x/devices HTTP/1.1\r\n\r\n{"code": "river-ta', None))

    assert log.latest()[0].body == b'{"code": "********'


def test_a_code_that_an_earlier_version_kept_is_not_shown(log):
    """The file may be older than the mask."""
    log.add(LoggedRequest("a", b"GET /v1/plans HTTP/1.1\r\n\r\n", 200))
    sent = b'POST /v1/plans/x/devices HTTP/1.1\r\n\r\n{"code": "river"}'
    disk = apsw.Connection(str(log.path))
    disk.execute("UPDATE requests SET sent = ?", (sent,))
    disk.close()

    assert log.latest()[0].body == log.get(1).body == b'{"code": "*****"}'


def test_no_other_request_is_changed(log):
    """A report whose bytes happen to look so stays as it was, and so does a join without a code."""
    report = LoggedRequest("a", b'POST /v1/plans/x/reports HTTP/1.1\r\n\r\n"code": "river"', 200)
    join = LoggedRequest("a", b'POST /v1/plans/x/devices HTTP/1.1\r\n\r\n{"public_key": "ab"}', 200)
    log.add(report)
    log.add(join)

    assert [each.sent for each in log.latest()] == [join.sent, report.sent]
    assert not any(each.is_masked for each in log.latest())
