"""The service in this process with several clients at once, on a disk that may fail or lose its power."""

import asyncio
import threading
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import apsw

from hushwatt.audit.harness.buckets import GatewayHomes, Kept, Report, bucket_plan, kept_in
from hushwatt.audit.harness.expect import expect
from hushwatt.audit.harness.in_process_client import InProcessClient, ServiceResponse
from hushwatt.plan.plan import Plan
from hushwatt.wire.signature import sign_request

CLIENTS = 3
TURNS = 8  # of the loop, after which whoever was answered has written it down
Uploads = Sequence[Sequence[Report]]
Note = Callable[[Sequence[Report], ServiceResponse], None]


class ConcurrentClient(InProcessClient):
    """A client with a queue of clients; keys and plans lie in the folder above the store's."""

    def __init__(self, store: Path, plan: Plan) -> None:
        super().__init__(store.parent.parent, plan, now=datetime.now(UTC), store=str(store), grace="1d")

    def send_all(self, crowd: GatewayHomes, uploads: Uploads, note: Note) -> None:
        """Each client sends one upload after the other; every answer is noted at once."""

        async def all_clients() -> None:
            queues = [uploads[first::CLIENTS] for first in range(CLIENTS)]
            await asyncio.gather(*(self._client(crowd, queue, note) for queue in queues))

        self._loop.run_until_complete(all_clients())

    def settle(self) -> None:
        """Let everyone who has been answered write it down; called by the thread that holds the disk."""
        if threading.current_thread() is threading.main_thread():
            return  # it answers by itself, and has nobody to wait for
        settled = threading.Event()
        self._loop.call_soon_threadsafe(_turn, self._loop, settled, TURNS)
        while self._loop.is_running() and not settled.wait(0.01):
            pass

    async def _client(self, crowd: GatewayHomes, uploads: Uploads, note: Note) -> None:
        path = f"{self.path}/reports"
        for reports in uploads:
            body = crowd.body(reports)
            signed = sign_request(crowd.key, crowd.name, "POST", path, self.now, body)
            note(reports, await self._ask("POST", path, body, signed.items()))


def _turn(loop: asyncio.AbstractEventLoop, settled: threading.Event, turns: int) -> None:
    """So many turns of the loop from now, say so."""
    if turns:
        loop.call_soon(_turn, loop, settled, turns - 1)
    else:
        settled.set()


def gather_crowd(store: Path, homes: int, slots: int) -> GatewayHomes:
    """A new store on a healthy disk, with homes behind one gateway whose reports each own a bucket."""
    with closing(ConcurrentClient(store, bucket_plan(homes, slots))) as client:
        gateway = client.join(homes)
        return GatewayHomes(client.plan, gateway.key, gateway.name, gateway.devices)


def place_for(folder: Path, name: object) -> Path:
    """Where a store goes that has a new folder to itself."""
    (folder / f"{name}").mkdir()
    return folder / f"{name}" / "store.sqlite"


def whole(store: Path, crowd: GatewayHomes) -> Kept:
    """What is in a store that is whole, counted as it should be."""
    disk = apsw.Connection(str(store))
    expect(disk.pragma("integrity_check") == "ok", "the store is damaged")
    disk.close()
    return kept_in(str(store), crowd)
