"""Homes have cells by their labels: kept for good, counted, and tallied apart."""

import numpy as np
import pytest
from tests.provider.collecting import STORES, histories, records

from hushwatt.errors import UsageError
from hushwatt.provider.store import cells, open_store, schema
from hushwatt.provider.store.cells import all_cells, cell_of, label_names, labels_of, noted_cells
from hushwatt.provider.store.enrolment import enrol_named
from hushwatt.provider.store.plans import add_plan
from hushwatt.provider.store.reports.stored import every_report, stored_slots
from hushwatt.provider.store.schema import MIGRATIONS
from hushwatt.provider.store.session import device_rows
from hushwatt.provider.store.slots import publish
from hushwatt.provider.store.tallies import read_tallies
from hushwatt.provider.tally.tally import Tallies, Tally, TallyKey, tally_rows
from hushwatt.wire.labels import NO_LABELS, Labels
from hushwatt.wire.payload import Layout

HOMES, SLOTS = 30, 7
NORTH, SOUTH = Labels.of({"tariff": "A", "region": "north"}), Labels.of({"tariff": "A", "region": "south"})
both_stores = pytest.mark.parametrize("store_address", STORES, indirect=True)


def gateways(talk, *label_sets):
    """A gateway for each set of labels: its key, its name, and its devices, ascending."""
    for labels in label_sets:
        (code,) = talk.codes(homes=HOMES, labels=labels)
        key, answer = talk.join(code=code, homes=HOMES)
        yield key, bytes.fromhex(answer.json()["device"]), sorted(map(bytes.fromhex, answer.json()["devices"]))


def counted_anew(session, plan):
    """The tallies that the reports in the store add up to."""
    tallies = Tallies(0, {})
    for slot in stored_slots(session, 1):
        for each in every_report(session, 1, slot):
            one = tally_rows(Layout.of(plan), np.frombuffer(bytes(each.payload), np.uint8)[None, :])
            tallies.add(TallyKey(slot, 0, each.as_of, each.drawn, each.cell), one)
    return tallies.groups


def plain(groups: dict[TallyKey, Tally]):
    return {key: (tally.rows, tally.reports.tolist(), tally.counts.tolist()) for key, tally in groups.items()}


@both_stores
@pytest.mark.parametrize("method", ["lbu", "lpu", "lbd"])
def test_tallies_are_those_of_the_reports(method, collecting, plan_of, store_address):
    """Of every cell by itself, when slots come in any order, and after a home has left."""
    plan = plan_of(3, 4, 2, method=method, oracle="oue", window=3)
    talk = collecting(plan, days=0.5, grace="30d")
    members = list(gateways(talk, NORTH, SOUTH, NO_LABELS))
    sent = [list(histories(plan, HOMES, SLOTS, seed)) for seed in range(len(members))]
    talk.at_slot(SLOTS)
    for slot in (0, 5, 3, 1, 6, 2, 4):
        for (key, name, devices), each in zip(members, sent, strict=True):
            assert talk.send(key, name, records(devices, each[slot])).json()["rejected"] == []
    key, name, devices = members[1]
    talk.leave(key, name, devices[3])

    with talk.service.database.reading() as session:
        kept = read_tallies(session, 1, 0, SLOTS)
        assert {key.cell for key in kept} == {0, 1, 2}
        assert plain(kept) == plain(counted_anew(session, plan))
        assert [(each.cell, each.labels, each.homes) for each in all_cells(session, 1)] == [
            (1, NORTH, HOMES),
            (2, SOUTH, HOMES - 1),
        ]


@both_stores
def test_homes_of_a_published_slot_stay(plan_of, store_address):
    """How many homes a cell had is noted with the slots that are published, and only where it changes."""
    database = open_store(store_address)
    with database.writing() as session:
        number = add_plan(session, plan_of(2))
        cell = cell_of(session, number, NORTH)
        for until, more in enumerate((2, 0, 3)):
            if more:
                devices = device_rows(bytes([until] * 15 + [0]) + bytes([until] * 15 + [1]) + bytes([until] * 15 + [2]))
                enrol_named(session, number, devices[:more], np.array([cell, 0, cell])[:more], 0)
            publish(session, number, 10 * until + 9, 0)
        homes, labels = noted_cells(session, number, 40), labels_of(session, number, cell)
        before = noted_cells(session, number, 19)
    database.close()

    assert labels == NORTH
    assert homes == {cell: {0: 1, 20: 3}}
    assert before == {cell: {0: 1}}


def test_there_are_not_too_many(plan_of, tmp_path, monkeypatch):
    """The same labels are one cell; more sets than a plan may have are refused."""
    monkeypatch.setattr(cells, "MAX_CELLS", 2)
    database = open_store(str(tmp_path / "store.sqlite"))
    with database.writing() as session:
        numbers = [cell_of(session, 1, labels) for labels in (NORTH, SOUTH, NO_LABELS, NORTH)]
        with pytest.raises(UsageError, match="2 combinations of labels, and there may be no more"):
            cell_of(session, 1, Labels.of({"tariff": "C"}))
    database.close()

    assert numbers == [1, 2, 0, 1]


def test_labels_keep_their_order(plan_of, tmp_path):
    """The first that was given comes first, whatever the order in which a home's are given later; 8 at most."""
    database = open_store(str(tmp_path / "store.sqlite"))
    with database.writing() as session:
        turned = cell_of(session, 1, Labels.of({"region": "south", "tariff": "A"}))
        for labels in (NORTH, SOUTH, Labels.of({"house": "flat", "region": "south"})):
            cell_of(session, 1, labels)
        names, words = label_names(session, 1), [each.labels.words() for each in all_cells(session, 1)]
        with pytest.raises(UsageError, match="the labels region, tariff, house; there may be 8 at most"):
            cell_of(session, 1, Labels.of({f"more {number}": "x" for number in range(6)}))
        assert cell_of(session, 1, SOUTH) == turned
    database.close()

    assert names == ["region", "tariff", "house"]
    assert words == ["region south, tariff A", "region north, tariff A", "region south, house flat"]


@both_stores
def test_an_older_store_has_no_labels(collecting, plan_of, store_address, monkeypatch):
    """A store of the step before keeps its homes and tallies, all without labels, and takes labelled ones."""
    plan = plan_of(3, method="lbu", oracle="oue")
    monkeypatch.setattr(schema, "MIGRATIONS", MIGRATIONS[:4])
    older = open_store(store_address)
    with older.writing() as session:
        number = add_plan(session, plan)
        session.run("UPDATE plans SET homes = 1, next_home = 1")
        session.run("INSERT INTO signers (plan, name, key, gateway) VALUES (?, ?, ?, 0)", number, bytes(16), bytes(32))
        session.run("INSERT INTO devices (device, plan, home, signer) VALUES (?, ?, 0, 1)", bytes(16), number)
        values = number, *Tally(1, np.array([1]), np.array([1, 0, 0])).packed()
        session.run(
            "INSERT INTO tallies (plan, slot, round, as_of, drawn, homes, reports, counts) "
            "VALUES (?, 0, 0, 0, 1, ?, ?, ?)",
            *values,
        )
    older.close()
    monkeypatch.undo()

    talk = collecting(plan, days=0.5, grace="30d")
    ((_, _, devices),) = gateways(talk, NORTH)
    with talk.service.database.reading() as session:
        ((homes,),) = session.all("SELECT homes FROM plans")
        found = session.find_devices(1, device_rows(bytes(16) + devices[0]))
        kept = read_tallies(session, 1, 0, 0)

    assert homes == HOMES + 1
    assert found.cells.tolist() == [0, 1]
    assert [(key, tally.rows) for key, tally in kept.items()] == [(TallyKey(0, 0, 0, 1, 0), 1)]
