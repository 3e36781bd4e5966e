"""The search by sums finds what a search that judges every plan in full finds."""

from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import pytest

from hushwatt.evaluate.experiments.homes import with_prior_knowledge
from hushwatt.evaluate.generators.paper_homes import paper_homes
from hushwatt.evaluate.metrics import exact_hits
from hushwatt.plan.presets import preset
from hushwatt.privacy.advice import advise
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


homes = cache(lambda seed: paper_homes(1000, 30, seed))


@cache
def advised(unmeasured, seed):
    """The plan for the ranks where what other homes do is known, the same however many of these measure."""
    known = replace(with_prior_knowledge(PAPER, homes(100 + seed)), unmeasured=unmeasured)
    return advise(known, 1000, 30, "ranking", PAPER.epsilon // 15).best


def hits(unmeasured, measured):
    """Exact ranks among the ten largest that 1,000 of the paper's homes are expected to show, by closed forms."""
    found, random = [], np.random.default_rng(1)
    for seed in range(6):
        best, watts = advised(unmeasured, seed), homes(seed)
        priors = tuple(replace(each, measured=measured) for each in best.priors)
        errors = np.sqrt(judged(best.plan, priors, 1000, 30).variances)
        reported = np.minimum(watts, [each.values[-1] for each in best.plan.appliances]).mean(axis=(0, 1))
        noise = random.standard_normal((100, 15)) * errors
        found += [exact_hits(watts.mean(axis=(0, 1)), reported + each) for each in noise]
    return float(np.mean(found))


def test_what_an_answer_more_costs_the_ranks():
    """That homes may say "not measured" costs little where all measure, and a rank of ten where four in ten do not."""
    zero, all_measure, some_measure = hits("zero", 1.0), hits("answer", 1.0), hits("answer", 0.6)

    assert zero > 7.7
    assert zero - 0.5 < all_measure < zero
    assert zero - 1.5 < some_measure < zero - 0.5
