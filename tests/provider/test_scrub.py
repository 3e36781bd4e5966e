"""Emptying payloads: by small steps, in space that is used again."""

import asyncio

import numpy as np
import pytest
from tests.provider.collecting import STORES

from hushwatt.provider.store import open_store
from hushwatt.provider.store.plans import add_plan
from hushwatt.provider.store.session import ReportGroup
from hushwatt.provider.store.slots import scrub
from hushwatt.provider.tally.draws import PUBLICATION
from hushwatt.provider.tally.tally import TallyKey

PUBLISHED = "INSERT INTO slots (plan, slot, late, published_at, homes, scrubbed) VALUES (?, ?, 0, 0, 9, 0)"
SIZES = "SELECT sum(pg_relation_size(inhrelid)) FROM pg_inherits WHERE inhparent = 'reports'::regclass"


def fill(database, plan, slots, homes, size):
    with database.writing() as session:
        for slot in range(slots):
            payloads = np.full((homes, size), 7, np.uint8)
            session.add_reports(plan, ReportGroup(TallyKey(slot, PUBLICATION, slot, 5), 5, np.arange(homes), payloads))
            session.run(PUBLISHED, plan, slot)


@pytest.mark.parametrize("store_address", STORES, indirect=True)
def test_scrubbing_goes_by_steps(store_address, plan_of):
    """However large a slot is, a transaction empties only so many reports, and the next one goes on."""
    database = open_store(store_address)
    with database.writing() as session:
        plan = add_plan(session, plan_of(2))
    fill(database, plan, 2, 10, 4)
    steps, slots = [], [0]
    while slots:
        with database.writing() as session:
            slots = scrub(session, plan, 8, reports=7)
            steps.append((slots, session.all("SELECT count(*) FROM reports WHERE length(payload) > 0")[0][0]))
    database.close()

    assert steps == [([0], 13), ([0, 1], 6), ([1], 0), ([], 0)]


@pytest.mark.parametrize("store_address", ["postgres"], indirect=True)
def test_the_table_hardly_grows(collecting, plan_of):
    """Emptied reports are written into the gaps of those before them, not all beside them."""
    talk = collecting(plan_of(*[40] * 20, oracle="oue"), days=0.5, scrub=True)
    database, plan = talk.service.database, talk.service.collection(talk.plan.id).number
    talk.client.portal.call(asyncio.sleep, 0)  # the service runs
    fill(database, plan, 40, 1_000, 100)

    def size():
        with database.reading() as session:
            return int(session.all(SIZES)[0][0])

    before = size()
    talk.client.portal.call(talk.service.scrub_due)
    with database.reading() as session:
        left = session.all("SELECT count(*), sum(length(payload)) FROM reports")

    assert left == [(40_000, 0)]
    assert size() < 1.5 * before
