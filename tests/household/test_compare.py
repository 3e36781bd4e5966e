"""This home beside others: worked out at home, only where the owner wants it."""

import random
from dataclasses import replace
from datetime import datetime

import numpy as np
import pytest
from tests.household.living import join
from tests.household.results.sharing import published

from hushwatt.audit.harness.plans import plan_for
from hushwatt.household.compare import Comparison, comparisons, set_comparison, wants_comparison
from hushwatt.household.ledger.store import Store
from hushwatt.household.results.own_means import OwnMeans
from hushwatt.household.results.published import keep_results, read_results
from hushwatt.plan import Appliance, SlotLength
from hushwatt.plan.times import nanoseconds

DAY = datetime(2024, 1, 22)
DISHWASHER = Appliance.of("dishwasher", [20, 60, 200], mapping="dither")
TWO = (DISHWASHER, Appliance.of("oven", [50, 100], mapping="dither"))
PLAN = plan_for(
    random.Random(1),
    "lbu",
    share_results=True,
    mapping="dither",
    appliances=TWO,
    appliances_per_report=2,
    unmeasured="zero",
    slot=SlotLength(1, "d"),
    timezone="Europe/London",
)
NOW = nanoseconds(PLAN.expires)


@pytest.fixture
def store(folder):
    with Store(folder / "ledger.sqlite") as store:
        join(store, PLAN)
        yield store


def fetched(store, results):
    keep_results(store, PLAN, read_results(PLAN, {"plan": PLAN.id, "results": results}, NOW))


def lived(store, slots, watts=(31.2, 400.0), measured=(True, True)):
    own = OwnMeans(store)
    for slot in slots:
        own.add(PLAN, slot, np.array(watts), measured)
    own.keep()


def test_a_new_home_keeps_nothing(folder):
    """It is off until the owner turns it on, and there is nothing to compare with."""
    with Store(folder / "ledger.sqlite") as store:
        assert not wants_comparison(store)
        assert comparisons(store, PLAN, 0) == []
        set_comparison(store, True)
        assert wants_comparison(store)
        set_comparison(store, False)
        assert not wants_comparison(store)


def test_your_dishwasher_and_homes_here(store):
    """The watts of both, over the same days."""
    set_comparison(store, True)
    lived(store, range(7))
    fetched(store, published(PLAN, 6, low=24.1, high=28.8))
    dishwasher, oven = comparisons(store, PLAN, NOW)

    assert dishwasher.words == "your dishwasher 31 W; homes here 24 to 29 W"
    assert (dishwasher.verdict, dishwasher.when, dishwasher.homes) == ("above", "2024-01-01 to 2024-01-07", 4_210)
    assert oven.own_watts == 100.0  # clipped, as what was published is


def test_without_own_means_homes_are_shown(store):
    """Off: nothing about this home; a file that is there nevertheless is not read."""
    set_comparison(store, True)
    lived(store, range(7))
    file = store.path.with_name("own-means.json").read_text()
    set_comparison(store, False)
    store.path.with_name("own-means.json").write_text(file)
    fetched(store, published(PLAN, 6))
    first, _ = comparisons(store, PLAN, NOW)

    assert (first.own_watts, first.verdict) == (None, None)
    assert first.words == "dishwasher: homes here 24 to 29 W"


def test_the_longest_time_that_was_lived_through(store):
    """Four weeks of results and two of own means: the last week is compared; with four, all four."""
    set_comparison(store, True)
    fetched(store, published(PLAN, 27))
    lived(store, range(14, 28))
    week = comparisons(store, PLAN, NOW)[0]
    lived(store, range(14))
    month = comparisons(store, PLAN, NOW)[0]

    assert week.when == "2024-01-22 to 2024-01-28"
    assert month.when == "2024-01-01 to 2024-01-28"


def test_days_that_were_not_measured(store):
    """Five of seven are not most of a week, six are; what they are a mean of is those six."""
    set_comparison(store, True)
    fetched(store, published(PLAN, 6))
    lived(store, range(5))
    few = comparisons(store, PLAN, NOW)[0]
    lived(store, [5], watts=(31.2, 0.0), measured=(True, False))
    enough, oven = comparisons(store, PLAN, NOW)

    assert few.own_watts is None
    assert few.verdict is None
    assert enough.own_watts == pytest.approx(31.2)
    assert oven.own_watts is None


def test_too_few_homes_are_said(store):
    """The home's own mean is there, and no number of homes."""
    set_comparison(store, True)
    lived(store, range(7))
    fetched(store, [{**published(PLAN, 6)[0], "appliances": {}}])
    first, _ = comparisons(store, PLAN, NOW)

    assert first.words == "your dishwasher 31 W; too few homes for an answer"
    assert first.verdict is None


def test_nobody_uses_less_than_nothing(store):
    """An interval below 0 W, as chance gives it, ends at 0."""
    set_comparison(store, True)
    lived(store, range(7), watts=(0.0, 0.0))
    fetched(store, published(PLAN, 6, low=-4.0, high=-0.5))
    first, _ = comparisons(store, PLAN, NOW)

    assert (first.low, first.high, first.verdict) == (0.0, 0.0, "within")


def test_a_plan_that_shares_nothing(store):
    """Whatever was kept for it."""
    fetched(store, published(PLAN, 6))

    assert comparisons(store, replace(PLAN, share_results=False), NOW) == []


@pytest.mark.parametrize(
    "own, low, high, words",
    [
        (31.2, 24.1, 28.8, "your oven 31 W; homes here 24 to 29 W"),
        (29.4, 24.1, 29.2, "your oven 29.4 W; homes here 24.1 to 29.2 W"),  # above, and it shows
        (29.24, 24.1, 29.21, "your oven 29.24 W; homes here 24.10 to 29.21 W"),
        (2.34, 1.2, 3.4, "your oven 2.3 W; homes here 1.2 to 3.4 W"),
        (None, 24.1, 28.8, "oven: homes here 24 to 29 W"),
        (None, None, None, "oven: too few homes for an answer"),
    ],
)
def test_as_few_digits_as_tell_the_truth(own, low, high, words):
    """Rounding never hides on which side of the limits a home is."""
    assert Comparison("oven", own, low, high, DAY, DAY).words == words


@pytest.mark.parametrize(
    "start, end, words",
    [
        (DAY, DAY.replace(day=29), "2024-01-22 to 2024-01-28"),
        (DAY, DAY.replace(day=23), "2024-01-22"),
        (DAY.replace(hour=6), DAY.replace(hour=7, minute=30), "2024-01-22 06:00 to 07:30"),
        (DAY.replace(hour=6), DAY.replace(day=23, hour=7), "2024-01-22 06:00 to 2024-01-23 07:00"),
        (DAY, DAY.replace(second=6), "2024-01-22 00:00:00 to 00:00:06"),
    ],
)
def test_the_time_in_the_clock_of_the_plan(start, end, words):
    """Days where they are whole, else hours and minutes."""
    assert Comparison("oven", 1.0, 1.0, 1.0, start, end).when == words


def test_a_repr_shows_nothing_of_this_home():
    """It ends up in logs."""
    assert "31.25" not in repr(Comparison("oven", 31.25, 24.0, 29.0, DAY, DAY))
