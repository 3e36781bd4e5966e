"""Two plans in one store: whatever happens to one leaves every row and every answer of the other alone."""

from datetime import timedelta

import numpy as np
import pytest
from collecting import STORES, Talk, histories, records
from delivering import Depot, names, write_file
from shown import Shown

from hushwatt.provider.api import make_app
from hushwatt.provider.clock import HandClock
from hushwatt.provider.collect import erase_device
from hushwatt.provider.config import Config
from hushwatt.provider.named import device_of
from hushwatt.provider.store import open_store
from hushwatt.provider.store.slots import count_late, scrub
from hushwatt.provider.take_back import correct_homes, take_back
from hushwatt.provider.unattended import publish_unattended, waiting

both_stores = pytest.mark.parametrize("store_address", STORES, indirect=True)
TABLES = ("plans", "signers", "devices", "codes", "reports", "draws", "tallies", "slots", "deliveries")
KINDS = {
    "lbd": {"method": "lbd", "oracle": "oue"},  # with draws
    "lpu": {"method": "lpu", "oracle": "grr", "appliances_per_report": 1},  # with turns and orders
}


def rows(depot):
    """All that the store holds of a plan."""
    return {
        table: sorted(map(repr, depot.all(f"SELECT * FROM {table} WHERE plan = ?", depot.number)))
        for table in (*TABLES, "rotations")
    }


def told(depot):
    return depot.told(), waiting(depot.database, depot.number, depot.life, depot.clock)


def erase(depot, name):
    device = device_of(depot.plan, name)
    with depot.database.writing() as session:
        (home,), (signer,) = session.find_devices(depot.number, np.frombuffer(device, np.uint8)[None, :])
        assert erase_device(session, depot.collection, device, int(home), int(signer))


@both_stores
@pytest.mark.parametrize("kind", KINDS)
def test_files_of_one_leave_the_other_alone(kind, store_address, plan_of, tmp_path):
    """Taken in, late, published, erased, scrubbed, corrected, taken back: not a row of the other changes."""
    plans = [plan_of(3, 4, 2, window=2, name=name, **KINDS[kind]) for name in ("one", "other")]
    one, other = (Depot(store_address, plan) for plan in plans)
    sent = [list(histories(plan, 12, 6, seed=seed)) for seed, plan in enumerate(plans)]
    files = [
        [
            write_file(
                tmp_path / f"{at}-{part}.parquet", plan, sent[at][part::3], names(12), homes=12 + 5 * at
            )
            for part in range(3)
        ]
        for at, plan in enumerate(plans)
    ]
    other.take(*files[1][:2])
    other.publish(until=1)
    before, answer = rows(other), told(other)

    def late():
        with one.database.writing() as session:
            count_late(session, one.number, 1, 3)

    def scrubbed():
        with one.database.writing() as session:
            assert scrub(session, one.number, 8)

    def corrected():
        with one.database.writing() as session:
            correct_homes(session, one.collection, one.all(LAST, one.number)[0][0], 99)

    def undone():
        with one.database.writing() as session:
            assert take_back(session, one.collection, one.all(LAST, one.number)[0][0]).reports

    def unattended():
        assert publish_unattended(one.database, one.number, one.life, one.clock)

    steps = {
        "take": lambda: one.take(*files[0]),
        "erase": lambda: erase(one, names(12)[3]),
        "correct": corrected,
        "publish": lambda: one.publish(until=2),
        "late": late,
        "scrub": scrubbed,
        "take back": undone,
        "unattended": unattended,
    }
    for step, happens in steps.items():
        own = rows(one)
        happens()
        assert rows(one) != own, step
        assert rows(other) == before, step
        assert told(other) == answer, step
    own = rows(one)
    other.take(files[1][2])
    erase(other, names(12)[3])
    assert rows(one) == own
    one.close()
    other.close()


LAST = "SELECT max(number) FROM deliveries WHERE plan = ?"


def shown(talk):
    """What a service tells of one of its plans, at every door that tells of a single one."""
    answers = {door: talk.get(door).json() for door in ("/estimates", "/top", "/slots", "/health")}
    for of_all in ("problems", "skew"):
        del answers["/health"][of_all]
    lines = talk.client.get("/metrics").text.splitlines()
    pages = [Shown(talk.client.get(f"{path}?plan={talk.plan.id[:12]}")) for path in ("/top", "/levels")]
    counts = Shown(talk.client.get(f"/collection?plan={talk.plan.id[:12]}")).tables.get("Reports refused")
    metrics = [line for line in lines if talk.plan.id in line and "created" not in line]
    return answers, metrics, counts, [(page.charts, page.tables) for page in pages]


@both_stores
def test_uploads_of_one_leave_the_other_alone(store_address, plan_of, tmp_path):
    """Joined, accepted, repeated, refused, late, published, left: no door says anything new of the other."""
    plans = [plan_of(3, 4, 2, oracle="oue", name=name) for name in ("one", "other")]
    files = [tmp_path / f"{plan.name}.toml" for plan in plans]
    for plan, file in zip(plans, files, strict=True):
        file.write_text(plan.toml())
    config = Config(plan=tuple(map(str, files)), data=str(tmp_path), grace="9d")
    clock = HandClock(plans[0].start + timedelta(days=1.5))
    app = make_app(config, open_store(store_address), clock)
    one, other = (Talk(plan, config, clock, app) for plan in plans)
    with one.client:
        other.client = one.client
        key, name, devices = other.gateway(7)
        early, now = (records(devices, sent) for sent in histories(plans[1], 7, 2))
        other.send(key, name, early)
        other.client.post(f"{other.path}/publish", json={"until": 0})
        other.send(key, name, early[: len(early) // 7] + now[: 3 * len(now) // 7])
        before = shown(other)

        key, name, devices = one.gateway(5)
        bodies = [records(devices, sent) for sent in histories(plans[0], 5, 3)]
        answers = [one.send(key, name, body).json() for body in (bodies[1], bodies[1], bodies[2])]
        one.client.post(f"{one.path}/publish", json={"until": 0})
        answers.append(one.send(key, name, bodies[0]).json())
        one.leave(key, name, devices[0])
        health = one.get("/health").json()
        after = shown(other)

    assert [(each.get("accepted"), each.get("repeated")) for each in answers] == [
        (5, 0),
        (0, 5),
        (0, 0),
        (0, 0),
    ]
    assert (health["accepted"], health["repeated"], health["homes"]) == (5, 5, 4)
    assert health["rejected"] == {"too_early": 5, "too_late": 5}
    assert before[0]["/health"]["accepted"] == 10
    assert before[0]["/health"]["repeated"] == 1
    assert after == before
