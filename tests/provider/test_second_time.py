"""Second attempts and edges: nobody is told before the commit, and nothing enters what is published."""

import asyncio
import threading
from contextlib import contextmanager

import pytest
from tests.provider.collecting import KEPT, STORES, histories, records
from tests.provider.delivering import Depot, names, write_file

from hushwatt.provider.intake.inbox import UploadResult
from hushwatt.provider.store.session import StoreUnavailable
from hushwatt.wire.record import unpack

both_stores = pytest.mark.parametrize("store_address", STORES, indirect=True)


class Held:
    """A database whose commits wait one by one until they are let go, and may fail then."""

    def __init__(self, database, fails):
        self._database, self._fails = database, fails
        self.written, self.go = threading.Semaphore(0), threading.Semaphore(0)

    @contextmanager
    def writing(self):
        with self._database.writing() as session:
            yield session
            self.written.release()
            self.go.acquire(timeout=60)
            if self._fails:
                raise StoreUnavailable("the disk is full")


def twice(talk):
    """One upload and its copy, ready for the inbox."""
    collection = talk.service.collection(talk.plan.id)
    _, name, devices = talk.gateway(3)
    (sent,) = histories(talk.plan, 3, 1)
    with talk.service.database.reading() as session:
        ((signer,),) = session.all("SELECT signer FROM signers WHERE name = ?", name)
    upload = (collection, signer, unpack(records(devices, sent), collection.layout.size))
    return [upload, upload, (collection, signer, upload[2])]


@both_stores
@pytest.mark.parametrize("fails", [False, True])
def test_a_repeat_waits_for_the_commit_too(collecting, plan_of, fails):
    """Copies in one transaction: none is acknowledged before it is on disk, none at all when it is not."""
    talk = collecting(plan_of(3, 4, 2, oracle="oue"), days=0.5)
    inbox, copies = talk.service.inbox, twice(talk)
    held = inbox._database = Held(inbox._database, fails)

    async def all_at_once():
        first = asyncio.create_task(inbox.write(lambda session: None))
        await asyncio.to_thread(held.written.acquire)  # the writer is busy, so the copies gather
        waiting = [asyncio.create_task(inbox.submit(*copy)) for copy in copies]
        while inbox._queue.qsize() < len(copies):
            await asyncio.sleep(0.001)
        held.go.release()
        await asyncio.to_thread(held.written.acquire)  # all copies are written, and not committed
        await asyncio.sleep(0.05)
        told = [task.done() for task in waiting]
        held.go.release()
        return told, await asyncio.gather(*waiting, first, return_exceptions=True)

    told, found = asyncio.run(all_at_once())
    found.pop()
    with talk.service.database.reading() as session:
        ((kept,),) = session.all(KEPT)

    assert told == [False] * 3
    if fails:
        assert all(isinstance(each, StoreUnavailable) for each in found)
        assert kept == 0
    else:
        assert sorted((each.accepted, each.repeated) for each in found) == [(0, 3), (0, 3), (3, 0)]
        assert all(isinstance(each, UploadResult) for each in found)
        assert kept == 3


@both_stores
def test_strangers_do_not_enter_the_last_published_slot(store_address, plan_of, tmp_path):
    """A home that nobody knew is late in the very slot that was published, and enrolled by the next one."""
    plan = plan_of(3, 4, 2, oracle="oue")
    store = Depot(store_address, plan)
    sent = list(histories(plan, 8, 4))
    store.take(write_file(tmp_path / "a.parquet", plan, sent[:2], names(8)))
    store.publish(until=1)
    before = {key: value for key, value in store.tallies().items() if key.slot <= 1}
    last = store.take(write_file(tmp_path / "b.parquet", plan, sent[1:2], names(8, first=100)))
    homes = store.all("SELECT count(*) FROM devices")
    after = store.take(write_file(tmp_path / "c.parquet", plan, sent[1:3], names(8, first=200)))
    tallies = store.tallies()
    late = store.all("SELECT late FROM slots WHERE slot = 1")
    store.close()

    assert (last.accepted, last.late, last.homes) == (0, 8, 0)
    assert homes == [(8,)]
    assert (after.accepted, after.late, after.homes) == (8, 8, 8)
    assert late == [(16,)]
    assert {key: value.rows for key, value in tallies.items() if key.slot <= 1} == {
        key: value.rows for key, value in before.items()
    }


@both_stores
def test_an_upload_for_the_slot_that_was_just_published(collecting, plan_of):
    """Published by hand while its grace lasts: from then on the slot takes nothing, and the next one does."""
    talk = collecting(plan_of(3, 4, 2, oracle="oue"), days=0.5)
    key, name, devices = talk.gateway(4)
    first, second = histories(talk.plan, 4, 2)
    body = records(devices, first)
    size = len(body) // 4
    talk.send(key, name, body[: 2 * size])
    talk.at_slot(0)
    published = talk.client.post(f"{talk.path}/publish", json={"until": 0}).json()
    late = talk.send(key, name, body).json()
    next_one = talk.send(key, name, records(devices, second)).json()

    assert published == {"published": 0, "slots": [0]}
    assert (late["accepted"], late["repeated"]) == (0, 2)
    assert [each["reason"] for each in late["rejected"]] == ["too_late", "too_late"]
    assert next_one["accepted"] == 4
    assert talk.get("/estimates").json()["slots"][0]["reports"] == 2
