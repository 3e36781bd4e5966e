"""The ledger refuses what would overspend a window, and nothing else.  [claim C12]

Every short sequence of charges is tried, and each answer compared with plain addition.
"""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import accumulate, product

import numpy as np

from hushwatt.audit.finding import Audit, Finding
from hushwatt.errors import OverBudget
from hushwatt.privacy.ledger import HomeLedger, Ledger, Spend

EPSILON, CAP = 4, 3
STEPS, AMOUNTS = (0, 1, 2), (1, 2, 4)  # slots onward, and what is asked for
Make = Callable[..., Ledger]
Entry = tuple[int, int, int]  # slot, amount, appliance


def ledger_audits(make: Make = Ledger, charges: int = 4) -> Iterator[Audit]:
    """The ledger of a plan, for the home and for an appliance, and the ledger of a home."""
    for window in (1, 2, 3):
        yield partial(audit_ledger, make, window, charges)
    yield audit_home_ledger


def audit_ledger(make: Make, window: int, charges: int = 4) -> Finding:
    """All sequences of charges to one home that asks about one of two appliances at a time."""
    wrong = cases = 0
    for steps in product(STEPS, repeat=charges - 1):
        slots = list(accumulate((0, *steps)))
        for amounts in product(AMOUNTS, repeat=charges):
            for members in product((0, 1), repeat=charges):
                entries = list(zip(slots, amounts, members, strict=True))
                wrong += answers(make, window, entries) != added_up(window, entries)
                cases += 1
    figure = f"{wrong} of {cases:,} sequences of charges judged wrongly"
    return Finding("C12", f"ledger, w={window}", figure, wrong == 0, numbers={"wrong": wrong})


def answers(make: Make, window: int, entries: list[Entry]) -> list[bool]:
    """Which charges the ledger accepts."""
    ledger = make(1, EPSILON, window, 2, CAP)
    return [_accepts(ledger, *entry) for entry in entries]


def _accepts(ledger: Ledger, slot: int, amount: int, member: int) -> bool:
    try:
        ledger.charge(slot, np.array([amount]), np.array([[member]], dtype=np.uint16))
    except OverBudget:
        return False
    return True


def added_up(window: int, entries: list[Entry]) -> list[bool]:
    """Which charges fit: with those that went through before, into ε and into the appliance's cap."""
    taken: list[Entry] = []
    verdicts = []
    for slot, amount, member in entries:
        recent = [entry for entry in taken if entry[0] > slot - window]
        home = amount + sum(entry[1] for entry in recent)
        single = amount + sum(entry[1] for entry in recent if entry[2] == member)
        verdicts.append(home <= EPSILON and single <= CAP)
        if verdicts[-1]:
            taken.append((slot, amount, member))
    return verdicts


def audit_home_ledger() -> Finding:
    """All triples of slots under one cap, against every interval they could touch."""
    spans = [(start, start + length) for start in range(0, 7, 2) for length in (1, 3)]
    wrong = cases = 0
    for chosen in product(spans, repeat=3):
        for amounts in product((1, 2), repeat=3):
            spends = [Spend(*span, amount) for span, amount in zip(chosen, amounts, strict=True)]
            wrong += _home_answers(spends) != _touched(spends)
            cases += 1
    figure = f"{wrong} of {cases:,} sequences of spends judged wrongly"
    return Finding("C12", "home's ledger over all plans", figure, wrong == 0, numbers={"wrong": wrong})


LENGTH, HOME_CAP = 3, 3


def _home_answers(spends: list[Spend]) -> list[bool]:
    ledger = HomeLedger(cap=HOME_CAP, length=LENGTH)
    verdicts = []
    for spend in spends:
        try:
            ledger.charge(spend)
            verdicts.append(True)
        except OverBudget:
            verdicts.append(False)
    return verdicts


def _touched(spends: list[Spend]) -> list[bool]:
    """The same by laying an interval at every quarter of a step and adding up what it touches."""
    taken: list[Spend] = []
    verdicts = []
    for spend in spends:
        tried = [*taken, spend]
        sums = (
            sum(one.amount for one in tried if one.start < x / 4 + LENGTH and one.end > x / 4)
            for x in range(-4 * LENGTH, 41)
        )
        verdicts.append(max(sums) <= HOME_CAP)
        taken = tried if verdicts[-1] else taken
    return verdicts
