"""A whole home in a time of its own: the real runner, real requests over a socket, every byte of them kept."""

import asyncio
import os
import random
import secrets
import shutil
import socket
import threading
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.household.living import join

from hushwatt.audit.harness.fake_provider import KEY, FakeProvider, SentRequest
from hushwatt.household import run as runner_module
from hushwatt.household.clock import SECOND, Moment
from hushwatt.household.compare import set_comparison
from hushwatt.household.home_folder import HomeFolder
from hushwatt.household.ledger import high_water_mark
from hushwatt.household.run import Runner
from hushwatt.household.sources.hub import Hub
from hushwatt.household.sources.sources_file import SourcesFile
from hushwatt.household.upload.upload_thread import POLL_SECONDS, UploadThread
from hushwatt.plan.plan import Plan
from hushwatt.plan.sharing import shared_ranges
from hushwatt.plan.times import nanoseconds
from hushwatt.wire.signature import public_bytes

CAPS = "\n".join(
    f"{name} = 1000000"
    for name in (
        *("epsilon_per_window", "epsilon_per_day", "epsilon_per_year", "epsilon_lifetime"),
        *("appliance_epsilon", "appliance_epsilon_per_year", "appliance_epsilon_lifetime"),
    )
)


def published(plan, until, low=24.0, high=29.0, **more):
    """What a provider tells when the slots up to `until` are published: the same of every appliance."""
    means = {"ci95": [low, high], "clipped": True, **more}
    return [
        {
            "slot": each.first,
            "slots": each.slots,
            "homes": 4_210,
            "appliances": {name: {"counted": -(-each.slots // plan.publish), **means} for name in plan.names},
        }
        for each in shared_ranges(plan, until)
    ]


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop in which nobody waits: when nothing is to be done, it is later."""

    def __init__(self):
        super().__init__()
        self.now = 0.0

    def time(self):
        return self.now

    def _run_once(self):
        if not self._ready and self._scheduled:  # type: ignore[attr-defined]
            self.now = max(self.now, self._scheduled[0].when())  # type: ignore[attr-defined]
        super()._run_once()  # type: ignore[misc]


@dataclass
class VirtualClock:
    """A home's clocks, as the loop has them."""

    begin: int
    loop: VirtualLoop = field(default_factory=VirtualLoop)

    def look(self):
        passed = round(self.loop.now * SECOND)
        return Moment(self.begin + passed, passed, "boot")


class RecordingProvider(FakeProvider):
    """A provider on a socket that keeps every byte it gets, and when."""

    def __init__(self, plan):
        super().__init__((plan,))
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.heard, self.clock = [], None
        threading.Thread(target=self._serve, daemon=True).start()

    @property
    def address(self):
        return f"http://127.0.0.1:{self.listener.getsockname()[1]}"

    def _serve(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            with connection, connection.makefile("rb") as lines:
                while raw := self._request(lines):
                    self.heard.append((self.clock.look().wall, raw))
                    connection.sendall(self._answered(raw))

    @staticmethod
    def _request(lines):
        head = []
        while (line := lines.readline()) not in (b"\r\n", b""):
            head.append(line)
        sizes = [int(line.split(b":")[1]) for line in head if line.lower().startswith(b"content-length")]
        return b"".join([*head, line, lines.read(sum(sizes))]) if head else b""

    def _answered(self, raw):
        head, _, body = raw.partition(b"\r\n\r\n")
        first, *rest = head.decode().split("\r\n")
        method, path, _ = first.split()
        answer = self.answer(SentRequest(method, path, body, dict(line.split(": ", 1) for line in rest)))
        headers = {**answer.headers, "content-length": str(len(answer.body))}
        lines = [f"HTTP/1.1 {answer.status} OK", *(f"{name}: {value}" for name, value in headers.items()), "", ""]
        return "\r\n".join(lines).encode() + answer.body


class LoopUploads(UploadThread):
    """The upload thread's own jobs, done on the loop, so that all happens in one order."""

    def start(self):
        self.store = self.folder.store()
        self.task = asyncio.ensure_future(self._repeat(self.jobs(self.store)))

    async def _repeat(self, jobs):
        while True:
            self.send(jobs)
            await asyncio.sleep(POLL_SECONDS)

    def stop(self):
        self.task.cancel()
        self.store.close()


@dataclass
class SharedHome:
    """A home that takes part in a plan, its readings in a table; each life begins from the same disk."""

    folder: Path
    plan: Plan
    provider: RecordingProvider
    patch: pytest.MonkeyPatch

    def __post_init__(self):
        with HomeFolder(self.folder / "new").store(make=True) as store:
            place = join(store, self.plan)
            with store.transaction() as disk:
                disk.execute(
                    "UPDATE plans SET provider = ?, address = ?, secret = ? WHERE place = ?",
                    (public_bytes(KEY), self.provider.address, bytes(range(32)), place),
                )
        (self.folder / "new" / "caps.toml").write_text(CAPS + "\nsmallest_minimum_homes = 1\n")

    def live(self, name, seconds, rows="", on=False, seed=1):
        """A life of some seconds from the plan's start on; gives its folder and what the provider heard."""
        home = HomeFolder(self.folder / name)
        shutil.copytree(self.folder / "new", home.path)
        if on:
            with home.store() as store:
                set_comparison(store, True)
        (self.folder / f"{name}.csv").write_text("time,appliance,watts\n" + rows)
        tables = f'[[table]]\npath = "{self.folder / f"{name}.csv"}"\nmode = "follow"\n'
        (home.path / "sources.toml").write_text(tables)
        self._run(home, seconds, seed)
        return home, self.provider.heard

    def _run(self, home, seconds, seed):
        clock, said = VirtualClock(nanoseconds(self.plan.start) - SECOND), []
        self.provider.clock, self.provider.heard = clock, []
        chance, sources = random.Random(seed), SourcesFile.load(home.path / "sources.toml")
        marks = home.path.with_name(f"{home.path.name}-marks")
        marks.mkdir()
        with self.patch.context() as patch:
            patch.setattr(high_water_mark, "SHARED_MEMORY", marks)
            patch.setattr(os, "urandom", chance.randbytes)
            patch.setattr(secrets, "token_bytes", chance.randbytes)
            patch.setattr(runner_module, "UploadThread", LoopUploads)
            patch.setattr(asyncio, "new_event_loop", lambda: clock.loop)
            runner = Runner(home, sources, Hub.of(sources, said.append), clock, said.append)
            clock.loop.call_later(seconds, runner.stop)
            thread = threading.Thread(target=runner.run)
            thread.start()
            thread.join()
        self.said = said


def readings(plan, slots, watts):
    """Rows of a table: so many watts of every appliance, four times in each slot."""
    rows = []
    for slot in range(slots):
        start = plan.calendar.start_of(slot).timestamp()
        for part in range(4):
            time = start + (part + 0.5) * plan.slot.seconds / 4
            rows += [f"{_text(time)},{name},{watts(slot, place)}\n" for place, name in enumerate(plan.names)]
    return "".join(rows)


def _text(time):
    return datetime.fromtimestamp(time, UTC).isoformat()
