"""What all that has really left a home tells the best guesser, appliance by appliance.

It is worked out from the reports in the ledger, those of every plan together, by the same laws that they were
drawn by.  Repeats say nothing new and do not count.  Nothing here knows a reading: two homes that sent the same
reports are told the same.

Where the home decides in each slot whether to publish, a level that never changes is told by what is published
alone.  Where an owner's level is drawn anew in each slot, every probe counts as if it had been sent.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, exp

import numpy as np

from hushwatt.household.ledger.store import Store
from hushwatt.plan.appliance import Appliance
from hushwatt.plan.plan import Plan
from hushwatt.plan.slot import SlotLength
from hushwatt.privacy.laws import Law, law_for
from hushwatt.privacy.long_run.bounds import constant_bound
from hushwatt.privacy.long_run.constant_level import best_name
from hushwatt.privacy.long_run.long_run import NOTHING, owner_levels
from hushwatt.privacy.long_run.two_pasts import AnswerKinds, Mixture, best_guess_between, kinds_of
from hushwatt.privacy.strategies import strategy_for
from hushwatt.wire.payload import Layout

LEFT = "(tries > 0 OR (answer IS NOT NULL AND answer != 'withheld'))"  # of reports: what may be somewhere else now
LOWEST, NEXT = ((0, 1.0),), ((1, 1.0),)  # two levels; any other two are told as well
MAX_BUDGETS = 32  # that draws are told apart by; where there are more, each counts as one of a few that are no smaller
RATIO = Fraction(5, 4)  # from one of these few to the next
Parts = list[tuple[AnswerKinds, int]]


@dataclass(frozen=True)
class ToldAppliance:
    """What was told about one appliance; chances are those of the best guess to be right."""

    name: str
    slot: SlotLength  # the longest in which it was on or off
    on: float  # whether it was on in one slot, whatever else is known; guessing alone: a half
    owned: float  # whether the home owns it, at typical use; guessing alone: a half
    measured: float | None  # whether the home measures it, where homes say so; guessing alone: a half
    constant: float  # which level it has, if that never changes; guessing alone: one in `levels`
    levels: int
    at_most: bool  # whether some of these are bounds


@dataclass(frozen=True)
class SentAnswers:
    """The answers about one appliance that left under one plan."""

    plan: Plan
    appliance: Appliance
    width: int  # how many answers there are
    draws: dict[int, int]  # how many were drawn with each budget, in millionths of ε
    slots: int  # that were reported on, repeats included
    span: int  # slots from the first of them to the last

    @property
    def asked(self) -> int:
        return self.plan.appliances_per_report

    @property
    def decided(self) -> bool:
        return self.plan.decision is not None

    def law(self, drawn: int) -> Law:
        return law_for(self.plan.oracle, drawn, self.asked, self.width)

    @property
    def cost(self) -> float:
        """ε that reached the appliance, probes included."""
        probes = strategy_for(self.plan).probe * self.slots
        return (sum(drawn * count for drawn, count in self.draws.items()) + probes) / self.asked / 1e6

    def between_owner_and(self, other: Mixture) -> Parts:
        """What all of it tells between an owner with typical use and another home."""
        one = owner_levels(self.plan, self.appliance)
        if one == other:
            return []
        parts = [(kinds_of(self.law(drawn), one, other), count) for drawn, count in self.draws.items()]
        if self.decided and len(one) > 1 and (probe := strategy_for(self.plan).probe):
            parts.append((kinds_of(self.law(probe), one, other), self.slots))
        return parts

    def single(self) -> Parts:
        """What the most telling slot of it tells between two levels, at most where that decides about speaking too."""
        if not self.decided:
            return [(kinds_of(self.law(max(self.draws)), LOWEST, NEXT), 1)]
        odds = exp((max(self.draws) + strategy_for(self.plan).probe) / self.asked / 1e6)
        likely = np.array([odds, 1.0]) / (1 + odds)  # nothing of this ε tells more than such a coin
        return [(AnswerKinds(likely, likely[::-1]), 1)]


def told_so_far(store: Store) -> list[ToldAppliance]:
    """Each appliance about which anything has left this home."""
    by_name: dict[str, list[SentAnswers]] = {}
    for row in store.rows("SELECT place, canonical FROM plans ORDER BY place"):
        for sent in _sent(store, row["place"], Plan.parse(row["canonical"])):
            by_name.setdefault(sent.appliance.name, []).append(sent)
    return [_told(every) for every in by_name.values()]


def _told(every: list[SentAnswers]) -> ToldAppliance:
    latest = every[-1].appliance
    return ToldAppliance(
        name=latest.name,
        slot=max((each.plan.slot for each in every), key=lambda slot: slot.seconds),
        on=best_guess_between([part for each in every for part in each.single()]),
        owned=best_guess_between([part for each in every for part in each.between_owner_and(NOTHING)]),
        measured=_measured(every) if any(each.plan.answers_unmeasured for each in every) else None,
        constant=_constant(every),
        levels=latest.levels,
        at_most=len(every) > 1 or any(each.decided for each in every),
    )


def _measured(every: list[SentAnswers]) -> float:
    """An owner against a home without a plug on it, which says so where it can, and else 0 W."""
    parts: Parts = []
    for each in every:
        unmeasured: Mixture = ((each.width - 1, 1.0),) if each.plan.answers_unmeasured else NOTHING
        parts += each.between_owner_and(unmeasured)
    return best_guess_between(parts)


def _constant(every: list[SentAnswers]) -> float:
    """Exact for answers of one budget; else no more than they can tell in all, as many of the dearest, or the plan."""
    levels = every[-1].appliance.levels
    bound = 1 / (1 + (levels - 1) * exp(-sum(each.cost for each in every)))
    if len(every) > 1:
        return bound
    sent = every[0]
    bounds = [bound, best_name(sent.law(max(sent.draws)), levels, sum(sent.draws.values()))]
    if sent.decided:
        bounds.append(constant_bound(sent.plan, sent.width, levels, sent.span))
    return min(bounds)


def _sent(store: Store, plan_key: int, plan: Plan) -> Iterator[SentAnswers]:
    """The answers under one plan; a repeat costs no more than its probe."""
    probe, layout, where = strategy_for(plan).probe, Layout.of(plan), f"FROM reports WHERE place = ? AND {LEFT}"
    seen = store.rows(f"SELECT count(*) AS slots, max(slot) - min(slot) + 1 AS span {where}", (plan_key,))[0]
    counts: dict[int, dict[int, int]] = {place: {} for place in range(len(plan.appliances))}
    for drawn, answers in _drawn(store, plan_key, layout, where, probe):
        for place, count in enumerate(answers):
            if count:
                counts[place][drawn] = count
    for place, (appliance, width) in enumerate(zip(plan.appliances, plan.widths, strict=True)):
        if counts[place]:
            yield SentAnswers(plan, appliance, width, few_budgets(counts[place]), seen["slots"], seen["span"])


def few_budgets(draws: dict[int, int]) -> dict[int, int]:
    """The same draws with few budgets, none smaller than it was: they tell no less."""
    if len(draws) <= MAX_BUDGETS:
        return draws
    few: dict[int, int] = {}
    top = max(draws)
    for drawn in sorted(draws, reverse=True):
        while (lower := ceil(top / RATIO)) >= drawn and lower < top:
            top = lower
        few[top] = few.get(top, 0) + draws[drawn]
    return few


def _drawn(store: Store, plan_key: int, layout: Layout, where: str, probe: int) -> Iterator[tuple[int, list[int]]]:
    """Each budget, and how many draws with it asked about each appliance."""
    grouped = store.rows(
        f"SELECT drawn, count(*) AS draws {where} AND spent > ? GROUP BY drawn ORDER BY drawn", (plan_key, probe)
    )
    for row in grouped:
        if not layout.partial:
            yield row["drawn"], [row["draws"]] * len(layout.widths)
            continue
        found = store.rows(f"SELECT payload {where} AND spent > ? AND drawn = ?", (plan_key, probe, row["drawn"]))
        rows = np.frombuffer(b"".join(each["payload"] for each in found), dtype=np.uint8).reshape(len(found), -1)
        yield row["drawn"], layout.tally(rows)[0].tolist()
