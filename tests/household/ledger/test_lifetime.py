"""What counts in a home's lifetime: every spend once, whole windows where homes decide, nothing twice."""

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.household.living import NO_CAPS, TURN, FixedReadings, HomeUnderTest, fresh_store, join, plan_for

from hushwatt.audit.harness.home_under_test import SeededSource
from hushwatt.audit.harness.released import total_cost
from hushwatt.household.ledger.caps import DAY, Caps
from hushwatt.household.ledger.high_water_mark import ProcessMark
from hushwatt.household.ledger.home_ledger import HomeLedger, OverCap, SpendEntry
from hushwatt.household.ledger.store import Store
from hushwatt.plan.amounts import MICRO

SUM = "SELECT coalesce(sum(amount), 0) FROM spends"


def entry(slot, amount, place=1, members=None, purpose="publication"):
    return SpendEntry(place, slot, purpose, slot * DAY, (slot + 1) * DAY, amount, members)


def test_every_spend_counts_for_ever():
    """Years later, and after the ledger was tidied, what was spent first still counts."""
    with fresh_store() as store:
        book = HomeLedger(store, Caps(epsilon_lifetime=10))
        for year in range(3):
            book.charge(entry(400 * year, 3))
        book.compact(1, slot=10_000, moment=10_000 * DAY)
        with pytest.raises(OverCap, match=r"the owner's cap is ε 0.00001 in its lifetime, over all plans"):
            book.charge(entry(40_000, 2))
        book.charge(entry(40_000, 1))

        assert book.lifetime == 10


def test_what_may_have_been_spent_counts_too():
    """Slots without stored bytes are in the total, whatever the caps say."""
    with fresh_store() as store:
        book = HomeLedger(store, Caps(epsilon_lifetime=10))
        with store.transaction():
            book.record([entry(0, 9, purpose="lost")])

        assert book.objection_to(entry(1, 1)) is None
        assert book.objection_to(entry(1, 2)) is not None


def test_all_plans_count_together(plan_of):
    """An appliance has one lifetime, whichever plans ask about it; a spend gives it its part."""
    with fresh_store() as store:
        one, two = (join(store, plan_of(2, 2, name=name)) for name in ("one", "two"))
        book = HomeLedger(store, Caps(appliance_epsilon_lifetime=10))
        book.charge(entry(0, 10, one))
        book.charge(entry(0, 8, two))

        assert book.objection_to(entry(1, 2, one)) is None
        assert book.objection_to(entry(1, 3, two)).appliance == "appliance 0"


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 5), st.booleans()), max_size=20))
@settings(max_examples=40)
def test_totals_are_sums(wishes):
    """Charged or recorded, tidied or not, opened again or not: the total is the sum of the rows."""
    with fresh_store() as store:
        book = HomeLedger(store, Caps(epsilon_lifetime=40))
        for slot, amount, lost in wishes:
            if lost:
                with store.transaction():
                    book.record([entry(slot, amount, purpose="lost")])
            elif book.objection_to(entry(slot, amount)) is None:
                book.charge(entry(slot, amount))
            book.compact(1, slot, 5 * DAY)

        assert book.lifetime == HomeLedger(store, Caps()).lifetime == store.value(SUM)


@pytest.mark.parametrize("method", ["lbd", "lba"])
@pytest.mark.parametrize("watts", [0.0, 400.0])
def test_where_homes_decide_windows_count(folder, method, watts):
    """Each window that the home takes part in adds its ε once; what was really spent is never more."""
    plan = plan_for(random.Random(2), method, epsilon=4 * MICRO, window=4)
    home = HomeUnderTest(folder / "ledger.sqlite", SeededSource(1), readings=FixedReadings(watts), mark=ProcessMark())
    join(home.store, plan, source=home.source)
    home.live(10 * TURN, 60)
    ten = home.agent.home_ledger.lifetime
    home.live(2 * TURN - 60, 60)
    twelve = home.agent.home_ledger.lifetime
    spent = total_cost(home.released)
    home.switch_off()

    assert ten == twelve == 3 * plan.epsilon
    assert spent <= ten


@pytest.mark.parametrize("lived, windows", [(0, 1), (1, 2), (4, 2), (9, 4)])
def test_windows_that_ran_unseen(lived, windows):
    """Time that passed by clocks that showed anything may have begun in any window, and counts by its length."""
    plan = plan_for(random.Random(2), "lba", epsilon=4 * MICRO, window=4)
    with fresh_store() as store:
        totals = HomeLedger(store, NO_CAPS).totals
        place = join(store, plan)
        with store.transaction():
            assert totals.add_windows(place, 4, 4, lived)

        assert totals.spent.home == windows * plan.epsilon


@pytest.mark.parametrize("method", ["lbu", "lpu", "lba"])
def test_a_restored_ledger_forgets_nothing(folder, method):
    """A copy from before counts all that may have happened since, so all lives together stay under the cap."""
    plan = plan_for(random.Random(4), method, epsilon=2 * MICRO, window=2)
    caps = replace(NO_CAPS, epsilon_lifetime=12 * MICRO)
    home = HomeUnderTest(folder / "ledger.sqlite", SeededSource(1), caps=caps)
    join(home.store, plan, source=home.source)
    home.live(2 * TURN, 60)
    home.switch_off()
    old = (folder / "ledger.sqlite").read_bytes()
    home.switch_on()
    home.live(6 * TURN, 60)
    home.switch_off()
    for path in folder.glob("ledger.sqlite*"):
        path.unlink()
    (folder / "ledger.sqlite").write_bytes(old)
    home.clock.jump(-6 * TURN)
    home.switch_on()
    home.live(40 * TURN, 60)
    home.switch_off()

    assert total_cost(home.released) <= 12 * MICRO


def test_reading_totals_is_cheap(folder):
    """They have a row for each plan and set of appliances, however many spends there were."""
    with Store(folder / "ledger.sqlite") as store:
        book = HomeLedger(store, NO_CAPS)
        with store.transaction():
            book.record(entry(slot, 1) for slot in range(5_000))

        assert store.value("SELECT count(*) FROM totals") == 1
        assert book.lifetime == 5_000
