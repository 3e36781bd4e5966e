"""The search by sums finds what a search that judges every plan in full finds."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from hushwatt.plan.presets import preset
from hushwatt.privacy.advice.expected import noise_of_mean, spread
from hushwatt.privacy.advice.judge import judged, moving_the_mean
from hushwatt.privacy.advice.prior import prior_of
from hushwatt.privacy.advice.ranking import COUNTS, LOSSES, LevelSums, best_ranking
from hushwatt.privacy.laws import law_for

PAPER = replace(preset("paper"), method="lpu", decision=None)


@pytest.mark.parametrize("oracle", ["grr", "oue", "sue"])
@pytest.mark.parametrize("unmeasured", ["zero", "answer"])
def test_sums_give_the_variance_of_one_answer(oracle, unmeasured):
    """For every choice of levels: noise and what homes hold, as the closed form has them."""
    plan = replace(PAPER, unmeasured=unmeasured, appliances=PAPER.appliances[:2], appliances_per_report=2)
    priors = tuple(prior_of(plan, each) for each in plan.appliances)
    sums = LevelSums.of(plan, priors)
    laws = [law_for(oracle, 2_000_000, 2, count + plan.answers_unmeasured) for count in sums.counts]
    errors = sums.errors(laws)
    for place, loss, choice in product(range(2), range(len(LOSSES)), range(len(laws))):
        values = sums.levels[place][loss][choice]
        shares = priors[place].dithered(values)
        worth, held = moving_the_mean(plan, priors[place], values, shares)
        expected = noise_of_mean(laws[choice], worth, held) + spread(worth, held)
        assert errors[place, loss, choice] == pytest.approx(float(expected))

    assert sorted(set(sums.counts)) == sorted(COUNTS)


def test_the_best_is_the_best_that_is_judged():
    """No mechanism with levels of its own gets the order right more often than the one that is found."""
    tried = [
        replace(PAPER, oracle=oracle, appliances_per_report=asked)
        for oracle, asked in product(("grr", "oue"), (1, 4, 15))
    ]
    priors = tuple(prior_of(PAPER, each) for each in PAPER.appliances)
    best, second = best_ranking(tried, priors, 1000, 30)
    alone = [best_ranking([plan], priors, 1000, 30)[0] for plan in tried]

    assert best.right_order >= max(one.right_order for one in alone) - 0.001
    assert len({(one.plan.oracle, one.plan.appliances_per_report) for one in (best, second)}) == 2
    assert judged(best.plan, priors, 1000, 30).right_order == best.right_order
    assert np.isfinite(best.squared_error)
