"""A plan's ledger refuses what would overspend a window, and nothing else.  [claim C12]

Every short sequence of charges is tried, and each answer compared with plain addition: the ledger
of fleets, and that of homes, which is read from disk anew before every charge.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import accumulate, product

import numpy as np

from hushwatt.audit.finding import Audit, Finding
from hushwatt.audit.harness.home_under_test import NO_CAPS, fresh_store, join
from hushwatt.audit.miniature import Shape, range_plan
from hushwatt.errors import OverBudget
from hushwatt.household.ledger.home_ledger import HomeLedger
from hushwatt.household.ledger.plan_ledger import PlanLedger
from hushwatt.plan.plan import Plan
from hushwatt.privacy.ledger import Ledger

EPSILON, CAP = 4, 3
STEPS, AMOUNTS = (0, 1, 2), (1, 2, 4)  # slots onward, and what is asked for
Make = Callable[..., Ledger]
Kept = Callable[[Plan, int, HomeLedger, int], PlanLedger]
Entry = tuple[int, int, int]  # slot, amount, appliance


def ledger_audits(make: Make = Ledger, charges: int = 4) -> Iterator[Audit]:
    """The ledger of a plan, for the home and for an appliance, in bulk and at home."""
    for window in (1, 2, 3):
        yield partial(audit_ledger, make, window, charges)
        yield partial(audit_kept_ledger, PlanLedger.load, window, charges)


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


def audit_kept_ledger(kept: Kept, window: int, charges: int = 3) -> Finding:
    """The same sequences at home: every charge goes to disk, and the next one is asked of what is there."""
    plan = replace(range_plan("lsp", None, "grr", Shape((2, 2), window, 1), EPSILON, asked=1), appliance_epsilon=CAP)
    with fresh_store() as store:
        join(store, plan)
        wrong, tried = _walk(partial(kept, plan, 1, HomeLedger(store, NO_CAPS)), window, [], charges)
    figure = f"{wrong} of {tried:,} charges judged wrongly, after every sequence of up to {charges - 1} others"
    return Finding("C12", f"home's ledger on disk, w={window}", figure, wrong == 0, numbers={"wrong": wrong})


def _walk(kept: Callable[[int], PlanLedger], window: int, taken: list[Entry], left: int) -> tuple[int, int]:
    """Try every charge after those taken, and every further one after each."""
    wrong = tried = 0
    slot = taken[-1][0] if taken else 0
    for step, amount, member in product(STEPS, AMOUNTS, (0, 1)) if left else ():
        entry = (slot + step, amount, member)
        ledger = kept(slot + step)
        accepted = _accepts(ledger, *entry)
        wrong += accepted != added_up(window, [*taken, entry])[-1]
        tried += 1
        if accepted:
            more = _walk(kept, window, [*taken, entry], left - 1)
            wrong, tried = wrong + more[0], tried + more[1]
            ledger.home_ledger.store.disk.execute("DELETE FROM spends WHERE rowid = (SELECT max(rowid) FROM spends)")
    return wrong, tried
