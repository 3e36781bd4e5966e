"""Sentences about differences: certain only where they are, also when the numbers chose what to compare."""

import numpy as np
import pytest
from tests.provider.simulated import plan_of, repeated_slots

from hushwatt.provider.dashboard.day_parts import told_times
from hushwatt.provider.dashboard.differences import Difference, widest
from hushwatt.provider.estimate.collected import CollectedSlots

VALUES, NAME = [0.0, 1000.0], "appliance 0"
DAYS = 4


def alike(seed):
    """The same homes at the same level in every hour of some days: nothing differs but the noise."""
    plan = plan_of([VALUES], oracle="grr", epsilon="1", timezone="Europe/Berlin")
    return CollectedSlots.of(plan, repeated_slots(np.random.default_rng(seed), plan, [np.array([300, 100])], 24 * DAYS))


@pytest.mark.parametrize("fold", ["hour", "weekday"])
def test_where_nothing_differs_hardly_any_sentence_is_certain(fold):
    """The times with the most and the least are called different in at most 5 % of cases."""
    found = [widest(each, told_times(each, fold), NAME, 1) for each in map(alike, range(1000, 1120))]

    assert np.mean([difference.certain for difference, _ in found]) <= 0.05


def test_limits_that_do_not_allow_for_the_choice_would_be_wrong(monkeypatch):
    """As if there were one pair only, chance would be called certain far too often."""
    monkeypatch.setattr("hushwatt.provider.dashboard.differences.combinations", lambda times, size: [0])
    found = [widest(each, told_times(each, "hour"), NAME, 1) for each in map(alike, range(1000, 1060))]

    assert np.mean([difference.certain for difference, _ in found]) > 0.1


def test_times_without_an_answer_are_left_out():
    """With one time, or none, there is nothing to compare."""
    collected = alike(1)
    (first, *_) = told_times(collected, "hour")

    assert widest(collected, [first], NAME, 1) is None
    assert widest(collected, [], NAME, 1) is None


@pytest.mark.parametrize(
    "low, high, said",
    [
        (9.2, 16.8, "uses 9.2 to 16.8\u202fW more here than there; the difference is certain."),
        (-16.8, -9.2, "uses 9.2 to 16.8\u202fW less here than there; the difference is certain."),
        (-5.0, 11.0, "cannot be told apart here and there: from 5.0\u202fW less to 11.0\u202fW more."),
        (0.0, 11.0, "cannot be told apart here and there: from 0.0\u202fW less to 11.0\u202fW more."),
        (-120.0, 400.0, "cannot be told apart here and there: from 120\u202fW less to 400\u202fW more."),
    ],
)
def test_words(low, high, said):
    """More, less, or not to be told; never a word of certainty where zero is within the limits."""
    found = Difference("washing_machine", low, high)

    assert found.sentence("here", "there") == f"A home's washing machine {said}"
    assert found.certain == ("certain" in said)
