"""The owner's cap on one appliance: over all plans, in any stretch, each appliance for itself."""

from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.household.living import NO_CAPS, fresh_store, join

from hushwatt.household.ledger.appliance_spends import ApplianceSpends
from hushwatt.household.ledger.caps import DAY
from hushwatt.household.ledger.home_ledger import HomeLedger, OverCap, SpendEntry
from hushwatt.household.ledger.monotonic_clock import MonotonicClock
from hushwatt.plan import Appliance, SlotLength
from hushwatt.plan.amounts import MICRO
from hushwatt.plan.times import nanoseconds

HOUR = DAY // 24
START = nanoseconds(datetime(2024, 1, 1, tzinfo=UTC))
CAP = 12
CAPS = replace(NO_CAPS, appliance_epsilon=CAP)
NAMES = (("kettle", "tv"), ("kettle", "tv", "oven"), ("oven", "fridge", "kettle", "tv"))
ASKED = (2, 1, 3)
MEMBERS = st.sampled_from([None, [0], [1], [2]])


@pytest.fixture(scope="module")
def plans(plan_of):
    """Three plans that share appliances: one of an hour's window, one of 30 hours, one of 50."""
    return [
        replace(
            plan_of(3, method="lpu"),
            name=f"plan {place}",
            appliances=tuple(Appliance.of(name, [100]) for name in NAMES[place]),
            appliances_per_report=ASKED[place],
            slot=SlotLength(1, "h"),
            window=(1, 30, 50)[place],
        )
        for place in range(3)
    ]


def entry(place, start, hours, amount, members=None):
    named = None if members is None else np.array(members, dtype="<u2").tobytes()
    span = (START + start * HOUR, START + (start + hours) * HOUR)
    return SpendEntry(place + 1, start, "publication", *span, amount, named)


def dearest(entries, length):
    """For every appliance and every interval, by laying one at each half hour: the most it was given."""
    found = [Fraction(0)]
    for x in range(-2 * 60, 2 * 200):
        low, high = START + x * HOUR // 2 + HOUR // 4, START + x * HOUR // 2 + HOUR // 4 + length
        given = {}
        for each in entries:
            if each.start < high and each.end > low:
                names, asked = NAMES[each.plan_key - 1], ASKED[each.plan_key - 1]
                members = range(len(names)) if each.members is None else np.frombuffer(each.members, "<u2")
                for member in members:
                    given[names[member]] = given.get(names[member], 0) + Fraction(each.amount, asked)
        found += given.values()
    return max(found)


def wish():
    """A spend of one of the plans, about all its appliances or some."""
    return st.integers(0, 2).flatmap(
        lambda place: st.tuples(
            st.just(place),
            st.integers(0, 120),
            st.integers(1, 30),
            st.integers(1, 15),
            st.none() | st.permutations(range(len(NAMES[place]))).map(lambda order: sorted(order[: ASKED[place]])),
        )
    )


@pytest.mark.parametrize("joined, hours", [((0,), 24), ((0, 1), 30), ((0, 1, 2), 50)])
@given(wishes=st.lists(wish(), max_size=12))
@settings(max_examples=25)
def test_no_stretch_gives_an_appliance_too_much(plans, joined, hours, wishes):
    """Whatever plans ask in whatever order, no appliance gets more than the cap, and no more is refused."""
    with fresh_store() as store:
        for place in joined:
            join(store, plans[place])
        book, taken = HomeLedger(store, CAPS), []
        for place, *rest in (each for each in wishes if each[0] in joined):
            asked = entry(place, *rest)
            fits = dearest([*taken, asked], hours * HOUR) <= CAP

            assert (book.objection_to(asked) is None) == fits
            if fits:
                book.charge(asked)
                taken.append(asked)


def test_five_spends_in_a_day(plans):
    """What a cap of 2 lets through once, it does not let through five times, in one plan or in five."""
    with fresh_store() as store:
        place = join(store, replace(plans[1], window=1)) - 1
        book = HomeLedger(store, replace(NO_CAPS, appliance_epsilon=2 * MICRO))
        book.charge(entry(place, 0, 1, 2 * MICRO, [0]))
        for other in range(1, 5):
            with pytest.raises(OverCap, match=r"on one appliance, here 'kettle', is ε 2 in any day"):
                book.charge(entry(place, 4 * other, 1, 2 * MICRO, [0]))
        book.charge(entry(place, 4, 1, 2 * MICRO, [1]))

        assert book.lifetime == 4 * MICRO


def test_a_spend_of_a_plan_nobody_knows_counts_for_every_appliance(plans):
    """Without its plan a spend may be about any appliance, and about it alone."""
    with fresh_store() as store:
        join(store, plans[0])
        book = HomeLedger(store, CAPS)
        book.charge(entry(6, 0, 1, CAP))

        assert book.objection_to(entry(0, 1, 1, 1)) is not None
        assert book.objection_to(entry(6, 1, 1, 1)) is not None
        assert book.objection_to(entry(6, 26, 1, CAP)) is None


@pytest.mark.parametrize("how", ["left", "over"])
def test_a_plan_that_ended_counts_until_its_last_window_is_over(plans, how):
    """Leaving a plan of a long window does not shorten the stretch before its spends are that old."""
    with fresh_store() as store:
        long = plans[2] if how == "left" else replace(plans[2], expires=datetime(2024, 1, 1, 3, tzinfo=UTC))
        places = [join(store, plan) for plan in (plans[0], long)]
        with store.transaction():
            HomeLedger(store, CAPS).record([replace(entry(0, 0, 1, 1), plan_key=places[1])])
        if how == "left":
            store.disk.execute("UPDATE plans SET left = 1 WHERE place = ?", (places[1],))
        appliances = ApplianceSpends(store, MonotonicClock(store))

        assert appliances.cap_interval(START + 50 * HOUR) == 50 * HOUR
        assert appliances.cap_interval(START + 51 * HOUR) == DAY


@given(
    spends=st.lists(st.tuples(st.integers(0, 60), st.integers(1, 12), MEMBERS), max_size=15),
    wish=st.tuples(st.integers(40, 150), st.integers(1, 20), st.integers(1, CAP), MEMBERS),
)
@settings(max_examples=25)
def test_tidying_never_makes_room_for_an_appliance(plans, spends, wish):
    """Days written as one row give each appliance at least what their slots gave it."""
    with fresh_store() as store:
        place = join(store, replace(plans[1], window=100)) - 1
        book = HomeLedger(store, CAPS)
        with store.transaction():
            book.record(entry(place, start, 1, amount, members) for start, amount, members in spends)
        before, spent = book.objection_to(entry(place, *wish)), book.appliances.spent_since(0, DAY)
        book.compact(place + 1, slot=200, moment=START + 50 * HOUR)

        assert book.appliances.spent_since(0, DAY) == spent
        assert before is None or book.objection_to(entry(place, *wish)) is not None
