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
from hushwatt.household.report.homes import Homes
from hushwatt.household.report.levels import Levels
from hushwatt.household.report.report import HomeIndices, SlotReports, pay_and_draw, released_reports, remember_release
from hushwatt.plan.plan import Plan
from hushwatt.privacy.decide import Look, provider_publishes
from hushwatt.privacy.entropy import Source, shuffled
from hushwatt.privacy.laws import debias, law_for
from hushwatt.privacy.strategies import Strategy, affordable, rules_of, strategy_for
from hushwatt.provider.tally.draws import PROBE, PUBLICATION
from hushwatt.provider.tally.tally import Tally, tally_rows
from hushwatt.wire.payload import Layout

Shares = NDArray[np.float64]
NEVER = -(1 << 40)  # before any slot


@dataclass
class DecisionState:
    """What the provider and the fleet remember between slots."""

    strategy: Strategy
    last: Shares | None  # the last release, every level of every appliance
    last_spoke: NDArray[np.int64]  # the last slot in which each home spoke; for LPD and LPA

    @classmethod
    def start(cls, plan: Plan, homes: int) -> "DecisionState":
        rules = rules_of(plan)
        strategy = rules.start(homes, plan.window) if rules.population else strategy_for(plan)
        if strategy.probe < 1:
            raise UsageError(
                f"{plan.method} asks at least {2 * plan.window} homes, two for each slot of a window; here are {homes}"
            )
        return cls(strategy, None, np.full(homes, NEVER))


def report_rounds(
    homes: Homes, decisions: DecisionState, slot: int, levels: Levels, source: Source
) -> Iterator[SlotReports]:
    """Move every home through `slot`: what is sent in the probe round, then in the publication round."""
    rounds = DecisionRounds(homes.plan, decisions, len(homes), source)
    rounds.begin(homes.slot, slot)
    homes.slot = slot
    yield rounds.probe(homes, 0, levels, source)
    rounds.decide()
    yield from rounds.publish(homes, 0, levels, source)
    rounds.end()


class DecisionRounds:
    """The two rounds of one slot, for a fleet whose parts come one after the other.

    First `begin`, then a `probe` of every part, then `decide`, then every part
    may `publish`, then `end`.
    """

    def __init__(self, plan: Plan, decisions: DecisionState, homes: int, source: Source) -> None:
        self.plan, self.decisions, self.homes, self.source = plan, decisions, homes, source
        self.published = False
        self._probe_tally: Tally | None = None
        self._published_tally: Tally | None = None

    def begin(self, since: int, slot: int) -> None:
        """Let the slots from `since` on pass in silence, and choose who probes."""
        for _ in range(since, slot):
            self.decisions.strategy = self.decisions.strategy.after(False)
        self.slot, self.offer = slot, self.decisions.strategy.offer()
        self._probers = self._choose(self.decisions.strategy.probe, "probers")

    def probe(self, homes: Homes, start: int, levels: Levels, source: Source) -> SlotReports:
        """The probes of the homes from number `start` on."""
        sent = self._fresh(homes, start, levels, self._probers, self._probe_amount, source, PROBE)
        self._probe_tally = _add(self._probe_tally, tally_rows(homes.layout, sent.payloads))
        return sent

    def decide(self) -> None:
        """Publish or not, and who does."""
        assert self._probe_tally is not None
        self.published = self.offer > 0 and should_publish(
            self.plan, self.homes, self.decisions.last, self._probe_tally, self._probe_amount, self.offer
        )
        if self.published:
            self._publishers = self._choose(self.offer, "publishers")

    def publish(self, homes: Homes, start: int, levels: Levels, source: Source) -> Iterator[SlotReports]:
        """What the homes from number `start` on send in the publication round; then their slot is over."""
        spent = self._offer_amount if self.published else 0
        if self.published:
            sent = self._fresh(homes, start, levels, self._publishers, spent, source, PUBLICATION)
            self._published_tally = _add(self._published_tally, tally_rows(homes.layout, sent.payloads))
            if homes.releases is None:
                yield sent
            else:
                remember_release(homes, sent.homes, sent.drawn, sent.payloads)
        if homes.releases is not None:
            yield released_reports(homes, PUBLICATION, np.full(len(homes), spent))
        homes.slot += 1

    def end(self) -> None:
        """Remember what was decided and released."""
        if self._published_tally is not None:
            self.decisions.last = shares(self.plan, self._published_tally, self._offer_amount)
        self.decisions.strategy = self.decisions.strategy.after(self.published)

    @property
    def _population(self) -> bool:
        return rules_of(self.plan).population

    @property
    def _probe_amount(self) -> int:
        """Millionths of ε that a probe costs."""
        return affordable(self.plan) if self._population else self.decisions.strategy.probe

    @property
    def _offer_amount(self) -> int:
        """Millionths of ε that a publication costs."""
        return affordable(self.plan) if self._population else self.offer

    def _choose(self, count: int, purpose: str) -> HomeIndices | None:
        """The homes that speak in a round, by their numbers; None: all."""
        if not self._population:
            return None
        return sample_silent_homes(self.plan, self.decisions, self.slot, count, self.source, purpose)

    def _fresh(
        self,
        homes: Homes,
        start: int,
        levels: Levels,
        chosen: HomeIndices | None,
        amount: int,
        source: Source,
        round: int,
    ) -> SlotReports:
        """What those of these homes that are chosen draw and send."""
        if chosen is None:
            who = np.arange(len(homes))
        else:
            who = chosen[slice(*np.searchsorted(chosen, (start, start + len(homes))))] - start
        amounts = np.full(len(who), amount)
        purpose = "probe" if round == PROBE else "publication"
        payloads = pay_and_draw(homes, who, levels, amounts, source, purpose)
        return SlotReports(homes.slot, round, who, amounts, amounts, payloads)


def sample_silent_homes(
    plan: Plan, decisions: DecisionState, slot: int, count: int, source: Source, purpose: str
) -> HomeIndices:
    """`count` homes at random of those that kept silent for a window; they speak now."""
    silent = np.flatnonzero(slot - decisions.last_spoke >= plan.window)
    chosen = silent[shuffled(len(silent), source.stream(purpose, slot))[:count]]
    decisions.last_spoke[chosen] = slot
    return np.sort(chosen)


def should_publish(plan: Plan, homes: int, last: Shares | None, probed: Tally, amount: int, offer: int) -> bool:
    """The provider's decision; the first slot publishes whatever the probe says."""
    if last is None:
        return True
    population = rules_of(plan).population
    drawn = amount if population else offer
    reports = (offer if population else homes) * plan.appliances_per_report / len(plan.appliances)
    estimate, starts = shares(plan, probed, amount), Layout.of(plan).starts
    looks = []
    for index, width in enumerate(plan.widths):
        if probed.reports[index] == 0:
            continue
        cells = slice(starts[index], starts[index + 1])
        laws = [law_for(plan.oracle, a, plan.appliances_per_report, width) for a in (amount, drawn)]
        probe_reports = float(probed.reports[index])
        looks.append(Look(estimate[cells], last[cells], laws[0], probe_reports, laws[1], reports, homes))
    return provider_publishes(looks)


def _add(so_far: Tally | None, more: Tally) -> Tally:
    return more if so_far is None else so_far + more


def shares(plan: Plan, tally: Tally, drawn: int) -> Shares:
    """The estimated share of every level of every appliance; an even one where nobody spoke."""
    parts, start = [], 0
    for index, width in enumerate(plan.widths):
        law, reports = law_for(plan.oracle, drawn, plan.appliances_per_report, width), tally.reports[index]
        counts = tally.counts[start : start + width]
        parts.append(debias(counts, reports, law) / reports if reports else np.full(width, 1 / width))
        start += width
    return np.concatenate(parts)
