"""Methods in which the provider decides: first a probe round, then a publication or none.

The decision sees released numbers only: the sum of all probes, the last release, and
the error that a publication would have.  Each home pays from its own ledger.

LBD and LBA share ε out over slots, LPD and LPA share the homes out: the same two
strategies, with homes in place of millionths of ε.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hushwatt.errors import UsageError
from hushwatt.household.homes import Homes
from hushwatt.household.levels import Levels
from hushwatt.household.report import Sent, Who, pay_and_draw, stand_by, standing
from hushwatt.plan.plan import Plan
from hushwatt.privacy.decide import Look, provider_publishes
from hushwatt.privacy.entropy import Source, shuffled
from hushwatt.privacy.laws import debias, law_for
from hushwatt.privacy.strategies import POPULATION, STRATEGIES, Strategy, affordable
from hushwatt.provider.tally import Tally, tally_rows

Shares = NDArray[np.float64]
NEVER = -(1 << 40)  # before any slot


@dataclass
class Decided:
    """What the provider and the fleet remember between slots."""

    strategy: Strategy
    last: Shares | None  # the last release, every level of every appliance
    spoke: NDArray[np.int64]  # the last slot in which each home spoke; for LPD and LPA

    @classmethod
    def start(cls, plan: Plan, homes: int) -> "Decided":
        budget = homes if plan.method in POPULATION else affordable(plan)
        strategy = STRATEGIES[plan.method].start(budget, plan.window)
        if strategy.probe < 1:
            raise UsageError(
                f"{plan.method} asks at least {2 * plan.window} homes, two for each slot of a window; "
                f"here are {homes}"
            )
        return cls(strategy, None, np.full(homes, NEVER))

    def joined(self, homes: int) -> None:
        """Make room for homes that are new; they wait with those whose turn may come."""
        self.spoke = np.concatenate([self.spoke, np.full(homes, NEVER)])


def report_rounds(
    homes: Homes, decided: Decided, slot: int, levels: Levels, source: Source
) -> Iterator[Sent]:
    """Move every home through `slot`: what is sent in the probe round, then in the publication round."""
    while homes.slot < slot:
        decided.strategy = decided.strategy.after(False)
        homes.slot += 1
    population = homes.plan.method in POPULATION
    probe, offer = decided.strategy.probe, decided.strategy.offer()
    amount = affordable(homes.plan) if population else probe
    who = pick(homes, decided, probe, source, "probers") if population else np.arange(len(homes))
    probes = pay_and_draw(homes, who, levels, np.full(len(who), amount), source, "probe")
    yield sent_fresh(homes, 1, who, amount, probes)
    publish = offer > 0 and should_publish(homes, decided, probes, amount, offer)
    if publish:
        amount = affordable(homes.plan) if population else offer
        who = pick(homes, decided, offer, source, "publishers") if population else np.arange(len(homes))
        payloads = pay_and_draw(homes, who, levels, np.full(len(who), amount), source, "publication")
        decided.last = shares(homes.plan, tally_rows(homes.layout, payloads), amount)
        if homes.releases is None:
            yield sent_fresh(homes, 0, who, amount, payloads)
        else:
            stand_by(homes, who, np.full(len(who), amount), payloads)
    if homes.releases is not None:
        yield standing(homes, 0, np.full(len(homes), offer if publish else 0))
    decided.strategy = decided.strategy.after(publish)
    homes.slot += 1


def sent_fresh(homes: Homes, round: int, who: Who, amount: int, payloads: NDArray[np.uint8]) -> Sent:
    amounts = np.full(len(who), amount)
    return Sent(homes.slot, round, who, amounts, amounts, payloads)


def pick(homes: Homes, decided: Decided, count: int, source: Source, purpose: str) -> Who:
    """`count` homes at random of those that kept silent for a window; they speak now."""
    silent = np.flatnonzero(homes.slot - decided.spoke >= homes.plan.window)
    chosen = silent[shuffled(len(silent), source.stream(purpose, homes.slot))[:count]]
    decided.spoke[chosen] = homes.slot
    return np.sort(chosen)


def should_publish(
    homes: Homes, decided: Decided, probes: NDArray[np.uint8], amount: int, offer: int
) -> bool:
    """The provider's decision; the first slot publishes whatever the probe says."""
    if decided.last is None:
        return True
    plan, tally = homes.plan, tally_rows(homes.layout, probes)
    population = plan.method in POPULATION
    drawn = amount if population else offer
    reports = (offer if population else len(homes)) * plan.appliances_per_report / len(plan.appliances)
    estimate, starts = shares(plan, tally, amount), homes.layout.starts
    looks = []
    for place, width in enumerate(plan.widths):
        if tally.reports[place] == 0:
            continue
        cells = slice(starts[place], starts[place + 1])
        laws = [law_for(plan.oracle, a, plan.appliances_per_report, width) for a in (amount, drawn)]
        here = float(tally.reports[place])
        looks.append(Look(estimate[cells], decided.last[cells], laws[0], here, laws[1], reports, len(homes)))
    return provider_publishes(looks)


def shares(plan: Plan, tally: Tally, drawn: int) -> Shares:
    """The estimated share of every level of every appliance; an even one where nobody spoke."""
    parts, start = [], 0
    for place, width in enumerate(plan.widths):
        law, reports = law_for(plan.oracle, drawn, plan.appliances_per_report, width), tally.reports[place]
        counts = tally.counts[start : start + width]
        parts.append(debias(counts, reports, law) / reports if reports else np.full(width, 1 / width))
        start += width
    return np.concatenate(parts)
