"""Courses: the numbers of folds, without what a line does not need."""

from dataclasses import replace

import numpy as np
import pytest
from tests.provider.simulated import answers, plan_of, repeated_slots, tallies_of

from hushwatt.plan.plan import Plan
from hushwatt.provider.estimate.collected import CollectedSlots
from hushwatt.provider.estimate.courses.course import courses, side
from hushwatt.provider.estimate.estimate import estimate
from hushwatt.provider.estimate.times.fold import fold_rows
from hushwatt.provider.tally.tally import TallyKey

VALUES = ([0.0, 100.0, 500.0], [0.0, 1000.0])
HOMES, SLOTS = 900, 24 * 4


def plan_and_tallies(**changes):
    plan, rng = plan_of(VALUES, oracle="grr", epsilon="6", **changes), np.random.default_rng(5)
    held = [np.array([600, 200, 100]), np.array([800, 100])]
    return plan, repeated_slots(rng, plan, held, SLOTS)


def by_turns(least, rows=1, **changes):
    """Homes that take turns over eight slots, about 112 in each; `rows` times as many came for all."""
    plan = plan_of(VALUES, oracle="grr", epsilon="6", window=8, method="lpu", minimum_homes=least, **changes)
    rng, spoke = np.random.default_rng(6), np.full(SLOTS, HOMES // 8) - np.arange(SLOTS) % 5
    counts = []
    for number, shares in enumerate(([0.6, 0.3, 0.1], [0.8, 0.2])):
        held = np.stack([rng.multinomial(each, shares) for each in spoke])
        counts.append(answers(rng, plan, plan.epsilon, number, held, SLOTS))
    keys = [TallyKey(slot, 0, slot, plan.epsilon) for slot in range(SLOTS)]
    tallies = tallies_of(HOMES * rows, keys, [spoke] * 2, counts)
    return plan, replace(
        tallies, groups={key: replace(each, rows=rows * each.rows) for key, each in tallies.groups.items()}
    )


def real():
    """Watts that are real: the plan says what a high reading typically is."""
    plan, tallies = plan_and_tallies(mapping="dither")
    text = plan.toml().replace("values = [0, 1000]", "values = [0, 1000]\ntypical_mean = 200\ntypical_high = 1500")
    return Plan.parse(text), tallies


@pytest.mark.parametrize(
    "made",
    [
        plan_and_tallies,
        lambda: plan_and_tallies(publish=3),
        lambda: by_turns(least=100),
        lambda: by_turns(least=112),
        lambda: by_turns(least=500, rows=5, appliances_per_report=1),
        real,
    ],
    ids=["plain", "periods", "turns", "some too few", "pools", "real"],
)
@pytest.mark.parametrize("fold", ["hour", "weekday", "each-day"])
def test_courses_are_the_folds(made, fold):
    """Every mean and every limit is that of the fold, and where that has no answer there is none."""
    plan, tallies = made()
    folds = estimate(plan, tallies, fold=fold).folds
    found = courses(CollectedSlots.of(plan, tallies), fold, plan.names)
    expected = [[each.by_period[name] for each in folds] for name in plan.names]
    points = [list(found.by_appliance[name]) for name in plan.names]

    assert found.keys == tuple(each.key for each in folds)
    assert [[p and (p.watts, p.low, p.high, p.noise) for p in row] for row in points] == [
        [e and pytest.approx((e.watts, e.low, e.high, e.watts_se), rel=1e-9) for e in row] for row in expected
    ]
    assert any(each for row in expected for each in row) or fold != "each-day"


def test_a_side_is_one_appliance_in_some_slots():
    """What stands on a side is the fold's mean."""
    plan, tallies = plan_and_tallies()
    collected = CollectedSlots.of(plan, tallies)
    noon = side(collected, fold_rows(plan, collected.timeline, "hour")["12"], plan.names[1])
    fold = next(each for each in estimate(plan, tallies, fold="hour").folds if each.key == "12")

    assert list(noon.series) == [plan.names[1]]
    assert noon.slots == 4
    assert noon.series[plan.names[1]].period.watts == fold.by_period[plan.names[1]].watts
