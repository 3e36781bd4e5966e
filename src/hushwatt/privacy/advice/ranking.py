"""The search for the best order of means: every mechanism with every top, all levels of all appliances at once.

What one answer adds to a mean depends on a choice of levels through six sums alone.  They are taken once, and every
mechanism is then a few lines of arithmetic on them.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from hushwatt.plan.plan import Plan
from hushwatt.privacy.advice.candidate import Candidate, order_chances
from hushwatt.privacy.advice.expected import Values
from hushwatt.privacy.advice.judge import draws_in_period, judged, moving_the_mean
from hushwatt.privacy.advice.level_choice import level_choices, with_values
from hushwatt.privacy.advice.prior import Prior
from hushwatt.privacy.laws import Law, law_for
from hushwatt.privacy.strategies import strategy_for

ABOUT = 0.001  # two chances of the right order that are no different
COUNTS = (2, 3, 4, 5, 6, 8, 10)
LOSSES = (0.005, 0.01, 0.02, 0.05, 0.1, 0.15)  # of the mean, to clipping: a lower top saves much noise


@dataclass(frozen=True)
class Contender:
    """A mechanism with one top, as good at the order as it is thought to be."""

    plan: Plan
    values: tuple[Values, ...]  # of each appliance's levels
    right_order: float
    squared_error: float


@dataclass(frozen=True)
class LevelSums:
    """Every choice of levels, appliances × losses × choices; sums over answers of what each adds, and how often."""

    levels: list[list[list[Values]]]  # watts
    counts: list[int]  # levels of each choice
    held: Values  # the mean of what is held
    spread: Values  # its variance
    plain: Values  # Σv, v what an answer adds to a mean
    squares: Values  # Σv²
    away: Values  # Σ(v − v̄)²
    away_held: Values  # Σ(v − v̄)²f, f how often it is true
    first: Values  # Σvf
    second: Values  # Σv²f

    @classmethod
    def of(cls, plan: Plan, priors: tuple[Prior, ...]) -> Self:
        levels = [[list(_choices(prior, loss)) for loss in LOSSES] for prior in priors]
        sums = np.array(
            [
                [[_sums(plan, prior, *one) for one in at_loss] for at_loss in of_one]
                for prior, of_one in zip(priors, levels, strict=True)
            ]
        )
        counts = [len(values) for values, _ in levels[0][0]]
        watts = [[[values for values, _ in at_loss] for at_loss in of_one] for of_one in levels]
        return cls(watts, counts, *np.moveaxis(sums, -1, 0))

    def errors(self, laws: list[Law]) -> Values:
        """The variance of one answer about each appliance, what is held included; a law for each choice."""
        hold, rise = (np.array([float(getattr(law, name)) for law in laws]) for name in ("hold", "rise"))
        gap = hold - rise
        if laws[0].direct:
            mean = rise * self.plain + gap * self.first
            return np.asarray((rise * self.squares + gap * self.second - mean**2) / gap**2)
        noise = rise * (1 - rise) / gap**2 * self.away + (1 - hold - rise) / gap * self.away_held
        return np.asarray(noise + self.spread)


def best_ranking(tried: list[Plan], priors: tuple[Prior, ...], homes: int, slots: int) -> tuple[Candidate, Candidate]:
    """The best order of the means, and the second best mechanism."""
    sums = LevelSums.of(tried[0], priors)
    found = [best_order(list(_contenders(plan, priors, sums, homes, slots))) for plan in tried]
    best = best_order(found)
    second = best_order([one for one in found if one is not best] or found)
    first, other = (judged(_with_levels(one, priors), priors, homes, slots) for one in (best, second))
    return first, other


def best_order(found: list[Contender]) -> Contender:
    """Of those that get the order right about equally often, the one with the smallest error."""
    best = max(one.right_order for one in found)
    return min((one for one in found if one.right_order > best - ABOUT), key=lambda one: one.squared_error)


def _contenders(plan: Plan, priors: tuple[Prior, ...], sums: LevelSums, homes: int, slots: int) -> Iterator[Contender]:
    """The plan with the levels that suit its law, for every loss to clipping."""
    drawn, asked = strategy_for(plan).largest, plan.appliances_per_report
    laws = [law_for(plan.oracle, drawn, asked, count + plan.answers_unmeasured) for count in sums.counts]
    errors = sums.errors(laws)
    chosen = errors.argmin(axis=-1)
    variances = errors.min(axis=-1) / draws_in_period(plan, homes, slots)
    means = np.array([prior.mean for prior in priors])
    doubts = np.array([prior.doubt for prior in priors])
    biases = np.take_along_axis(sums.held, chosen[..., None], axis=-1)[..., 0] - means[:, None]
    for place in range(len(LOSSES)):
        variance, bias = variances[:, place], biases[:, place]
        values = tuple(levels[place][choice] for levels, choice in zip(sums.levels, chosen[:, place], strict=True))
        order = float(np.mean(order_chances(means, bias, variance + (doubts * bias) ** 2)))
        yield Contender(plan, values, order, float(np.mean(variance + bias**2)))


def _with_levels(one: Contender, priors: tuple[Prior, ...]) -> Plan:
    parts = zip(one.plan.appliances, one.values, priors, strict=True)
    chosen = tuple(with_values(each, tuple(values.tolist()), prior) for each, values, prior in parts)
    return replace(one.plan, mapping="dither", appliances=chosen)


def _choices(prior: Prior, loss: float) -> Iterator[tuple[Values, Values]]:
    """Every number and spacing of levels: their watts, and the share that is thought to hold each."""
    for count in COUNTS:
        yield from zip(*level_choices(prior, count, loss), strict=True)


def _sums(plan: Plan, prior: Prior, values: Values, shares: Values) -> tuple[float, ...]:
    worth, held = moving_the_mean(plan, prior, values, shares)
    away, first = (worth - worth.mean()) ** 2, float(worth @ held)
    second = float(worth**2 @ held)
    return (
        float(values @ shares),
        second - first**2,
        float(worth.sum()),
        float(worth @ worth),
        float(away.sum()),
        float(away @ held),
        first,
        second,
    )
