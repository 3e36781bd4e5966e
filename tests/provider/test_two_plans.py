"""Two plans in one store: whatever happens to one leaves every row and every answer of the other alone."""

from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from tests.provider.collecting import STORES, ServiceClient, histories, records
from tests.provider.delivering import Depot, names, write_file
from tests.provider.shown import Shown

from hushwatt.audit.harness.local_service import config_for
from hushwatt.provider.intake.device_names import device_of
from hushwatt.provider.intake.erase import erase_device
from hushwatt.provider.intake.take_back import correct_homes, take_back
from hushwatt.provider.service.publish_files import count_unpublished, publish_file_slots
from hushwatt.provider.store.reports.compaction import Compaction
from hushwatt.provider.store.slots import count_late, publish

both_stores = pytest.mark.parametrize("store_address", STORES, indirect=True)
TABLES = ("plans", "signers", "devices", "codes", "reports", "draws", "tallies", "slots", "deliveries")
KINDS: dict[str, dict[str, Any]] = {
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
    return depot.told(), count_unpublished(depot.database, depot.number, depot.schedule, depot.clock)


def summary(depot):
    """What can be told of a plan without the numbers that a store gives."""
    deliveries = "name, rows, taken, accepted, repeated, homes, undone FROM deliveries"
    columns = (
        deliveries,
        "slot, late, homes, scrubbed, packed FROM slots",
        "homes, told, filed, published FROM plans",
    )
    return told(depot), [sorted(depot.all(f"SELECT {each} WHERE plan = ?", depot.number)) for each in columns]


def last(depot):
    """The number of a plan's last delivery."""
    return depot.all("SELECT max(number) FROM deliveries WHERE plan = ?", depot.number)[0][0]


def erase(depot, session):
    device = device_of(depot.plan, names(12)[3])
    (home,), (signer,), _ = session.find_devices(depot.number, np.frombuffer(device, np.uint8)[None, :])
    assert erase_device(session, depot.collection, device, int(home), int(signer))


STEPS = {
    "erase": erase,
    "correct": lambda depot, session: correct_homes(session, depot.collection, last(depot), 99),
    "publish": lambda depot, session: publish(session, depot.number, 2, 0),
    "late": lambda depot, session: count_late(session, depot.number, 1, 3),
    "scrub": lambda depot, session: Compaction(depot.number, scrub=True).step(session),
    "take back": lambda depot, session: take_back(session, depot.collection, last(depot)),
}


def step(depot, name):
    with depot.database.writing() as session:
        STEPS[name](depot, session)


@both_stores
@pytest.mark.parametrize("kind", KINDS)
def test_files_of_one_leave_the_other_alone(kind, store_address, plan_of, tmp_path):
    """Whatever happens to one: not a row of the other changes, and it is as in a store by itself."""
    plans = [plan_of(3, 4, 2, window=2, name=name, **KINDS[kind]) for name in ("one", "other")]
    one, other = (Depot(store_address, plan) for plan in plans)
    alone = Depot(str(tmp_path / "alone.sqlite"), plans[0])
    files = []
    for plan, homes, slots in zip(plans, (12, 17), (6, 9), strict=True):
        sent = list(histories(plan, 12, slots, seed=homes))
        paths = [tmp_path / f"{plan.name}-{part}.parquet" for part in range(3)]
        files.append([write_file(path, plan, sent[at::3], names(12), homes) for at, path in enumerate(paths)])
    repeated = write_file(tmp_path / "again.parquet", plans[1], sent[4:5], names(12), 17)
    other.take(*files[1][:2], repeated)
    other.publish(until=1)
    before, answer = rows(other), told(other)

    for name in ("take", *STEPS, "unattended"):
        own = rows(one)
        for depot in (one, alone):
            if name == "take":
                depot.take(*files[0])
            elif name == "unattended":
                assert publish_file_slots(depot.database, depot.number, depot.schedule, depot.clock)
            else:
                step(depot, name)
        assert rows(one) != own, name
        assert summary(one) == summary(alone), name
        assert rows(other) == before, name
        assert told(other) == answer, name
    own = rows(one)
    other.take(files[1][2])
    step(other, "erase")

    assert rows(one) == own
    for depot in (one, other, alone):
        depot.close()


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
    config, now = config_for(tmp_path, *plans, grace="9d"), plans[0].start + timedelta(days=1.5)
    one = ServiceClient(config, plans[0], now, store_address)
    other = one.about(plans[1])
    with one.client:
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
