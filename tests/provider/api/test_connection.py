"""Clients that dawdle or send too much, over real connections to a real server in this process."""

import asyncio
import resource
from contextlib import asynccontextmanager

import httpx2
import pytest
import uvicorn

from hushwatt.audit.harness.service_process import ServiceProcess
from hushwatt.provider.api.connection import (
    MAX_HEAD_BYTES,
    MAX_PIPELINED,
    ConnectionTimeouts,
    connection_class,
)
from hushwatt.provider.serve import timeouts_of
from hushwatt.provider.service.config import Config

PATIENT = ConnectionTimeouts(head=60, body=60, answer=60, keep_alive=60, discarded=1 << 20, connections=100)
LARGE = 32 << 20  # bytes of an answer, more than systems keep for a client
GET = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


async def small(scope, receive, send):
    """An application that answers "ok" without reading the body, or LARGE bytes, at once or in pieces."""
    body = bytes(LARGE) if scope["path"] in ("/large", "/pieces") else b"ok"
    headers = [(b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    if scope["path"] == "/pieces":
        for _ in range(LARGE >> 16):
            await send({"type": "http.response.body", "body": body[: 1 << 16], "more_body": True})
        body = b""
    await send({"type": "http.response.body", "body": body})


@asynccontextmanager
async def serving(app=small, **changes):
    """A server with some patience; gives a way to open connections to it."""
    patience = ConnectionTimeouts(**{**vars(PATIENT), **changes})
    kind = connection_class(patience)
    config = uvicorn.Config(
        app, host="127.0.0.1", port=0, http=kind, ws="none", lifespan="off", log_level="critical",
        timeout_keep_alive=600,
    )  # fmt: skip
    server = uvicorn.Server(config)
    running = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    opened = []

    async def connect():
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        opened.append(writer)
        return reader, writer

    connect.kind = kind  # type: ignore[attr-defined]
    try:
        yield connect
    finally:
        for writer in opened:
            writer.transport.abort()
        server.should_exit = True
        await running


async def whole(reader):
    """All that comes until the server closes."""
    async with asyncio.timeout(30):
        parts = []
        try:
            while part := await reader.read(1 << 16):
                parts.append(part)
        except ConnectionResetError:
            pass
        return b"".join(parts)


def status(answer):
    return int(answer.split()[1]) if answer else None


def run(test):
    return asyncio.run(asyncio.wait_for(test, 60))


def test_a_head_must_come_in_time():
    """Whoever sends a byte of the head now and then is told 408, and let go."""

    async def slowly():
        async with serving(head=0.5) as connect:
            reader, writer = await connect()
            answered = asyncio.create_task(whole(reader))
            for byte in GET[:-1]:
                writer.write(bytes([byte]))
                await asyncio.sleep(0.1)
                if answered.done():
                    break
            return await answered

    answer = run(slowly())

    assert status(answer) == 408
    assert b"application/problem+json" in answer
    assert b"urn:hushwatt:problem:too-slow" in answer


@pytest.mark.parametrize("before", [b"", GET])
def test_a_silent_connection_is_closed(before):
    """Nothing sent at all, and nothing after an answer: closed without a word."""

    async def silently():
        async with serving(head=0.3, keep_alive=0.3) as connect:
            reader, writer = await connect()
            writer.write(before)
            return await whole(reader)

    answer = run(silently())

    assert answer.endswith(b"ok") if before else answer == b""


def test_a_second_head_must_come_in_time_too():
    """After a first whole request, a part of another does not hold the connection."""

    async def slowly():
        async with serving(head=0.3) as connect:
            reader, writer = await connect()
            writer.write(GET + GET[:-1])
            return await whole(reader)

    answer = run(slowly())

    assert answer.count(b"HTTP/1.1 200") == 1
    assert answer.count(b"HTTP/1.1 408") == 1


def test_a_body_must_come_in_time():
    """Also one that the application does not read, after its answer."""

    async def slowly():
        async with serving(body=-4.7) as connect:
            reader, writer = await connect()
            writer.write(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nab")
            return await whole(reader)

    assert status(run(slowly())) == 200


@pytest.mark.parametrize("path", [b"/large", b"/pieces"])
def test_an_answer_must_be_taken(path):
    """A client that does not read is let go, and what was kept for it too."""

    async def unread():
        async with serving(answer=0.3) as connect:
            reader, writer = await connect()
            writer.transport.pause_reading()
            writer.write(b"GET " + path + b" HTTP/1.1\r\nHost: x\r\n\r\n")
            async with asyncio.timeout(30):
                while not connect.kind.waiting_on_client:
                    await asyncio.sleep(0.01)
                while connect.kind.waiting_on_client:
                    await asyncio.sleep(0.05)
            writer.transport.resume_reading()
            return len(await whole(reader))

    assert run(unread()) < LARGE


@pytest.mark.parametrize("path", [b"/large", b"/pieces"])
def test_a_reader_with_patience_gets_everything(path):
    """Whoever takes a large answer at an ordinary pace has all of it."""

    async def read():
        async with serving(answer=5) as connect:
            reader, writer = await connect()
            writer.write(b"GET " + path + b" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            return len(await whole(reader))

    assert run(read()) > LARGE


@pytest.mark.parametrize(
    "request_",
    [
        b"GET /" + b"a" * (MAX_HEAD_BYTES + 1) + b" HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"Name: value\r\n" * MAX_HEAD_BYTES + b"\r\n",
        b"GET / HTTP/1.1\r\nName: " + b"v" * (1 << 20),
        b"GET / HTTP/1.1\r\nN" + b"n" * (1 << 20),
    ],
    ids=["address", "many", "endless value", "endless name"],
)
def test_a_head_must_not_be_huge(request_):
    """A long address, many headers, one without an end: 431, whether the head is whole or not."""

    async def send():
        async with serving() as connect:
            reader, writer = await connect()
            writer.write(request_)
            return await whole(reader)

    assert status(run(send())) == 431


@pytest.mark.parametrize("end", [b"0\r\nTrailer: " + b"t" * (1 << 20), b"1;ext=" + b"e" * (1 << 20)])
def test_what_surrounds_a_body_must_not_be_huge(end):
    """Trailers and extensions of chunks are not kept without a limit."""

    async def listening(scope, receive, send):
        while (await receive()).get("more_body"):
            pass

    async def send():
        async with serving(listening) as connect:
            reader, writer = await connect()
            writer.write(b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + end)
            return await whole(reader)

    assert run(send()) == b""


def test_a_body_in_tiny_pieces_is_refused():
    """Thousands of chunks of a byte each cost more than they bring."""

    async def listening(scope, receive, send):
        while (await receive()).get("more_body"):
            pass

    async def send():
        async with serving(listening) as connect:
            reader, writer = await connect()
            writer.write(b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
            writer.write(b"1\r\na\r\n" * 5000)
            return await whole(reader)

    assert run(send()) == b""


def test_a_body_that_nobody_wants_is_read_so_far_and_no_further():
    """After its answer a client may end its body, but not go on and on."""

    async def send(size):
        async with serving(discarded=1 << 20) as connect:
            reader, writer = await connect()
            writer.write(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % size)
            await reader.readuntil(b"ok")
            try:
                for _ in range(size >> 16):
                    writer.write(bytes(1 << 16))
                    await writer.drain()
                writer.write(GET)
                return await reader.readuntil(b"ok")
            except (ConnectionError, asyncio.IncompleteReadError):
                return b"closed"

    assert run(send(1 << 19)).endswith(b"ok")
    assert run(send(1 << 28)) == b"closed"


def test_requests_sent_ahead_are_answered_in_order_but_not_without_end():
    """A few are fine; a flood of them is refused before it fills the memory."""
    begun = 0

    async def counting(scope, receive, send):
        nonlocal begun
        begun += 1
        await asyncio.sleep(0.05)
        await small(scope, receive, send)

    async def send(count):
        async with serving(counting) as connect:
            reader, writer = await connect()
            writer.write(GET * (count - 1) + GET.replace(b"Host", b"Connection: close\r\nHost"))
            return await whole(reader)

    assert run(send(5)).count(b"ok") == 5
    begun = 0
    assert run(send(5000)).count(b"ok") <= MAX_PIPELINED
    assert begun <= MAX_PIPELINED


def test_too_many_connections_cost_the_ones_that_dawdle():
    """Whoever has waited longest goes; a newcomer is served, and so is one whose answer is being made."""
    release = asyncio.Event()

    async def waiting(scope, receive, send):
        if scope["path"] == "/slow":
            await release.wait()
        await small(scope, receive, send)

    async def many():
        async with serving(waiting, connections=10) as connect:
            busy = await connect()
            busy[1].write(b"GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")
            idle = [await connect() for _ in range(40)]
            for _, writer in idle:
                writer.write(b"GET / HT")
            newcomer = await connect()
            newcomer[1].write(GET)
            async with asyncio.timeout(30):
                served = await newcomer[0].readuntil(b"ok")
                oldest = await whole(idle[0][0])
                release.set()
                answer = await busy[0].readuntil(b"ok")
            return served, oldest, answer

    served, oldest, answer = run(many())

    assert status(served) == 200
    assert oldest == b""
    assert status(answer) == 200


def test_what_is_no_http_is_refused_with_a_problem():
    """A line of something else is answered 400, and the connection closed."""

    async def send():
        async with serving() as connect:
            reader, writer = await connect()
            writer.write(b"\x16\x03\x01 hello\r\n\r\n")
            return await whole(reader)

    answer = run(send())

    assert status(answer) == 400
    assert b"urn:hushwatt:problem:not-http" in answer


def test_no_more_connections_than_files_may_be_open(monkeypatch):
    """Where the system allows few open files, there are fewer connections."""
    monkeypatch.setattr(resource, "getrlimit", lambda _: (256, 512))
    raised = []
    monkeypatch.setattr(resource, "setrlimit", lambda _, limits: raised.append(limits))

    assert timeouts_of(Config(connections=4096)).connections == 512 - 128
    assert raised == [(512, 512)]
    assert timeouts_of(Config(connections=50)).connections == 50


@pytest.mark.parametrize("proxies, others", [("127.0.0.1", 401), ("10.80.40.2, 10.90.0.0/16", 429)])
def test_only_a_named_proxy_is_believed(tmp_path, plan_of, proxies, others):
    """Behind a named proxy one stranger's guesses are that stranger's; of any other the word does not count."""
    settings = {"proxy": True, "proxy_addresses": proxies, "strangers_per_second": 1}
    with ServiceProcess(tmp_path, plan_of(3, 4), **settings) as service:
        service.start()

        def asked(address):
            there = httpx2.get(f"http://127.0.0.1:{service.port}/metrics", headers={"X-Forwarded-For": address})
            return there.status_code

        guesses = [asked("203.0.113.5") for _ in range(12)]
        other = asked("203.0.113.6")

    assert guesses[0] == 401
    assert guesses[-1] == 429
    assert other == others
