"""What one forging home can do to a mean, worked out beforehand."""

from dataclasses import replace
from itertools import product
from time import perf_counter

import numpy as np
import pytest

from hushwatt.plan.amounts import MICRO
from hushwatt.plan.presets import preset
from hushwatt.privacy.band import band
from hushwatt.privacy.influence import (
    heaviest,
    influence,
    month,
    most_answers,
    reach,
    report_influence,
    rotations,
    sayings,
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
    """The law has one answer more, so a report counts for more; whatever the answers turn out to be worth."""
    plain = plan_of(4, oracle=oracle, mapping="dither")
    plan = replace(plain, unmeasured="answer")
    random = np.random.default_rng(4)
    worths = [random.beta(0.2, 0.2, 5) for _ in range(400)]
    found = [reach(plan, 0, worth).homes for worth in worths if np.ptp(worth) > 0.01]

    assert 0.97 * report_influence(plan) <= max(found) <= report_influence(plan) * (1 + 1e-9)
    assert report_influence(plan) > report_influence(plain)


@pytest.mark.parametrize("oracle", ["grr", "oue"])
def test_a_tail_makes_no_answer_count_for_more_than_is_said(plan_of, oracle):
    """Before a collection nobody knows what the top level will be worth."""
    plan = plan_of(3, oracle=oracle, mapping="dither")
    known = replace(plan, appliances=tuple(replace(each, typical_high=50.0) for each in plan.appliances))
    bottom, middle, top = plan.appliances[0].values
    found = [reach(known, 0, np.array([bottom, middle, top * (1 + tail)])).homes for tail in (0, 0.3, 3, 50)]

    assert plan.appliances[0].values[0] == 0
    assert max(found) <= report_influence(known) * (1 + 1e-9)


@pytest.mark.parametrize("oracle, levels", [("grr", 4), ("oue", 4), ("sue", 9)])
def test_sayings_are_all_that_can_be_forged(plan_of, oracle, levels):
    """For any worths that ascend with the levels, the best and the worst saying are what an answer can reach."""
    plan = replace(plan_of(levels, oracle=oracle, mapping="dither"), unmeasured="answer")
    said = sayings(plan, 0)
    for seed in range(20):
        random = np.random.default_rng(seed)
        worth = np.append(np.sort(random.uniform(0, 100, levels)), random.uniform(0, 100))
        counted = worth.mean() + said @ (worth - worth.mean())
        reached = reach(plan, 0, worth)

        assert (counted.min(), counted.max()) == pytest.approx((reached.low, reached.high))


@pytest.mark.parametrize("method", ["lbu", "lpu", "lsp"])
@pytest.mark.parametrize("asked", [1, 2, 3])
def test_heaviest_turns_one_by_one(plan_of, method, asked):
    """The same as trying every turn and adding up its heaviest draws."""
    chance = np.random.default_rng(asked)
    for window in (1, 2, 5, 9):
        plan = plan_of(2, 2, 2, method=method, window=window, appliances_per_report=asked)
        slots = np.sort(chance.choice(50, 30, replace=False))
        weights, stride = chance.random(30), {"lbu": 1}.get(method, window)
        everywhere = int(slots[-1] - slots[0]) + 1
        if method == "lsp":
            blocks = [weights[slots // stride == block].sum() for block in np.unique(slots // stride)]
            turns = [(blocks, slots[-1] // stride - slots[0] // stride + 1)]
        else:
            turns = [(weights[slots % stride == turn], -(-everywhere // stride)) for turn in range(stride)]
        most = max(sum(sorted(draws)[::-1][: rotations(plan, count)]) for draws, count in turns)

        assert heaviest(plan, slots, weights) == pytest.approx(most)


def test_heaviest_turn_of_a_year_of_quarters(plan_of):
    """As many turns as slots cost one sort, not a look at all slots for each."""
    plan = plan_of(2, 2, method="lpu", window=35_040, appliances_per_report=1)
    weights = np.random.default_rng(1).random(35_040)
    begun = perf_counter()

    assert heaviest(plan, np.arange(35_040), weights) == weights.max()
    assert perf_counter() - begun < 1
