"""What a store keeps and will need, worked out from tallies alone."""

from datetime import timedelta

import pytest
from tests.provider.collecting import STORES, histories, records

from hushwatt.provider.operations.storage import Disk, StorageReport, look_at_storage, remove_reports

both_stores = pytest.mark.parametrize("store_address", STORES, indirect=True)


def looked(talk):
    return look_at_storage(talk.service.database, talk.service.schedules, talk.config.folder, talk.clock.now())


@both_stores
def test_a_running_plan_needs_what_is_to_come(collecting, plan_of):
    """Twenty reports a slot for ten slots of a hundred: ninety slots more cost nine times the store."""
    plan = plan_of(3, 4)
    talk = collecting(plan)
    key, name, devices = talk.gateway(20)
    for slot, sent in enumerate(histories(plan, 20, 10)):
        talk.at_slot(slot)
        talk.send(key, name, records(devices, sent))
    talk.at_slot(9, late=timedelta(days=1))
    talk.client.portal.call(talk.service.publish_due)

    storage = looked(talk)
    ((kept),) = storage.plans.values()

    assert (kept.reports, kept.slots_left, kept.reports_per_slot) == (200, plan.calendar.slots - 10, 20.0)
    assert storage.needed_bytes == pytest.approx(storage.store_bytes / 10 * kept.slots_left, rel=1e-6)
    assert (kept.payload_slots, kept.kept, kept.too_long(timedelta(0))) == (10, True, timedelta(0))
    assert storage.store_bytes > 0


@both_stores
def test_removed_reports_count_no_more(collecting, plan_of):
    """After removal the same reports are late, the numbers stay, and nothing is left to scrub."""
    plan = plan_of(3, 4)
    talk = collecting(plan)
    key, name, devices = talk.gateway(20)
    bodies = [records(devices, sent) for sent in histories(plan, 20, 2)]
    for slot in range(2):
        talk.at_slot(slot)
        talk.send(key, name, bodies[slot])
    talk.at_slot(1, late=timedelta(days=2))
    talk.client.portal.call(talk.service.publish_due)
    before = talk.get("/estimates").json()

    removed = remove_reports(talk.service.database, talk.service.collection(plan.id).number)
    again = talk.send(key, name, bodies[0]).json()
    (kept,) = looked(talk).plans.values()

    assert removed == 40
    assert {each["reason"] for each in again["rejected"]} == {"too_late"}
    assert talk.get("/estimates").json() == before
    assert (kept.kept, kept.payload_slots) == (False, 0)


@pytest.mark.parametrize("store_address", ["postgres"], indirect=True)
def test_tables_go_with_their_reports(collecting, plan_of):
    """The disk gets back what a plan took that is over."""
    talk = collecting(plan_of(3, 4), days=0.5)
    key, name, devices = talk.gateway(40)
    (sent,) = histories(talk.plan, 40, 1)
    talk.send(key, name, records(devices, sent))
    talk.clock.forward(days=70)
    talk.client.portal.call(talk.service.publish_due)
    database, number = talk.service.database, talk.service.collection(talk.plan.id).number

    def tables():
        with database.reading() as session:
            return session.all("SELECT count(*) FROM pg_class WHERE relispartition AND relkind = 'r'")

    before, removed, after = tables(), remove_reports(database, number), tables()

    assert (before, removed, after) == ([(1,)], 40, [(0,)])


def test_a_disk_too_small_is_seen(collecting, plan_of):
    """More needed than free counts where the store is on that disk, not where it is elsewhere."""
    talk = collecting(plan_of(3, 4))
    key, name, devices = talk.gateway(20)
    for sent in histories(talk.plan, 20, 1):
        talk.send(key, name, records(devices, sent))
    talk.at_slot(0, late=timedelta(days=1))
    talk.client.portal.call(talk.service.publish_due)
    found = looked(talk)

    def with_free(free, local=True):
        return StorageReport(found.plans, found.store_bytes, Disk(free, 10**12), local)

    assert with_free(found.needed_bytes - 1).too_small
    assert not with_free(found.needed_bytes).too_small
    assert not with_free(0, local=False).too_small
