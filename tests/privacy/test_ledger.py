"""The ledger's second opinion: it refuses exactly what would break a promise, whoever asks."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hushwatt.errors import OverBudget, StateError
from hushwatt.privacy import ledger as module
from hushwatt.privacy.ledger import Ledger, Spend, dearest_interval, dearest_with

HOMES, EPSILON = 3, 10
APPLIANCES, ASKED, CAP = 4, 2, 3

amounts = st.lists(st.integers(0, 7), min_size=HOMES, max_size=HOMES)
asks = st.lists(st.tuples(st.integers(0, 12), amounts), max_size=15)
forward = asks.map(lambda each: sorted(each, key=lambda ask: ask[0]))
members = st.lists(st.permutations(range(APPLIANCES)), min_size=HOMES, max_size=HOMES).map(
    lambda orders: [sorted(order[:ASKED]) for order in orders]
)


def accepted(ledger, slot, spends, asked=None):
    """Whether the ledger takes a charge."""
    try:
        ledger.charge(slot, np.array(spends), None if asked is None else np.array(asked, dtype=np.uint16))
    except (OverBudget, StateError):
        return False
    return True


def dearest(history, window):
    """The most that any home spent in any `window` slots, slot by slot."""
    slots = range(min((slot for slot, _ in history), default=0), 1 + max((slot for slot, _ in history), default=0))
    return max(
        (
            sum(spends[home] for at, spends in history if start <= at < start + window)
            for start in slots
            for home in range(HOMES)
        ),
        default=0,
    )


class TestWindows:
    """Any w slots in a row spend at most ε."""

    @settings(max_examples=300)
    @given(window=st.integers(1, 5), asks=asks | forward)
    @example(window=2, asks=[(0, [6, 0, 0]), (5, [0, 0, 0]), (1, [6, 0, 0])])
    @example(window=2, asks=[(0, [6, 0, 0]), (5, [11, 0, 0]), (1, [6, 0, 0])])
    def test_refuses_exactly_what_exceeds_a_window(self, window, asks):
        """A charge is taken if and only if no window then holds more than ε and its slot is not over.

        What was refused, and what cost nothing, leaves no trace.
        """
        ledger, history = Ledger(HOMES, EPSILON, window), []

        for slot, spends in asks:
            over = any(slot < at for at, _ in history)
            fits = not over and dearest([*history, (slot, spends)], window) <= EPSILON

            assert accepted(ledger, slot, spends) == fits
            if fits and any(spends):
                history.append((slot, spends))

    @given(window=st.integers(1, 5), asks=forward, slot=st.integers(0, 20))
    def test_says_what_counts(self, window, asks, slot):
        """`spent` is the sum over a slot and the w − 1 before it."""
        ledger = Ledger(HOMES, 10**6, window)
        for at, spends in asks:
            ledger.charge(at, np.array(spends))
        slot += asks[-1][0] if asks else 0

        spent = [sum(s[home] for at, s in asks if slot - window < at <= slot) for home in range(HOMES)]

        assert ledger.spent(slot).tolist() == spent

    def test_refuses_for_all_homes_or_none(self):
        """One home over its budget stops the slot for every home, and nothing is written down."""
        ledger = Ledger(HOMES, EPSILON, 2)
        ledger.charge(0, np.array([5, 5, 6]))

        assert not accepted(ledger, 1, [5, 5, 5])
        assert ledger.spent(1).tolist() == [5, 5, 6]
        assert accepted(ledger, 1, [5, 5, 4])

    def test_nothing_is_given_back(self):
        """A negative spend is refused, also beside others that fit."""
        assert not accepted(Ledger(HOMES, EPSILON, 2), 0, [1, -1, 1])

    def test_says_the_numbers(self):
        """A refusal names what one home asked, what it had spent, and what it may."""
        ledger = Ledger(HOMES, EPSILON, 3)
        ledger.charge(0, np.array([1, 2, 9]))

        with pytest.raises(OverBudget) as refused:
            ledger.charge(2, np.array([1, 0, 4]))

        assert (refused.value.asked, refused.value.spent) == (4, 9)
        assert (refused.value.epsilon, refused.value.window) == (EPSILON, 3)

    def test_says_that_a_slot_is_over(self):
        """A charge for a slot before the last one is refused by its name."""
        ledger = Ledger(HOMES, EPSILON, 2)
        ledger.charge(7, np.array([1, 1, 1]))

        with pytest.raises(StateError, match="slot 6 has passed: slot 7 is charged already"):
            ledger.charge(6, np.array([0, 0, 1]))

    def test_forgets_what_no_window_reaches(self):
        """Charges that no later window can hold are not kept."""
        ledger = Ledger(HOMES, EPSILON, 3)
        for slot in range(100):
            ledger.charge(slot, np.array([3, 0, 1]))

        assert [charge.slot for charge in ledger.log.before(1_000)] == [97, 98, 99]


class TestAppliances:
    """Any w slots in a row spend at most its cap on one appliance, which gets 1/s of each draw."""

    @settings(max_examples=300)
    @given(window=st.integers(1, 4), draws=st.lists(st.tuples(st.integers(0, 2), amounts, members), max_size=12))
    def test_refuses_exactly_what_exceeds_a_cap(self, window, draws):
        """A charge is taken if and only if no home and no appliance then exceeds its promise."""
        ledger = Ledger(HOMES, EPSILON, window, APPLIANCES, ASKED * CAP)
        history, slot = [], 0

        for later, spends, asked in draws:
            slot += later
            now = [*history, (slot, spends, asked)]
            fits = dearest([(at, spent) for at, spent, _ in now], window) <= EPSILON
            fits = fits and dearest_appliance(now, window) <= CAP

            assert accepted(ledger, slot, spends, asked) == fits
            if fits:
                history.append((slot, spends, asked))

    def test_homes_are_looked_at_in_parts(self, monkeypatch):
        """Each part of a large fleet is checked: the last home is refused like the first."""
        monkeypatch.setattr(module, "TOGETHER", 2)

        for home in range(5):
            ledger = Ledger(5, 100, 3, APPLIANCES, 4)
            ledger.charge(0, np.full(5, 2), np.tile(np.array([0, 1], dtype=np.uint16), (5, 1)))
            one = np.where(np.arange(5) == home, 3, 0)

            assert not accepted(ledger, 1, one, np.tile([1, 2], (5, 1)))
            assert accepted(ledger, 1, one, np.tile([2, 3], (5, 1)))

    def test_a_refusal_names_the_home_that_is_over(self):
        """What it asked, and s times what its appliance had."""
        ledger = Ledger(2, 100, 3, APPLIANCES, 4)
        ledger.charge(0, np.array([1, 3]), np.array([[0, 1], [0, 1]]))

        with pytest.raises(OverBudget) as refused:
            ledger.charge(1, np.array([1, 2]), np.array([[0, 1], [1, 2]]))

        assert (refused.value.asked, refused.value.spent, refused.value.epsilon) == (2, 3, 4)

    def test_a_charge_without_members_counts_for_every_appliance(self):
        """Where nobody says which appliances were asked, all of them were."""
        ledger = Ledger(1, 100, 3, APPLIANCES, 4)
        ledger.charge(0, np.array([3]))

        assert not accepted(ledger, 1, [2], [[2, 3]])
        assert not accepted(ledger, 1, [2])
        assert accepted(ledger, 1, [1])

    def test_comes_from_the_plan(self, plan_of):
        """A cap is kept appliance by appliance when few are asked, by the home's sum when all are."""
        few = Ledger.of(plan_of(2, 2, 2, appliances_per_report=2, epsilon=9, appliance_epsilon=4), 5)
        every = Ledger.of(plan_of(2, 2, 2, epsilon=90, appliance_epsilon=4), 5)
        free = Ledger.of(plan_of(2, 2, 2, appliances_per_report=2, epsilon=9, window=4), 5)

        assert (few.homes, few.epsilon, few.appliances, few.appliance_total) == (5, 9, 3, 8)
        assert (every.epsilon, every.appliance_total) == (12, None)
        assert (free.epsilon, free.window, free.appliance_total) == (9, 4, None)


def dearest_appliance(history, window):
    """The most that any appliance of any home got in any `window` slots."""
    spends = [
        (slot, home, appliance, Fraction(spent[home], ASKED))
        for slot, spent, asked in history
        for home in range(HOMES)
        for appliance in asked[home]
    ]
    return max(
        (
            sum(
                share for at, who, what, share in spends if (who, what) == (home, appliance) and 0 <= at - slot < window
            )
            for slot, home, appliance, _ in spends
        ),
        default=0,
    )


class TestFleets:
    """What homes spent stays theirs when others join, and when their order changes."""

    def test_newcomers_have_spent_nothing(self):
        """New homes start with all of ε, the others with what they have left."""
        ledger = Ledger(HOMES, EPSILON, 2)
        ledger.charge(0, np.array([6, 7, 8]))

        joined = ledger.joined(2)

        assert joined.spent(1).tolist() == [6, 7, 8, 0, 0]
        assert not accepted(joined, 1, [0, 0, 3, 10, 10])
        assert accepted(joined, 1, [4, 3, 2, 10, 10])
        assert ledger.spent(1).tolist() == [6, 7, 8]

    def test_newcomers_have_caps_too(self):
        """A cap on appliances is kept for homes that joined."""
        joined = Ledger(1, 100, 2, APPLIANCES, 4).joined(1)

        assert not accepted(joined, 0, [0, 5], [[0, 1], [0, 1]])

    @given(asks=forward, order=st.permutations(range(HOMES)), asked=members, after=amounts)
    def test_another_order_of_the_homes_is_the_same_ledger(self, asks, order, asked, after):
        """Reordered, each home keeps its spends and its appliances' spends."""
        ledger = Ledger(HOMES, 10**6, 3, APPLIANCES, 12)
        for slot, spends in asks:
            accepted(ledger, slot, spends, asked)
        slot = asks[-1][0] if asks else 0

        moved = ledger.reordered(np.array(order))
        spent = moved.spent(slot)
        verdict = accepted(moved, slot, np.array(after)[order], np.array(asked)[order])

        assert spent.tolist() == ledger.spent(slot)[order].tolist()
        assert verdict == accepted(ledger, slot, after, asked)


spends = st.lists(
    st.tuples(st.integers(0, 30), st.integers(1, 8), st.integers(0, 6)).map(
        lambda given: Spend(given[0], given[0] + given[1], given[2])
    ),
    max_size=8,
)


def dearest_by_trying(all_spends, length):
    """The same, over every interval that begins on a whole or half unit."""
    begins = [Fraction(half, 2) for half in range(-40, 80)]
    return max(
        sum(each.amount for each in all_spends if each.start < begin + length and each.end > begin) for begin in begins
    )


class TestOneHome:
    """In every interval of the cap's length, the slots that touch it spend at most the cap together."""

    @settings(max_examples=200)
    @given(spends=spends, length=st.integers(1, 20))
    def test_dearest_interval_is_the_dearest_of_all(self, spends, length):
        """No interval of this length, wherever it begins, is touched by dearer slots."""
        assert dearest_interval(spends, length) == dearest_by_trying(spends, length)

    @settings(max_examples=200)
    @given(spends=spends, length=st.integers(1, 20), one=st.tuples(st.integers(0, 30), st.integers(1, 8)))
    def test_dearest_with_is_the_dearest_that_one_touches(self, spends, length, one):
        """Only intervals that the one spend touches count, wherever they begin."""
        spend = Spend(one[0], one[0] + one[1], 3)

        assert dearest_with(spend, spends, length) == max(
            sum(each.amount for each in [spend, *spends] if each.start < begin + length and each.end > begin)
            for begin in (Fraction(half, 2) for half in range(-40, 80))
            if spend.start < begin + length and spend.end > begin
        )

    def test_slots_of_different_lengths_share_one_cap(self):
        """A day of one plan and an hour of another, as far apart as the cap is long, do not meet."""
        day = Spend(0, 24, 6)

        assert dearest_with(Spend(47, 48, 5), [day], length=24) == 11
        assert dearest_with(Spend(48, 49, 5), [day], length=24) == 5
