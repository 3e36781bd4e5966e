"""A home that left is in no table and in no byte of the files, however many leave."""

import asyncio
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from tests.provider.collecting import KEPT, STORES, histories, records
from tests.provider.delivering import Depot, names, same, write_file

from hushwatt.provider.intake import erase
from hushwatt.provider.intake.device_names import device_of
from hushwatt.provider.intake.erase import Erasure, erase_device
from hushwatt.provider.store.reports import segment_bytes, segments, stored

HOMES = {"sqlite": (400, 390), "postgres": (40, 39)}  # so many that whole pages of a file become free
TABLES = {
    "sqlite": "SELECT m.name, c.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c WHERE m.type = 'table'",
    "postgres": "SELECT c.table_name, c.column_name FROM information_schema.columns c "
    "JOIN information_schema.tables t USING (table_schema, table_name) "
    "WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE'",
}


def found_in(database, kind, homes, marks):
    """Every table and column that still holds a home: by its number, or by bytes that are its own.

    Which numbers a code gave stays with the code, and says nothing of who is there.
    """
    with database.reading() as session:
        columns = session.all(TABLES[kind])
        places = set()
        for table, column in columns:
            for (value,) in session.all(f'SELECT DISTINCT "{column}" FROM "{table}"'):
                if column in ("home", "first_home", "last_home") and table != "codes" and value in homes:
                    places.add((table, column))
                if isinstance(value, bytes | memoryview | str):
                    content = value.encode() if isinstance(value, str) else bytes(value)
                    places |= {(table, column) for mark in marks if mark in content}
    return places


@pytest.mark.parametrize("store_address", STORES, indirect=True)
@pytest.mark.parametrize(("method", "asked"), [("lbu", 3), ("lbd", 3), ("lpu", 1)])
def test_nothing_of_them_is_left(method, asked, collecting, plan_of, store_address, tmp_path):
    """Nearly all homes leave: no row of any table names one, and no file of the store holds a byte of one.

    It does not matter whether what they sent was published.
    """
    plan = plan_of(*[48] * 3, method=method, epsilon=1_000_000, oracle="oue", window=2, appliances_per_report=asked)
    kind = "postgres" if store_address.startswith("postgres") else "sqlite"
    homes_then, leaving = HOMES[kind]
    talk = collecting(plan, days=0.5, grace="9d")
    key, name, devices = talk.gateway(homes_then)
    sent = list(histories(plan, homes_then, 3))
    for slot, each in enumerate(sent):
        talk.at_slot(slot, late=-timedelta(seconds=1))
        talk.send(key, name, records(devices, each))
    talk.client.post(f"{talk.path}/publish", json={"until": 1}).raise_for_status()
    database, number = talk.service.database, talk.service.collection(plan.id).number
    rows = np.frombuffer(b"".join(devices), np.uint8).reshape(-1, 16)
    with database.reading() as session:
        homes, _, _ = session.find_devices(number, rows)
    gone = set(homes[:leaving].tolist())
    marks = list(devices[:leaving]) + [
        each.payloads[place].tobytes() for each in sent for place, home in enumerate(each.homes) if home < leaving
    ]
    before = found_in(database, kind, gone, marks[: leaving + 5])
    with database.writing() as session:
        collection = talk.service.collection(plan.id)
        for home, device in zip(homes[:leaving].tolist(), devices[:leaving], strict=True):
            signer = int(session.find_devices(number, np.frombuffer(device, np.uint8)[None, :])[1][0])
            erase_device(session, collection, device, home, signer)
    database.purge()

    kept_beside = {"lbd": {"draws"}, "lpu": {"rotations"}}.get(method, set())
    named = {table.split("_")[0] for table, _ in before}
    assert named >= {"devices"} | kept_beside
    assert named & {"reports", "segments"}
    assert talk.service.read.state(plan).published == 1
    assert not found_in(database, kind, gone, marks)
    for file in sorted(tmp_path.glob("store.sqlite*")):
        content = file.read_bytes()
        assert not [mark.hex() for mark in marks if mark in content], file.name


@pytest.mark.parametrize("store_address", STORES, indirect=True)
def test_nothing_of_a_home_that_files_named(plan_of, store_address, tmp_path):
    """The same for homes that files brought: neither their devices nor their names stay."""
    plan = plan_of(*[48] * 3, method="lbd", oracle="oue", window=2)
    store = Depot(store_address, plan)
    sent = list(histories(plan, 40, 3))
    store.take(write_file(tmp_path / "a.parquet", plan, sent, names(40)))
    kind = "postgres" if store_address.startswith("postgres") else "sqlite"
    gone, marks = set(), []
    with store.database.writing() as session:
        for name in names(39):
            device = device_of(plan, name)
            (home,), (signer,), _ = session.find_devices(store.number, np.frombuffer(device, np.uint8)[None, :])
            erase_device(session, store.collection, device, int(home), int(signer))
            gone.add(int(home))
            marks += [device, name.encode()]
    store.database.purge()
    left = found_in(store.database, kind, gone, marks)
    store.close()

    assert not left
    for file in Path(tmp_path).glob("store.sqlite*"):
        assert not any(mark in file.read_bytes() for mark in marks)


def test_published_slots_are_read_once(plan_of, tmp_path, monkeypatch):
    """Nothing is counted anew there: whoever erases many homes from many slots waits half as long."""
    monkeypatch.setattr(stored, "TOGETHER", 2)
    plan, read = plan_of(3), []
    store = Depot(str(tmp_path / "store.sqlite"), plan)
    store.take(write_file(tmp_path / "a.parquet", plan, list(histories(plan, 10, 3)), names(10)))
    store.publish(1)
    monkeypatch.setattr(
        segments, "unpack_reports", lambda *packed: (read.append(1), segment_bytes.unpack_reports(*packed))[1]
    )
    with store.database.writing() as session:
        erased = erase_device(session, store.collection, device_of(plan, "home 00003"), 3, 0)
    store.close()

    assert erased == 3
    assert len(read) == 2 + 2


@pytest.mark.parametrize("store_address", STORES[1:], indirect=True)
@pytest.mark.parametrize("stopped", [False, True])
def test_a_home_leaves_a_few_slots_at_a_time(store_address, plan_of, tmp_path, monkeypatch, stopped):
    """What is left is as if it had gone at once, also when the first who tried was stopped on the way."""
    monkeypatch.setattr(erase, "STEP_SLOTS", 2)
    plan = plan_of(3, 4, method="lba")
    file = write_file(tmp_path / "a.parquet", plan, list(histories(plan, 30, 9)), names(30))
    device = device_of(plan, "home 00003")
    stores = [Depot(store_address, plan), Depot(str(tmp_path / "at once.sqlite"), plan)]
    for store in stores:
        store.take(file)
        store.publish(6)
    homes = [find_home(store, device) for store in stores]
    with stores[0].database.writing() as session:
        first = [Erasure(stores[0].collection, device, homes[0], 0).step(session)] if stopped else []
    there = find_home(stores[0], device)
    counts = [erase.erase(stores[0].database, stores[0].collection, device, homes[0], 0)]
    with stores[1].database.writing() as session:
        counts += [erase_device(session, stores[1].collection, device, homes[1], 0)]
    told = [(store.told(), store.tallies(), store.all(KEPT)) for store in stores]
    gone = [find_home(store, device) for store in stores]
    for store in stores:
        store.close()

    assert (first, counts) == (([True], [7, 9]) if stopped else ([], [9, 9]))
    assert (there, gone) == (homes[0], [-1, -1])
    assert told[0][0] == told[1][0]
    assert same(told[0][1], told[1][1])
    assert told[0][2] == told[1][2] == [(29 * 9,)]


def find_home(store, device):
    with store.database.reading() as session:
        return int(session.find_devices(store.number, np.frombuffer(device, np.uint8)[None, :]).homes[0])


def test_two_who_erase_the_same_home(collecting, plan_of):
    """At the same moment: it goes once, and nothing that waits beside them fails."""
    talk = collecting(plan_of(3), days=0.5)
    *_, devices = talk.gateway(3)
    collection = talk.service.collection(talk.plan.id)

    async def both():
        return await asyncio.gather(*[talk.service.erase(collection, devices[0], 0, 1) for _ in range(2)])

    assert talk.client.portal.call(both) == [0, 0]
    assert talk.service.read.state(talk.plan).erased == 1
