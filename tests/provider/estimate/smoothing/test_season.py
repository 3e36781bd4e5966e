"""Seasons follow the clocks of the plan, and are as sure as they are old."""

import numpy as np
import pytest
from tests.provider.simulated import plan_of

from hushwatt.provider.estimate.smoothing.season import (
    MAX_ROUNDS,
    UNSEEN_VARIANCE,
    SeasonalProfiles,
    season_phases,
)

EVERY = np.ones(1, dtype=bool)


@pytest.mark.parametrize(
    "slot, counts",
    [("1h", [24, 168]), ("15m", [96, 672]), ("7h", [4, 24]), ("1d", [7]), ("2d", [7]), ("7d", [])],
)
def test_what_slots_can_have(slot, counts):
    """The time of day and of the week below a day, the weekday above, nothing from a week on."""
    plan = plan_of([[0, 1]], slot=slot)
    found = season_phases(plan, range(2000 if slot.endswith("d") else 5000))

    assert [len(np.unique(each)) for each in found] == counts


def test_the_clocks_of_the_plan():
    """Six in the evening stays six in the evening when the clocks change, and Monday is the first day."""
    plan = plan_of([[0, 1]], slot="1h", timezone="Europe/London")
    summer, winter = 24 * 182 + 17, 24 * 7 + 18  # 2024-07-01 17:00 and 2024-01-08 18:00, UTC; both Mondays
    day, week = season_phases(plan, [summer, winter])

    assert day.tolist() == [18, 18]
    assert week.tolist() == [18, 18]


def test_the_mean_of_earlier_rounds():
    """A phase expects the mean of its earlier slots, with a part of their noise; none is unknown."""
    profiles = SeasonalProfiles([np.array([0, 1, 0, 1, 0])], 1)
    no, unknown = profiles.at(0), profiles.at(0)[1][1, 0, 0]
    for place, value in ((0, 4.0), (1, 10.0), (2, 6.0)):
        profiles.learn(place, np.full(1, value), np.zeros((2, 1)), EVERY)
    season, doubt = profiles.at(4)

    assert no[0].tolist() == [[[0]], [[0]]]
    assert unknown == UNSEEN_VARIANCE
    assert season[:, 0, 0].tolist() == [0, 5]
    assert doubt[:, 0, 0].tolist() == [0, 1 / 2]


def test_levels_are_left_out():
    """What the level has risen since is not taken for the season."""
    profiles = SeasonalProfiles([np.zeros(2, dtype=np.intp)], 1)
    profiles.learn(0, np.full(1, 4.0), np.zeros((2, 1)), EVERY)
    profiles.learn(1, np.full(1, 104.0), np.array([[0.0], [100.0]]), EVERY)

    assert profiles.at(1)[0][1, 0, 0] == 4


def test_old_rounds_are_forgotten():
    """After many rounds a new one still counts for a part."""
    profiles = SeasonalProfiles([np.zeros(1, dtype=np.intp)], 1)
    for _ in range(3 * MAX_ROUNDS):
        profiles.learn(0, np.zeros(1), np.zeros((2, 1)), EVERY)
    profiles.learn(0, np.full(1, float(MAX_ROUNDS)), np.zeros((2, 1)), EVERY)

    assert profiles.at(0)[0][1, 0, 0] == 1


def test_series_without_news_stay():
    """Only the series named are taught."""
    profiles = SeasonalProfiles([np.zeros(1, dtype=np.intp)], 2)
    profiles.learn(0, np.full(2, 5.0), np.zeros((2, 2)), np.array([True, False]))

    assert profiles.at(0)[0][1, 0].tolist() == [5, 0]
