"""Real S3 and Google interfaces on this machine, and a proxy before one that fails as stores and networks do."""

import http.client
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

SERVER = """
import sys
from moto.server import ThreadedMotoServer
server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
print(server.get_host_and_port()[1], flush=True)
sys.stdin.read()  # until whoever started it has gone
"""
GOOGLE_SERVER = """
import http.server, sys
from gcp_storage_emulator import server
server.server.HTTPServer = http.server.ThreadingHTTPServer  # its clients read several ranges at a time
running = server.create_server("127.0.0.1", 0, in_memory=True, default_bucket="meters")
running.start()
print(running._api._httpd.server_address[1], flush=True)
sys.stdin.read()
"""
SECRET = "wJalrXUtnFEMI-secret-of-the-tests"
BUSY = b"<?xml version='1.0'?><Error><Code>SlowDown</Code><Message>AKIAKEY, please reduce your rate</Message></Error>"
DENIED = b"<?xml version='1.0'?><Error><Code>AccessDenied</Code><Message>AKIAKEY is not allowed</Message></Error>"
HOP = {"transfer-encoding", "connection", "content-length", "server", "date"}

Fault = Callable[[str, str], str | None]  # of a method and a path: pass (None), 503, 403, cut, slow or gone


@contextmanager
def s3_server() -> Iterator[str]:
    """The address of a server with the S3 interface, empty but for a bucket `meters`."""
    with s3_process() as (_, port):
        yield f"http://127.0.0.1:{port}"


@contextmanager
def s3_process() -> Iterator[tuple[int, int]]:
    """The same server's process, and its port."""
    with _process(SERVER) as (number, port):
        request(port, "PUT", "/meters")
        yield number, port


@contextmanager
def google_server() -> Iterator[str]:
    """The address of a server with the interface of Google Cloud Storage, empty but for a bucket `meters`."""
    with _process(GOOGLE_SERVER) as (_, port):
        yield f"http://127.0.0.1:{port}"


@contextmanager
def _process(program: str) -> Iterator[tuple[int, int]]:
    """A server's process and its port, which is the first line that it prints."""
    command = [sys.executable, "-W", "ignore", "-c", program]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        try:
            assert server.stdout is not None
            yield server.pid, int(server.stdout.readline())
        finally:
            server.kill()


def environment(endpoint: str) -> dict[str, str]:
    """What tells S3's clients where it is, and whose keys they use."""
    return {
        "AWS_ENDPOINT_URL": endpoint,
        "AWS_ACCESS_KEY_ID": "AKIAKEY",
        "AWS_SECRET_ACCESS_KEY": SECRET,
        "AWS_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
    }


def request(port: int, method: str, path: str, body: bytes = b"") -> tuple[int, bytes]:
    """One plain request to a server."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request(method, path, body)
    answer = connection.getresponse()
    content = answer.status, answer.read()
    connection.close()
    return content


@dataclass
class FaultyProxy:
    """Stands before a store; `fault` says what becomes of each request, `seen` which there were."""

    port: int
    fault: Fault = lambda method, path: None
    seen: list[tuple[str, str]] = field(default_factory=list)
    endpoint: str = ""

    def __enter__(self) -> "FaultyProxy":
        proxy = self

        class Handler(_Handler):
            faulty = proxy

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.endpoint = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *problem: object) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Handler(BaseHTTPRequestHandler):
    faulty: FaultyProxy
    protocol_version = "HTTP/1.1"

    def _pass(self) -> None:
        proxy, body = self.faulty, self._body()
        proxy.seen.append((self.command, self.path))
        kind = proxy.fault(self.command, self.path)
        if kind == "gone":
            self.close_connection = True
            return
        if kind in ("503", "403"):
            content = BUSY if kind == "503" else DENIED
            self._answer(int(kind), [("Content-Type", "application/xml")], content, len(content))
            return
        if kind == "slow":
            time.sleep(0.3)
        connection = http.client.HTTPConnection("127.0.0.1", proxy.port, timeout=60)
        connection.request(self.command, self.path, body, self._forwarded())
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        kept = [(name, value) for name, value in answer.getheaders() if name.lower() not in HOP]
        size = int(answer.headers.get("Content-Length") or len(content))
        if kind == "cut":
            content = content[: len(content) // 2]
            self.close_connection = True
        self._answer(answer.status, kept, content, size)

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        chunks = []
        while size := int(self.rfile.readline().partition(b";")[0], 16):
            chunks.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(chunks)

    def _forwarded(self) -> dict[str, str]:
        return {name: value for name, value in self.headers.items() if name.lower() not in {*HOP, "expect"}}

    def _answer(self, status: int, headers: list[tuple[str, str]], content: bytes, size: int) -> None:
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(size))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, format: str, *words: Any) -> None:
        pass

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = _pass
