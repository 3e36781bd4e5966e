"""What one forging home can do to a mean, worked out beforehand."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from hushwatt.plan.amounts import MICRO
from hushwatt.plan.presets import preset
from hushwatt.privacy.band import band
from hushwatt.privacy.influence import (
    heaviest,
    influence,
    level_worth,
    month,
    most_answers,
    reach,
    report_influence,
    smallest_budget,
)
from hushwatt.privacy.laws import debias, law_for


@pytest.mark.parametrize("oracle", ["grr", "oue", "sue"])
@pytest.mark.parametrize("epsilon", [1, 12])
def test_reach_is_that_of_every_answer(plan_of, oracle, epsilon):
    """No answer that the inbox lets pass counts as more or fewer watts, and one counts as many."""
    plan = plan_of(4, oracle=oracle, epsilon=epsilon * MICRO)
    values = np.array(plan.appliances[0].values)
    drawn = smallest_budget(plan)
    law = law_for(oracle, drawn, 1, 4)
    few, many = band(oracle, drawn, 1, 4) if oracle != "grr" else (1, 1)
    answers = [np.array(bits) for bits in product((0, 1), repeat=4) if few <= sum(bits) <= many]
    watts = [float(values.mean() + debias(each, 1, law) @ (values - values.mean())) for each in answers]

    found = reach(plan, 0)
    assert (found.low, found.high) == (pytest.approx(min(watts)), pytest.approx(max(watts)))


def test_two_levels_are_as_ever():
    """With two levels a report counts as (1−q)/(p−q) homes, 2.06 at the advised plan's ε an appliance."""
    plan = preset("advised")
    ends = tuple(replace(each, values=(each.values[0], each.values[-1])) for each in plan.appliances)
    plan = replace(plan, appliances=ends)
    laws = [law_for("grr", smallest_budget(plan), 15, 2)]

    assert report_influence(plan) == pytest.approx(max(float(debias(1, 1, law)) for law in laws))
    assert influence(plan, 1) == pytest.approx(3 * report_influence(plan))
    assert influence(plan, month(plan)) == pytest.approx(report_influence(plan))


def walked(plan, slots, first, phase, start):
    """In how many slots from `first` on a home is heard about the appliance at `start` of its order."""
    asked, appliances = plan.appliances_per_report, len(plan.appliances)
    heard, about = 0, False
    for slot in range(first + slots):
        if plan.method == "lbu":
            draw = slot
        elif slot % plan.window == (phase if plan.method == "lpu" else 0):
            draw = slot // plan.window
        else:
            heard += about and plan.method == "lsp" and slot >= first
            continue
        about = start in {(draw * asked + step) % appliances for step in range(asked)}
        heard += about and slot >= first
    return heard


@pytest.mark.parametrize("method", ["lbu", "lpu", "lsp"])
@pytest.mark.parametrize("asked", [1, 2, 3, 5])
@pytest.mark.parametrize("window", [1, 2, 3])
def test_no_walk_is_heard_more_often(plan_of, method, asked, window):
    """Whatever turn, order and beginning a home chooses; and for lbu and lpu one walk is heard as often."""
    plan = plan_of(2, 2, 2, 2, 2, method=method, appliances_per_report=asked, window=window)
    for slots in (1, 2, 3, 5, 8, 13):
        found = [
            walked(plan, slots, first, phase, start)
            for first in range(3 * window)
            for phase in range(window)
            for start in range(5)
        ]

        assert max(found) <= most_answers(plan, slots)
        assert method == "lsp" or max(found) == most_answers(plan, slots)


def test_heaviest_turns(plan_of):
    """A home chooses the turn with the fewest others, and is heard there as often as its order lets it."""
    plan = plan_of(2, 2, method="lpu", window=2, appliances_per_report=2)
    slots, weights = np.arange(6), np.array([1.0, 5, 1, 5, 1, 5])

    assert heaviest(plan, slots, weights) == 15
    assert heaviest(replace(plan, appliances_per_report=1), slots, weights) == 10
    assert heaviest(replace(plan, method="lbu"), slots, weights) == 18
    assert heaviest(replace(plan, method="lsp", appliances_per_report=1), slots, weights) == 12
    assert heaviest(plan, slots[:0], weights[:0]) == 0


@pytest.mark.parametrize("method", ["lbd", "lba"])
def test_homes_that_decide_claim_the_smallest_budget(plan_of, method):
    """They are heard in every slot, and count for more the less they say they paid."""
    plan = plan_of(3, method=method)

    assert influence(plan, 1) == influence(plan, 100) == report_influence(plan)
    assert report_influence(plan) > report_influence(replace(plan, method="lbu", decision=None))


@pytest.mark.parametrize("oracle", ["grr", "oue"])
def test_not_measured_is_an_answer_that_can_be_forged(plan_of, oracle):
    """The law has one answer more, so a report counts for more; whatever the mean, no less than that."""
    plain = plan_of(4, oracle=oracle, mapping="dither")
    plan = replace(plain, unmeasured="answer")
    means = [reach(plan, 0, level_worth(plan, 0, mean)).homes for mean in plan.appliances[0].values]

    assert len(level_worth(plan, 0)) == 5
    assert report_influence(plan) == pytest.approx(max(means))
    assert report_influence(plan) > report_influence(plain) or oracle == "oue"
