"""`hushwatt provider compact`: what is published takes a fifth of the space, and nothing else is another."""

import json
from datetime import timedelta

import pytest
from tests.provider.collecting import (  # noqa: F401  fixtures
    KEPT,
    STORES,
    collecting,
    histories,
    postgres_server,
    records,
    store_address,
)

from hushwatt.provider.store import open_store
from hushwatt.provider.store.reports import stored

HOMES = 60
both_stores = pytest.mark.parametrize("store_address", STORES, indirect=True)


@pytest.fixture
def published(collecting, plan_of, store_address, tmp_path, monkeypatch):  # noqa: F811
    """A store with one published slot in rows and one that is open, whose service has stopped; and how it is named."""
    monkeypatch.setattr(stored, "TOGETHER", 1_000)
    talk = collecting(plan_of(40, 40), grace="1d")
    key, name, devices = talk.gateway(HOMES)
    first, second = histories(talk.plan, HOMES, 2)
    talk.send(key, name, records(devices, first))
    talk.at_slot(1, late=timedelta(seconds=-1))
    talk.send(key, name, records(devices, second))
    talk.client.post(f"{talk.path}/publish", json={"until": 0}).raise_for_status()
    talk.stop()
    return talk, ("--store", store_address, "--data", tmp_path) if "://" in store_address else ("--data", tmp_path)


def look(talk, *statements):
    with talk.service.database.reading() as session:
        return [session.all(statement)[0] for statement in statements]


@both_stores
def test_published_slots_are_packed(hushwatt, published, collecting):  # noqa: F811
    """How much, and how large the store was and is; a second time there is nothing to do, and answers stay."""
    talk, options = published

    done = hushwatt("provider", "compact", "--json", *options)
    again = hushwatt("provider", "compact", *options)
    after = collecting(talk.plan, grace="1d")
    kept, rows, payloads = look(
        after, KEPT, "SELECT count(*) FROM reports", "SELECT min(length(payloads)) FROM segments"
    )

    told = json.loads(done.stdout)
    assert (told["slots"], told["reports"]) == (1, HOMES)
    assert min(told["bytes_before"], told["bytes"]) > 0
    assert again.stdout.startswith("packed  0 reports of 0 published slots\nstore   ")
    assert (kept, rows) == ((2 * HOMES,), (HOMES,))
    assert payloads[0] > 0


def test_scrubbed_where_that_is_set(hushwatt, published, collecting):  # noqa: F811
    """With `scrub` the payloads go while it packs."""
    talk, options = published
    done = hushwatt("provider", "compact", *options, HUSHWATT_SCRUB="true")
    (payloads,) = look(collecting(talk.plan, grace="1d"), "SELECT sum(length(payloads)) FROM segments")

    assert done.stdout.startswith(f"packed  {HOMES} reports of 1 published slots\n")
    assert payloads == (0,)


@pytest.mark.parametrize("reads", [False, True])
def test_scrubbed_payloads_leave_no_byte(hushwatt, published, store_address, tmp_path, reads):  # noqa: F811
    """Also while others have the store open; if they read it just then, that is told."""
    _, options = published
    database = open_store(store_address)
    with database.reading() as session:
        (payload,) = session.all("SELECT payload FROM reports WHERE slot = 0 AND home = 0")[0]
        reading = reads and session.all("SELECT count(*) FROM reports")
        done = hushwatt("provider", "compact", *options, HUSHWATT_SCRUB="true") if reading else None
    done = done or hushwatt("provider", "compact", *options, HUSHWATT_SCRUB="true")
    left = [file.name for file in tmp_path.glob("store.sqlite*") if payload in file.read_bytes()]
    database.close()

    assert done.returncode == 0
    assert ("others still read the store" in done.stderr) == reads
    assert bool(left) == reads


def test_no_store_is_one_line(hushwatt, tmp_path):
    """A folder without a store is told, and none is made."""
    done = hushwatt("provider", "compact", "--data", tmp_path / "nowhere")

    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "nowhere").exists()
