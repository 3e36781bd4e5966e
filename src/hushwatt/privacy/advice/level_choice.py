"""Levels that suit a law: for real means up to a top that follows the homes, for a ranking few with a low top."""

from dataclasses import replace
from functools import cache

import numpy as np

from hushwatt.plan.appliance import Appliance
from hushwatt.plan.plan import Plan
from hushwatt.privacy.advice.expected import Values
from hushwatt.privacy.advice.judge import draws_in_period
from hushwatt.privacy.advice.prior import Prior
from hushwatt.privacy.advice.tops import levels_up_to
from hushwatt.privacy.laws import Law, law_for
from hushwatt.privacy.strategies import strategy_for

BENDS = (1.0, 1.5, 2.0)  # 1: evenly spaced; above: closer together near 0


def with_tops(plan: Plan, priors: tuple[Prior, ...], homes: int, slots: int) -> Plan:
    """The plan with three dithered levels for each appliance, up to the top that suits it."""
    law = law_for(plan.oracle, strategy_for(plan).largest, plan.appliances_per_report, 3 + plan.answers_unmeasured)
    noise = noise_per_watt(law) / draws_in_period(plan, homes, slots) ** 0.5
    chosen = tuple(
        with_values(each, levels_up_to(prior.best_top(noise / prior.measured)), prior)
        for each, prior in zip(plan.appliances, priors, strict=True)
    )
    return replace(plan, mapping="dither", appliances=chosen)


def with_knowledge(plan: Plan, priors: tuple[Prior, ...]) -> Plan:
    """The plan with what is thought of each appliance written into it."""
    known = zip(plan.appliances, priors, strict=True)
    said = (replace(each, typical_mean=shown(prior.mean), typical_high=shown(prior.high)) for each, prior in known)
    return replace(plan, appliances=tuple(said))


def noise_per_watt(law: Law) -> float:
    """The standard error that one answer adds to a mean, for each watt of the top."""
    hold, rise = float(law.hold), float(law.rise)
    return float((rise * (1 - rise)) ** 0.5 / (hold - rise))


def with_values(appliance: Appliance, values: tuple[float, ...], prior: Prior) -> Appliance:
    """The appliance with dithered levels, and what is thought of it."""
    mean, high = shown(prior.mean), shown(prior.high)
    return Appliance.of(appliance.name, values=values, mapping="dither", typical_mean=mean, typical_high=high)


@cache
def level_choices(prior: Prior, count: int, loss: float) -> tuple[Values, Values]:
    """Values from 0 up to where the mean loses `loss` of itself, and the shares thought to hold each, dithered.

    A row for each spacing.  All appliances lose the same share of their mean to clipping, so that their order
    and their shares stay what they were.
    """
    bends, top = BENDS if count > 2 else BENDS[:1], _top(prior, loss)
    values = np.array([rounded(top * np.linspace(0, 1, count) ** bend) for bend in bends])
    return values, np.array([prior.dithered(row) for row in values])


@cache
def _top(prior: Prior, loss: float) -> float:
    """One search for every number of levels."""
    return prior.top(loss)


def rounded(values: Values) -> Values:
    """Watts to three digits, as people write them.

    >>> rounded(np.array([0, 12.3456, 2468.0]))
    array([   0. ,   12.3, 2470. ])
    """
    return np.array([float(f"{value:.3g}") for value in values])


def shown(watts: float) -> float:
    """Watts to four digits: prior knowledge is no better.

    >>> shown(48.76923), shown(7.9)
    (48.77, 7.9)
    """
    return float(f"{watts:.4g}")
