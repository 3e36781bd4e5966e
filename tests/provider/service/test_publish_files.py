"""Collections that files alone feed publish when answers are asked for; all others wait for their service."""

import pytest
from tests.provider.collecting import STORES, histories
from tests.provider.delivering import Depot, names, write_file

from hushwatt.provider.service.publish_files import count_unpublished, publish_file_slots
from hushwatt.provider.store.enrolment import enrol_home

HOMES = 30


@pytest.fixture
def depot(store_address, plan_of, tmp_path):
    """A store with three slots of homes from a file, the last of them still open."""
    plan = plan_of(3, 4, oracle="oue")
    store = Depot(store_address, plan, days=3.5)
    path = write_file(tmp_path / "reports.parquet", plan, histories(plan, HOMES, 3), names(HOMES))
    store.take(path)
    yield store
    store.close()


def published(store):
    slots = publish_file_slots(store.database, store.number, store.schedule, store.clock)
    return slots, store.all("SELECT published FROM plans")[0][0]


@pytest.mark.parametrize("store_address", STORES, indirect=True)
def test_closed_slots_are_published_once(depot):
    """Slots whose grace is over, and no slot after the last that has reports."""
    first = published(depot)
    depot.clock.forward(days=90)
    later, again = published(depot), published(depot)

    assert first == ([0, 1], 1)
    assert later == ([2], 2)
    assert again == ([], 2)


def test_what_is_published_together_waits_for_the_last(store_address, plan_of, tmp_path):
    """Files that end within a period: it is published when they go on, as a whole."""
    plan = plan_of(3, 4, oracle="oue", publish=2)
    store, sent = Depot(store_address, plan), list(histories(plan, HOMES, 4))
    store.take(write_file(tmp_path / "first.parquet", plan, sent[:3], names(HOMES)))
    first, left_out = published(store), count_unpublished(store.database, store.number, store.schedule, store.clock)
    store.take(write_file(tmp_path / "second.parquet", plan, sent[3:], names(HOMES)))
    second = published(store)
    store.close()

    assert (first, left_out) == (([0, 1], 1), 1)
    assert second == ([2, 3], 3)


def test_homes_that_send_are_waited_for(depot):
    """As soon as a home has enrolled itself, its service decides."""
    with depot.database.writing() as session:
        enrol_home(session, depot.number, bytes(32))
    now = count_unpublished(depot.database, depot.number, depot.schedule, depot.clock)
    depot.clock.forward(days=90)

    assert published(depot) == ([], -1)
    assert now == 2
    assert count_unpublished(depot.database, depot.number, depot.schedule, depot.clock) == 3


def test_nothing_is_published_of_nothing(store_address, plan_of):
    """A store without reports stays open for the first file."""
    store = Depot(store_address, plan_of(2), days=90)
    found = published(store)
    store.close()

    assert found == ([], -1)
