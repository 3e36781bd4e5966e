"""The inbox: many uploads in one transaction, each with its own answer, and only when they are safe."""

import asyncio
import threading
from dataclasses import replace

import numpy as np
import pytest
from tests.provider.collecting import histories, records

from hushwatt.errors import UsageError
from hushwatt.privacy import band
from hushwatt.provider.intake import inbox
from hushwatt.provider.intake.collect import ACCEPTED, REPEATED, TOO_LATE, Collection, validate
from hushwatt.provider.intake.inbox import ONE_ACCEPTED, UploadResult, upload_results
from hushwatt.provider.store.session import StoreUnavailable
from hushwatt.wire.record import unpack


@pytest.fixture
def talk(collecting, plan_of):
    return collecting(plan_of(3, 4, 2, oracle="oue"), days=0.5)


def uploads(talk, homes):
    """One upload for each home of a gateway, ready for the inbox."""
    collection: Collection = talk.service.collection(talk.plan.id)
    _, name, devices = talk.gateway(homes)
    (sent,) = histories(talk.plan, homes, 1)
    body = records(devices, sent)
    size = len(body) // homes
    with talk.service.database.reading() as session:
        ((signer,),) = session.all("SELECT signer FROM signers WHERE name = ?", name)
    return [
        (collection, signer, unpack(body[at : at + size], collection.layout.size)) for at in range(0, len(body), size)
    ]


def commits(talk):
    return talk.service.metrics.registry.get_sample_value("hushwatt_commit_seconds_count")


def test_what_has_gathered_is_written_together(talk):
    """A hundred uploads at once cost a few transactions, and each has its own answer."""
    waiting = uploads(talk, 100)
    before = commits(talk)

    async def all_at_once():
        return await asyncio.gather(*(talk.service.inbox.submit(*each) for each in waiting + waiting[:7]))

    found = asyncio.run(all_at_once())

    assert sum(answer.accepted for answer in found) == 100
    assert sum(answer.repeated for answer in found) == 7
    assert commits(talk) - before < 10
    assert talk.service.read.slots(talk.plan)[0].reports == 100


def test_a_refusal_costs_nobody_else(talk):
    """A job that refuses is told so, and what was written beside it stays."""
    waiting = uploads(talk, 5)

    def refuse(session):
        raise UsageError("no")

    async def all_at_once():
        jobs = [talk.service.inbox.submit(*each) for each in waiting]
        return await asyncio.gather(*jobs, talk.service.inbox.write(refuse), return_exceptions=True)

    *found, refused = asyncio.run(all_at_once())

    assert found == [ONE_ACCEPTED] * 5
    assert isinstance(refused, UsageError)


def test_nobody_is_told_of_what_was_not_written(talk):
    """When the store fails, all who wait hear of it, and nothing is there."""
    waiting = uploads(talk, 5)

    def fail(session):
        raise StoreUnavailable("the disk is full")

    async def all_at_once():
        jobs = [talk.service.inbox.submit(*each) for each in waiting]
        return await asyncio.gather(talk.service.inbox.write(fail), *jobs, return_exceptions=True)

    found = asyncio.run(all_at_once())

    failed = [each for each in found if isinstance(each, StoreUnavailable)]
    kept = [each for each in found if each == ONE_ACCEPTED]
    assert len(failed) + len(kept) == 6
    assert talk.service.read.slots(talk.plan)[0].reports == len(kept)


def test_uploads_that_wait_have_a_limit_in_bytes(talk, monkeypatch):
    """While the disk is slow, no more is taken in than memory is for; one upload always is."""
    waiting = uploads(talk, 8)
    size = len(waiting[0][2]) * (28 + 2)
    monkeypatch.setattr(inbox, "MAX_PENDING_BYTES", 3 * size)

    async def all_at_once():
        jobs = [talk.service.inbox.submit(*each) for each in waiting]
        found = await asyncio.gather(*jobs, return_exceptions=True)
        monkeypatch.setattr(inbox, "MAX_PENDING_BYTES", 1)
        return found, await talk.service.inbox.submit(*waiting[-1])

    found, alone = asyncio.run(all_at_once())

    assert found[:3] == [ONE_ACCEPTED] * 3
    assert all(isinstance(each, StoreUnavailable) for each in found[3:])
    assert alone == ONE_ACCEPTED
    assert talk.service.read.slots(talk.plan)[0].reports == 4


def test_answers_name_the_place_of_each_refusal():
    """Verdicts of several uploads are cut where the uploads were."""
    verdicts = np.array([ACCEPTED, TOO_LATE, REPEATED, TOO_LATE, ACCEPTED], dtype=np.int8)

    assert upload_results(verdicts, [2, 2, 1]) == [
        UploadResult(1, 0, ((1, "too_late"),)),
        UploadResult(0, 1, ((1, "too_late"),)),
        UploadResult(1, 0, ()),
    ]
    assert upload_results(np.array([ACCEPTED] * 3, dtype=np.int8), [1, 1, 1]) == [ONE_ACCEPTED] * 3


def test_what_waits_is_written_before_the_end(collecting, plan_of):
    """A service that is stopped has written everything it acknowledged, and the next one finds it."""
    plan = plan_of(3, 4, 2, oracle="oue")
    talk = collecting(plan, days=0.5)
    waiting = uploads(talk, 20)
    asyncio.run(talk.service.inbox.submit(*waiting[0]))
    talk.stop()

    again = collecting(plan, days=0.5)

    assert again.service.read.slots(plan)[0].reports == 1


def test_the_writer_works_out_no_band(talk, monkeypatch):
    """What takes long to judge is judged before it waits for the disk, so nobody else has to wait for it."""
    waiting, where = uploads(talk, 3), []
    monkeypatch.setattr(band, "_remembered", {})
    work_out = band._band
    monkeypatch.setattr(band, "_band", lambda *case: where.append(threading.current_thread().name) or work_out(*case))

    async def all_at_once():
        return await asyncio.gather(*(talk.service.inbox.submit(*each) for each in waiting + waiting[:1]))

    found = asyncio.run(all_at_once())

    assert sum(answer.accepted for answer in found) == 3
    assert where
    assert "hushwatt-inbox" not in where


def test_judged_before_or_now_is_the_same(talk):
    """Uploads judged early and late share a transaction, and each gets its own verdicts."""
    waiting = uploads(talk, 4)
    collection, signer, sent = waiting[2]
    waiting[2] = (collection, signer, replace(sent, drawn=sent.drawn + 1))  # what nothing costs
    batch = [inbox._PendingWrite(None, upload=each) for each in waiting]
    records = inbox.joined_records([each[2] for each in waiting])
    late = inbox.validated(batch, waiting[0][0], records)
    batch[2].verdicts = validate(waiting[0][0], waiting[2][2])

    early = inbox.validated(batch, waiting[0][0], records)

    assert late.tolist() == early.tolist() == [0, 0, 6, 0]
