"""How many homes and weeks it takes to see a difference, before anyone has reported.

A difference is seen where it is as far from zero as is sure at 5 % among all appliances of the plan, in four of
five cases: what `compare` calls detectable.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil
from statistics import NormalDist

import numpy as np

from hushwatt.errors import UsageError
from hushwatt.plan.plan import Plan
from hushwatt.privacy.advice.advise import MOST_HOMES
from hushwatt.privacy.advice.answered import answered
from hushwatt.privacy.advice.compared_slots import ComparedSlots, DifferenceLaw
from hushwatt.privacy.advice.expected import Values, noise_of_mean, spread
from hushwatt.privacy.advice.judge import draws_in_period, levels_held, moving_the_mean
from hushwatt.privacy.advice.prior import Prior
from hushwatt.privacy.laws import Law, law_for
from hushwatt.privacy.strategies import strategy_for
from hushwatt.privacy.tails import is_real, median_tail, tail_ratios, tail_weights

ALARM, POWER = 0.05, 0.8  # false alarms over all appliances, and the chance to see a difference
WEEK = 7 * 86_400  # seconds
WEEKS = 52  # that are looked through

Design = Callable[[int], ComparedSlots]  # of so many slots on each side


@dataclass(frozen=True)
class Seen:
    """One appliance in one comparison."""

    detectable: float  # watts: the difference that these homes would show
    homes: int | None  # that would show the one asked for; None: not with these levels
    weeks: int | None  # of each side, with the homes there are; None: not in a year, or the sides are given


@dataclass(frozen=True)
class ApplianceDetection:
    """One appliance: the difference that is asked for, what the levels show of it, and what that takes."""

    watts: float  # mean of a home
    shown: float  # watts: by how much the means would differ, what levels hide left out
    groups: Seen
    stretches: Seen  # or the two sides that are given


@dataclass(frozen=True)
class Detection:
    """What a plan can tell apart, if every home used a share less of an appliance."""

    plan: Plan
    homes: int
    slots: int  # of each side
    share: float  # of the mean
    between: ComparedSlots | None  # sides that are given, in place of two stretches
    appliances: dict[str, ApplianceDetection]


@dataclass(frozen=True)
class DetectionSearch:
    """The question: a plan, what is thought of its appliances, homes, and the slots of each side."""

    plan: Plan
    priors: tuple[Prior, ...]
    homes: int
    slots: int
    share: float
    between: ComparedSlots | None = None

    def __post_init__(self) -> None:
        if self.plan.decision is not None:
            raise UsageError(
                f"{self.plan.method} decides by each home's own past; what it can tell apart is not known beforehand"
            )

    def found(self) -> Detection:
        """Every appliance, between two groups and between two stretches."""
        parts = {each.name: self._appliance(number) for number, each in enumerate(self.plan.appliances)}
        return Detection(self.plan, self.homes, self.slots, self.share, self.between, parts)

    @cached_property
    def sigmas(self) -> float:
        """How many standard errors are seen in four of five cases, all appliances being looked at."""
        normal = NormalDist()
        return normal.inv_cdf(1 - ALARM / 2 / len(self.plan.appliances)) + normal.inv_cdf(POWER)

    def _appliance(self, number: int) -> ApplianceDetection:
        appliance, prior = self.plan.appliances[number], self.priors[number]
        values, held = levels_held(self.plan, appliance, prior)
        less = replace(prior, mean=(1 - self.share) * prior.mean, high=(1 - self.share) * prior.high)
        values = self._with_tail(number, values, held)
        seen = float(values @ (held - levels_held(self.plan, appliance, less)[1]))
        shown = min(seen, self.share * prior.mean)  # a tail that is guessed shows no more than there is
        errors = self._errors(values, held, prior)
        groups, stretches = (self._seen(design, errors, shown) for design in (ComparedSlots.of_groups, self._stretches))
        return ApplianceDetection(prior.mean, shown, groups, stretches)

    def _with_tail(self, number: int, values: Values, held: Values) -> Values:
        """The levels' watts, the top standing for what lies above it too, as reports that say this will leave it."""
        if not is_real(self.plan, number):
            return values
        high = float(self.plan.appliances[number].typical_high or 0.0)
        each = np.eye(len(values))
        one = noise_of_mean(self._law_of(len(values)), each, held) + spread(each, held)
        variances = one / draws_in_period(self.plan, self.homes, self.slots)
        likely = tail_weights(held, variances, values, high)
        return np.append(values[:-1], values[-1] * (1 + median_tail(tail_ratios(values, high), likely)))

    def _law_of(self, levels: int) -> Law:
        plan = self.plan
        width = levels + plan.answers_unmeasured
        return law_for(plan.oracle, strategy_for(plan).largest, plan.appliances_per_report, width)

    def _stretches(self, slots: int) -> ComparedSlots:
        return self.between or ComparedSlots.of_stretches(slots)

    def _errors(self, values: Values, held: Values, prior: Prior) -> tuple[float, float, float]:
        """One answer's noise, how homes differ, and their mean above the lowest level."""
        worth, answers = moving_the_mean(self.plan, prior, values, held)
        differ = float(spread(worth, answers))
        above = differ**0.5 if self.plan.answers_unmeasured else float(values @ held - values[0])
        return float(noise_of_mean(self._law_of(len(values)), worth, answers)), differ, above

    def _seen(self, design: Design, errors: tuple[float, float, float], shown: float) -> Seen:
        one = self._law(design, self.slots).variance(*errors)
        enough = one * (self.sigmas / shown) ** 2 if shown > 0 else np.inf
        least = self._least_homes(design)
        homes = max(ceil(enough), least) if max(enough, least) <= MOST_HOMES else None
        weeks = (week for week, slots in self._weeks if self._shows(design, slots, errors, shown))
        given = self.between is not None and design == self._stretches
        return Seen(self.sigmas * (one / self.homes) ** 0.5, homes, None if given else next(weeks, None))

    def _shows(self, design: Design, slots: int, errors: tuple[float, float, float], shown: float) -> bool:
        """Whether the homes that there are show the difference in so many slots of each side."""
        variance = self._law(design, slots).variance(*errors) / self.homes
        return shown >= self.sigmas * variance**0.5 and self._answers(design, slots, self.homes)

    @cached_property
    def _laws(self) -> dict[tuple[bool, int], DifferenceLaw]:
        return {}

    def _law(self, design: Design, slots: int) -> DifferenceLaw:
        compared = design(slots)
        key = (compared.groups, slots)
        if key not in self._laws:
            self._laws[key] = DifferenceLaw.of(self.plan, compared)
        return self._laws[key]

    @cached_property
    def _weeks(self) -> list[tuple[int, int]]:
        """Whole weeks up to a year, in slots that are published whole."""
        period = self.plan.publish
        slots = ((week, week * WEEK // self.plan.slot.seconds // period * period) for week in range(1, WEEKS + 1))
        return [(week, count) for week, count in slots if count]

    def _answers(self, design: Design, slots: int, homes: int) -> bool:
        """Whether enough homes speak of every appliance on each side."""
        compared = design(slots)
        shorter = min(len(compared.a), len(compared.b))
        return answered(self.plan, int(homes * compared.homes), shorter)

    def _least_homes(self, design: Design) -> int:
        few, many = 0, MOST_HOMES
        while many - few > 1:
            middle = (few + many) // 2
            few, many = (few, middle) if self._answers(design, self.slots, middle) else (middle, many)
        return many
