"""Whether homes that decide for themselves follow their levels so closely that means over time lean.

A home publishes when its probes differ.  The sharper its probes, the more often that is when a level has
just changed, and `lba` then stands by the release for as long as it had saved up: a rare level that lasts for
one slot is counted for several (length bias).  A release is an unbiased answer about the slot it was drawn
in; the choice of these slots is what leans.  No weights undo that: nobody but the home knows its probes.
"""

from math import erf, sqrt

import numpy as np
from numpy.typing import NDArray

from hushwatt.errors import UsageError
from hushwatt.plan.plan import Plan
from hushwatt.privacy.decide import change_threshold
from hushwatt.privacy.laws import Law, law_for
from hushwatt.privacy.strategies import strategy_for

SHARPEST = 0.05  # at this, a level held in a tenth of the slots is counted 0.95 to 1.07 times  [claim C3]
MOST_CELLS = 1_000  # added up one by one; a sum of more is as good as normal
Chances = NDArray[np.float64]  # of every number of differing cells, from none on


def sharpness(plan: Plan) -> float:
    """How much likelier a home is to publish when all its levels changed than when none did.

    The most over everything that may be on offer; 0 where homes do not decide.

    >>> from hushwatt.plan.presets import preset
    >>> round(sharpness(preset("paper")), 3), sharpness(preset("advised"))
    (0.001, 0.0)
    """
    if plan.decision != "household":
        return 0.0
    strategy, asked = strategy_for(plan), plan.appliances_per_report
    laws = [law_for(plan.oracle, strategy.probe, asked, width) for width in plan.widths]
    low, high = (
        change_threshold([law_for(plan.oracle, offer, asked, width) for width in plan.widths])
        for offer in (strategy.largest, strategy.smallest)
    )
    same, changed = ([differing(law, moved) for law in laws] for moved in (False, True))
    return max(above(allowed, changed) - above(allowed, same) for allowed in range(low, high + 1))


def refuse_length_bias(plan: Plan, source: str = "") -> None:
    """Refuse to begin a collection whose means over time would lean too far."""
    told = leaning(plan)
    if told is not None:
        raise UsageError(f"{source}: {told}" if source else told)


def leaning(plan: Plan) -> str | None:
    """Why no collection should begin under a plan, in words; None when its means lean by little."""
    points = 100 * sharpness(plan)
    if points <= 100 * SHARPEST:
        return None
    return (
        f"means over time would lean (be biased): homes that decide by {plan.method} are {points:.0f} points "
        f"likelier to publish when their levels changed, and at most {100 * SHARPEST:.0f} are allowed; "
        "choose lpu, lbu or lsp, or lower epsilon"
    )


def differing(law: Law, changed: bool) -> Chances:
    """In how many cells two probes of one appliance differ, when its level has or has not changed.

    >>> differing(law_for("grr", 1_000_000, 1, 2), changed=False).round(3).tolist()
    [0.607, 0.0, 0.393]
    """
    hold, rise = float(law.hold), float(law.rise)
    if law.direct:
        equal = hold**2 + (law.levels - 1) * rise**2
        if changed:
            equal = 2 * hold * rise + (law.levels - 2) * rise**2
        return np.array([equal, 0.0, 1 - equal])
    moved, still = hold * (1 - rise) + rise * (1 - hold), 2 * rise * (1 - rise)
    found = np.ones(1)
    for cell in ([moved] * 2 if changed else [2 * hold * (1 - hold), still]) + [still] * (law.levels - 2):
        found = np.convolve(found, [1 - cell, cell])
    return found


def above(allowed: int, parts: list[Chances]) -> float:
    """The chance that independent numbers add up to more than `allowed`."""
    if sum(map(len, parts)) > MOST_CELLS:
        means = [float(part @ np.arange(len(part))) for part in parts]
        squares = [float(part @ np.arange(len(part)) ** 2) for part in parts]
        spread = sum(square - mean**2 for square, mean in zip(squares, means, strict=True))
        return 0.5 * (1 - erf((allowed + 0.5 - sum(means)) / sqrt(2 * spread)))
    total = np.ones(1)
    for part in parts:
        total = np.convolve(total, part)
    return float(total[allowed + 1 :].sum())
