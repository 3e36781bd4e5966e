"""Answers from the caches are the answers that are worked out, before and after more is published."""

import json

import pytest
from tests.provider.collecting import histories, records

from hushwatt.provider.estimate.document import document
from hushwatt.provider.estimate.times.time_filter import TimeFilter
from hushwatt.provider.estimate.totals.customers import Customers
from hushwatt.provider.service import answer_cache, published_tallies
from hushwatt.provider.service.answer_cache import ByteCache, SlotTexts
from hushwatt.provider.service.collection_reader import BoardQuestions, CollectionReader
from hushwatt.provider.service.published_tallies import PublishedTallies
from hushwatt.provider.store.cells import cell_of
from hushwatt.provider.store.tallies import read_tallies
from hushwatt.wire.labels import Labels

HOMES, SLOTS = 20, 6
QUESTIONS = [
    {},
    {"smooth": "true"},
    {"consistency": "none"},
    {"by": "tariff"},
    {"from": "2024-01-02", "to": "2024-01-03"},
    {"above": "50"},
    {"using": "true"},
    {"customers": "1000"},
    {"weekdays": "mon-fri"},
]
LABELLED = [Labels.of({"tariff": letter}) for letter in "AB"]


@pytest.fixture
def talk(collecting, plan_of):
    """A service with homes of two kinds, and what sends their reports of a slot."""
    plan = plan_of(3, 2, oracle="oue", minimum_homes=5)
    here = collecting(plan, days=0.5, grace="1h")
    members = []
    for labels in LABELLED:
        (code,) = here.codes(homes=HOMES, labels=labels)
        key, answer = here.join(code=code, homes=HOMES)
        devices = sorted(map(bytes.fromhex, answer.json()["devices"]))
        members.append((key, bytes.fromhex(answer.json()["device"]), devices))
    sent = [list(histories(plan, HOMES, SLOTS, seed)) for seed in range(2)]

    def send(slot):
        here.at_slot(slot)
        for (key, name, devices), each in zip(members, sent, strict=True):
            assert here.send(key, name, records(devices, each[slot])).json()["rejected"] == []
        here.clock.forward(hours=2)

    here.send_slot = send
    return here


def worked_out(talk):
    """The answers without any cache."""
    service = talk.service
    fresh = CollectionReader(service.database, service.schedules, service.clock, service.metrics)
    return [
        fresh.document(talk.plan),
        fresh.document(talk.plan, smooth=True),
        fresh.document(talk.plan, consistency="none"),
        fresh.document(talk.plan, by=["tariff"]),
        fresh.document(talk.plan, 1, 2),
        fresh.document(talk.plan, board=BoardQuestions(above=(50.0,))),
        fresh.document(talk.plan, board=BoardQuestions(above=(None,))),
        fresh.document(talk.plan, board=BoardQuestions(customers=Customers.parse("1000"))),
        fresh.document(talk.plan, times=TimeFilter.parse(None, "mon-fri")),
    ]


@pytest.mark.parametrize("room", [1 << 26, 3_000, 0])
def test_the_same_as_worked_out_anew(talk, monkeypatch, room):
    """However much the caches hold, and as often as it is asked."""
    read = talk.service.read
    read._published = PublishedTallies(talk.service.database, room)
    read._answers, read._slots = ByteCache(room), SlotTexts(room)
    for slot in range(SLOTS):
        talk.send_slot(slot)
        if slot % 2:
            for _ in range(2):
                assert [talk.get("/estimates", params=each).json() for each in QUESTIONS] == worked_out(talk)


def test_nothing_is_read_twice(talk, monkeypatch):
    """Tallies are read from the store once, and what was published since is added; an answer is worked out once."""
    asked = []
    real = read_tallies

    def read(session, plan, first, last):
        asked.append((first, last))
        return real(session, plan, first, last)

    monkeypatch.setattr(published_tallies, "read_tallies", read)
    told = []
    monkeypatch.setattr(answer_cache, "slot_document", lambda *each: told.append(each) or {"slot": each[1]})
    for slot in (0, 1):
        talk.send_slot(slot)
        for _ in range(3):
            talk.get("/estimates")
    talk.get("/estimates", params={"by": "tariff"})

    assert asked == [(0, 0), (1, 1)]
    assert [index for _, index in told] == [0, 1]


def test_what_is_not_answered_is_not_kept(talk):
    """When to look again is told anew every time."""
    talk.clock.forward(days=1)
    first = talk.get("/estimates").json()["not_yet"]["next_look"]
    talk.clock.forward(days=1)

    assert talk.get("/estimates").json()["not_yet"]["next_look"] > first


def test_labels_that_come_later_change_no_answer_of_before(talk):
    """Neither a new kind of homes nor a code that nobody has used yet stands in what was published."""
    talk.send_slot(0)
    before = talk.get("/estimates", params={"by": "tariff"}).json()
    with talk.service.database.writing() as session:
        cell_of(session, 1, Labels.of({"tariff": "C", "region": "north"}))
    talk.service.read._answers = ByteCache(0)
    after = talk.get("/estimates", params={"by": "tariff"})
    unknown = talk.get("/estimates", params={"by": "region"})

    assert after.json() == before
    assert list(before["groups"]) == ["tariff=A", "tariff=B"]
    assert unknown.status_code == 422
    assert "there is no label “region”; the labels are tariff" in unknown.json()["detail"]
    assert json.loads(talk.service.read.answer(talk.plan)) == document(talk.service.read.estimates(talk.plan))
