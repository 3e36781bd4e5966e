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


class TestPeriods:
    """Three slots are published together: nothing of one of them is shown at any door."""

    DOORS = ("/estimates", "/top", "/slots", "/export.json", "/export.csv", "/export.parquet")

    @pytest.fixture
    def talk(self, collecting, plan_of):
        """Days 0 to 2 are published, 3 and 4 are not; half of the ten homes speak each day."""
        plan = plan_of(3, 4, method="lpu", window=2, minimum_homes=8, publish=3)
        talk = collecting(plan, grace="2h")
        key, name, devices = talk.gateway(10)
        self.sent, self.signer = list(histories(plan, 10, 5)), (key, name, devices)
        for sent in self.sent:
            talk.at_slot(sent.slot)
            talk.send(key, name, records(devices, sent))
        return talk

    @both_stores
    def test_published_when_the_last_slot_closes(self, talk):
        """One entry, of all ten homes once, and the next two hours after its third day; not an hour before."""
        told = talk.get("/estimates").json()
        (entry,) = told["slots"]

        assert (entry["slot"], entry["slots"], entry["reports"], entry["start"]) == (0, 3, 10, "2024-01-01T00:00:00Z")
        assert set(entry["appliances"]) == {"appliance 0", "appliance 1"}
        assert talk.service.read.state(talk.plan).published == 2
        talk.at_slot(5, late=timedelta(hours=1))
        assert len(talk.get("/estimates").json()["slots"]) == 1
        talk.at_slot(5, late=timedelta(hours=2))
        later = talk.get("/estimates").json()["slots"]
        assert [(each["slot"], each["slots"]) for each in later] == [(0, 3), (3, 3)]
        assert later[0] == entry

    def test_their_life(self, talk):
        """A period is open until its last slot is over, and closes with it."""
        first, second = talk.get("/slots").json()["slots"]

        assert (first["state"], first["slots"], first["reports"]) == ("published", 3, 10)
        assert (second["state"], second["slot"], second["reports"]) == ("open", 3, 10)
        assert (second["end"], second["closes"]) == ("2024-01-07T00:00:00Z", "2024-01-07T02:00:00Z")
        assert talk.service.read.not_yet(talk.plan).have == 10

    def test_late_for_a_closed_slot_is_late(self, talk):
        """A slot closes by itself, even if it waits for others to be published."""
        key, name, devices = self.signer
        talk.at_slot(5)
        answer = talk.send(key, name, records(devices, self.sent[3]))
        joined = talk.gateway(2)
        fresh = next(sent for sent in histories(talk.plan, 2, 4, seed=2) if sent.slot == 3)
        late = talk.send(joined[0], joined[1], records(joined[2], fresh)) if len(fresh.homes) else None

        assert answer.json()["repeated"] == len(self.sent[3].homes)
        assert late is None or late.status_code == 422
        assert set(talk.get("/health").json()["late"]) <= {"3"}

    def test_by_hand_only_whole_ones(self, talk):
        """Whoever publishes up to a slot within a period publishes the periods before it."""
        talk.at_slot(4, late=timedelta(hours=1))
        by_hand(talk, 4)
        assert talk.service.read.state(talk.plan).published == 2
        talk.at_slot(5, late=timedelta(minutes=-30))
        by_hand(talk, 5)
        assert talk.service.read.state(talk.plan).published == 2
        talk.at_slot(5, late=timedelta(minutes=30))
        by_hand(talk, 5)
        assert talk.service.read.state(talk.plan).published == 5

    def test_a_part_of_one_is_refused_at_every_door(self, talk):
        """One line, with where the nearest begin and end."""
        within = "is within a period, and results are published once every 3 days; write"
        for door in self.DOORS:
            start, end = talk.get(f"{door}?from=2024-01-02"), talk.get(f"{door}?to=2024-01-05")
            assert (start.status_code, end.status_code) == (422, 422)
            assert f"from 2024-01-02 {within} 2024-01-01 or 2024-01-04" in start.json()["detail"]
            assert f"to 2024-01-05 {within} 2024-01-03 or 2024-01-06" in end.json()["detail"]
        for page in PAGES:
            answer = talk.client.get(f"{page}?from=2024-01-02")
            assert answer.status_code == 400
            assert f"{within} 2024-01-01 or 2024-01-04" in answer.text

    def test_pages_speak_of_periods(self, talk):
        """Labels say how long they last."""
        overview, series = (talk.client.get(page).text for page in ("/", "/series"))

        assert "Current period" in overview
        assert "3 days from 4 Jan 2024" in overview
        assert "3 days from 1 Jan 2024" in series
        assert "slot has" not in overview
