"""The home's one ledger: for every interval of a cap's length, all that touches it is below the cap."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.household.living import fresh_store

from hushwatt.errors import StateError
from hushwatt.household.clock import Moment
from hushwatt.household.ledger.caps import DAY, YEAR, Caps
from hushwatt.household.ledger.home_ledger import HomeLedger, OverCap, SpendEntry
from hushwatt.household.ledger.monotonic_clock import MonotonicClock
from hushwatt.household.ledger.store import Store
from hushwatt.privacy.ledger import Spend, dearest_interval

HOUR = DAY // 24
CAPS = Caps(epsilon_per_day=10, epsilon_per_year=50)


def entry(start, hours, amount):
    return SpendEntry(1, 0, "publication", start * HOUR, (start + hours) * HOUR, amount)


@pytest.fixture
def book(folder):
    with Store(folder / "ledger.sqlite") as store:
        yield HomeLedger(store, CAPS)


def test_a_day_has_a_cap(book):
    """Two spends that one day can touch share its cap; a day later there is room again."""
    book.charge(entry(0, 1, 6))
    with pytest.raises(OverCap, match=r"the owner's cap is ε 0.00001 in any day, over all plans"):
        book.charge(entry(24, 1, 6))
    book.charge(entry(25, 1, 6))

    assert book.lifetime == 12


def test_a_year_has_a_cap(book):
    """Small spends add up over the year."""
    for day in range(10):
        book.charge(entry(48 * day, 1, 5))

    with pytest.raises(OverCap, match="in any year"):
        book.charge(entry(48 * 11, 1, 1))
    assert book.refusal(48 * 11 * HOUR + YEAR, 48 * 11 * HOUR + YEAR + HOUR, 1) is None


def test_what_may_have_been_spent_counts_beyond_the_cap(book):
    """Lost slots are written down whatever the cap says, and then nothing more fits."""
    with book.store.transaction():
        book.record([entry(0, 1, 1000)])

    assert book.refusal(HOUR, 2 * HOUR, 1) is not None
    assert book.refusal(26 * HOUR, 27 * HOUR, 1) is not None  # the year's cap
    assert book.lifetime == 1000


def test_nothing_is_given_back(book):
    """A spend below zero is refused, and is not counted either."""
    with pytest.raises(StateError, match="never given back"):
        book.charge(entry(0, 1, -1))
    with book.store.transaction():
        book.record([entry(0, 1, -1)])

    assert book.lifetime == 0


@given(st.lists(st.tuples(st.integers(0, 100), st.integers(1, 30), st.integers(1, 8)), max_size=25))
@settings(max_examples=40)
def test_no_interval_is_overspent(wishes):
    """Whatever is charged in whatever order, no interval is dearer than its cap, and no more is refused."""
    with fresh_store() as store:
        book, spends = HomeLedger(store, CAPS), []
        for start, hours, amount in wishes:
            wish = entry(start, hours, amount)
            spend = Spend(wish.start, wish.end, amount)
            fits = all(dearest_interval([*spends, spend], limit.length) <= limit.amount for limit in CAPS.limits)
            assert (book.refusal(wish.start, wish.end, amount) is None) == fits
            if fits:
                book.charge(wish)
                spends.append(spend)


@given(
    spends=st.lists(st.tuples(st.integers(0, 200), st.integers(1, 30), st.integers(1, 4)), max_size=25),
    slot=st.integers(0, 200),
    wish=st.tuples(st.integers(150, 400), st.integers(1, 30), st.integers(1, 10)),
)
@settings(max_examples=40)
def test_tidying_never_makes_room(spends, slot, wish):
    """Days written as one row sum to the same, and whatever was refused before is refused after."""
    with fresh_store() as store:
        book = HomeLedger(store, CAPS)
        with store.transaction():
            book.record(SpendEntry(1, start, "probe", start * HOUR, (start + n) * HOUR, a) for start, n, a in spends)
        start, hours, amount = wish
        span = (start * HOUR, (start + hours) * HOUR, amount)
        total, before = book.lifetime, book.refusal(*span)
        since = [book.spent_since(hour * HOUR, DAY) for hour in range(0, 240, 5)]
        book.compact(1, slot, 100 * HOUR)
        book.compact(1, slot, 120 * HOUR)

        assert book.lifetime == total
        assert before is None or book.refusal(*span) is not None
        after = [book.spent_since(hour * HOUR, DAY) for hour in range(0, 240, 5)]
        assert all(one <= other for one, other in zip(since, after, strict=True))


@given(
    lived=st.lists(st.tuples(st.integers(1, 30), st.integers(0, 40), st.booleans(), st.integers(1, 4)), max_size=20),
    moved=st.integers(-50, 400),
    amount=st.integers(1, 10),
)
@settings(max_examples=60)
def test_tidying_proves_no_time(lived, moved, amount):
    """With clocks moved and machines switched off, rows written as one are no older than any of them was."""
    with fresh_store() as store:
        timeline = MonotonicClock(store)
        book, wall, alive, boot = HomeLedger(store, CAPS, timeline), 100 * DAY, 0, 0
        for number, (ran, off, rebooted, spent) in enumerate(lived):
            if rebooted:
                wall, alive, boot = wall + off * HOUR, 0, boot + 1
                timeline.look(Moment(wall, alive, str(boot)))
            wall, alive = wall + ran * HOUR, alive + ran * HOUR
            timeline.look(Moment(wall, alive, str(boot)))
            stamp = timeline.stamp(wall)
            with store.transaction():
                book.record([SpendEntry(1, number, "probe", wall - ran * HOUR, wall, spent, None, *stamp)])
        wall += moved * HOUR
        timeline.look(Moment(wall, alive, str(boot)))
        lengths = (5 * HOUR, DAY, 3 * DAY, YEAR)
        wish = SpendEntry(1, 99, "probe", wall, wall + HOUR, amount)
        before, spent = book.objection_to(wish), [book.spent_since(wall - each, each) for each in lengths]
        book.compact(1, slot=50, moment=wall + YEAR)
        after = [book.spent_since(wall - each, each) for each in lengths]

        assert before is None or book.objection_to(wish) is not None
        assert all(one <= other for one, other in zip(spent, after, strict=True))


def test_a_day_becomes_one_row(book):
    """Only spends before the slot and the moment are put together."""
    with book.store.transaction():
        book.record(SpendEntry(1, hour, "probe", hour * HOUR, (hour + 1) * HOUR, 1) for hour in range(72))
    book.compact(1, slot=60, moment=48 * HOUR)
    rows = book.store.rows("SELECT purpose, count(*) AS rows, sum(amount) AS amount FROM spends GROUP BY purpose")

    assert rows == [
        {"purpose": "earlier", "rows": 2, "amount": 47},
        {"purpose": "probe", "rows": 25, "amount": 25},
    ]
