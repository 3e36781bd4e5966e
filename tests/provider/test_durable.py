"""An upload is acknowledged when it is safe and whole, and not a moment before."""

import threading
from contextlib import contextmanager

import pytest
from tests.provider.collecting import KEPT, STORES, histories, records

from hushwatt.provider.intake import collect
from hushwatt.provider.store import open_store
from hushwatt.provider.store.session import StoreUnavailable

HOMES = 5
both_stores = pytest.mark.parametrize("store_address", STORES, indirect=True)


@pytest.fixture
def talk(collecting, plan_of):
    return collecting(plan_of(3, 4, 2, oracle="oue"), days=0.5)


def upload(talk):
    """A gateway's reports of slot 0, ready to be sent."""
    key, name, devices = talk.gateway(HOMES)
    (sent,) = histories(talk.plan, HOMES, 1)
    body = records(devices, sent)
    return lambda: talk.send(key, name, body)


def counted(address):
    """How many reports another program finds, and how many the tallies speak of."""
    store = open_store(address)
    with store.reading() as session:
        ((reports,),) = session.all(KEPT)
        ((homes,),) = session.all("SELECT coalesce(sum(homes), 0) FROM tallies")
    store.close()
    return int(reports), int(homes)


@both_stores
def test_nobody_hears_of_it_before_the_commit(talk, store_address, monkeypatch):
    """While the commit is held up there is no answer, and others find nothing; then both come."""
    upload(talk)()  # what is made for a slot's first report, others wait for
    send, answers = upload(talk), []
    written, go_on = threading.Event(), threading.Event()
    kind = type(talk.service.database)
    writing = kind.writing

    @contextmanager
    def held_up(database):
        with writing(database) as session:
            yield session
            written.set()
            assert go_on.wait(60)

    monkeypatch.setattr(kind, "writing", held_up)
    sender = threading.Thread(target=lambda: answers.append(send()))
    sender.start()
    assert written.wait(60)
    sender.join(0.5)
    early, found = list(answers), counted_by_readers(talk)
    go_on.set()
    sender.join(60)

    assert early == []
    assert found == (HOMES, HOMES)
    assert answers[0].json()["accepted"] == HOMES
    assert counted(store_address) == (2 * HOMES, 2 * HOMES)


def counted_by_readers(talk):
    with talk.service.database.reading() as session:
        ((reports,),) = session.all(KEPT)
        ((homes,),) = session.all("SELECT coalesce(sum(homes), 0) FROM tallies")
    return int(reports), int(homes)


@both_stores
def test_what_was_written_is_there_for_others_at_once(talk, store_address):
    """When the block of a transaction is left it has been committed, not merely begun to be."""
    database = talk.service.database
    for count in range(1, 20):
        with database.writing() as session:
            session.run("UPDATE plans SET next_home = ?", count)

        other = open_store(store_address)
        with other.reading() as session:
            assert session.all("SELECT next_home FROM plans") == [(count,)]
        other.close()


@both_stores
def test_an_upload_is_one_transaction(talk, store_address, monkeypatch):
    """After every commit the tallies speak of exactly the reports that are there."""
    send, seen = upload(talk), []
    kind = type(talk.service.database)
    writing = kind.writing

    @contextmanager
    def watched(database):
        with writing(database) as session:
            yield session
        seen.append(counted_by_readers(talk))

    monkeypatch.setattr(kind, "writing", watched)
    first, again = send().json(), send().json()

    assert (first["accepted"], again["repeated"]) == (HOMES, HOMES)
    assert seen
    assert all(reports == homes for reports, homes in seen)


@both_stores
def test_without_its_tally_no_report_is_kept(talk, store_address, monkeypatch):
    """When the tallies cannot be written, neither are the reports, and the upload is refused."""
    send = upload(talk)

    def refuse(*_):
        raise StoreUnavailable("the disk is full")

    with monkeypatch.context() as broken:
        broken.setattr(collect, "add_tallies", refuse)
        refused = send()
    found = counted(store_address)
    later = send()

    assert refused.status_code == 503
    assert found == (0, 0)
    assert later.json()["accepted"] == HOMES


def test_postgres_waits_for_the_disk_whatever_is_usual_there(postgres_server):
    """A server set to answer before it has written is told to write first."""
    postgres_server.psql("CREATE DATABASE hasty;")
    postgres_server.psql("ALTER DATABASE hasty SET synchronous_commit = off;")
    store = open_store(postgres_server.get_uri("hasty"))
    with store.reading() as session:
        usual = session.all("SHOW synchronous_commit")
    with store.writing() as session:
        ours = session.all("SHOW synchronous_commit")
    store.close()
    postgres_server.psql("DROP DATABASE hasty;")

    assert usual == [("off",)]
    assert ours == [("on",)]
