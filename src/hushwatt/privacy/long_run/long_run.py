"""The chances of someone who watches all that a home sends for a long time.

The attacker is the best there can be: he knows the plan, the laws, the home's turn and order, sees every
report, and guesses what makes them likeliest.  He is asked two things about each appliance: whether the home
owns it (it uses the typical mean in every slot, or 0 W; both as likely beforehand), and which level it has,
if that never changes (all levels as likely beforehand).  Where homes say what they do not measure, one without the
appliance has no plug on it and says so in every slot; then he is asked too whether the home measures it at all.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import exp
from typing import Any

import numpy as np

from hushwatt.plan.appliance import Appliance
from hushwatt.plan.plan import Plan
from hushwatt.privacy.laws import law_for
from hushwatt.privacy.long_run.answers import DAY, answers_in, slots_in, stretch_cost
from hushwatt.privacy.long_run.bounds import constant_bound, owned_bound
from hushwatt.privacy.long_run.constant_level import best_name
from hushwatt.privacy.long_run.two_pasts import Mixture, best_guess
from hushwatt.privacy.strategies import affordable, strategy_for
from hushwatt.privacy.typical import typical_mean

YEAR = 365
SPANS = (30, 90, YEAR, 5 * YEAR, None)  # days; None is the whole plan
CACHED = 64
NOTHING: Mixture = ((0, 1.0),)  # 0 W are the lowest level


@dataclass(frozen=True)
class Told:
    """The chances to be right about one appliance."""

    owned: float  # whether the home owns it; guessing alone: a half
    constant: float  # which level it has, if always the same; guessing alone: one in d
    levels: int  # d
    measured: float | None = None  # whether the home measures it, where homes say so; guessing alone: a half

    @property
    def ownership(self) -> float:
        """The larger risk: others use 0 W, or have no plug on it."""
        return self.owned if self.measured is None else max(self.owned, self.measured)

    def as_json(self) -> dict[str, float]:
        measured = {} if self.measured is None else {"measured": self.measured}
        return {"owned": self.owned, **measured, "constant": self.constant}


@dataclass(frozen=True)
class LongRun:
    """What can be told after so many days; amounts are millionths of ε."""

    after_days: int
    slots: int  # of the plan, that begin in these days
    epsilon: int  # the most that any so many slots in a row can cost the home
    appliance_epsilon: int  # the same for one appliance
    at_most: bool  # whether the chances are bounds, as someone decides in each slot who publishes
    told: Mapping[str, Told]

    @property
    def worst(self) -> float:
        """The chance to be right about two pasts of the home, whichever they are, however much is known."""
        return _certainty(self.epsilon)

    @property
    def appliance_worst(self) -> float:
        """The same about two pasts of one appliance, for someone who knows everything else."""
        return _certainty(self.appliance_epsilon)

    def as_json(self) -> dict[str, Any]:
        return {
            "after_days": self.after_days,
            "epsilon": self.epsilon,
            "appliance_epsilon": self.appliance_epsilon,
            "at_most": self.at_most,
            "worst": self.worst,
            "appliance_worst": self.appliance_worst,
            "told": {name: each.as_json() for name, each in self.told.items()},
        }


@lru_cache(maxsize=CACHED)
def long_run(plan: Plan, days: int | None = YEAR) -> LongRun:
    """What the reports of so many days tell about a home, or those of the whole plan.  [claim C15]

    >>> from hushwatt.plan.presets import preset
    >>> round(long_run(preset("advised"), 30).appliance_worst, 3)
    0.999
    """
    slots = slots_in(plan, days)
    home, appliance = stretch_cost(plan, slots)
    return LongRun(
        after_days=-(-slots * plan.slot.seconds // DAY) if days is None else days,
        slots=slots,
        epsilon=home,
        appliance_epsilon=appliance,
        at_most=plan.decision is not None,
        told=_bounded(plan, slots) if shares_are_decided(plan) else _drawn(plan, slots),
    )


def shares_are_decided(plan: Plan) -> bool:
    """Whether it is decided in each slot how much of the window's ε a report gets."""
    return plan.decision is not None and not strategy_for(plan).population


def owner_levels(plan: Plan, appliance: Appliance) -> Mixture:
    """The levels that an owner at the typical mean has in a slot, and the chance of each."""
    watts = typical_mean(plan, appliance)
    if plan.mapping != "dither":
        return ((int(np.searchsorted(np.array(appliance.edges), watts, side="left")), 1.0),)
    place = float(np.interp(watts, appliance.values, np.arange(appliance.levels)))
    lower, way = int(place), place % 1
    return ((lower, 1 - way), (lower + 1, way)) if way else ((lower, 1.0),)


def others(plan: Plan, width: int) -> tuple[Mixture, ...]:
    """What homes answer from which an owner is told: 0 W, and where it is an answer that they do not measure it."""
    return (NOTHING, ((width - 1, 1.0),)) if plan.answers_unmeasured else (NOTHING,)


def _drawn(plan: Plan, slots: int) -> dict[str, Told]:
    """Chances averaged over the numbers of answers that the clock allows; each costs the same."""
    strategy, counts = strategy_for(plan), answers_in(plan, slots).items()
    drawn = affordable(plan) if strategy.population else strategy.largest
    told = {}
    for each, width in zip(plan.appliances, plan.widths, strict=True):
        law, owner = law_for(plan.oracle, drawn, plan.appliances_per_report, width), owner_levels(plan, each)
        owned, *measured = (
            sum(chance * best_guess(law, owner, other, answers) for answers, chance in counts)
            for other in others(plan, width)
        )
        constant = sum(chance * best_name(law, each.levels, answers) for answers, chance in counts)
        told[each.name] = Told(owned, constant, each.levels, *measured)
    return told


def _bounded(plan: Plan, slots: int) -> dict[str, Told]:
    """Bounds, where it is decided in each slot whether to publish."""
    told = {}
    for each, width in zip(plan.appliances, plan.widths, strict=True):
        owner, constant = owner_levels(plan, each), constant_bound(plan, width, each.levels, slots)
        owned, *measured = (owned_bound(plan, width, owner, other, slots) for other in others(plan, width))
        told[each.name] = Told(owned, constant, each.levels, *measured)
    return told


def _certainty(amount: int) -> float:
    """e^ε/(1 + e^ε)."""
    return 1 / (1 + exp(-amount / 1e6))
