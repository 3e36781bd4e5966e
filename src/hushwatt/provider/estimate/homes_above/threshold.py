"""What levels say of the homes above so many watts: exactly, between bounds, or not at all.

Levels of ranges say it where an edge is.  Levels drawn at random between watts (`dither`) say how many are above on
average over each step, and as ever fewer homes are above more watts, that bounds how many are above any watts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

import numpy as np

from hushwatt.errors import UsageError
from hushwatt.plan.appliance import Appliance, show_watts
from hushwatt.plan.plan import Plan
from hushwatt.provider.estimate.array_types import Floats

MAX_THRESHOLDS = 10
STANDBY = 10.0  # watts up to which an appliance hardly counts as in use


@dataclass(frozen=True)
class Bracket:
    """What levels are worth in a share of homes: each row is a share that the real one is not below, or not above."""

    watts: float
    lower: Floats
    upper: Floats
    needs: str = ""  # which levels would tell the share; nothing where these do

    @property
    def told(self) -> bool:
        return not self.needs


def bracket(plan: Plan, number: int, watts: float | None) -> Bracket:
    """What the levels of an appliance say of homes above `watts`, or above its lowest level."""
    each = plan.appliances[number]
    if plan.mapping == "range":
        return _between_edges(each, watts)
    return _between_values(each, each.values[0] if watts is None else watts)


def _between_edges(each: Appliance, watts: float | None) -> Bracket:
    """Homes above an edge are those at the levels above it; else they lie between the edges around."""
    edges = np.array(each.edges)
    above = float(edges[0]) if watts is None else watts
    least, most = int((edges < above).sum()), int((edges <= above).sum())  # edges below, and not above
    levels = np.arange(each.levels)
    if most > least:
        share = (levels >= most)[None].astype(float)
        return Bracket(above, share, share)
    lower, upper = (np.asarray(levels >= each) for each in (most + 1, most))
    wanted = ", ".join(show_watts(edge) for edge in sorted([*edges.tolist(), above]))
    return Bracket(above, lower[None].astype(float), upper[None].astype(float), f"edges = [{wanted}]")


def _between_values(each: Appliance, above: float) -> Bracket:
    """As S(t), the part of homes above t watts, only falls, and g of level k is its mean over the step up to it.

    Within the step from a to b, S is at most the mean g' of the step below and at least the g" of the step above.  So
    with t in it, S(t) ≥ (g·(b−a) − g'·(t−a))/(b−t) and S(t) ≤ (g·(b−a) − g"·(b−t))/(t−a).
    """
    values = np.array(each.values)
    count, levels = each.levels, np.arange(each.levels)

    def mean(step: int) -> Floats:
        """g: the homes at this level and above; all at the first, and none above the top."""
        return np.asarray(levels >= step, dtype=float)

    below = int((values <= above).sum()) - 1  # the value at or below it; −1: none
    exact = below >= 0 and values[below] == above
    upper = [mean(max(below, 0))]
    lower = [mean(below + 1 if exact or below == count - 1 else below + 2)]
    if 0 <= below < count - 1 and not exact:
        a, b = values[below], values[below + 1]
        lower.append((mean(below + 1) * (b - a) - mean(below) * (above - a)) / (b - above))
        upper.append((mean(below + 1) * (b - a) - mean(below + 2) * (b - above)) / (above - a))
    wanted = above if above > 0 else min(STANDBY, float(values[values > 0][0]) / 2)
    edges = [show_watts(value) for value in sorted({*values[values > 0].tolist(), wanted})]
    needs = f'mapping = "range", edges = [{", ".join(edges)}]'
    return Bracket(above, np.array(lower), np.array(upper), needs)


def thresholds(above: Sequence[float], using: bool = False) -> tuple[float | None, ...]:
    """The watts above which shares of homes are asked for; None for those that use an appliance at all.

    >>> thresholds([500], using=True)
    (500, None)
    """
    for watts in above:
        if not (isfinite(watts) and watts >= 0):
            raise UsageError(f"above is {watts:g}; it must be a number of watts from 0 on")
    if len(set(above)) > MAX_THRESHOLDS or len(set(above)) < len(above):
        raise UsageError(f"above is there {len(above)} times; write up to {MAX_THRESHOLDS} different numbers of watts")
    return (*above, *[None] * using)
