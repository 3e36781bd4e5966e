"""Shares and ranks hold whatever homes do with several appliances at once."""

from dataclasses import replace

import numpy as np
import pytest
from tests.provider.simulated import plan_of

from hushwatt.fleet.simulate import simulate
from hushwatt.privacy.entropy import Simulation
from hushwatt.provider.estimate import estimate as module
from hushwatt.provider.estimate.arrays import SlotTimeline
from hushwatt.provider.estimate.estimate import estimate
from hushwatt.provider.estimate.period import PeriodMean
from hushwatt.provider.estimate.ranking.covariance import CovarianceBounds, asked_about_both, covariance_bounds

HOMES, WATTS, TIMES = 210, 1000.0, 100


def exclusive(rng, slots, anew):
    """Every home uses at most one of three."""
    draw = rng.random((slots if anew else 1, HOMES))
    return [(0.3 * place <= draw) & (draw < 0.3 * place + 0.3) for place in range(3)]


def comonotone(rng, slots, anew):
    """A home that uses a rarer one uses the commoner ones too."""
    draw = rng.random((slots if anew else 1, HOMES))
    return [draw < chance for chance in (0.3, 0.4, 0.5)]


def independent(rng, slots, anew):
    return [rng.random((slots if anew else 1, HOMES)) < 0.3 for _ in range(3)]


def against_the_rest(rng, slots, anew):
    """Two go together, and exclude the third."""
    draw = rng.random((slots if anew else 1, HOMES))
    return [draw < 0.3, draw > 0.6, draw > 0.6]


def trials(life, window, slots, asked, anew=True, seed=5, times=TIMES):
    """How often shares, and all ranks together, hold; and how wide the shares' intervals are."""
    plan = plan_of(
        [[0, WATTS]] * 3, oracle="grr", epsilon="60", window=window, method="lpu", appliances_per_report=asked
    )
    rng, held, ranked, width = np.random.default_rng(seed), [], [], []
    for time in range(times):
        used = np.stack([np.broadcast_to(use, (slots, HOMES)) for use in life(rng, slots, anew)], axis=-1)
        tallies = simulate(plan, WATTS * used, HOMES, Simulation(time, plan.id))
        found = list(estimate(plan, tallies).by_period.values())
        watts = used.mean(axis=(0, 1))
        held += [
            each.share_low <= part <= each.share_high for each, part in zip(found, watts / watts.sum(), strict=True)
        ]
        ranked.append(
            all(
                each.rank_best <= 1 + (watts > own).sum() and each.rank_worst >= 3 - (watts < own).sum()
                for each, own in zip(found, watts, strict=True)
            )
        )
        width += [each.share_high - each.share_low for each in found]
    return np.mean(held), np.mean(ranked), np.mean(width)


@pytest.mark.parametrize("life", [exclusive, comonotone, independent, against_the_rest])
@pytest.mark.parametrize(
    "window, slots, asked, anew",
    [(7, 1, 3, True), (7, 7, 3, True), (7, 1, 2, True), (1, 1, 1, True), (7, 14, 1, False)],
)
def test_shares_and_ranks_cover(life, window, slots, asked, anew):
    """At least 93 % of the shares hold, whatever the homes do, with all or with some appliances asked."""
    shares, together, _ = trials(life, window, slots, asked, anew)

    assert shares > 0.93
    assert together > 0.93


@pytest.mark.parametrize("life, window, slots, asked", [(exclusive, 7, 3, 3), (comonotone, 1, 1, 1)])
def test_independent_errors_would_not_cover(life, window, slots, asked, monkeypatch):
    """Without the bounds the same homes are missed."""
    monkeypatch.setattr(module, "covariance_bounds", lambda plan, periods, *_: CovarianceBounds.none(len(periods)))

    assert trials(life, window, slots, asked, times=200)[0] < 0.92


def test_what_independent_appliances_pay(monkeypatch):
    """With no noise at all, where it costs the most, intervals are at most 1.45 times as wide."""
    bounded = trials(independent, 7, 1, 3, times=40)[2]
    monkeypatch.setattr(module, "covariance_bounds", lambda plan, periods, *_: CovarianceBounds.none(len(periods)))

    assert 1.0 < bounded / trials(independent, 7, 1, 3, times=40)[2] < 1.45


def of_period(watts, variance, weight):
    return PeriodMean(np.zeros(2), np.zeros(2), watts, variance, 0.0, 0.0, watts, variance, weight)


def timeline_of(slots):
    numbers, all_of_them = np.arange(slots), np.ones(slots, dtype=bool)
    return SlotTimeline(numbers, numbers, numbers, numbers, numbers, all_of_them, all_of_them, *[numbers] * 4)


def test_bounds():
    """Exclusion gives −c·E[X]·E[Y], going together c·sd(X)·sd(Y), and no appliance is bound to itself."""
    plan = plan_of([[0, 1]] * 2, method="lpu", window=7)
    found = covariance_bounds(plan, [of_period(2.0, 9.0, 0.25), of_period(3.0, 16.0, 0.25)], timeline_of(1), 100)

    assert np.allclose(found.lowest, [[0, -0.25 * 2 * 3], [-0.25 * 2 * 3, 0]])
    assert np.allclose(found.highest, [[0, 12], [12, 0]])


def test_bounds_of_samples_drawn_apart():
    """Homes asked about one appliance only: −1/K times the homes' covariance, which may have either sign."""
    plan = plan_of([[0, 1]] * 2, method="lpu", window=7, appliances_per_report=1)
    periods = [of_period(2.0, 9.0, 0.25), of_period(3.0, 16.0, 0.25)]
    found = covariance_bounds(plan, periods, timeline_of(1), homes=100)

    assert np.isclose(found.lowest[0, 1], -12 * (1 / 100) / 0.25)
    assert np.isclose(found.highest[0, 1], 2 * 3 / 100)


def test_everybody_was_asked():
    """When every home spoke there is no sampling, and nothing is shared."""
    plan = plan_of([[0, 1]] * 2)
    found = covariance_bounds(plan, [of_period(2.0, 0.0, 0.0), of_period(3.0, 0.0, 0.0)], timeline_of(1), 100)

    assert not found.lowest.any()
    assert not found.highest.any()


@pytest.mark.parametrize(
    "method, asked, slots, part",
    [("lpu", 1, 7, (0, 0)), ("lpu", 1, 8, (0, 0.5)), ("lpu", 2, 1, (0.5, 0.5)), ("lbu", 1, 3, (0, 1))],
)
def test_asked_about_both(method, asked, slots, part):
    """A home is asked about so many appliances in the period as it has turns in it."""
    plan = plan_of([[0, 1]] * 3, method=method, window=7, appliances_per_report=asked)

    assert asked_about_both(plan, timeline_of(slots)) == part


@pytest.mark.parametrize("method, asked, part", [("lbu", 1, (0, 1)), ("lpu", 1, (0, 0.5)), ("lpu", 2, (0.5, 1))])
def test_slots_left_out_are_turns_too(method, asked, part):
    """In slots without an answer homes go on in their orders: the time from first to last counts."""
    plan = plan_of([[0, 1]] * 3, method=method, window=7, appliances_per_report=asked)
    whole = timeline_of(10)
    some = replace(whole, enough=np.isin(np.arange(10), [0, 9]))

    assert asked_about_both(plan, some) == asked_about_both(plan, whole) == part


def test_no_answer_has_no_turns():
    """Without a slot that has enough homes nothing is claimed to be apart."""
    plan = plan_of([[0, 1]] * 2, method="lpu", appliances_per_report=1)
    timeline = replace(timeline_of(3), enough=np.zeros(3, dtype=bool))

    assert asked_about_both(plan, timeline) == (1, 1)
