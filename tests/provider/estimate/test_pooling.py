"""The minimum of homes, appliance by appliance: nothing shown, and no difference, rests on fewer."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.provider.simulated import MICRO, plan_of, repeated_slots

from hushwatt.cli.estimate_tables import period_table, remarks
from hushwatt.household.report.homes import enrol
from hushwatt.household.report.report import report
from hushwatt.privacy.entropy import Simulation
from hushwatt.privacy.rotation import distinct_span
from hushwatt.provider.estimate.arrays import SlotTimeline, TallyArrays
from hushwatt.provider.estimate.document import document, top_document
from hushwatt.provider.estimate.estimate import estimate
from hushwatt.provider.estimate.pooling import WholeRows
from hushwatt.provider.tally.tally import Tallies, Tally, TallyKey, tally_rows
from hushwatt.wire.payload import Layout

NEED = 20


def rotated(appliances=3, asked=1, **changes):
    """A plan whose homes speak of a few appliances at a time."""
    usual = {"minimum_homes": NEED, "appliances_per_report": asked} | changes
    return plan_of([[0, 100]] * appliances, **usual)


def tallies_with(plan, *speakers, homes=1000):
    """A slot for each row of how many homes spoke of each appliance; half of them answered for each level."""
    groups = {}
    for slot, row in enumerate(speakers):
        counts = np.repeat(np.array(row) // 2, 2)
        groups[TallyKey(slot, 0, slot, MICRO)] = Tally(sum(row), np.array(row), counts)
    return Tallies(homes, groups)


def test_an_appliance_that_too_few_homes_spoke_of_has_no_answer():
    """110 homes, 15 appliances, one asked: the slot has homes enough, and no appliance has."""
    plan = rotated(15, minimum_homes=100)
    told = document(estimate(plan, tallies_with(plan, [7] * 14 + [12], homes=110)))
    (slot,) = told["slots"]

    assert (slot["reports"], told["homes"]) == (110, 110)
    assert set(slot["appliances"].values()) == {None}
    assert slot["too_few_homes_for"]["appliance 14"] == {"have": 12, "need": 100}
    assert len(slot["too_few_homes_for"]) == 15
    assert told["too_few_homes"] == {"have": 12, "need": 100}
    assert (told["appliances"], told["top"]) == ({}, [])


def test_beside_appliances_that_have_an_answer():
    """It is null in the slot and the period, with how many homes there are beside it, and has no rank."""
    plan = rotated(method="lsp")
    found = estimate(plan, tallies_with(plan, [20, 19, 0], [25, 3, 0]))
    told, top = document(found), top_document(found, 5)

    assert [list(slot["too_few_homes_for"].items()) for slot in told["slots"]] == [
        [("appliance 1", {"have": 19, "need": 20})],
        [("appliance 1", {"have": 3, "need": 20})],
    ]
    assert all(slot["appliances"]["appliance 0"] for slot in told["slots"])
    assert all(slot["appliances"]["appliance 1"] is None for slot in told["slots"])
    assert told["appliances"]["appliance 1"] is told["appliances"]["appliance 2"] is None
    for each in (told, top):
        assert each["too_few_homes_for"] == {"appliance 1": {"have": 19, "need": 20}}
        assert each["top"] == ["appliance 0"]
        assert each["appliances"]["appliance 0"]["share"] == 1
    assert "too_few_homes" not in told


def test_slots_that_are_too_small_count_together():
    """Two slots of 10 homes each are one answer of 20, when no home can be in both; each alone is none."""
    plan = rotated(3)
    tallies = tallies_with(plan, [10, 20, 20], [10, 20, 20])
    both, one = estimate(plan, tallies), estimate(plan, tallies, last=0)
    three = document(estimate(plan, tallies_with(plan, [10, 20, 20], [10, 20, 20], [9, 20, 20])))

    assert three["slots_left_out"] == {"appliance 0": 1}
    assert "slots_left_out" not in document(both)
    assert both.by_period["appliance 0"].watts == pytest.approx(50)
    assert one.by_period["appliance 0"] is None
    assert not both.by_slot["appliance 0"].known.any()
    assert both.by_slot["appliance 0"].counted.all()


def test_the_table_says_what_is_left_out():
    """An appliance without an answer stands in the table as such; the lines below say what is missing."""
    plan = rotated(3)
    found = estimate(plan, tallies_with(plan, [25, 9, 25], [9, 9, 25]))
    table = period_table(found)
    watts = dict(zip(table.columns[0].cells, table.columns[1].cells, strict=True))
    lines = "\n".join(remarks(found))

    assert watts["appliance 1"] == "too few homes"
    assert "±" in str(watts["appliance 0"])
    assert "Too few homes spoke of appliance 1: no answer and no rank below 20." in lines
    assert "up to 1 are left out" in lines


def test_homes_that_may_be_the_same_are_not_added_up():
    """With two of three appliances asked, a home may speak of one again in the next slot."""
    plan = rotated(3, asked=2)
    found = estimate(plan, tallies_with(plan, [10, 20, 20], [10, 20, 20]))

    assert distinct_span(plan) == 1
    assert found.by_period["appliance 0"] is None
    assert found.withheld == {"appliance 0": 10}


def test_smoothing_learns_from_no_slot_that_is_withheld():
    """Whatever the few homes of a slot say, the smoothed slots after it are the same."""
    plan = rotated(3)
    tallies = tallies_with(plan, [40, 30, 30], [10, 30, 30], [40, 30, 30])
    other = tallies_with(plan, [40, 30, 30], [10, 30, 30], [40, 30, 30])
    key = TallyKey(1, 0, 1, MICRO)
    other.groups[key] = Tally(70, other.groups[key].reports, np.array([10, 0, 15, 15, 15, 15]))
    here, there = (document(estimate(plan, each, smooth=True)) for each in (tallies, other))

    assert here == there


@pytest.mark.parametrize(("method", "window"), [("lbu", 2), ("lpu", 3)])
@pytest.mark.parametrize(("appliances", "asked"), [(3, 1), (5, 2), (7, 3), (4, 4)])
def test_no_home_speaks_twice_of_an_appliance_within_the_span(method, window, appliances, asked):
    """Real homes over many slots: within the span each speaks of it once at most, in a longer one twice."""
    plan = rotated(appliances, asked, method=method, window=window, oracle="grr")
    span, source = distinct_span(plan), Simulation(3, "homes")
    homes, layout = enrol(plan, 40, 0, source), Layout.of(plan)
    spoke = np.zeros((4 * span + 8, 40, appliances), dtype=int)
    for slot in range(len(spoke)):
        sent = report(homes, slot, np.zeros((40, appliances), dtype=np.uint16), source)
        for home, payload in zip(sent.homes, sent.payloads, strict=True):
            spoke[slot, home] = tally_rows(layout, payload[None, :]).reports
    most = [max(spoke[at : at + long].sum(axis=0).max() for at in range(len(spoke))) for long in (span, span + 1)]

    assert most == [1, 2]


@pytest.mark.parametrize("oracle", ["oue", "grr"])
@pytest.mark.parametrize(
    "changes", [{}, {"mapping": "dither"}, {"method": "lpu", "window": 2}, {"unmeasured": "answer"}]
)
def test_errors_do_not_tell_slots_of_a_pool_apart(oracle, changes):
    """Two pools of slots of 8 and 16 homes have the same mean, half of them high: so they have all else in common, too.

    With the errors of each slot by itself one would be surer than the other, and its slots could be worked out.
    """
    plan = rotated(3, oracle=oracle, **changes)
    levels = plan.widths[0]

    def told(*high):
        groups = {}
        for slot, (speakers, of_these) in enumerate(zip((8, 16), high, strict=True)):
            each = [speakers - of_these, of_these, *[0] * (levels - 2)]
            counts = np.array([*each, *[10, 10, *[0] * (levels - 2)] * 2])
            groups[TallyKey(slot, 0, slot, MICRO)] = Tally(speakers + 40, np.array([speakers, 20, 20]), counts)
        return document(estimate(plan, Tallies(1000, groups)))

    assert told(4, 8)["appliances"]["appliance 0"]["mean_watts_se"] > 0
    assert told(4, 8) == told(6, 4) == told(2, 12)


@settings(max_examples=30)
@given(
    st.lists(st.lists(st.integers(0, 30), min_size=3, max_size=3), min_size=1, max_size=9),
    st.sampled_from(["lbu", "lpu"]),
)
def test_no_difference_of_periods_rests_on_fewer_homes(speakers, method):
    """Every two periods differ in slots that together have the minimum of homes, or not at all."""
    plan = rotated(3, method=method, window=2)
    tallies, slots = tallies_with(plan, *speakers), len(speakers)
    stretches = combinations(range(slots + 1), 2)
    counted = set()
    for first, end in stretches:
        found = estimate(plan, tallies, first=first, last=end - 1).by_slot["appliance 0"].counted
        counted.add(frozenset(np.flatnonzero(found) + first))
    numbers = np.array(speakers)[:, 0]

    for one, other in combinations(counted | {frozenset()}, 2):
        assert sum(numbers[sorted(one ^ other)]) >= NEED


def test_slots_with_the_minimum_count_alike():
    """And others neither by themselves nor in a period."""
    plan = plan_of([[0.0, 1.0]], minimum_homes=5)
    tallies = repeated_slots(np.random.default_rng(1), plan, [np.array([4, 4])], times=3)
    timeline = SlotTimeline.of(TallyArrays.of(plan, tallies), plan.minimum_homes, first=1)
    speakers = np.array([8.0, 5.0, 4.0])

    assert WholeRows(plan).known(timeline, speakers).tolist() == [True, True, False]
    assert WholeRows(plan).weights(timeline, speakers).tolist() == [0.0, 1.0, 0.0]
