"""What is published is published: one answer, the same at every door, whoever enrols or leaves later."""

from datetime import timedelta

import pytest
from tests.provider.collecting import STORES, histories, records
from tests.provider.delivering import Depot, names, write_file
from tests.provider.shown import Shown

from hushwatt.provider.metrics import Metrics
from hushwatt.provider.service.collection_reader import CollectionReader
from hushwatt.provider.store.slots import publish

both_stores = pytest.mark.parametrize("store_address", STORES, indirect=True)
DOORS = ("/estimates", "/top", "/export.json", "/export.csv", "/export.parquet")
PAGES = ("/top", "/shares", "/times", "/series", "/levels")
WAYS = ("", "&consistency=none", "&smooth=true")


def everything(talk, stretch):
    """What every door shows of a stretch of time: programs to the last byte, pages by charts and tables."""
    files = {
        door + way: talk.get(f"{door}?{stretch}{way}").content
        for door in DOORS
        for way in WAYS
        if door != "/top" or not way
    }
    pages = [Shown(talk.client.get(f"{page}?{stretch}")) for page in PAGES]
    return files | {"pages": [(page.charts, page.tables) for page in pages]}


@both_stores
def test_nothing_moves_at_any_door(collecting, plan_of):
    """Twice as many homes enrol, some leave, a report comes late: not a byte of what was told is another."""
    plan = plan_of(3, 4, 2, minimum_homes=5)
    talk = collecting(plan)
    key, name, devices = talk.gateway(10)
    bodies = [records(devices, sent) for sent in histories(plan, 10, 4)]
    size = len(bodies[0]) // 10
    for slot in (0, 1):
        talk.at_slot(slot)
        talk.send(key, name, bodies[slot][: 8 * size])
    talk.at_slot(2)
    stretch = "from=2024-01-01&to=2024-01-02"
    before = everything(talk, stretch)

    talk.gateway(20)
    talk.send(key, name, bodies[0])
    talk.leave(key, name, devices[0])
    talk.at_slot(3)
    talk.send(key, name, bodies[3])
    talk.at_slot(4, late=timedelta(days=1))
    after = everything(talk, stretch)

    assert b'"homes":10' in before["/estimates"]
    assert talk.get("/estimates").json()["homes"] == 29
    assert after == before
    for way in WAYS:
        longer = talk.get(f"/export.csv?{way}").content
        assert longer.startswith(before["/export.csv" + way])
        assert len(longer) > len(before["/export.csv" + way])


def by_hand(talk, until):
    talk.client.post(f"{talk.path}/publish", json={"until": until}).raise_for_status()


def by_another_run(talk, until):
    with talk.service.database.writing() as session:
        publish(session, talk.service.collection(talk.plan.id).number, until, talk.now)


@both_stores
@pytest.mark.parametrize("again", [by_hand, by_another_run])
@pytest.mark.parametrize("until", [0, 1])
def test_publishing_again_moves_nothing(collecting, plan_of, again, until):
    """Whoever publishes the last slot or an earlier one once more: its numbers, homes and time stay."""
    talk = collecting(plan_of(3, 4, 2, minimum_homes=5), grace="9d")
    key, name, devices = talk.gateway(10)
    for slot, sent in enumerate(histories(talk.plan, 10, 2)):
        talk.at_slot(slot)
        talk.send(key, name, records(devices, sent))
    by_hand(talk, 1)
    noted = "SELECT slot, published_at, homes FROM slots ORDER BY slot"
    with talk.service.database.reading() as session:
        slots = session.all(noted)
    before = everything(talk, "")

    talk.gateway(20)
    talk.clock.forward(hours=3)
    again(talk, until)

    with talk.service.database.reading() as session:
        assert session.all(noted) == slots
    assert talk.service.read.state(talk.plan).published == 1
    assert everything(talk, "") == before


@both_stores
def test_a_slot_without_reports_keeps_its_homes(collecting, plan_of):
    """How many homes there were when nobody reported does not change with later ones."""
    plan = plan_of(3, minimum_homes=5)
    talk = collecting(plan)
    talk.gateway(6)
    talk.at_slot(2)
    before = talk.get("/slots").json()["slots"]
    talk.gateway(4)
    talk.at_slot(4)
    after = talk.get("/slots").json()["slots"]

    assert [slot["homes"] for slot in before] == [6, 6, 6, 6]
    assert [slot["homes"] for slot in after] == [6, 6, 10, 10, 10, 10]


@both_stores
def test_files_that_come_late_move_nothing(store_address, plan_of, tmp_path):
    """A delivery of more homes, after the first was published, leaves its slots and their scale alone."""
    plan = plan_of(3, 2, minimum_homes=5)
    sent = list(histories(plan, 40, 4))
    depot = Depot(store_address, plan)
    depot.take(write_file(tmp_path / "first.parquet", plan, sent[:2], names(40), homes=40))
    depot.publish(until=1)
    before = depot.told()
    depot.take(write_file(tmp_path / "second.parquet", plan, sent, names(40, first=100), homes=80))
    depot.publish(until=3)
    after = CollectionReader(depot.database, {depot.number: depot.schedule}, depot.clock, Metrics()).document(
        plan, last=1
    )
    depot.close()

    assert before["homes"] == 40
    assert after == before
