"""Reports in the store: the same answers as from files, whatever the order, once each."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.provider.collecting import KEPT, STORES, histories, records, write_reports

from hushwatt.errors import StateError
from hushwatt.provider.estimate.document import document
from hushwatt.provider.estimate.estimate import estimate
from hushwatt.provider.intake.collect import _insert as insert_reports
from hushwatt.provider.store.tallies import read_tallies
from hushwatt.provider.tally.engines import tally_reports

HOMES, SLOTS = 60, 7
both_stores = pytest.mark.parametrize("store_address", STORES, indirect=True)
KINDS: dict[str, dict[str, Any]] = {
    "lbu": {"method": "lbu", "oracle": "oue"},
    "lbu some": {"method": "lbu", "oracle": "oue", "appliances_per_report": 2},
    "lsp": {"method": "lsp", "oracle": "sue"},
    "lpu": {"method": "lpu", "oracle": "grr", "appliances_per_report": 2, "mapping": "dither"},
    "lbd": {"method": "lbd", "oracle": "oue"},
    "lba": {"method": "lba", "oracle": "grr"},
}


def send_all(talk, sent, key, name, devices, parts=1):
    """Upload what was sent slot by slot, each slot in a few requests, right after its end."""
    for each in sent:
        talk.at_slot(each.slot)
        body = records(devices, each)
        size = len(body) // max(len(each.homes), 1)
        step = -(-len(each.homes) // parts) * size
        for start in range(0, len(body), max(step, 1)):
            answer = talk.send(key, name, body[start : start + step])
            assert answer.json()["rejected"] == [], answer.text


@both_stores
@pytest.mark.parametrize("kind", KINDS)
def test_the_service_answers_as_the_bulk_commands_do(kind, collecting, plan_of, tmp_path):
    """The same reports give the same JSON, over HTTP and from a file, in both databases."""
    plan = plan_of(3, 4, 2, **KINDS[kind])
    talk = collecting(plan, days=0.5)
    key, name, devices = talk.gateway(HOMES)
    sent = list(histories(plan, HOMES, SLOTS))
    write_reports(tmp_path / "reports.parquet", plan, devices, sent)
    bulk = tally_reports(plan, tmp_path / "reports.parquet")

    send_all(talk, sent, key, name, devices, parts=3)
    talk.clock.forward(days=3)

    assert talk.get("/estimates").json() == document(estimate(plan, bulk))
    for options in ({"smooth": True}, {"consistency": "none"}):
        assert talk.get("/estimates", params=options).json() == document(estimate(plan, bulk, **options))
    part = talk.get("/estimates", params={"from": "2024-01-03", "to": "2024-01-05"}).json()
    assert part == document(estimate(plan, bulk, first=2, last=4))
    assert talk.get("/top", params={"k": 2}).json()["top"] == list(estimate(plan, bulk).top[:2])


@both_stores
@pytest.mark.parametrize("kind", ["lbu", "lbd", "lba"])
def test_order_and_repetition_do_not_matter(kind, collecting, plan_of, tmp_path):
    """Reports that come shuffled, several times, in requests cut anywhere, count once each."""
    plan = plan_of(3, 4, 2, **KINDS[kind])
    talk = collecting(plan, days=0.5, grace="30d")
    key, name, devices = talk.gateway(HOMES)
    sent = list(histories(plan, HOMES, SLOTS, seed=5))
    write_reports(tmp_path / "reports.parquet", plan, devices, sent)
    size = len(records(devices, sent[0])) // HOMES
    whole = np.frombuffer(b"".join(records(devices, each) for each in sent), np.uint8).reshape(-1, size)
    chance = np.random.default_rng(11)
    twice = chance.permutation(np.repeat(np.arange(len(whole)), 2))

    talk.at_slot(SLOTS)
    answers = [talk.send(key, name, whole[part].tobytes()).json() for part in np.array_split(twice, 9)]
    talk.clock.forward(days=40)

    assert sum(answer["accepted"] for answer in answers) == len(whole)
    assert sum(answer["repeated"] for answer in answers) == len(whole)
    bulk = document(estimate(plan, tally_reports(plan, tmp_path / "reports.parquet")))
    assert talk.get("/estimates").json() == bulk


@both_stores
def test_the_first_bytes_win(collecting, plan_of):
    """Another report for the same device and slot is answered as repeated, and changes nothing."""
    plan = plan_of(3, 4, 2, oracle="oue")
    talk = collecting(plan, days=0.5)
    key, name, devices = talk.gateway(HOMES)
    (first,), (second,) = (list(histories(plan, HOMES, 1, seed)) for seed in (1, 2))
    talk.send(key, name, records(devices, first))
    before = talk.service.read.slots(plan)

    answer = talk.send(key, name, records(devices, second)).json()
    talk.clock.forward(days=9)

    assert answer == {"accepted": 0, "repeated": HOMES, "rejected": []}
    assert before[0].reports == HOMES
    kept = talk.get("/estimates").json()
    other = collecting(plan, days=0.5, address=talk.config.data + "/other.sqlite")
    key, name, devices = other.gateway(HOMES)
    other.send(key, name, records(devices, first))
    other.clock.forward(days=9)
    assert other.get("/estimates").json() == kept


@both_stores
def test_a_report_that_came_in_between(collecting, plan_of):
    """A store that has what it just had not is believed in neither: nothing is kept of any report beside it."""
    plan = plan_of(3, 4, 2, oracle="oue")
    talk = collecting(plan, days=0.5)
    (sent,) = histories(plan, HOMES, 1)
    homes, rows = np.arange(1, HOMES + 1), np.arange(HOMES)
    database, (collection,) = talk.service.database, talk.service.read.collections.values()
    with database.writing() as session:
        insert_reports(session, collection, sent, 0, rows[:1], homes[:1], 0 * homes[:1], 0)

    with (
        pytest.raises(StateError, match="a report that was not there is there now: nothing of this was kept"),
        database.writing() as session,
    ):
        insert_reports(session, collection, sent, 0, rows, homes, 0 * homes, 0)
    with database.reading() as session:
        assert session.all(KEPT) == [(1,)]
        assert sum(tally.rows for tally in read_tallies(session, collection.number, 0, 0).values()) == 1


@both_stores
def test_a_home_that_leaves_is_gone(collecting, plan_of, tmp_path):
    """Slots not yet published forget the home as if it had never reported; published ones stay."""
    plan = plan_of(3, 4, 2, method="lbd", oracle="oue")
    talk = collecting(plan, days=0.5, grace="1d")
    key, name, devices = talk.gateway(HOMES)
    sent = list(histories(plan, HOMES, 4))
    send_all(talk, sent, key, name, devices)
    published = talk.get("/estimates").json()["slots"]

    answer = talk.leave(key, name, devices[7])
    talk.clock.forward(days=9)
    after = talk.get("/estimates").json()

    assert answer.status_code == 200
    assert answer.json()["reports"] == 4
    assert [slot["reports"] for slot in published] == [HOMES] * 3
    assert [slot["reports"] for slot in after["slots"]] == [HOMES] * 3 + [HOMES - 1]
    numbers = [{key: value for key, value in slot.items() if key != "homes"} for slot in after["slots"]]
    assert numbers[:3] == published
    with talk.service.database.reading() as session:
        assert session.all(KEPT) == [(4 * (HOMES - 1),)]
        assert session.all("SELECT count(*) FROM devices WHERE device = ?", devices[7]) == [(0,)]
    assert talk.leave(key, name, devices[7]).status_code == 401


def test_nothing_of_a_home_stays_in_the_file(collecting, plan_of, store_address):
    """After it has left, neither its device nor the bits of its reports are anywhere in the files."""
    plan = plan_of(*[8] * 20, oracle="oue")
    talk = collecting(plan, days=0.5)
    key, name, devices = talk.gateway(3)
    (sent,) = histories(plan, 3, 1)
    talk.send(key, name, records(devices, sent))
    payload = sent.payloads[1].tobytes()

    def files():
        return Path(store_address).read_bytes() + Path(f"{store_address}-wal").read_bytes()

    before = files()
    talk.leave(key, name, devices[1])
    after = files()

    assert payload in before
    assert devices[1] in before
    assert payload not in after
    assert devices[1] not in after
    assert sent.payloads[0].tobytes() in after


@both_stores
def test_payloads_are_scrubbed_when_asked(collecting, plan_of):
    """Once a slot is published its payloads are emptied, and its reports still count only once."""
    plan = plan_of(3, 4, 2, oracle="oue")
    talk = collecting(plan, days=0.5, scrub=True)
    key, name, devices = talk.gateway(HOMES)
    (sent,) = histories(plan, HOMES, 1)
    talk.send(key, name, records(devices, sent))
    talk.clock.forward(days=2)

    answered = talk.get("/estimates").json()["slots"][0]["reports"]
    again = talk.send(key, name, records(devices, sent)).json()

    with talk.service.database.reading() as session:
        assert session.all(f"{KEPT}, (SELECT count(*) FROM reports)") == [(HOMES, 0)]
        assert session.all("SELECT sum(length(payloads)) FROM segments") == [(0,)]
    assert answered == HOMES
    assert again["repeated"] == HOMES
