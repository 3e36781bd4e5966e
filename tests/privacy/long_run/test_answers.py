"""How many answers about an appliance a home gives in a stretch of time: as homes that report are seen to."""

from collections import Counter
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

from hushwatt.household.report.homes import enrol
from hushwatt.household.report.report import report
from hushwatt.plan.slot import SlotLength
from hushwatt.privacy.dearest import dearest_window
from hushwatt.privacy.entropy import Simulation
from hushwatt.privacy.long_run.answers import answers_in, slots_in, stretch_cost
from hushwatt.privacy.rotation import first_place
from hushwatt.privacy.strategies import strategy_for
from hushwatt.wire.payload import Layout, take

CASES = [(method, window, asked) for method in ("lbu", "lsp", "lpu") for window in (1, 3, 7, 40) for asked in (1, 2, 4)]


def walked(plan, slots):
    """How often every order and every turn asks about appliance 0, slot by slot."""
    seen: Counter[int] = Counter()
    asked, appliances = plan.appliances_per_report, len(plan.appliances)
    turns = range(plan.window) if plan.method == "lpu" else [0]
    for order in permutations(range(appliances)) if asked < appliances else [tuple(range(appliances))]:
        for turn in turns:
            drawn = [slot for slot in range(slots) if plan.method == "lbu" or slot % plan.window == turn]
            places = [[(first_place(plan, slot) + each) % appliances for each in range(asked)] for slot in drawn]
            seen[sum(order[place] == 0 for row in places for place in row)] += 1
    return {answers: count / sum(seen.values()) for answers, count in sorted(seen.items())}


@pytest.mark.parametrize(("method", "window", "asked"), CASES)
@pytest.mark.parametrize("slots", [1, 2, 5, 12, 30])
def test_as_every_turn_and_order_has_it(plan_of, method, window, asked, slots):
    """The average over all turns and all orders, also where the window is longer than the time."""
    plan = plan_of(2, 2, 2, 2, method=method, window=window, appliances_per_report=asked)

    assert answers_in(plan, slots) == pytest.approx(walked(plan, slots))


@pytest.mark.parametrize(("method", "asked"), [("lpu", 2), ("lbu", 1), ("lsp", 3)])
def test_as_homes_report(plan_of, method, asked):
    """Counted in the bytes of many homes; a repeat is no draw."""
    plan = plan_of(3, 3, 3, method=method, window=5, appliances_per_report=asked, oracle="grr")
    source, homes = Simulation(3, "answers"), 3_000
    fleet, seen, layout = enrol(plan, homes, 0, source), np.zeros(homes, dtype=int), Layout.of(plan)
    for slot in range(13):
        sent = report(fleet, slot, np.zeros((homes, 3), dtype=np.uint16), source)
        rows = np.flatnonzero(sent.spent)
        for place in layout.places[:-1] if layout.partial else [0]:
            said = take(sent.payloads[rows], place, layout.number_bits) if layout.partial else np.zeros(len(rows))
            seen[sent.homes[rows]] += said == 0
    found = {int(answers): float(np.mean(seen == answers)) for answers in np.unique(seen)}

    assert found == pytest.approx(answers_in(plan, 13), abs=0.04)


@pytest.mark.parametrize(("method", "window"), [("lbu", 3), ("lsp", 3), ("lpu", 4), ("lba", 3), ("lbd", 2)])
@pytest.mark.parametrize("slots", [1, 2, 3, 7, 12])
def test_no_stretch_costs_more(plan_of, method, window, slots):
    """The dearest stretch that a search finds costs no more, and by the clock as much."""
    plan = plan_of(3, 3, method=method, window=window)
    dearest = dearest_window(strategy_for(plan), slots)
    home, appliance = stretch_cost(plan, slots)

    assert home >= dearest
    assert home == dearest or plan.decision is not None
    assert appliance == -(-home // 2)


def test_one_appliance_of_many(plan_of):
    """With one of four asked at a time, ten draws come to one appliance three times at the most."""
    plan = plan_of(2, 2, 2, 2, method="lbu", window=10, appliances_per_report=1, epsilon=10_000_000)

    assert stretch_cost(plan, 10) == (10_000_000, 3_000_000)
    assert stretch_cost(plan, 12) == (12_000_000, 3_000_000)
    assert max(answers_in(plan, 10)) == 3


def test_where_the_provider_decides_a_home_speaks_once_a_window(plan_of):
    """The most there can be: one answer in every window."""
    plan = plan_of(2, 2, method="lpa", window=5, decision="provider")

    assert stretch_cost(plan, 11) == (12_000_000, 6_000_000)
    assert answers_in(plan, 11) == {3: 1.0}


def test_slots_as_the_calendar_has_them(plan_of):
    """Those that begin within the days; never more than the plan has, and never none."""
    plan = plan_of(2)
    assert [slots_in(plan, days) for days in (1, 30, 365, 1825, None)] == [1, 30, 365, 366, 366]
    quarters = replace(plan, slot=SlotLength(15, "m"))
    assert [slots_in(quarters, days) for days in (1, 30, None)] == [96, 2_880, 366 * 96]
    weeks = replace(plan, slot=SlotLength(7, "d"))
    assert [slots_in(weeks, days) for days in (1, 30, 365, None)] == [1, 5, 53, 53]
