"""Bugs that privacy software really had, to see that the audits find them.

Nothing here can be named in a plan.  Each is the shipped thing with one slip in it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from hushwatt.audit.exact.brute_force import Answer, KeptProbes, Memory, SlotOutcome
from hushwatt.audit.exact.household_decided import EnumeratedHome, answer_table, distances, payload
from hushwatt.household.ledger.caps import DAY, Caps
from hushwatt.household.ledger.home_ledger import HomeLedger, OverCap, SpendEntry
from hushwatt.household.ledger.plan_ledger import PlanLedger
from hushwatt.household.report.homes import Homes
from hushwatt.household.report.randomise import randomise
from hushwatt.plan.plan import Plan
from hushwatt.privacy.charge_lines import Amounts, Members
from hushwatt.privacy.charge_log import ChargeLog
from hushwatt.privacy.entropy import Entropy, Simulation
from hushwatt.privacy.kernels import answer_bits
from hushwatt.privacy.laws import BitLaw, Law, debias, law_for
from hushwatt.privacy.ledger import Ledger, Spend
from hushwatt.privacy.strategies import Absorb, Strategy
from hushwatt.wire.payload import Layout


class AgainstRelease(KeptProbes):
    """The probe is compared with the last release itself: private, but the estimate is biased."""

    def publishes(self, home: EnumeratedHome, memory: Memory, offer: int, probe: Answer) -> bool:
        if memory.release is None:
            return True
        return distances(home.layout)[memory.release][probe] > home.change_threshold(home.laws(offer))


class PeekingError:
    """The paper's printed rule: the candidate's error is taken against the true bits.

    It is published when the probe differs from the last release in more cells than the
    candidate differs from the truth.
    """

    def outcomes(self, home: EnumeratedHome, memory: Memory, level: int) -> Iterator[SlotOutcome]:
        offer, apart = memory.state.offer(), distances(home.layout)
        truth = true_vector(home, level)
        for probe, seen in enumerate(answer_table(home.laws(memory.state.probe))[1][level]):
            if not offer:
                yield SlotOutcome(None, probe, seen)
                continue
            for candidate, drawn in enumerate(answer_table(home.laws(offer))[1][level]):
                first = memory.release is None
                published = first or apart[probe][memory.release or 0] > apart[candidate][truth]
                yield SlotOutcome(candidate if published else None, probe, seen * drawn)


def true_vector(home: EnumeratedHome, level: int) -> Answer:
    """The place of the true, undisturbed vector among all that can be sent."""
    levels = np.array([home.levels[level]], dtype=np.uint16)
    rows = [payload(home.layout, answer).tobytes() for answer in answer_table(home.laws(home.first.probe))[0]]
    return rows.index(home.layout.pack(levels)[0].tobytes())


@dataclass(frozen=True)
class AbsorbOneMore(Absorb):
    """LBA that adds one share too many to a publication, as the authors' code does."""

    def offer(self) -> int:
        return 0 if self.owed else self.share * (self.saved + 2)


@dataclass(frozen=True)
class Redrawn(Strategy):
    """LSP that draws its slot anew for every window of w slots, so two may fall close together."""

    epsilon: int
    window: int
    place: int = 0  # in the current window
    spoken: bool = False

    @classmethod
    def start(cls, epsilon: int, window: int) -> Self:
        return cls(epsilon, window)

    @property
    def probe(self) -> int:
        return 0

    @property
    def largest(self) -> int:
        return self.epsilon

    @property
    def smallest(self) -> int:
        return self.epsilon

    def offer(self) -> int:
        return 0 if self.spoken else self.epsilon

    def after(self, published: bool) -> Self:
        if self.place + 1 == self.window:
            return replace(self, place=0, spoken=False)
        return replace(self, place=self.place + 1, spoken=self.spoken or published)

    def ceiling(self, window: int) -> int:
        return self.epsilon  # so it believes


def biased_sampler(
    layout: Layout, levels: NDArray[np.uint16], members: None, drawn: int, entropy: Entropy
) -> NDArray[np.uint8]:
    """The true bit gets a second chance to be 1, as pure-LDP's samplers gave it for two years."""
    law = law_for(layout.oracle, drawn, layout.asked, max(layout.widths))
    assert isinstance(law, BitLaw)
    fair = randomise(layout, levels, members, drawn, entropy)
    again = answer_bits(np.zeros_like(fair), law, entropy)
    return fair | (again & layout.pack(levels))


def debias_as_if_undivided(counts: NDArray[np.float64], reports: int, law: Law) -> NDArray[np.float64]:
    """The estimate with the q of three times the budget, as if three appliances did not share it."""
    assert isinstance(law, BitLaw)
    odds = ((1 - law.rise) / law.rise) ** 3
    return debias(counts, reports, replace(law, rise=1 / (1 + odds)))


class ForgetfulLedger(Ledger):
    """A ledger whose window is one slot too short."""

    def first_slot(self, slot: int) -> int:
        return super().first_slot(slot) + 1


def kept_a_slot_short(plan: Plan, place: int, book: HomeLedger, slot: int) -> PlanLedger:
    """A home's ledger that reads one slot too few when it is opened again."""
    ledger = PlanLedger.load(plan, place, book, slot)
    ledger.log = ledger.log.since(slot - plan.window + 2)
    return ledger


class HalfDayBook(HomeLedger):
    """A book that takes an interval for half as long as it is."""

    def _dearest(self, spend: Spend, length: int) -> int:
        return super()._dearest(spend, length // 2)


class OnceOnlyBook(HomeLedger):
    """A book that compares each spend with an appliance's cap, and adds nothing up."""

    def _appliance_refusal(self, entry: SpendEntry, caps: Caps) -> OverCap | None:
        limit = caps.appliance_limits(DAY)[0]
        return OverCap(entry.amount, limit) if entry.amount > limit.amount else None


class RenewedBook(HomeLedger):
    """A book for which every spend begins a new lifetime."""

    def lifetime_refusal(self, entry: SpendEntry) -> OverCap | None:
        limit = self.caps.lifetime
        return OverCap(entry.amount, limit) if entry.amount > limit.amount else None


class GenerousLedger(Ledger):
    """A ledger that takes the first charge of a slot with two for a trial, and lets it go."""

    def charge(self, slot: int, amounts: Amounts, members: Members | None = None) -> None:
        self.log = ChargeLog.of(self.homes, sorted(self.log.before(slot), key=lambda charge: charge.slot))
        super().charge(slot, amounts, members)


def look_for_free(homes: Homes) -> None:
    """Let homes look without paying: only the last charge of a slot stays in their ledger."""
    shipped = homes.ledger
    homes.ledger = GenerousLedger(shipped.homes, shipped.epsilon, shipped.window, shipped.appliances)


@dataclass(frozen=True)
class ReusedSeed(Simulation):
    """A source that gives every slot the words of the first."""

    def stream(self, *labels: int | str) -> Entropy:
        kept = labels if labels[0] in ("turns", "order") else (labels[0], *labels[2:])
        return super().stream(*kept)
