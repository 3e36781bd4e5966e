"""Claim C12: the home's book refuses what would break a cap of its owner, and nothing else."""

import pytest

from hushwatt.audit.planted import HalfDayBook, OnceOnlyBook, RenewedBook
from hushwatt.audit.spending.home_ledgers import CASES, audit_book, dearest
from hushwatt.household.ledger.appliance_spends import SpendReach
from hushwatt.household.ledger.caps import DAY
from hushwatt.household.ledger.home_ledger import HomeLedger

DAY_CAP, _, APPLIANCE_CAP, LONG_WINDOW, APPLIANCE_YEAR, LIFETIME, APPLIANCE_LIFETIME = CASES


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.cap}-{case.window}")
def test_the_book_is_right(case):
    """Every pair of spends of two plans is judged as laying intervals by hand judges it."""

    assert audit_book(HomeLedger, case, spends=2).passed


class DayOnly(HomeLedger):
    """A book for which an appliance's cap holds for a day, however long a plan's window is."""

    def _appliance_refusal(self, entry, caps):
        self.appliances.cap_interval = lambda start: DAY
        return super()._appliance_refusal(entry, caps)


class Strict(HomeLedger):
    """A book that refuses one millionth too early."""

    def refusal(self, start, end, amount, caps=None):
        return super().refusal(start, end, amount + 1, caps)


class ByTheHome(HomeLedger):
    """A book that counts all that the home spends for every appliance."""

    def _appliance_refusal(self, entry, caps):
        self.appliances._of(entry.plan_key)
        self.appliances._asked = {place: about_all(asked) for place, asked in self.appliances._asked.items()}
        return super()._appliance_refusal(entry, caps)


class OnlyTheHome(HomeLedger):
    """A book that gives appliances no lifetime."""

    def lifetime_refusal(self, entry):
        refused = super().lifetime_refusal(entry)
        return refused if refused is None or refused.appliance is None else None


def about_all(asked):
    return type("OfAll", (SpendReach,), {"names": lambda self, members: {"kettle"}})(asked.plan)


@pytest.mark.parametrize(
    "make, case",
    [
        (HalfDayBook, DAY_CAP),
        (Strict, DAY_CAP),
        (OnceOnlyBook, APPLIANCE_CAP),
        (ByTheHome, APPLIANCE_CAP),
        (DayOnly, LONG_WINDOW),
        (OnceOnlyBook, APPLIANCE_YEAR),
        (RenewedBook, LIFETIME),
        (OnlyTheHome, APPLIANCE_LIFETIME),
    ],
)
def test_wrong_books_are_found(make, case):
    """A book that is too lenient, or too strict, is found out."""

    assert not audit_book(make, case, spends=2).passed


def test_by_hand():
    """Two plans give the appliance they share 1 and 2 millionths; others are counted for themselves."""
    kettles = [each for each in APPLIANCE_CAP.wishes if each.members != b"\x01\x00"][:2]
    oven = next(each for each in APPLIANCE_CAP.wishes if each.members == b"\x01\x00")

    assert [each.plan_key for each in kettles] == [1, 2]
    assert dearest(APPLIANCE_CAP, kettles) == 3
    assert dearest(APPLIANCE_CAP, [kettles[1], oven]) == 2
