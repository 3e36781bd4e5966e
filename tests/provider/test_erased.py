"""A home that left is in no table and in no byte of the files, however many leave."""

from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from collecting import STORES, histories, records
from delivering import Depot, names, write_file

from hushwatt.provider.collect import erase_device
from hushwatt.provider.named import device_of

HOMES, LEAVING = 400, 390  # so many that whole pages of the file become free
TABLES = {
    "sqlite": "SELECT m.name, c.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c "
    "WHERE m.type = 'table'",
    "postgres": "SELECT c.table_name, c.column_name FROM information_schema.columns c "
    "JOIN information_schema.tables t USING (table_schema, table_name) "
    "WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE'",
}


def found_in(database, kind, homes, marks):
    """Every table and column that still holds a home: by its number, or by bytes that are its own."""
    with database.reading() as session:
        columns = session.all(TABLES[kind])
        places = set()
        for table, column in columns:
            for (value,) in session.all(f'SELECT DISTINCT "{column}" FROM "{table}"'):
                if column == "home" and value in homes:
                    places.add((table, column))
                if isinstance(value, bytes | memoryview | str):
                    content = value.encode() if isinstance(value, str) else bytes(value)
                    places |= {(table, column) for mark in marks if mark in content}
    return places


@pytest.mark.parametrize("store_address", STORES, indirect=True)
@pytest.mark.parametrize("method", ["lbu", "lbd"])
def test_nothing_of_them_is_left(method, collecting, plan_of, store_address, tmp_path):
    """390 of 400 homes leave: no row of any table names one, and no file of the store holds a byte of one."""
    plan = plan_of(*[48] * 3, method=method, oracle="oue", window=2)
    talk = collecting(plan, days=0.5)
    key, name, devices = talk.gateway(HOMES)
    sent = list(histories(plan, HOMES, 3))
    for slot, each in enumerate(sent):
        talk.at_slot(slot, late=-timedelta(seconds=1))
        talk.send(key, name, records(devices, each))
    kind = "postgres" if store_address.startswith("postgres") else "sqlite"
    database, number = talk.service.database, talk.service.collection(plan.id).number
    rows = np.frombuffer(b"".join(devices), np.uint8).reshape(-1, 16)
    with database.reading() as session:
        homes, _ = session.find_devices(number, rows)
    gone = set(homes[:LEAVING].tolist())
    marks = list(devices[:LEAVING]) + [
        each.payloads[place].tobytes()
        for each in sent
        for place, home in enumerate(each.homes)
        if home < LEAVING
    ]
    before = found_in(database, kind, gone, marks[: LEAVING + 5])
    with database.writing() as session:
        collection = talk.service.collection(plan.id)
        for home, device in zip(homes[:LEAVING].tolist(), devices[:LEAVING], strict=True):
            signer = int(session.find_devices(number, np.frombuffer(device, np.uint8)[None, :])[1][0])
            erase_device(session, collection, device, home, signer)
    database.forget()

    assert {table.split("_")[0] for table, _ in before} >= {"devices", "reports"} | (
        {"draws"} if method == "lbd" else set()
    )
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
            (home,), (signer,) = session.find_devices(store.number, np.frombuffer(device, np.uint8)[None, :])
            erase_device(session, store.collection, device, int(home), int(signer))
            gone.add(int(home))
            marks += [device, name.encode()]
    store.database.forget()
    left = found_in(store.database, kind, gone, marks)
    store.close()

    assert not left
    for file in Path(tmp_path).glob("store.sqlite*"):
        assert not any(mark in file.read_bytes() for mark in marks)
