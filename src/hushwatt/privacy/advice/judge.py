"""The errors to expect of a plan, from closed forms and prior knowledge."""

import numpy as np

from hushwatt.plan.appliance import Appliance
from hushwatt.plan.plan import Plan
from hushwatt.privacy.advice.candidate import Candidate
from hushwatt.privacy.advice.expected import Values, among_measuring, noise_of_mean, spread, weights_of_draws
from hushwatt.privacy.advice.prior import Prior
from hushwatt.privacy.decide import mean_variance
from hushwatt.privacy.laws import law_for
from hushwatt.privacy.rotation import has_turns
from hushwatt.privacy.strategies import rules_of, strategy_for


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
    variances, biases, hidden, of_cells = (tuple(column) for column in zip(*parts, strict=True))
    cells = sum(each * width for each, width in zip(of_cells, plan.widths, strict=True)) / plan.width
    cost = _cost_of_unmeasured(plan, priors) if plan.answers_unmeasured else None
    return Candidate(plan, homes, priors, variances, biases, hidden, cells, cost)


def _judged_appliance(
    plan: Plan, appliance: Appliance, prior: Prior, homes: int, slots: int
) -> tuple[float, float, float, float]:
    """The variance and the bias of the mean over the period, what its levels hide, and a level's variance in a slot.

    The latter for levels that are held equally often, as nothing better is known.
    """
    asked, width = plan.appliances_per_report, appliance.levels + plan.answers_unmeasured
    decides, start = plan.decision == "household", strategy_for(plan)
    law = law_for(plan.oracle, start.offer() if decides else start.largest, asked, width)
    dithered = plan.mapping == "dither"
    values, shares = levels_held(plan, appliance, prior)
    bias = float(values @ shares) - prior.mean
    hidden = prior.lost(appliance.values[-1])
    worth, held = moving_the_mean(plan, prior, values, shares)
    if decides:
        weights = weights_of_draws(plan, slots)
        noises = {
            drawn: float(noise_of_mean(law_for(plan.oracle, drawn, asked, width), worth, held)) for drawn in weights
        }
        variance = sum(weight * noises[drawn] for drawn, weight in weights.items()) / (homes * slots**2)
        return variance, bias, hidden, mean_variance(law, homes, homes, 1 / width)
    draws = draws_in_period(plan, homes, slots)
    a_slot = homes * asked / len(plan.appliances) / (plan.window if has_turns(plan) else 1)
    unseen = 1.0 if dithered else 1 - a_slot / homes
    one = float(noise_of_mean(law, worth, held)) + unseen * float(spread(worth, held))
    return one / draws, bias, hidden, mean_variance(law, a_slot, homes, 1 / width)


def moving_the_mean(plan: Plan, prior: Prior, values: Values, shares: Values) -> tuple[Values, Values]:
    """What each answer adds to a mean, and how often it is true."""
    return among_measuring(values, shares, prior.measured) if plan.answers_unmeasured else (values, shares)


def levels_held(plan: Plan, appliance: Appliance, prior: Prior) -> tuple[Values, Values]:
    """The watts of each level, and the share of measured slots that is thought to hold it."""
    values = np.array(appliance.values)
    if plan.mapping == "dither":
        return values, prior.dithered(values)
    return values, prior.ranged(np.array(appliance.edges))


def _cost_of_unmeasured(plan: Plan, priors: tuple[Prior, ...]) -> float:
    """The variance of a middling mean, over that if who measures were public and only they were asked."""
    return float(np.median([_cost(plan, *each) for each in zip(plan.appliances, priors, strict=True)]))


def _cost(plan: Plan, appliance: Appliance, prior: Prior) -> float:
    values, shares = levels_held(plan, appliance, prior)
    start = strategy_for(plan)
    drawn = start.offer() if plan.decision == "household" else start.largest
    said, public = (law_for(plan.oracle, drawn, plan.appliances_per_report, appliance.levels + more) for more in (1, 0))
    worth, held = among_measuring(values, shares, prior.measured)
    asked = float(noise_of_mean(said, worth, held) + spread(worth, held))
    return asked * prior.measured / float(noise_of_mean(public, values, shares) + spread(values, shares))
