"""What many homes answer together, drawn at once from the law that each of them follows.

The homes at one level answer alike and independently, so their answers add up
to binomial and multinomial counts.  One draw for all of them has the same law
as one draw for each.
"""

import numpy as np
from numpy.typing import NDArray

from hushwatt.household.report.levels import Watts, between, ranged
from hushwatt.plan.appliance import Appliance
from hushwatt.plan.plan import Plan
from hushwatt.privacy.laws import Law

Counts = NDArray[np.int64]


def homes_per_answer(plan: Plan, index: int, watts: Watts, homes: Counts, random: np.random.Generator) -> Counts:
    """How many homes hold each answer about an appliance; the last is "not measured", where the plan has it."""
    appliance = plan.appliances[index]
    if not plan.answers_unmeasured:
        return homes_per_level(appliance, plan.mapping, watts, homes, random)
    measured = ~np.isnan(watts)
    levels = homes_per_level(appliance, plan.mapping, watts[measured], homes[measured], random)
    return np.append(levels, homes[~measured].sum())


def homes_per_level(
    appliance: Appliance, mapping: str, watts: Watts, homes: Counts, random: np.random.Generator
) -> Counts:
    """How many homes are at each level, when `homes` of them read each of these watts.

    With `range` that is a fact.  With `dither` each home rounds for itself: of c
    homes a fraction u of the way up, a binomial number with chance u goes up.
    """
    if mapping == "range":
        return _sum_by_level(ranged(appliance, watts), homes, appliance.levels)
    lower, way = between(appliance, watts)
    up = random.binomial(homes, way)
    levels = _sum_by_level(lower, homes - up, appliance.levels)
    return levels + _sum_by_level(lower + 1, up, appliance.levels)


def aggregate_draws(homes: Counts, law: Law, random: np.random.Generator) -> Counts:
    """How many answers speak for each level, when `homes` are truly there.

    One bit for each level: Binomial(c, p) + Binomial(m − c, q), c of m homes being there.
    A direct answer: the homes of each level spread over all levels, a multinomial.

    >>> from hushwatt.privacy.laws import law_for
    >>> random, at = np.random.default_rng(1), np.array([900, 100, 0])
    >>> int(aggregate_draws(at, law_for("grr", 1_000_000, 1, 3), random).sum())
    1000
    """
    hold, rise = float(law.hold), float(law.rise)
    if not law.correlated:
        return np.asarray(random.binomial(homes, hold) + random.binomial(homes.sum() - homes, rise))
    chances = np.where(np.eye(law.levels, dtype=bool), hold, rise)
    return np.asarray(random.multinomial(homes, chances / chances.sum(axis=1, keepdims=True)).sum(axis=0))


def _sum_by_level(levels: NDArray[np.intp], homes: Counts, count: int) -> Counts:
    """The homes of each level; exact, as there are fewer than 2⁵³ of them."""
    return np.bincount(levels, weights=homes, minlength=count).astype(np.int64)
