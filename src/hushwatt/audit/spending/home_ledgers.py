"""The home's book refuses what would break a cap of its owner, and nothing else.  [claim C12]

The book that homes run, on a ledger on disk, is asked every short sequence of spends of several
plans.  Each answer is compared with laying intervals by hand and adding up what they touch.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import product

import numpy as np

from hushwatt.audit.finding import Audit, Finding
from hushwatt.audit.harness.home_under_test import NO_CAPS, fresh_store, join
from hushwatt.audit.harness.machine_clock import START
from hushwatt.audit.miniature import Shape, range_plan
from hushwatt.household.ledger.caps import DAY, YEAR, Caps
from hushwatt.household.ledger.home_ledger import HomeLedger, OverCap, SpendEntry
from hushwatt.household.ledger.store import Store
from hushwatt.plan import Appliance
from hushwatt.plan.plan import Plan

Make = Callable[[Store, Caps], HomeLedger]
CAP = 3  # units that fit into an interval, and millionths that it may cost
ASKED = {1: ("kettle", "tv"), 2: ("kettle", "oven")}  # plan 1 speaks of both at once, plan 2 of one at a time
WISHES = ((1, None), (2, 0), (2, 1))  # plan and member


@dataclass(frozen=True)
class CapCase:
    """One cap of the owner, and the spends to try it with."""

    cap: str
    length: int | None  # of the interval that the cap holds for; None: for all there is
    window: int  # days of plan 2
    amounts: tuple[int, ...]

    @property
    def caps(self) -> Caps:
        return replace(NO_CAPS, **{self.cap: CAP})  # type: ignore[arg-type]

    @property
    def unit(self) -> int:
        return (self.length or YEAR) // CAP

    @property
    def wishes(self) -> list[SpendEntry]:
        """Short and long slots, a third of the interval apart, of all plans."""
        unit = self.unit
        spans = [(start * unit, (start + lasts) * unit) for start in (0, 2, 4) for lasts in (1, 2)]
        return [
            SpendEntry(place, 0, "publication", START + start, START + end, amount, _members(member))
            for (start, end), amount, (place, member) in product(spans, self.amounts, WISHES)
        ]


CASES = (
    CapCase("epsilon_per_day", DAY, 1, (1, 2)),
    CapCase("epsilon_per_year", YEAR, 1, (1, 2)),
    CapCase("appliance_epsilon", DAY, 1, (2,)),
    CapCase("appliance_epsilon", 6 * DAY, 6, (2,)),
    CapCase("appliance_epsilon_per_year", YEAR, 1, (2,)),
    CapCase("epsilon_lifetime", None, 1, (1, 2)),
    CapCase("appliance_epsilon_lifetime", None, 1, (2,)),
)


def book_audits(make: Make = HomeLedger, spends: int = 3) -> Iterator[Audit]:
    """Every cap that binds spends."""
    for case in CASES:
        yield partial(audit_book, make, case, spends)


def audit_book(make: Make, case: CapCase, spends: int = 3) -> Finding:
    """All sequences of so many spends, of two plans that share an appliance."""
    with fresh_store() as store:
        for place in ASKED:
            join(store, _plan(place, case.window))
        wrong, tried = _walk(make(store, case.caps), case, [], spends)
    figure = f"{wrong} of {tried:,} spends judged wrongly, after every sequence of up to {spends - 1} others"
    over = "a lifetime" if case.length is None else f"{case.length // DAY} day{'s' * (case.length > DAY)}"
    name = f"{case.cap} over {over}"
    return Finding("C12", f"home's book, {name}", figure, wrong == 0, numbers={"wrong": wrong})


def _walk(book: HomeLedger, case: CapCase, taken: list[SpendEntry], left: int) -> tuple[int, int]:
    """Try every wish after those taken, and every further one after each."""
    wrong = tried = 0
    for wish in case.wishes if left else ():
        accepted = _accepts(book, wish)
        wrong += accepted != (dearest(case, [*taken, wish]) <= CAP)
        tried += 1
        if accepted:
            more = _walk(book, case, [*taken, wish], left - 1)
            wrong, tried = wrong + more[0], tried + more[1]
            _take_back(book, wish)
    return wrong, tried


def _take_back(book: HomeLedger, wish: SpendEntry) -> None:
    """As if the last spend had never been."""
    book.store.disk.execute("DELETE FROM spends WHERE rowid = (SELECT max(rowid) FROM spends)")
    book.totals.add_amount(wish.plan_key, wish.members, -wish.amount)


def _accepts(book: HomeLedger, wish: SpendEntry) -> bool:
    try:
        book.charge(wish)
    except OverCap:
        return False
    return True


def dearest(case: CapCase, entries: list[SpendEntry]) -> Fraction:
    """The most that an interval costs, the home or one appliance, laid at every quarter of a unit."""
    if case.length is None:
        return _cost(case, entries)
    begins = [START + quarter * case.unit // 4 for quarter in range(-4 * CAP, 32)]
    return max(_cost(case, _touching(entries, begin, begin + case.length)) for begin in begins)


def _touching(entries: list[SpendEntry], low: int, high: int) -> list[SpendEntry]:
    return [entry for entry in entries if entry.start < high and entry.end > low]


def _cost(case: CapCase, entries: list[SpendEntry]) -> Fraction:
    if not case.cap.startswith("appliance"):
        return Fraction(sum(entry.amount for entry in entries))
    given: dict[str, Fraction] = {}
    for entry in entries:
        names = ASKED[entry.plan_key]
        spoken = names if entry.members is None else (names[entry.members[0]],)
        for name in spoken:
            given[name] = given.get(name, Fraction(0)) + Fraction(entry.amount, len(spoken))
    return max(given.values(), default=Fraction(0))


def _plan(place: int, window: int) -> Plan:
    plan = range_plan("lpu", None, "oue", Shape((2, 2), window, 1), 1_000_000, asked=3 - place)
    appliances = tuple(Appliance.of(name, values=(0.0, 100.0)) for name in ASKED[place])
    return replace(plan, name=f"plan {place}", appliances=appliances)


def _members(member: int | None) -> bytes | None:
    return None if member is None else np.array([member], dtype="<u2").tobytes()
