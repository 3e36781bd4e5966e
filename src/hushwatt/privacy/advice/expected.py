"""What one report is worth: its variance, from the law and what is thought of the homes."""

from dataclasses import dataclass
from functools import cache
from math import erf, sqrt

import numpy as np
from numpy.typing import NDArray

from hushwatt.plan.plan import Plan
from hushwatt.privacy.decide import change_threshold
from hushwatt.privacy.laws import Law, law_for
from hushwatt.privacy.strategies import Strategy, rules_of

Values = NDArray[np.float64]  # one row per choice of levels, one column per level


def noise_of_mean(law: Law, values: Values, shares: Values) -> NDArray[np.float64]:
    """The variance that one answer adds to a mean, given who holds what; in W², one per row.

    Unary: Σ(v−v̄)²(q(1−q)/(p−q)² + f(1−p−q)/(p−q)), bits being independent and Σf = 1.
    Direct: the variance of the answered value, over (p−q)², less that of the held value.
    """
    hold, rise = float(law.hold), float(law.rise)
    if law.direct:
        answered = rise + (hold - rise) * shares
        return spread(values, answered) / (hold - rise) ** 2 - spread(values, shares)
    away = (values - values.mean(axis=-1, keepdims=True)) ** 2
    each = rise * (1 - rise) / (hold - rise) ** 2 + shares * (1 - hold - rise) / (hold - rise)
    return np.asarray(np.sum(away * each, axis=-1))


def spread(values: Values, shares: Values) -> NDArray[np.float64]:
    """The variance of a value held with such shares."""
    mean = np.sum(values * shares, axis=-1, keepdims=True)
    return np.asarray(np.sum((values - mean) ** 2 * shares, axis=-1))


def among_measuring(values: Values, shares: Values, measured: float) -> tuple[Values, Values]:
    """Values and shares with the answer "not measured": how far each answer moves a mean among homes that measure.

    By the delta method: a level is worth its watts less the mean, over the share that measures; the answer nothing.
    """
    mean = np.sum(values * shares, axis=-1, keepdims=True)
    none = np.zeros((*values.shape[:-1], 1))
    worth = np.concatenate([(values - mean) / measured, none], axis=-1)
    return worth, np.concatenate([measured * shares, none + 1 - measured], axis=-1)


@dataclass(frozen=True)
class Held:
    """One way in which a home can stand after a slot: its strategy, its release, and how old that is."""

    strategy: Strategy
    drawn: int
    age: int  # slots it has stood for, this one included


@cache
def weights_of_draws(plan: Plan, slots: int) -> dict[int, float]:
    """For a home that decides for itself: the expected Σr² over `slots` slots, by budget drawn.

    r is how often a draw is repeated.  The chance to publish is that of two probes of an unchanged
    home differing by more than the public error, a normal approximation.
    """
    start = rules_of(plan).start(plan.epsilon, plan.window)
    chances = {Held(start, 0, 0): 1.0}
    weights: dict[int, float] = {}
    publishes: dict[int, float] = {}
    for _ in range(slots):
        following: dict[Held, float] = {}
        for held, chance in chances.items():
            offer = held.strategy.offer()
            if offer not in publishes:
                publishes[offer] = chance_to_publish(plan, start.probe, offer)
            now = 1.0 if held.drawn == 0 else publishes[offer]
            fresh = Held(held.strategy.after(True), offer, 1)
            stays = Held(held.strategy.after(False), held.drawn, held.age + 1)
            for after, part in ((fresh, now), (stays, 1 - now)):
                if part:
                    following[after] = following.get(after, 0.0) + chance * part
                    weights[after.drawn] = weights.get(after.drawn, 0.0) + chance * part * (2 * after.age - 1)
        chances = following
    return weights


def chance_to_publish(plan: Plan, probe: int, offer: int) -> float:
    """How likely two probes of an unchanged home differ in more cells than the public error."""
    if offer == 0:
        return 0.0
    asked = plan.appliances_per_report
    laws = [law_for(plan.oracle, probe, asked, width) for width in plan.widths]
    mean = sum(differing(law)[0] for law in laws)
    variance = sum(differing(law)[1] for law in laws)
    allowed = change_threshold([law_for(plan.oracle, offer, asked, width) for width in plan.widths])
    return 0.5 * (1 - erf((allowed + 0.5 - mean) / sqrt(2 * variance)))


def differing(law: Law) -> tuple[float, float]:
    """Mean and variance of the number of cells in which two answers of one appliance differ."""
    hold, rise = float(law.hold), float(law.rise)
    if law.direct:
        differ = 1 - hold**2 - (law.levels - 1) * rise**2
        return 2 * differ, 4 * differ * (1 - differ)
    true, other = 2 * hold * (1 - hold), 2 * rise * (1 - rise)
    return true + (law.levels - 1) * other, true * (1 - true) + (law.levels - 1) * other * (1 - other)
