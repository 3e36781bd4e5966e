"""Every draw is paid before it is made, in full, and said so.  [claim C11]

One home goes through the shipped steps while its randomness is watched: whatever opens a
stream of noise with an amount must have been charged that amount in that slot.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from hushwatt.audit.finding import Audit, Finding
from hushwatt.audit.harness.plan_home import home_in_plan
from hushwatt.audit.miniature import Shape, range_plan
from hushwatt.fleet.provider_decisions import DecisionState, report_rounds
from hushwatt.household.ledger.store import Store
from hushwatt.household.report.homes import Homes, enrol
from hushwatt.household.report.levels import Watts
from hushwatt.household.report.report import report
from hushwatt.plan.choices import METHODS
from hushwatt.plan.plan import Plan
from hushwatt.privacy.entropy import Entropy, Simulation, Source

SLOTS, HOMES = 60, 60
PAID = "SELECT coalesce(sum(amount), 0) FROM spends WHERE slot = ? AND purpose != 'lost'"
DRAWN = ("probe", "publication")  # the streams that randomise an answer


@dataclass
class WatchedSource:
    """A source that notes what is drawn with, and whether it was paid by then."""

    source: Source
    paid: Callable[[int], int] = lambda slot: 0  # what is charged in a slot by now
    drawn: dict[int, int] = field(default_factory=dict)  # by slot
    unpaid: set[int] = field(default_factory=set)  # slots

    def stream(self, *labels: int | str) -> Entropy:
        if labels[0] in DRAWN:
            _, slot, amount, _ = labels
            self.drawn[int(slot)] = self.drawn.get(int(slot), 0) + int(amount)
            if self.drawn[int(slot)] > self.paid(int(slot)):
                self.unpaid.add(int(slot))
        return self.source.stream(*labels)


def charged(homes: Homes, slot: int) -> int:
    """What the one home's ledger says of a slot."""
    return sum(int(charge.amounts.sum()) for charge in homes.ledger.log.in_slot(slot))


Change = Callable[[Homes], None]


def as_shipped(homes: Homes) -> None:
    """Change nothing about the homes."""


def payment_audits(change: Change = as_shipped) -> Iterator[Audit]:
    """Every method in which a home pays for itself."""
    for method in ("lbu", "lsp", "lpu", "lbd", "lba"):
        yield partial(audit_payments, method, change)
        yield partial(audit_payments_on_disk, method)


def audit_payments(method: str, change: Change) -> Finding:
    """Draws, charges and what the home says it spent must be the same number in every slot."""
    wrong = slots = 0
    for oracle in ("oue", "grr"):
        plan = _plan(method, oracle)
        watched = WatchedSource(Simulation(3, method))
        homes = enrol(plan, 1, 0, watched)
        watched.paid = partial(charged, homes)
        change(homes)
        for slot in range(SLOTS):
            sent = report(homes, slot, np.array([[slot % 2, slot % 3]], dtype=np.uint16), watched)
            agree = watched.drawn.get(slot, 0) == charged(homes, slot) == int(sent.spent.sum())
            wrong += slot in watched.unpaid or not agree
            slots += 1
    figure = f"{wrong} of {slots} slots drawn unpaid, or paid and said otherwise"
    return Finding("C11", f"{method}, payments", figure, wrong == 0, numbers={"wrong": wrong})


def audit_payments_on_disk(method: str) -> Finding:
    """The same of the agent: what it draws with is in the ledger on disk by then, read by someone else."""
    plan, watched = _plan(method, "oue"), WatchedSource(Simulation(5, method))

    def watts(slot: int) -> Watts:
        return np.array([100.0 * (slot % 2), 100.0 * (slot % 3)])

    with home_in_plan(plan, watts, source=watched) as home, Store(home.store.path) as disk:
        watched.paid = lambda slot: int(disk.value(PAID, (slot,)))
        for slot in range(1, SLOTS):
            home.live_slot(slot)
        said = {row["slot"]: row["spent"] for row in disk.rows("SELECT slot, spent FROM reports")}
    slots = range(1, SLOTS)
    wrong = sum(slot in watched.unpaid or watched.drawn.get(slot, 0) != said.get(slot, 0) for slot in slots)
    figure = f"{wrong} of {len(slots)} slots drawn unpaid, or paid and said otherwise"
    return Finding("C11", f"{method}, an agent's payments on disk", figure, wrong == 0)


def _plan(method: str, oracle: str) -> Plan:
    return range_plan(method, METHODS[method].decided_by, oracle, Shape((2, 3), 3, SLOTS), 1_000_000, asked=2)


def round_audits() -> Iterator[Audit]:
    """Every method in which the provider decides."""
    for method in ("lbd", "lba", "lpd", "lpa"):
        yield partial(audit_rounds, method)


def audit_rounds(method: str) -> Finding:
    """What homes say they spent in both rounds of a slot is what their ledger was charged."""
    plan = range_plan(method, "provider", "grr", Shape((2, 3), 3, SLOTS), 1_000_000, asked=1)
    source, wrong = Simulation(4, method), 0
    homes, decided = enrol(plan, HOMES, 0, source), DecisionState.start(plan, HOMES)
    for slot in range(SLOTS):
        levels = np.full((HOMES, 2), slot % 2, dtype=np.uint16)
        said, paid = np.zeros((2, HOMES), dtype=np.int64)
        for sent in report_rounds(homes, decided, slot, levels, source):
            said[sent.homes] += sent.spent
        for charge in homes.ledger.log.in_slot(slot):
            paid[charge.homes] += charge.amounts
        wrong += not np.array_equal(said, paid)
    figure = f"{wrong} of {SLOTS} slots paid and said otherwise"
    return Finding("C11", f"{method} by the provider, payments", figure, wrong == 0)
