"""Mechanisms that send everything they draw: the loss of a stream is a product over its slots.

Under LBU, LSP and LPU the clock says who speaks; when the provider decides, it decides by
what was sent.  Either way, given who speaks, the answers of different slots and appliances
depend on nothing but their own levels, so the worst ratio of a window is the product of
the worst ratios of its slots.  Every answer and every pair of inputs is tried.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import prod

from hushwatt.audit.exact.inputs import Mixture, mixtures
from hushwatt.audit.exact.schedules import Slot, schedules
from hushwatt.plan.plan import Plan
from hushwatt.privacy.laws import Law, law_for


@dataclass(frozen=True)
class Losses:
    """The worst likelihood ratios; None is an infinite one."""

    home: Fraction | None
    appliance: Fraction | None

    def worse(self, other: "Losses") -> "Losses":
        return Losses(larger(self.home, other.home), larger(self.appliance, other.appliance))


NOTHING_TOLD = Losses(Fraction(1), Fraction(1))


def larger(one: Fraction | None, other: Fraction | None) -> Fraction | None:
    return None if one is None or other is None else max(one, other)


def windows(plan: Plan, slots: int) -> list[range]:
    """The windows of so many slots; where a window is longer than all of them, they are one.

    >>> from hushwatt.plan.presets import preset
    >>> windows(preset("paper"), 4), windows(preset("paper"), 2)
    ([range(0, 3), range(1, 4)], [range(0, 2)])
    """
    return [range(start, min(start + plan.window, slots)) for start in range(max(slots - plan.window, 0) + 1)]


def open_losses(plan: Plan, slots: int) -> Losses:
    """The worst ratio of any window of any schedule, for the home and for one appliance."""
    worst = NOTHING_TOLD
    for schedule in schedules(plan, slots):
        told = [[_told(plan, slot, place) for place in range(len(plan.appliances))] for slot in schedule]
        for window in windows(plan, slots):
            each = [prod(column) for column in zip(*(told[slot] for slot in window), strict=True)]
            worst = worst.worse(Losses(home=prod(each), appliance=max(each)))
    return worst


def _told(plan: Plan, slot: Slot, place: int) -> Fraction:
    """What a slot can tell about an appliance, at the worst."""
    amounts = tuple(draw.amount for draw in slot if place in draw.members)
    return worst_ratio(plan.oracle, amounts, plan.appliances_per_report, plan.widths[place], plan.mapping)


@lru_cache(maxsize=4096)
def worst_ratio(oracle: str, amounts: tuple[int, ...], asked: int, levels: int, mapping: str) -> Fraction:
    """The most that the answers drawn in one slot about one appliance tell two inputs apart.

    All answers of a slot are about the same level: a dithered reading was rounded once.
    """
    laws = tuple(law_for(oracle, amount, asked, levels) for amount in amounts)
    ratios = [Fraction(1)]
    for answers in product(*(law.answers() for law in laws)):
        chances = [together(laws, answers, mixture) for mixture in mixtures(levels, mapping)]
        ratios.append(max(chances) / min(chances))
    return max(ratios)


def together(laws: tuple[Law, ...], answers: tuple[object, ...], mixture: Mixture) -> Fraction:
    """The chance of these answers to what one appliance holds."""
    return sum(
        (
            weight * prod(law.chance(answer, level) for law, answer in zip(laws, answers, strict=True))
            for level, weight in enumerate(mixture)
            if weight
        ),
        start=Fraction(0),
    )
