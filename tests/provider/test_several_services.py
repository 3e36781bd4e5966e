"""Several services behind one address share one PostgreSQL: when one dies, nothing is lost or counts twice."""

import asyncio
import queue
import random
import threading
import time
from contextlib import suppress

import pytest

from hushwatt.audit.harness.buckets import bucket_plan, check_answers, gather, kept_in
from hushwatt.audit.harness.expect import Fault
from hushwatt.audit.harness.raw_connection import RawConnection
from hushwatt.audit.harness.service_process import PATIENCE, ServiceProcess

HOMES, SLOTS, CLIENTS = 12, 25, 4
KILLED_AFTER = 40  # acknowledged uploads
shared_store = pytest.mark.parametrize("store_address", ["postgres"], indirect=True)


class Balancer:
    """One address: each connection goes to the next service that listens, byte by byte."""

    def __init__(self, services):
        self.services, self.taken = services, [0] * len(services)
        self._turn, self._loop = 0, asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._server = self._run(asyncio.start_server(self._serve, "127.0.0.1", 0))
        self.port = self._server.sockets[0].getsockname()[1]

    def _run(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(PATIENCE)

    async def _serve(self, reader, writer):
        try:
            there_reader, there_writer = await self._next()
            await asyncio.gather(self._pipe(reader, there_writer), self._pipe(there_reader, writer))
        except OSError:
            pass
        finally:
            writer.close()

    async def _next(self):
        for _ in self.services:
            self._turn += 1
            index = self._turn % len(self.services)
            with suppress(OSError):
                opened = await asyncio.open_connection("127.0.0.1", self.services[index].port)
                self.taken[index] += 1
                return opened
        raise ConnectionRefusedError

    async def _pipe(self, reader, writer):
        try:
            while part := await reader.read(1 << 16):
                writer.write(part)
                await writer.drain()
        except OSError:
            pass
        finally:
            writer.close()

    async def _end(self):
        self._server.close()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    def stop(self):
        self._run(self._end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(PATIENCE)
        self._loop.close()


class Homes:
    """Clients that send every batch until it is acknowledged, to whoever is behind the address."""

    def __init__(self, crowd, port, batches):
        self._crowd, self._port, self._waiting = crowd, port, queue.SimpleQueue()
        for batch in batches:
            self._waiting.put(batch)
        self.acknowledged, self.again, self.refused = [], 0, []
        self._threads = [threading.Thread(target=self._send) for _ in range(CLIENTS)]
        for thread in self._threads:
            thread.start()

    def _send(self):
        while True:
            try:
                batch = self._waiting.get_nowait()
            except queue.Empty:
                return
            try:
                with RawConnection(self._port) as line:
                    answer = line.ask(self._crowd.upload(batch))
            except (Fault, OSError):
                answer = None
            if answer is None or answer.status == 503:
                self.again += 1
                self._waiting.put(batch)
                time.sleep(0.02)
            elif answer.status == 200 and not answer.json()["rejected"]:
                self.acknowledged.append(batch)
            else:
                self.refused.append(answer)

    def wait_for(self, count):
        until = time.monotonic() + PATIENCE
        while len(self.acknowledged) < count and not self.refused and time.monotonic() < until:
            time.sleep(0.005)

    def join(self):
        for thread in self._threads:
            thread.join(PATIENCE)


@shared_store
def test_one_dies_and_nothing_is_lost(store_address, tmp_path):
    """One service is killed while homes send, then, when it is back, the other: every report is there once."""
    plan, chance = bucket_plan(HOMES, SLOTS), random.Random(7)
    everything = [(home, slot) for slot in range(SLOTS) for home in range(HOMES)]
    reports = everything + chance.sample(everything, len(everything) // 3)  # some are sent twice by themselves
    chance.shuffle(reports)
    batches = [reports[first : first + 2] for first in range(0, len(reports), 2)]
    settings = {"store": store_address}
    with ServiceProcess(tmp_path, plan, **settings) as first, ServiceProcess(tmp_path, plan, **settings) as second:
        crowd = gather(first, HOMES)
        second.start()
        balancer = Balancer([first, second])
        homes = Homes(crowd, balancer.port, batches)
        homes.wait_for(KILLED_AFTER)
        second.kill()
        after_kill = {report for batch in list(homes.acknowledged) for report in batch}
        there = kept_in(store_address, crowd)
        second.start()
        homes.wait_for(len(homes.acknowledged) + KILLED_AFTER)
        first.kill()
        homes.join()
        first.start()
        balancer.stop()
        kept = kept_in(store_address, crowd)
        for service in (first, second):
            check_answers(service, crowd, set(everything))

    assert homes.refused == []
    assert after_kill <= there
    assert len(homes.acknowledged) == len(batches)
    assert kept == set(everything)
    assert min(balancer.taken) > 0
