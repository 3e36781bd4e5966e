"""kWh: of the homes taking part while they do, and of all customers they are a sample of."""

from dataclasses import replace

import numpy as np
import pytest
from tests.provider.living import asked_by_turns, living_homes
from tests.provider.simulated import plan_of, repeated_slots

from hushwatt.provider.estimate.estimate import estimate
from hushwatt.provider.tally.tally import Tallies

VALUES = np.array([0.0, 1000.0, 2000.0])
DAYS, HOMES = 7, 1600


def plan(**changes):
    return plan_of([VALUES, VALUES], **{"oracle": "grr", "epsilon": "8", "window": 8, "method": "lpu"} | changes)


def energies(totals):
    """Each appliance by itself, and both together."""
    return [each.total for each in (*totals.by_appliance.values(), totals.together)]


def inside(found, truth):
    """Which of the limits hold the truth."""
    return [each.low <= kwh <= each.high for each, kwh in zip(found, [*truth, sum(truth)], strict=True)]


def growing(rng, agreed):
    """A collection that half of the homes join in the middle, when more is used; and the kWh used in it."""
    levels = living_homes(rng, HOMES, DAYS)
    levels = [np.where(np.arange(len(each))[:, None] < 84, np.minimum(each, 1), each) for each in levels]
    there = np.where(np.arange(24 * DAYS) < 84, HOMES // 2, HOMES)
    taking = np.arange(HOMES) < there[:, None]
    truth = [float((VALUES[each] * taking).sum()) / 1000 for each in levels]
    return asked_by_turns(rng, agreed, levels, there), truth


def test_homes_that_join_count_from_then_on():
    """Totals of homes that come later cover; the period's mean times homes and hours would not."""
    covered, plain = [], []
    for seed in range(40):
        tallies, truth = growing(np.random.default_rng(seed), plan())
        found = estimate(plan(), tallies)
        covered += inside(energies(found.totals.taking_part), truth)
        factor = HOMES * 24 * DAYS / 1000
        plain += [
            factor * each.low <= kwh <= factor * each.high
            for each, kwh in zip(found.by_period.values(), truth, strict=True)
        ]

    assert np.mean(covered) >= 0.93
    assert np.mean(plain) < 0.5
    assert (found.totals.fewest, found.totals.most) == (HOMES // 2, HOMES)


ALL = {"method": "lbu", "window": 1}  # every home speaks in every slot


def sampled(seed, agreed, customers=3 * HOMES, days=1):
    """A third of a town's customers, drawn at random; and what all of them used."""
    rng = np.random.default_rng(seed)
    levels = living_homes(rng, customers, days)
    taking = rng.permutation(customers)[:HOMES]
    tallies = asked_by_turns(rng, agreed, [each[:, taking] for each in levels])
    return tallies, [float(VALUES[each].sum()) / 1000 for each in levels]


@pytest.mark.parametrize("changes", [ALL, {}, {"oracle": "oue"}])
def test_all_customers(changes):
    """Totals of all customers cover, whether all homes speak or some by turns."""
    covered, agreed = [], plan(**changes)
    for seed in range(25):
        tallies, truth = sampled(seed, agreed)
        found = estimate(agreed, tallies, customers=3 * HOMES).totals
        covered += inside(energies(found.customers), truth)

    assert np.mean(covered) >= 0.93
    assert [each.value for each in energies(found.customers)] == pytest.approx(
        [3 * each.value for each in energies(found.taking_part)]
    )


def test_homes_times_three_are_not_all_customers():
    """The totals of the homes taking part, scaled, are too sure of themselves: who takes part is left to chance."""
    scaled, agreed = [], plan(**ALL)
    for seed in range(25):
        tallies, truth = sampled(seed, agreed)
        found = estimate(agreed, tallies).totals
        scaled += inside([each.times(3) for each in energies(found.taking_part)], truth)

    assert np.mean(scaled) < 0.8


def test_everybody_takes_part():
    """Where customers are the homes taking part, nothing is added."""
    tallies, _ = sampled(1, plan())
    found = estimate(plan(), tallies, customers=HOMES).totals

    assert energies(found.customers) == energies(found.taking_part)


def test_a_day():
    """Energy a day is mean power times the homes and 24 hours, whatever was heard; the total is of what was."""
    rng = np.random.default_rng(3)
    found = estimate(plan(), asked_by_turns(rng, plan(), living_homes(rng, HOMES, DAYS)))
    energy, mean = found.totals.taking_part.by_appliance["appliance 0"], found.by_period["appliance 0"]

    assert np.isclose(energy.a_day.value, HOMES * mean.watts * 24 / 1000)
    assert np.isclose(energy.a_day.high, HOMES * mean.high * 24 / 1000)
    assert np.isclose(energy.total.value, DAYS * energy.a_day.value)
    assert (energy.hours, found.totals.hours, found.totals.days) == (24 * DAYS, 24 * DAYS, DAYS)


def test_a_missing_day():
    """Slots without an answer are in no total, and the day stays what it was."""
    rng = np.random.default_rng(3)
    tallies = asked_by_turns(rng, plan(), living_homes(rng, HOMES, DAYS))
    kept = {key: tally for key, tally in tallies.groups.items() if not 24 <= key.slot < 48}
    found = estimate(plan(), Tallies(HOMES, kept)).totals
    energy = found.taking_part.by_appliance["appliance 0"]

    assert found.hours == energy.hours == 24 * (DAYS - 1)
    assert np.isclose(energy.total.value, (DAYS - 1) * energy.a_day.value)


def answering(oracle="oue", **changes):
    """Levels for a plan in which homes say that they do not measure an appliance."""
    return plan_of([[0.0, 1000.0]], oracle=oracle, epsilon="3", unmeasured="answer", **changes)


def test_homes_that_do_not_measure_are_not_off():
    """The total is of homes that measure, and what all would use stands apart: as much more as fewer measure."""
    rng, held = np.random.default_rng(4), np.array([500, 300, 1200])  # the last answer: not measured
    covered = []
    for _ in range(100):
        found = estimate(answering(), repeated_slots(rng, answering(), [held], 6)).totals.taking_part
        true = 300 * 6
        both = [found.together.total, found.all_as_measured.together.total]
        covered += [both[0].low <= true <= both[0].high, both[1].low <= true * 2000 / 800 <= both[1].high]
    ratio = both[1].value / both[0].value

    assert np.mean(covered) >= 0.93
    assert 2.1 < ratio < 2.9


def test_real_watts_above_the_top():
    """Where a plan knows a typical high, totals hold what lies above the top level, as means do."""
    clipped = plan_of([[0.0, 1000.0]], mapping="dither", oracle="grr", epsilon="3")
    real = replace(clipped, appliances=tuple(replace(each, typical_high=900.0) for each in clipped.appliances))
    found = estimate(real, repeated_slots(np.random.default_rng(5), real, [np.array([1600, 400])], 6))
    mean, energy = found.by_period["appliance 0"], found.totals.taking_part
    factor = 2000 * 6 / 1000

    assert mean.above_top > 0
    assert np.allclose(energy.together.total, [factor * each for each in (mean.watts, mean.low, mean.high)], rtol=0.02)
    assert np.allclose(
        energy.by_appliance["appliance 0"].total, [factor * each for each in (mean.watts, mean.low, mean.high)]
    )


def moved(tallies, moving):
    """The same with so many answers about appliance 0 for another level in slot 0, and as many back in slot 1."""
    groups = {key: replace(tally, counts=tally.counts.copy()) for key, tally in tallies.groups.items()}
    for tally, sign in zip([groups[key] for key in sorted(groups)], (1, -1), strict=False):
        tally.counts[:2] += np.array([moving, -moving]) * sign
    return replace(tallies, groups=groups)


def test_slots_that_count_together_weigh_alike():
    """Where slots below the minimum count together, no total is a second sum that would give one of them away."""
    agreed = plan_of([VALUES, VALUES], method="lpu", window=4, appliances_per_report=1, minimum_homes=60, oracle="grr")
    tallies = repeated_slots(np.random.default_rng(1), agreed, [np.array([25, 10, 5])] * 2, 8, drawn=agreed.epsilon)
    groups = {key: replace(tally, rows=80) for key, tally in tallies.groups.items()}  # half speak of each appliance
    tallies = replace(tallies, groups=groups, homes=400, homes_then={slot: 320 + 10 * slot for slot in range(8)})
    both = [estimate(agreed, each, customers=500).totals for each in (tallies, moved(tallies, 4))]
    before, after = [each.taking_part.by_appliance["appliance 0"].total for each in both]

    assert before.value == pytest.approx(after.value, rel=1e-9)
    assert both[0].fewest < both[0].most
