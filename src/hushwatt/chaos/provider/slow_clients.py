"""A thousand clients at once that dawdle, and some that send bombs, while honest homes report."""

import asyncio
import os
import random
import socket
import threading
import time
import warnings
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from signal import SIGKILL
from typing import Self

from hushwatt.audit.harness.buckets import GatewayHomes, Report, bucket_plan, check_answers, gather
from hushwatt.audit.harness.expect import expect
from hushwatt.audit.harness.raw_connection import request
from hushwatt.audit.harness.service_process import PATIENCE, ServiceProcess
from hushwatt.chaos.scenario import Scenario
from hushwatt.provider.dashboard.assets import plotly

CLIENTS, BOMBERS = 1000, 8
HOMES, SLOTS = 40, 10
SECONDS = 3.0  # that honest homes report among them
LONGEST = 1.0  # seconds that an honest request takes
MEMORY = 256  # MiB
LOADED = 70  # MiB of a service that has just been loaded; what it is forked from here may have more
BEAT = 0.01  # seconds
MOST_STARVED = 0.5  # part of the time that the service may wait for a processor, for its speed to be judged
Dawdler = Callable[["SlowClient"], Awaitable[None]]


class SlowTarget:
    """Where dawdlers go, and the requests that they never finish."""

    def __init__(self, port: int, crowd: GatewayHomes) -> None:
        self.port = port
        self.upload = crowd.upload([(0, 0)])
        path = f"/v1/plans/{crowd.plan.id}/reports"
        self.large = request("POST", path, b"", {"Content-Length": "4000000"}).replace(b"Content-Length: 0\r\n", b"")
        self.endless = request("POST", path, b"", {"Transfer-Encoding": "chunked"}).replace(
            b"Content-Length: 0\r\n", b""
        )
        self.script = request("GET", plotly().address, b"", {"Accept-Encoding": "identity"})
        self.page = request("GET", f"/v1/plans/{crowd.plan.id}")


def case(seed: int, folder: Path) -> None:
    """The crowd comes, honest homes report in its midst, and all of them count in the end."""
    chance = random.Random(seed)
    hurry = {"head_seconds": 2, "upload_seconds": 3, "answer_seconds": 2}
    with ServiceProcess(folder, bucket_plan(HOMES, SLOTS), **hurry) as collector:
        crowd = gather(collector, HOMES)
        attack = _begin(SlowTarget(collector.port, crowd), chance.getrandbits(32))
        try:
            _wait_for_crowd(collector)
            sent, slowest = _report(collector, crowd, chance)
        finally:
            os.kill(attack, SIGKILL)
            os.waitpid(attack, 0)
        expect(slowest < LONGEST, f"an honest request took {slowest:.2f} s")
        peak = LOADED + collector.grown()
        expect(peak < MEMORY, f"the service held {peak:.0f} MiB")
        check_answers(collector, crowd, set(sent))
        collector.stop()


def _report(collector: ServiceProcess, crowd: GatewayHomes, chance: random.Random) -> tuple[list[Report], float]:
    """Honest homes, one request after the other, each over a connection of its own; the slowest of them.

    The time that the machine had no processor free for either side, or stood still for a clock that
    asks for nothing else, is not the service's; where that was most of the time, nothing can be said
    about the rest.
    """
    reports = [(home, slot) for slot in range(SLOTS) for home in range(HOMES)]
    chance.shuffle(reports)
    questions = [request("GET", "/healthz"), request("GET", f"/v1/plans/{crowd.plan.id}")]
    sent, slowest = list[Report](), 0.0
    service, sides = Starved(collector.process), [Starved(collector.process), Starved(os.getpid())]
    begun = time.monotonic()
    with Metronome() as clock:
        while time.monotonic() < begun + SECONDS and reports:
            sent.append(reports.pop())
            for wish in (crowd.upload(sent[-1:]), *questions):
                began, queued, still = time.monotonic(), sum(side.seconds() for side in sides), clock.late
                with collector.line() as line:
                    said = line.ask(wish)
                taken, late = time.monotonic() - began, clock.late_now() - still
                slowest = max(slowest, taken - max(late, sum(side.seconds() for side in sides) - queued))
                expect(said.status == 200, f"an honest request was answered {said.status}")
    busy = service.seconds() / (time.monotonic() - begun)
    return sent, slowest if busy < MOST_STARVED else 0.0


class Starved:
    """How long the threads of a process have waited for a processor since the first look.

    Threads end and take their count with them, so each keeps what it was last seen with; where Linux does
    not count, nothing has waited.
    """

    def __init__(self, process: int) -> None:
        self._threads = Path(f"/proc/{process}/task")
        self._seen = dict[str, int]()
        self._first = 0.0
        self._first = self.seconds()

    def seconds(self) -> float:
        for thread in self._threads.iterdir():
            with suppress(OSError, IndexError):
                self._seen[thread.name] = int((thread / "schedstat").read_text().split()[1])
        return sum(self._seen.values()) / 1e9 - self._first


class Metronome(threading.Thread):
    """Wants to wake every few milliseconds; by how much it is late, the machine stood still."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.late, self._woke, self._over = 0.0, time.monotonic(), threading.Event()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *failure: object) -> None:
        self._over.set()
        self.join()

    def run(self) -> None:
        while not self._over.wait(BEAT):
            self.late, self._woke = self.late_now(), time.monotonic()

    def late_now(self) -> float:
        """The lateness so far, that of the beat which is due now included."""
        return self.late + max(0.0, time.monotonic() - self._woke - 2 * BEAT)


def _begin(target: SlowTarget, seed: int) -> int:
    """Start the crowd in a process of its own."""
    with warnings.catch_warnings(action="ignore"):
        child = os.fork()
    if child:
        return child
    try:
        os.nice(5)  # it shares the machine with the service
        asyncio.run(_attack(target, random.Random(seed)))
    finally:
        os._exit(1)


def _wait_for_crowd(collector: ServiceProcess) -> None:
    """Until most of them are there: the service's open files tell."""
    until = time.monotonic() + PATIENCE
    while len(list(Path(f"/proc/{collector.process}/fd").iterdir())) < 0.8 * CLIENTS:
        expect(time.monotonic() < until, "the crowd did not come; is the limit of open files too low?")
        time.sleep(0.05)


async def _attack(target: SlowTarget, chance: random.Random) -> None:
    kinds = cycle(DAWDLERS)
    clients = [_again(next(kinds), target, chance) for _ in range(CLIENTS)]
    bombers = [_again(bomb, target, chance) for bomb, _ in zip(cycle(BOMBS), range(BOMBERS), strict=False)]
    await asyncio.gather(*clients, *bombers)


async def _again(dawdler: Dawdler, target: SlowTarget, chance: random.Random) -> None:
    """The same client for ever: when it is let go it comes back."""
    await asyncio.sleep(chance.random())
    while True:
        with suppress(OSError, asyncio.IncompleteReadError):
            plug = socket.socket()
            plug.setblocking(False)
            plug.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            await asyncio.get_running_loop().sock_connect(plug, ("127.0.0.1", target.port))
            reader, writer = await asyncio.open_connection(sock=plug)
            try:
                await dawdler(SlowClient(reader, writer, target))
            finally:
                writer.transport.abort()
        await asyncio.sleep(0.2 + chance.random())


@dataclass(frozen=True)
class SlowClient:
    """A connection to the service, and every way to dawdle on it."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    target: SlowTarget

    async def _trickle(self, data: bytes, pause: float) -> None:
        for start in range(len(data)):
            self.writer.write(data[start : start + 1])
            await self.writer.drain()
            await asyncio.sleep(pause)

    async def silent(self) -> None:
        await self.reader.read()

    async def idle(self) -> None:
        """One good request, then nothing."""
        self.writer.write(self.target.page)
        await self.reader.read()

    async def slow_head(self) -> None:
        await self._trickle(self.target.upload, 0.3)

    async def slow_body(self) -> None:
        self.writer.write(self.target.upload[:-20])
        await self._trickle(self.target.upload[-20:], 0.5)

    async def large_body(self) -> None:
        """Almost all of a large upload, and then no more."""
        self.writer.write(self.target.large + bytes(1_000_000))
        await self.reader.read()

    async def slow_reader(self) -> None:
        """A large answer that is asked for and not taken."""
        self.writer.transport.pause_reading()  # type: ignore[attr-defined]
        self.writer.write(self.target.script)
        await asyncio.sleep(10)

    async def endless_body(self) -> None:
        self.writer.write(self.target.endless)
        for _ in range(1000):
            self.writer.write(b"10000\r\n" + bytes(65536) + b"\r\n")
            await self.writer.drain()

    async def tiny_chunks(self) -> None:
        self.writer.write(self.target.endless + b"1\r\na\r\n" * 20_000)
        await self.reader.read()

    async def endless_head(self) -> None:
        self.writer.write(b"GET / HTTP/1.1\r\n")
        for _ in range(1000):
            self.writer.write(b"Name: " + b"a" * 60_000 + b"\r\n")
            await self.writer.drain()

    async def flood(self) -> None:
        """Requests without waiting for an answer."""
        self.writer.write(self.target.page * 2000)
        await self.reader.read()


DAWDLERS: tuple[Dawdler, ...] = (
    SlowClient.silent, SlowClient.idle, SlowClient.slow_head, SlowClient.slow_body, SlowClient.large_body,
    SlowClient.slow_reader,
)  # fmt: skip
BOMBS: tuple[Dawdler, ...] = (
    SlowClient.endless_body, SlowClient.tiny_chunks, SlowClient.endless_head, SlowClient.flood,
)  # fmt: skip

SAYS = "a thousand slow clients and bombs at once cost little memory, and honest homes are served in time"
SCENARIO = Scenario("slow-clients", 13, SAYS, quick=CLIENTS, full=20 * CLIENTS, case=case, each=CLIENTS, unit="clients")
