"""Differences between stretches of time: as sure as is said, whatever homes do on both sides."""

from dataclasses import replace

import numpy as np
import pytest
from tests.provider.simulated import answers, plan_of, tallies_of

from hushwatt.errors import UsageError
from hushwatt.plan.plan import Plan
from hushwatt.provider.estimate.collected import CollectedSlots
from hushwatt.provider.estimate.contrasts.contrast import contrasts, holm
from hushwatt.provider.estimate.contrasts.contrast_document import contrast_document
from hushwatt.provider.estimate.estimate import estimate
from hushwatt.provider.estimate.times.time_filter import TimeFilter
from hushwatt.provider.tally.tally import TallyKey

VALUES = np.array([0.0, 1000.0])
HOMES, DAYS, APPLIANCES = 1200, 7, 4
EVENING, NIGHT = slice(17, 21), slice(0, 6)


def chances(rng, effect, exclusive):
    """By hour and home, how likely an appliance runs: habits, more of it in the evening, or at one time alone."""
    habit = rng.beta(0.3, 0.7, size=HOMES)
    chance = np.outer(np.ones(24), 0.5 * habit)
    if exclusive:  # who runs it in the evening never does at night
        late = rng.random(HOMES) < 0.5
        chance[EVENING], chance[NIGHT] = late * habit, ~late * habit
    chance[EVENING] *= 1 + effect
    return chance


def collected(rng, plan, effect=0.0, exclusive=False):
    """Tallies of a week of hours, and the true differences between evening and night."""
    phase, slots = rng.permutation(HOMES) % plan.window, 24 * DAYS
    reports, counts, truth = [], [], []
    for appliance in range(len(plan.appliances)):
        chance = np.tile(chances(rng, effect, exclusive), (DAYS, 1))
        used = rng.random(chance.shape) < chance
        held = np.array([np.bincount(used[slot, phase == slot % plan.window], minlength=2) for slot in range(slots)])
        reports.append(held.sum(axis=1))
        counts.append(answers(rng, plan, plan.epsilon, appliance, held, slots))
        hours = 1000 * used.reshape(DAYS, 24, HOMES).mean(axis=(0, 2))
        truth.append(hours[EVENING].mean() - hours[NIGHT].mean())
    keys = [TallyKey(slot, 0, slot, plan.epsilon) for slot in range(slots)]
    return tallies_of(HOMES, keys, reports, counts), truth


def sides(plan, tallies, *hours):
    return [CollectedSlots.of(plan, tallies, times=TimeFilter.parse(each, None)) for each in hours]


def by_turns(window=36, epsilon="24"):
    return plan_of([VALUES] * APPLIANCES, oracle="grr", epsilon=epsilon, window=window, method="lpu")


def trials(window, times, **homes):
    """How often the limits hold the truth, and how often any appliance is called different."""
    plan, rng = by_turns(window), np.random.default_rng(window)
    inside, alarms = [], []
    for _ in range(times):
        tallies, truth = collected(rng, plan, **homes)
        found = list(contrasts(sides(plan, tallies, "17-21", "0-6")).by_appliance.values())
        inside += [each.low <= true <= each.high for each, true in zip(found, truth, strict=True)]
        alarms.append(any(each.p_adjusted < 0.05 for each in found))
    return np.mean(inside), np.mean(alarms)


@pytest.mark.parametrize("window", [24, 25])
@pytest.mark.parametrize("exclusive", [False, True])
def test_differences_cover_and_alarms_are_rare(window, exclusive):
    """With habits, with homes that do the one instead of the other, with turns that come round with the day."""
    inside, alarms = trials(window, 25, exclusive=exclusive)

    assert inside > 0.93
    assert alarms <= 0.08  # 5 % and the luck of 25


def test_noise_alone_is_exact():
    """Where every home speaks in every slot, limits hold in about 95 % of all cases, not in all."""
    plan, rng, inside = plan_of([VALUES], epsilon="2"), np.random.default_rng(4), []
    held = np.array([600, 200])
    for _ in range(400):
        keys = [TallyKey(slot, 0, slot, plan.epsilon) for slot in range(8)]
        tallies = tallies_of(800, keys, [np.full(8, 800)], [answers(rng, plan, plan.epsilon, 0, held, 8)])
        found = contrasts([CollectedSlots.of(plan, tallies, 0, 3), CollectedSlots.of(plan, tallies, 4, 7)])
        inside.append(found.by_appliance["appliance 0"].low <= 0 <= found.by_appliance["appliance 0"].high)

    assert 0.92 < np.mean(inside) < 0.98


def test_a_difference_is_found():
    """Half as much again in the evening is sure, in watts and in per cent."""
    inside, alarms = trials(36, 6, effect=1.0)
    plan, rng = by_turns(), np.random.default_rng(1)
    tallies, truth = collected(rng, plan, effect=1.0)
    each = contrasts(sides(plan, tallies, "17-21", "0-6")).by_appliance["appliance 0"]

    assert (inside, alarms) == (1, 1)
    assert each.p_adjusted < 0.05
    assert each.low < truth[0] < each.high
    assert each.percent_low < 100 < each.percent_high
    assert each.difference == pytest.approx(each.means[0] - each.means[1])
    assert each.detectable > 0


def test_sides_are_what_estimate_says():
    """The means of both sides are those of the filtered estimates."""
    plan, rng = by_turns(), np.random.default_rng(2)
    tallies, _ = collected(rng, plan)
    found = contrasts(sides(plan, tallies, "17-21", "0-6")).by_appliance
    evening, night = (
        estimate(plan, tallies, times=TimeFilter.parse(each, None)).by_period for each in ("17-21", "0-6")
    )

    for name, each in found.items():
        assert each.means == pytest.approx((evening[name].watts, night[name].watts))


def test_a_side_against_itself_differs_by_nothing():
    plan, rng = by_turns(), np.random.default_rng(3)
    tallies, _ = collected(rng, plan)
    each = contrasts(sides(plan, tallies, "17-21", "17-21")).by_appliance["appliance 1"]

    assert (each.difference, each.p) == (0, pytest.approx(1))


def test_difference_in_differences():
    """Four sides: beyond what differs elsewhere; the same twice over is nothing, and less sure than either."""
    plan, rng = by_turns(), np.random.default_rng(5)
    tallies, _ = collected(rng, plan, effect=1.0)
    two = contrasts(sides(plan, tallies, "17-21", "0-6")).by_appliance["appliance 0"]
    four = contrasts(sides(plan, tallies, "17-21", "0-6", "17-21", "0-6")).by_appliance["appliance 0"]
    told = contrast_document(contrasts(sides(plan, tallies, "17-21", "0-6", "8-9", "9-10")), ["a", "b", "c", "d"])

    assert four.difference == pytest.approx(0)
    assert four.high - four.low > two.high - two.low
    assert [side["slots"] for side in told["versus"]] == [7, 7]


def test_an_answer_on_both_sides_of_a_sum_counts_twice():
    """Where a and d hold the same draws, their noise adds up instead of cancelling out."""
    plan, rng = plan_of([VALUES], epsilon="2"), np.random.default_rng(6)
    keys = [TallyKey(slot, 0, slot, plan.epsilon) for slot in range(8)]
    counts = [answers(rng, plan, plan.epsilon, 0, np.array([600, 200]), 8)]
    tallies = tallies_of(800, keys, [np.full(8, 800)], counts)
    part = [CollectedSlots.of(plan, tallies, first, first + 1) for first in (0, 2, 4, 6)]
    apart = contrasts(part).by_appliance["appliance 0"]
    doubled = contrasts([part[0], part[1], part[2], part[0]]).by_appliance["appliance 0"]

    ratio = (doubled.high - doubled.low) / (apart.high - apart.low)
    assert ratio == pytest.approx(np.sqrt(6 / 4), rel=0.05)


def test_wrong_numbers_of_sides():
    plan, rng = by_turns(), np.random.default_rng(7)
    tallies, _ = collected(rng, plan)

    with pytest.raises(UsageError, match="two sides, or four"):
        contrasts(sides(plan, tallies, "17-21"))


def test_real_watts_have_one_tail():
    """What lies above the top widens a difference by the part of it alone, not by both sides' whole tails."""
    lines = {"mapping": "dither", "oracle": "grr", "epsilon": "6", "window": 1}
    plan = plan_of([[0.0, 300.0]], **lines)
    known = '"typical_high":"900","typical_mean":"120","values":'
    real = Plan.parse(plan.canonical().decode().replace('"values":', known))
    rng = np.random.default_rng(8)
    keys = [TallyKey(slot, 0, slot, real.epsilon) for slot in range(8)]
    counts = [answers(rng, real, real.epsilon, 0, np.array([3000, 1000]), 8)]
    tallies = tallies_of(4000, keys, [np.full(8, 4000)], counts)
    each = contrasts([CollectedSlots.of(real, tallies, 0, 3), CollectedSlots.of(real, tallies, 4, 7)])
    contrast = each.by_appliance["appliance 0"]
    period = estimate(real, tallies).by_period["appliance 0"]

    assert not period.clipped
    assert contrast.low < 0 < contrast.high
    assert contrast.high - contrast.low < 0.5 * (period.high - period.low)


def test_holm_allows_for_many():
    assert holm({"a": 0.01, "b": 0.01, "c": 0.5}) == {"a": pytest.approx(0.03), "b": pytest.approx(0.03), "c": 0.5}
    assert holm({}) == {}


def daily(window, **lines):
    """One appliance by the day, hardly any noise."""
    keys = {"oracle": "grr", "epsilon": "40", "window": window, "method": "lpu", "slot": "1d"}
    return plan_of([VALUES], **(keys | lines))


@pytest.mark.parametrize("window", [2, 3])
def test_who_washes_every_other_day_does_so_at_his_turn_or_never(window):
    """Machines that run every so many days as homes speak: asking all homes once is no census of them."""
    plan, rng, homes, inside = daily(window), np.random.default_rng(9), 600, []
    for _ in range(120):
        phase, day = rng.permutation(homes) % window, np.arange(homes) % window
        slots = np.arange(2 * window)  # in the second round everybody has moved to the next day
        used = [day[phase == slot % window] == (slot + slot // window) % window for slot in slots]
        held = np.array([[np.sum(~each), np.sum(each)] for each in used])
        counts = [answers(rng, plan, plan.epsilon, 0, held, len(slots))]
        tallies = tallies_of(homes, [TallyKey(slot, 0, slot, plan.epsilon) for slot in slots], [held.sum(1)], counts)
        period = estimate(plan, tallies, first=0, last=window - 1).by_period["appliance 0"]
        found = contrasts([CollectedSlots.of(plan, tallies, 0, window - 1), CollectedSlots.of(plan, tallies, window)])
        each = found.by_appliance["appliance 0"]
        inside.append((period.low <= 1000 / window <= period.high, each.low <= 0 <= each.high))

    assert np.mean(inside, axis=0) == pytest.approx(0.96, abs=0.04)


@pytest.mark.parametrize("share", [0.01, 0.03])
def test_a_short_side_of_a_rare_appliance_is_not_sure_by_being_empty(share):
    """Nobody among a hundred runs it, against a long side: that is chance, as a score test says and z does not."""
    plan, rng, alarms, inside = by_turns(30), np.random.default_rng(10), [], []
    plan, slots, asked = replace(plan, minimum_homes=50), 21, 100
    for _ in range(150):
        counts = []
        for appliance in range(APPLIANCES):
            used = rng.binomial(asked, share, slots)
            counts.append(answers(rng, plan, plan.epsilon, appliance, np.stack([asked - used, used], axis=1), slots))
        keys = [TallyKey(slot, 0, slot, plan.epsilon) for slot in range(slots)]
        tallies = tallies_of(30 * asked, keys, [np.full(slots, asked)] * APPLIANCES, counts)
        found = contrasts([CollectedSlots.of(plan, tallies, 0, 0), CollectedSlots.of(plan, tallies, 1)])
        alarms.append(any(each.p_adjusted < 0.05 for each in found.by_appliance.values()))
        inside += [each.low <= 0 <= each.high for each in found.by_appliance.values()]

    assert np.mean(alarms) <= 0.08
    assert 0.93 < np.mean(inside) < 0.99
