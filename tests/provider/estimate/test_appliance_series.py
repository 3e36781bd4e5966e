"""One appliance on the watts that its answers are worth: to first order, the mean that is asked for."""

import numpy as np
import pytest
from tests.provider.estimate.test_measuring_mean import HIGH, dithered, measuring_plan, simulated

from hushwatt.privacy.influence import report_influence
from hushwatt.provider.estimate.appliance_series import ApplianceSeries
from hushwatt.provider.estimate.arrays import SlotTimeline, TallyArrays
from hushwatt.provider.estimate.estimate import estimate
from hushwatt.provider.estimate.measuring_mean import mean_of, moved_means
from hushwatt.provider.tally.tally import Tallies, Tally, TallyKey


def series_of(plan, tallies, homes):
    arrays = TallyArrays.of(plan, tallies)
    timeline = SlotTimeline.of(arrays, minimum=1)
    return ApplianceSeries.of(plan, arrays, 0, timeline, np.full(len(timeline.slots), float(homes)))


def collected(plan, homes=4000, slots=5, seed=1):
    rng = np.random.default_rng(seed)
    chance, *_ = dithered(HIGH * rng.exponential(1, 100_000), 0.6 if plan.answers_unmeasured else 1)
    return simulated(plan, [chance], homes, slots, rng)


@pytest.mark.parametrize("changes", [{}, {"high": None}, {"unmeasured": "zero"}, {"oracle": "oue"}], ids=str)
def test_the_linear_mean_is_the_ratio(changes):
    """The plain mean of what answers are worth is the mean among measuring homes, and errs alike."""
    plan = measuring_plan(epsilon="2", **changes)
    series = series_of(plan, collected(plan), 4000)

    assert series.period.watts == pytest.approx(float(series.mean.watts[0]))
    if not series.real:
        assert np.sqrt(series.period.watts_variance) == pytest.approx(float(series.mean.noise[0]), rel=0.1)


def test_a_plan_without_either_is_as_ever():
    plan = measuring_plan(high=None, unmeasured="zero")
    series = series_of(plan, collected(plan), 4000)

    assert series.plain
    assert series.mean is None
    assert series.compared is series.period
    assert series.clipped_slots is series.slots


@pytest.mark.parametrize("high", [None, HIGH])
def test_no_forged_answer_moves_the_mean_by_more(high):
    """Every answer of one home more, tried out: the printed influence is not exceeded, and nearly reached."""
    plan, homes, slots = measuring_plan(high=high, epsilon="1"), 2000, 3
    tallies = collected(plan, homes, slots)
    before = estimate(plan, tallies)
    moved = []
    for answer in range(plan.widths[0]):
        forged = {
            key: Tally(each.rows + 1, each.reports + 1, each.counts + np.eye(plan.widths[0], dtype=np.int64)[answer])
            for key, each in tallies.groups.items()
        }
        after = estimate(plan, Tallies(homes + 1, forged)).by_period["appliance 0"]
        moved.append(after.watts - before.by_period["appliance 0"].watts)
    series = series_of(plan, tallies, homes)
    honest = moved_means(plan, 0, series.answers, 1 / homes, np.eye(plan.widths[0]))
    counted = max(abs(each) for each in moved) / np.ptp(honest)  # one honest home, from the lowest level to the highest

    assert 0.5 * before.influence <= counted <= before.influence
    assert before.influence <= report_influence(plan) * 3


def test_a_forged_answer_counts_for_more_when_few_measure():
    """In watts: fewer measuring homes, more weight for each answer."""
    plan, sure = measuring_plan(high=None), 1e-6 * np.eye(4)
    moves = []
    for measured in (0.9, 0.3):
        share = np.array([0.5 * measured, 0.3 * measured, 0.2 * measured, 1 - measured])
        lifted = share + 1e-4 * (np.eye(4)[2] - share)
        moves.append(mean_of(plan, 0, lifted, sure) - mean_of(plan, 0, share, sure))

    assert moves[1] == pytest.approx(3 * moves[0], rel=0.01)


def test_nobody_spoke_of_it():
    plan = measuring_plan()
    empty = Tallies(100, {TallyKey(0, 0, 0, plan.epsilon): Tally(100, np.zeros(1, np.int64), np.zeros(4, np.int64))})

    assert series_of(plan, empty, 100).period is None
