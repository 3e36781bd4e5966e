"""The search: every oracle, number of appliances and way through time, with the best levels for each.

Only closed forms, nothing is simulated and no home is looked at.  The promise stays the
plan's: ε for the home in any w slots, and a cap on what one appliance spends of it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import product

import numpy as np

from hushwatt.errors import UsageError
from hushwatt.plan.appliance import Appliance
from hushwatt.plan.choices import METHODS
from hushwatt.plan.plan import Plan
from hushwatt.privacy.advice.answered import answered
from hushwatt.privacy.advice.candidate import Candidate
from hushwatt.privacy.advice.expected import Values, noise_of_mean, spread, weights_of_draws
from hushwatt.privacy.advice.prior import Prior, prior_of
from hushwatt.privacy.decide import mean_variance
from hushwatt.privacy.laws import LAWS, law_for
from hushwatt.privacy.rotation import has_turns
from hushwatt.privacy.strategies import STRATEGIES, rules_of, strategy_for

GOALS = ("ranking", "histogram")
ABOUT = 0.001  # two chances of the right order that are no different
COUNTS = (2, 3, 4, 5, 6, 8, 10)
LOSSES = (0.005, 0.01, 0.02, 0.05, 0.1, 0.15)  # of the mean, to clipping: a lower top saves much noise
BENDS = (1.0, 1.5, 2.0)  # 1: evenly spaced; above: closer together near 0
LONGEST_CHAIN = 8  # windows up to which the paper's adaptive method is followed slot by slot


@dataclass(frozen=True)
class Advice:
    """The paper's mechanism beside the two best for the same protection."""

    goal: str
    homes: int
    slots: int
    paper: Candidate
    best: Candidate
    runner_up: Candidate


def advise(plan: Plan, homes: int, slots: int = 30, goal: str = "ranking", cap: int | None = None) -> Advice:
    """Search for the plan with the smallest expected error; `cap` is an appliance's ε in millionths.

    Only among plans under which enough homes speak of every appliance for an answer: in each slot for
    histograms, over all slots for a ranking; among all, where no plan has enough.
    """
    if homes < 1 or slots < 1:
        raise UsageError(f"advice needs at least one home and one slot, not {homes} and {slots}")
    if goal not in GOALS:
        raise UsageError(f"the goal is {goal}; it must be one of {', '.join(GOALS)}")
    priors = tuple(prior_of(plan, appliance) for appliance in plan.appliances)
    told_in = slots if goal == "ranking" else 1
    every = list(variants(plan, homes, cap, slots))
    tried = [variant for variant in every if answered(variant, homes, told_in)] or every
    if goal == "ranking":
        found = [best_order(_with_losses(variant, priors, homes, slots)) for variant in tried]
        best = best_order(found)
        runner_up = best_order([one for one in found if one is not best] or found)
    else:
        found = [judged(variant, priors, homes, slots) for variant in tried]
        best, runner_up = (sorted(found, key=lambda one: one.cell_variance) * 2)[:2]
    return Advice(goal, homes, slots, judged(paper_plan(plan), priors, homes, slots), best, runner_up)


def best_order(found: list[Candidate]) -> Candidate:
    """Of those that get the order right about equally often, the one with the smallest error."""
    best = max(one.right_order for one in found)
    return min((one for one in found if one.right_order > best - ABOUT), key=lambda one: one.squared_error)


def methods(plan: Plan, homes: int, slots: int) -> list[str]:
    """Ways through time that measure every time of the day and of the week that the period contains.

    Only those in which nobody decides; each method says for itself how many homes it needs.
    """
    undecided = [name for name in reversed(STRATEGIES) if METHODS[name].decided_by is None]
    tried = [replace(plan, method=name, decision=None) for name in undecided]
    return [one.method for one in tried if rules_of(one).advised(one, homes, slots)]


def variants(plan: Plan, homes: int, cap: int | None, slots: int = 30) -> Iterator[Plan]:
    """The plan with every oracle, number of appliances in a report, and way through time."""
    for method, oracle, asked in product(methods(plan, homes, slots), LAWS, range(1, len(plan.appliances) + 1)):
        yield replace(
            plan, method=method, decision=None, oracle=oracle, appliances_per_report=asked, appliance_epsilon=cap
        )


def paper_plan(plan: Plan) -> Plan:
    """The same collection as the paper would do it: all appliances, ranges, OUE, budgets over time."""
    method = "lba" if rules_of(plan).population else plan.method
    if METHODS[method].decided_by and plan.window > LONGEST_CHAIN:
        method = "lbu"
    return replace(
        plan,
        method=method,
        decision=METHODS[method].decided_by,
        oracle="oue",
        appliances_per_report=len(plan.appliances),
        mapping="range",
        appliance_epsilon=None,
        appliances=tuple(_in_ranges(appliance) for appliance in plan.appliances),
    )


def _in_ranges(appliance: Appliance) -> Appliance:
    if appliance.edges is not None:
        return Appliance.of(appliance.name, edges=appliance.edges)
    return Appliance.of(appliance.name, values=appliance.values)


def _with_losses(plan: Plan, priors: tuple[Prior, ...], homes: int, slots: int) -> list[Candidate]:
    """The plan with dithered levels that suit its law, for every loss to clipping."""
    drawn = strategy_for(plan).largest
    chosen = [
        tuple(
            _best_levels(plan, appliance, prior, drawn, loss)
            for appliance, prior in zip(plan.appliances, priors, strict=True)
        )
        for loss in LOSSES
    ]
    return [judged(replace(plan, mapping="dither", appliances=one), priors, homes, slots) for one in chosen]


def _best_levels(plan: Plan, appliance: Appliance, prior: Prior, drawn: int, loss: float) -> Appliance:
    """The number and the spacing of levels with the least variance."""
    best, least = np.empty(0), np.inf
    for count in COUNTS:
        values, shares = level_choices(prior, count, loss)
        law = law_for(plan.oracle, drawn, plan.appliances_per_report, count)
        errors = noise_of_mean(law, values, shares) + spread(values, shares)
        if errors.min() < least:
            least, best = float(errors.min()), values[int(errors.argmin())]
    return Appliance.of(
        appliance.name, values=best.tolist(), mapping="dither", typical_mean=prior.mean, typical_high=prior.high
    )


@cache
def level_choices(prior: Prior, count: int, loss: float) -> tuple[Values, Values]:
    """Values from 0 up to where the mean loses `loss` of itself, and the shares thought to hold each, dithered.

    A row for each spacing.  All appliances lose the same share of their mean to clipping, so that their order
    and their shares stay what they were.
    """
    bends = BENDS if count > 2 else BENDS[:1]
    values = np.array([rounded(prior.top(loss) * np.linspace(0, 1, count) ** bend) for bend in bends])
    return values, np.array([prior.dithered(row) for row in values])


def rounded(values: Values) -> Values:
    """Watts to three digits, as people write them.

    >>> rounded(np.array([0, 12.3456, 2468.0]))
    array([   0. ,   12.3, 2470. ])
    """
    return np.array([float(f"{value:.3g}") for value in values])


def draws_in_period(plan: Plan, homes: int, slots: int) -> float:
    """How many fresh answers about one appliance a period brings."""
    rate = 1 / rules_of(plan).stride(plan.window)
    return homes * slots * rate * plan.appliances_per_report / len(plan.appliances)


def judged(plan: Plan, priors: tuple[Prior, ...], homes: int, slots: int) -> Candidate:
    """The plan with the errors that are expected of it."""
    parts = [
        _judged_appliance(plan, appliance, prior, homes, slots)
        for appliance, prior in zip(plan.appliances, priors, strict=True)
    ]
    cells = sum(part[2] * width for part, width in zip(parts, plan.widths, strict=True)) / plan.width
    return Candidate(plan, homes, priors, tuple(part[0] for part in parts), tuple(part[1] for part in parts), cells)


def _judged_appliance(
    plan: Plan, appliance: Appliance, prior: Prior, homes: int, slots: int
) -> tuple[float, float, float]:
    """The variance and the bias of the mean over the period, and the variance of a level's share in a slot.

    The latter for levels that are held equally often, as nothing better is known.
    """
    values, asked = np.array(appliance.values), plan.appliances_per_report
    decides, start = plan.decision == "household", strategy_for(plan)
    law = law_for(plan.oracle, start.offer() if decides else start.largest, asked, len(values))
    dithered = plan.mapping == "dither"
    shares = prior.dithered(values) if dithered else prior.ranged(np.array(appliance.edges))
    bias = float(values @ shares) - prior.mean
    if decides:
        weights = weights_of_draws(plan, slots)
        noises = {
            drawn: float(noise_of_mean(law_for(plan.oracle, drawn, asked, len(values)), values, shares))
            for drawn in weights
        }
        variance = sum(weight * noises[drawn] for drawn, weight in weights.items()) / (homes * slots**2)
        return variance, bias, mean_variance(law, homes, homes, 1 / len(values))
    draws = draws_in_period(plan, homes, slots)
    a_slot = homes * asked / len(plan.appliances) / (plan.window if has_turns(plan) else 1)
    unseen = 1.0 if dithered else 1 - a_slot / homes
    one = float(noise_of_mean(law, values, shares)) + unseen * float(spread(values, shares))
    return one / draws, bias, mean_variance(law, a_slot, homes, 1 / len(values))
