"""Means among measuring homes, of real watts: covered on long-tailed homes of which 40 % measure nothing."""

from dataclasses import replace
from itertools import pairwise
from statistics import NormalDist

import numpy as np
import pytest
from tests.provider.simulated import answers, plan_of, tallies_of

from hushwatt.privacy.tails import is_real
from hushwatt.provider.estimate.estimate import estimate
from hushwatt.provider.estimate.intervals import Z95
from hushwatt.provider.estimate.measuring_mean import (
    MIN_SIGMAS,
    OUTSIDE,
    MeanTest,
    MeasuringMean,
    Tails,
    is_plain,
    mean_of,
    normal_distribution,
)
from hushwatt.provider.tally.tally import TallyKey

VALUES, HIGH, USED, MEASURED = [0.0, 80.0, 200.0], 100.0, 0.3, 0.6
HOMES = {  # watts in use over their 95th percentile
    "exponential": lambda rng, size: rng.exponential(1, size) / np.log(20),
    "Weibull 1/2": lambda rng, size: rng.weibull(0.5, size) / np.log(20) ** 2,
    "lognormal 1": lambda rng, size: rng.lognormal(0, 1, size) / np.exp(1.645),
    "Lomax 2.5": lambda rng, size: rng.pareto(2.5, size) / (20**0.4 - 1),
    "flat": lambda rng, size: rng.uniform(0, 1 / 0.95, size),
}


def measuring_plan(count=1, high=HIGH, values=VALUES, **changes):
    keys = {"oracle": "grr", "mapping": "dither", "epsilon": str(count), "unmeasured": "answer"} | changes
    plan = plan_of([values] * count, **keys)
    return replace(plan, appliances=tuple(replace(each, typical_high=high) for each in plan.appliances))


def dithered(watts, measured):
    """The chance of each answer, and the mean of real and of clipped watts."""
    clipped, levels = np.minimum(watts, VALUES[-1]), np.array(VALUES)
    above = [np.clip((clipped - low) / (high - low), 0, 1) for low, high in pairwise(VALUES)]
    least = np.array([1.0, *(each.mean() for each in above), 0.0])
    held = -np.diff(least)
    return np.array([*held * measured, *[1 - measured] * (measured < 1)]), watts.mean(), float(held @ levels)


def simulated(plan, chances, homes, times, rng):
    """Tallies of as many slots: what homes hold is drawn anew in each."""
    keys = [TallyKey(slot, 0, slot, plan.epsilon) for slot in range(times)]
    counts = [
        answers(rng, plan, plan.epsilon, number, rng.multinomial(homes, chance, times), times)
        for number, chance in enumerate(chances)
    ]
    return tallies_of(homes, keys, [np.full(times, homes)] * len(chances), counts)


def fleet(rng, measured=MEASURED):
    watts = [HIGH * draw(rng, 400_000) * (rng.random(400_000) < USED) for draw in HOMES.values()]
    return zip(*(dithered(each, measured) for each in watts), strict=True)


@pytest.mark.parametrize("unmeasured", ["answer", "zero"])
@pytest.mark.parametrize("prior", [0.5, 1, 2])
def test_real_watts_are_covered_in_slots(prior, unmeasured):
    """Whatever the tail, and with a typical high that is off by two: 93 % pooled, 90 % for each appliance."""
    rng = np.random.default_rng(5)
    plan = measuring_plan(len(HOMES), HIGH * prior, unmeasured=unmeasured)
    chances, truth, _ = fleet(rng, MEASURED if unmeasured == "answer" else 1)
    found = estimate(plan, simulated(plan, chances, 30_000, 300, rng)).by_slot.values()
    covered = [
        ((each.watts_low <= real) & (real <= each.watts_high)).mean() for each, real in zip(found, truth, strict=True)
    ]

    assert np.mean(covered) >= 0.93
    assert min(covered) >= 0.90


@pytest.mark.parametrize("measured", [0.03, 0.09])
def test_slots_that_chance_chose_to_show_are_covered(measured):
    """Where hardly any home measures, a mean is shown only now and then, when more seem to: its limits hold even so."""
    rng, plan = np.random.default_rng(6), measuring_plan(len(HOMES), epsilon="3.125")
    chances, truth, _ = fleet(rng, measured)
    found = estimate(plan, simulated(plan, chances, 1667, 1000, rng)).by_slot.values()
    shown = [
        (each.watts_low[each.known] <= real) & (real <= each.watts_high[each.known])
        for each, real in zip(found, truth, strict=True)
    ]

    assert 100 < sum(map(len, shown)) < 2000
    assert np.concatenate(shown).mean() >= 0.93


def test_limits_hold_the_estimate_even_below_zero():
    """Few homes, nothing used: some means are below zero, and so is their lower limit, but no other."""
    rng, plan = np.random.default_rng(2), measuring_plan(unmeasured="zero")
    slots = estimate(plan, simulated(plan, [np.array([1.0, 0.0, 0.0])], 300, 200, rng)).by_slot["appliance 0"]

    assert (slots.watts < 0).any()
    assert (slots.watts_low <= slots.watts).all()
    assert (slots.watts <= slots.watts_high).all()
    assert (slots.watts_low[slots.watts >= 0] >= 0).all()


def test_real_watts_are_covered_over_periods():
    """Watts, shares and ranks of ten slots of 3,000 homes."""
    rng = np.random.default_rng(6)
    plan = measuring_plan(len(HOMES))
    chances, truth, _ = map(np.array, fleet(rng))
    places, hits = (-truth).argsort().argsort() + 1, []
    for _ in range(30):
        periods = estimate(plan, simulated(plan, chances, 3_000, 10, rng)).by_period.values()
        for each, watts, place in zip(periods, truth, places, strict=True):
            share = watts / truth.sum()
            hits.append(
                [
                    each.low <= watts <= each.high,
                    each.share_low <= share <= each.share_high,
                    each.rank_best <= place <= each.rank_worst,
                    each.measured_low <= MEASURED <= each.measured_high,
                ]
            )
            assert not each.clipped
            assert each.above_top > 0

    assert (np.mean(hits, axis=0) >= 0.93).all()


def clipped_slots(oracle="grr", times=6_000, homes=2_000):
    """Slots of a plan without prior knowledge: the estimates, and the mean of clipped watts."""
    rng = np.random.default_rng(7)
    plan = measuring_plan(high=None, oracle=oracle, epsilon="2")
    chance, _, clipped = dithered(HIGH * rng.exponential(1, 400_000), MEASURED)
    found = estimate(plan, simulated(plan, [chance], homes, times, rng))
    return found, found.by_slot["appliance 0"], clipped


@pytest.mark.parametrize("oracle", ["grr", "oue"])
def test_an_interval_that_is_a_tenth_too_narrow_is_noticed(oracle):
    """A ratio's interval covers 95 %; made a tenth narrower, it does not cover 93.5 %."""
    _, slots, truth = clipped_slots(oracle)
    middle, reach = (slots.watts_low + slots.watts_high) / 2, (slots.watts_high - slots.watts_low) / 2
    away = np.abs(truth - middle)

    assert 0.94 < (away <= reach).mean() < 0.96
    assert (away <= 0.9 * reach).mean() < 0.935
    assert slots.watts.std() == pytest.approx(float(np.median(slots.watts_se)), rel=0.1)


def test_measuring_homes_and_their_levels():
    """The part that measures is covered in every slot, and levels hold these homes only."""
    found, slots, truth = clipped_slots()
    covered = (slots.measured_low <= MEASURED) & (slots.measured_high >= MEASURED)
    period = found.by_period["appliance 0"]

    assert 0.93 < covered.mean() < 0.97
    assert slots.levels.shape[1] == 3
    assert period.levels.sum() == pytest.approx(2_000 * MEASURED, rel=0.02)
    assert period.measured == pytest.approx(MEASURED, abs=0.01)
    assert period.watts == pytest.approx(truth, rel=0.02)
    assert (period.clipped, period.above_top) == (True, 0.0)


def test_hardly_any_home_measures_it():
    """No mean and no rank, but how many measure it; nothing is said in its slots."""
    rng, plan = np.random.default_rng(3), measuring_plan(2)
    chances = [np.array([0.0, 0.0, 0.0, 1.0]), np.array([0.3, 0.2, 0.1, 0.4])]
    found = estimate(plan, simulated(plan, chances, 500, 3, rng))

    assert found.by_period["appliance 0"] is None
    assert list(found.too_few_measure) == ["appliance 0"]
    assert found.too_few_measure["appliance 0"].low <= 0
    assert found.withheld == {}
    assert found.top == ("appliance 1",)
    assert not found.by_slot["appliance 0"].known.any()


def test_smoothed_slots_are_about_the_same_homes():
    """Smoothing a steady fleet brings slots nearer to the real mean, and still covers it."""
    rng, plan = np.random.default_rng(8), measuring_plan(len(HOMES))
    chances, truth, _ = fleet(rng)
    tallies = simulated(plan, chances, 20_000, 60, rng)
    plain, smooth = (estimate(plan, tallies, smooth=flag).by_slot.values() for flag in (False, True))
    hits = []
    for rough, fine, real in zip(plain, smooth, truth, strict=True):
        assert fine.watts[20:].std() < 0.8 * rough.watts[20:].std()
        hits.append(((fine.watts_low <= real) & (real <= fine.watts_high)).mean())

    assert np.mean(hits) >= 0.93


def test_what_real_watts_need():
    """Random rounding from 0 W on, and a typical high."""
    plan = measuring_plan(unmeasured="zero")

    assert is_real(plan, 0)
    assert not is_real(measuring_plan(high=None), 0)
    assert not is_real(measuring_plan(values=[5.0, 80.0, 200.0]), 0)
    ranged = plan_of([VALUES])
    known = tuple(replace(each, typical_high=HIGH) for each in ranged.appliances)
    assert not is_real(replace(ranged, appliances=known), 0)
    assert is_plain(measuring_plan(high=None, unmeasured="zero"), 0)
    assert not is_plain(measuring_plan(high=None), 0)


@pytest.mark.parametrize("smooth", [False, True])
def test_later_slots_change_no_earlier_one(smooth):
    """What was shown of a slot stays, whatever comes later and whichever range is asked for."""
    rng, plan = np.random.default_rng(9), measuring_plan(2)
    tallies = simulated(plan, [np.array([0.3, 0.2, 0.1, 0.4]), np.array([0.4, 0.05, 0.05, 0.5])], 3000, 12, rng)
    whole = estimate(plan, tallies, smooth=smooth).by_slot["appliance 0"]
    early = estimate(plan, tallies, smooth=smooth, first=3, last=7).by_slot["appliance 0"]
    for name in ("watts", "watts_se", "watts_low", "watts_high", "levels", "measured"):
        assert getattr(early, name).tolist() == getattr(whole, name)[3:8].tolist()


def test_the_mean_of_known_shares():
    """Without a tail: watts over the homes that measure."""
    plan = measuring_plan(high=None)

    assert mean_of(plan, 0, np.array([0.3, 0.2, 0.1, 0.4]), 1e-6 * np.eye(4)) == pytest.approx((16 + 20) / 0.6)


def test_a_root_is_as_far_away_as_it_was_asked_to_be():
    """Fieller's ends, put into the test that they come from; where none is, they are infinite."""
    rng = np.random.default_rng(3)
    sure = MeanTest(
        watts=rng.normal(40, 30, (50, 4)),
        measured=rng.uniform(0.3, 1, (50, 1)),
        watts_variance=rng.uniform(5, 9, (50, 4)),
        covariance=rng.uniform(-0.1, 0.1, (50, 4)),
        measured_variance=np.full((50, 1), 0.01),
    )

    for sigmas in (-1.96, 2.05):
        assert sure.sigmas(sure.root(sigmas)) == pytest.approx(np.full((50, 4), sigmas))
    assert (replace(sure, measured_variance=np.ones((50, 1))).root(-1.96) == -np.inf).all()


def test_an_end_has_the_chance_that_it_is_asked_for():
    """With tails that lie far apart beside the noise, where the chance rises in steps, and with close ones."""
    for noise in (1e-4, 1e-2, 1.0):
        tails = Tails(np.array([0.0, 0.1, 0.5, 3.0]), np.array([[0.5, 0.3, 0.15, 0.05]]), 0.1)
        covariance = noise * np.array([[[100.0, 0.1, 0.05], [0.1, 0.01, 0.001], [0.05, 0.001, 0.01]]])
        mean = MeasuringMean(100.0, np.array([[30.0, 0.2, 0.6]]), covariance, tails)
        end = mean.end(0.98, tails)
        below, above = (
            (normal_distribution(mean._away(tails.ratios).sigmas(end[:, None] * part)) * tails.weights).sum()
            for part in (1 - 1e-4, 1 + 1e-4)
        )

        assert below <= 0.98 <= above


def test_limits_are_bounded_as_soon_as_enough_homes_measure():
    """A part of measuring homes that is sure enough to be shown is sure enough for both ends of a ratio."""

    assert NormalDist().inv_cdf(1 - OUTSIDE) < MIN_SIGMAS
    assert MIN_SIGMAS > Z95
