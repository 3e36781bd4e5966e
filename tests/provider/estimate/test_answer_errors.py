"""Shares of all answers, "not measured" among them: unbiased, and their errors known, by enumeration."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from tests.provider.simulated import MICRO, plan_of, tallies_of

from hushwatt.privacy.laws import law_for
from hushwatt.provider.estimate import answer_errors
from hushwatt.provider.estimate.answer_errors import answer_covariance, period_answers, slot_answers
from hushwatt.provider.estimate.arrays import SlotTimeline, TallyArrays
from hushwatt.provider.estimate.debias import DebiasedGroups
from hushwatt.provider.estimate.slots import slot_statistics
from hushwatt.provider.tally.tally import TallyKey

HELD = (0, 1, 2, 2)  # of four homes: two levels, and two homes that do not measure it
WORTH = np.array([[0.0, 100.0, 0.0], [1.0, 1.0, 0.0]])  # watts, and whether it is measured


def tiny(oracle):
    return plan_of([[0, 100]], oracle=oracle, epsilon="1", unmeasured="answer", mapping="range")


def outcomes(plan):
    """Every tally that the four homes can give, with its exact chance."""
    law = law_for(plan.oracle, plan.epsilon, 1, 3)
    answers = [(answer, np.eye(3)[answer] if law.direct else np.array(bits_of(answer))) for answer in law.answers()]
    for given in product(answers, repeat=len(HELD)):
        chance = 1.0
        for (answer, _), level in zip(given, HELD, strict=True):
            chance *= float(law.chance(answer, level))
        yield chance, sum(row for _, row in given)


def bits_of(answer):
    return [answer >> place & 1 for place in range(3)] if isinstance(answer, int) else list(answer)


def told(plan, counts):
    keys = [TallyKey(slot, 0, slot, plan.epsilon) for slot in range(len(counts))]
    tallies = tallies_of(len(HELD), keys, [np.full(len(counts), len(HELD))], [np.array(counts)])
    arrays = TallyArrays.of(plan, tallies)
    timeline, groups = SlotTimeline.of(arrays, minimum=1), DebiasedGroups.of(plan, arrays, 0)
    return groups, slot_statistics(plan, 0, groups, timeline, len(HELD)), timeline


@pytest.mark.parametrize("oracle", ["grr", "oue", "sue"])
def test_every_outcome_of_four_homes(oracle, monkeypatch):
    """Watts and measuring homes are unbiased, and their variances and covariance are those of the law."""
    plan = tiny(oracle)
    given, counts = zip(*outcomes(plan), strict=True)
    chances = np.array(given)
    _, slots, _ = told(plan, counts)
    sums, _ = slot_answers(plan, slots).sums(WORTH)
    held = np.bincount(HELD, minlength=3) / len(HELD)
    truth = WORTH @ held

    assert chances.sum() == pytest.approx(1)
    assert chances @ sums == pytest.approx(truth)
    away = sums - truth
    real = np.einsum("t,ts,tu->su", chances, away, away)
    monkeypatch.setattr(answer_errors, "add_one_smoothed", lambda share, reports: share)
    errors = replace(slots.errors, **{name: getattr(slots.errors, name)[:1] for name in vars(slots.errors)})
    covariance = answer_covariance(held[None], errors, oracle == "grr")
    centred = WORTH - WORTH.mean(axis=1, keepdims=True)
    assert centred @ covariance[0] @ centred.T == pytest.approx(real)


def test_a_period_of_one_slot_is_that_slot():
    plan = replace(tiny("grr"), minimum_homes=1)
    groups, slots, timeline = told(plan, [[2, 1, 1]])
    one, other = slot_answers(plan, slots), period_answers(plan, groups, slots, timeline)

    assert other is not None
    assert other.share == pytest.approx(one.share)
    assert other.covariance == pytest.approx(one.covariance)


def test_budgets_may_differ():
    """Groups that drew with other budgets: the errors of all answers still cancel, as every home gives one."""
    plan = replace(tiny("grr"), epsilon=4 * MICRO)
    keys = [TallyKey(0, 0, 0, MICRO), TallyKey(0, 0, 0, 3 * MICRO)]
    tallies = tallies_of(600, keys, [np.array([400, 200])], [np.array([[200, 100, 100], [100, 50, 50]])])
    arrays = TallyArrays.of(plan, tallies)
    timeline, groups = SlotTimeline.of(arrays, minimum=1), DebiasedGroups.of(plan, arrays, 0)
    found = slot_answers(plan, slot_statistics(plan, 0, groups, timeline, 600))

    assert found.covariance.sum(axis=2) == pytest.approx(0, abs=1e-12)


def test_nobody_spoke():
    plan = tiny("grr")
    groups, slots, timeline = told(plan, [[2, 1, 1]])

    assert period_answers(plan, groups, replace(slots, weight=np.array([0.0])), timeline) is None
