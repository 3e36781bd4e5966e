"""HTTP written by hand, so that an answer can be told from silence to the last byte."""

import json
import select
import socket
import time
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

from hushwatt.audit.harness.expect import Fault


class RawResponse(NamedTuple):
    """What came back, whole."""

    status: int
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


class RawConnection(AbstractContextManager["RawConnection"]):
    """One connection that is kept open."""

    def __init__(self, port: int, patience: float = 60) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=patience)
        self.heard, self.ended = b"", False

    def fileno(self) -> int:
        return self.socket.fileno()

    def send(self, request: bytes) -> None:
        """Write a request; a connection that is gone is noticed when the answer is read."""
        try:
            self.socket.sendall(request)
        except OSError:
            self.ended = True

    def listen(self) -> None:
        """Take in what has come, waiting for at least something."""
        try:
            part = self.socket.recv(1 << 16)
        except ConnectionError:
            part = b""
        self.heard += part
        self.ended |= not part

    def next(self) -> RawResponse | None:
        """The next whole answer of those taken in, if there is one."""
        answer, self.heard = first_answer(self.heard)
        return answer

    def ask(self, request: bytes) -> RawResponse:
        """Send a request and wait for its answer."""
        self.send(request)
        while (answer := self.next()) is None:
            if self.ended:
                raise Fault("the service closed the connection instead of answering")
            self.listen()
        return answer

    def close(self) -> None:
        self.socket.close()

    def __exit__(self, *_: object) -> None:
        self.close()


def first_answer(heard: bytes) -> tuple[RawResponse | None, bytes]:
    """The first answer in what was heard, if it is whole, and what comes after it.

    >>> first_answer(b"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nokHTTP/1.1 4")
    (RawResponse(status=200, body=b'ok'), b'HTTP/1.1 4')
    >>> first_answer(b"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\no")[0] is None
    True
    """
    head, end, rest = heard.partition(b"\r\n\r\n")
    size = int(b"0" + head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
    if not end or len(rest) < size:
        return None, heard
    return RawResponse(int(head[9:12]), rest[:size]), rest[size:]


def request(method: str, path: str, body: bytes = b"", headers: Mapping[str, str] | None = None) -> bytes:
    """The bytes of a request to a service on this machine."""
    fields = {"Host": "127.0.0.1", "Content-Length": str(len(body)), **(headers or {})}
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items()), "", ""]
    return "\r\n".join(lines).encode() + body


def exchange(
    pairs: Iterable[tuple[RawConnection, list[bytes]]], until: float, enough: int = 1 << 60
) -> list[list[RawResponse]]:
    """Send each line's requests, the next after the answer to the last; all answers.

    It ends when everything is answered, at a moment, or when there are so many answers.
    """
    waiting = list(pairs)
    answers: list[list[RawResponse]] = [[] for _ in waiting]
    for line, requests in waiting:
        if requests:
            line.send(requests[0])
    open_lines = {line: index for index, (line, _) in enumerate(waiting)}
    while open_lines and sum(map(len, answers)) < enough and (left := until - time.monotonic()) > 0:
        for line in select.select(list(open_lines), [], [], left)[0]:
            index = open_lines[line]
            line.listen()
            if (answer := line.next()) is not None:
                answers[index].append(answer)
                if len(answers[index]) < len(waiting[index][1]):
                    line.send(waiting[index][1][len(answers[index])])
            if line.ended or len(answers[index]) == len(waiting[index][1]):
                del open_lines[line]
    return answers
