"""What homes remember: turns that are even, orders that are complete, caps that are kept."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from hushwatt.errors import StateError
from hushwatt.household.report.homes import enrol, even_turns, turns_taken
from hushwatt.household.report.report import report
from hushwatt.privacy.entropy import FreshKeys, OperatingSystem, Simulation

SOURCE = Simulation(7, "homes")


def run(homes, slots, first=0):
    """What is sent over some slots by homes whose levels are all 0."""
    levels = np.zeros((len(homes), len(homes.plan.appliances)), dtype=np.uint16)
    return [report(homes, slot, levels, SOURCE) for slot in range(first, first + slots)]


class TestTurns:
    """LPU: phases are evenly filled, and random."""

    @given(sizes=st.lists(st.integers(0, 9), min_size=1, max_size=8), count=st.integers(0, 40))
    def test_leave_the_groups_as_even_as_they_can_be(self, sizes, count):
        """Every turn is given, and no group that got one is more than one above any other."""
        turns = even_turns(np.array(sizes), count, OperatingSystem())

        after = np.array(sizes) + np.bincount(turns, minlength=len(sizes))
        assert len(turns) == count
        assert all(after[turn] - 1 <= after.min() for turn in turns)

    def test_a_lone_home_s_turn_is_random(self, plan_of):
        """A home that joins alone speaks from any of the phases, each as likely: not by when it joined."""
        plan = plan_of(2, method="lpu", window=3)

        offers = [enrol(plan, 1, 5, FreshKeys()).strategies.offers()[0] > 0 for _ in range(600)]

        assert binomtest(sum(offers), 600, 1 / 3).pvalue > 1e-6

    def test_who_speaks_when_is_random(self, plan_of):
        """The order of enrolment says nothing about the turn."""
        homes = enrol(plan_of(2, method="lpu", window=2), 10_000, 0, SOURCE)

        first = np.flatnonzero(homes.strategies.offers())

        assert len(first) == 5_000
        assert abs(first.mean() - 4999.5) < 6 * 10_000 / 12**0.5 / 5_000**0.5

    @settings(max_examples=40)
    @given(window=st.integers(1, 6), count=st.integers(1, 30), first=st.integers(0, 9))
    def test_each_home_speaks_every_w_slots(self, plan_of, window, count, first):
        """Over three windows each home speaks three times, w slots apart, and the slots are evenly filled."""
        sent = run(enrol(plan_of(2, method="lpu", window=window), count, first, SOURCE), 3 * window, first)

        spoke = [[s.slot for s in sent if home in s.homes] for home in range(count)]
        assert all(slots == [slots[0] + turn * window for turn in range(3)] for slots in spoke)
        assert max(len(s.homes) for s in sent) - min(len(s.homes) for s in sent) <= 1

    def test_newcomers_fill_the_gaps(self, plan_of):
        """Homes that join later go where fewer homes speak, also beside none."""
        plan = plan_of(2, method="lpu", window=3)
        homes = enrol(plan, 4, 0, SOURCE)
        run(homes, 4)

        joined = homes.joined(enrol(plan, 5, 4, SOURCE, taken=turns_taken(homes)))
        beside_none = enrol(plan, 3, 4, SOURCE, taken=turns_taken(enrol(plan, 0, 4, SOURCE)))

        assert [len(sent.homes) for sent in run(joined, 3, 4)] == [3, 3, 3]
        assert [len(sent.homes) for sent in run(beside_none, 3, 4)] == [1, 1, 1]


def asked_in(fleet, slot, who):
    """What some homes are asked in a slot."""
    fleet.slot = slot
    return fleet.next_members(np.asarray(who))


class TestOrders:
    """Each home walks its own random order of the appliances, s per turn."""

    @settings(max_examples=60)
    @given(data=st.data(), count=st.integers(2, 7), homes=st.integers(1, 5))
    def test_every_home_covers_every_appliance(self, plan_of, data, count, homes):
        """In n turns each home names each appliance s times, and in every turn s different ones."""
        asked = data.draw(st.integers(1, count - 1))
        fleet = enrol(plan_of(*[2] * count, appliances_per_report=asked), homes, 0, SOURCE)

        first = data.draw(st.integers(0, 50))

        members = np.stack([asked_in(fleet, first + turn, np.arange(homes)) for turn in range(count)])

        assert all(
            np.bincount(members[:, home].ravel(), minlength=count).tolist() == [asked] * count for home in range(homes)
        )
        assert (np.diff(members.astype(int), axis=2) > 0).all()

    @pytest.mark.parametrize("method", ["lbu", "lsp", "lpu"])
    def test_a_missed_turn_moves_on_by_itself(self, plan_of, method):
        """A home that kept silent is asked what it would have been asked without that silence."""
        plan = plan_of(2, 2, 2, 2, method=method, window=3, appliances_per_report=1)
        talks, silent = (enrol(plan, 5, 0, Simulation(4, "same")) for _ in range(2))
        run(talks, 7)

        silent.skip_to(7)

        assert (talks.next_members(np.arange(5)) == silent.next_members(np.arange(5))).all()

    def test_a_provider_that_decides_moves_on_whom_it_asks(self, plan_of):
        """Where the provider says when to draw, a home that is not asked stays where it is."""
        plan = plan_of(2, 2, 2, 2, method="lpd", decision="provider", appliances_per_report=2)
        fleet, alone = (enrol(plan, 2, 0, Simulation(4, "same")) for _ in range(2))

        fleet.next_members(np.array([0]))
        both = fleet.next_members(np.array([0, 1]))

        assert (both[1] == alone.next_members(np.array([1]))[0]).all()
        assert sorted([*both[0], *alone.next_members(np.array([0]))[0]]) == [0, 1, 2, 3]

    def test_homes_have_orders_of_their_own(self, plan_of):
        """Each appliance is named first by its share of the homes."""
        fleet = enrol(plan_of(2, 2, 2, 2, appliances_per_report=1), 40_000, 0, SOURCE)

        first = np.bincount(fleet.next_members(np.arange(40_000)).ravel(), minlength=4)

        assert all(binomtest(int(count), 40_000, 1 / 4).pvalue > 1e-6 for count in first)

    def test_all_asked_means_no_order(self, plan_of):
        """When every appliance is asked there is none to name."""
        assert enrol(plan_of(2, 2), 3, 0, SOURCE).next_members(np.arange(3)) is None


class TestCaps:
    """`appliance_epsilon` caps what any one appliance spends over any w slots."""

    @settings(max_examples=80)
    @given(data=st.data(), count=st.integers(1, 6), window=st.integers(1, 7), cap=st.integers(10, 1_000_000))
    @pytest.mark.parametrize("method", ["lbu", "lsp", "lpu"])
    def test_no_appliance_exceeds_its_cap(self, plan_of, method, data, count, window, cap):
        """Walking its order, no home spends more than the cap on an appliance in any window.

        What its reports say they were drawn with is added up per appliance, in fractions.
        """
        asked = data.draw(st.integers(1, count))
        plan = plan_of(
            *[2] * count,
            method=method,
            window=window,
            epsilon=10_000_000,
            appliances_per_report=asked,
            appliance_epsilon=cap,
        )

        shares = shares_of(enrol(plan, 2, 0, SOURCE), slots=3 * window + count)

        windows = [sum(shares[start : start + window]) for start in range(len(shares))]
        assert max(max(row) for row in windows) <= cap

    def test_the_cap_is_nearly_used(self, plan_of):
        """Two of three in four slots: an appliance comes in three of them at most, which spend all of it."""
        plan = plan_of(2, 2, 2, window=4, epsilon=10_000_000, appliances_per_report=2, appliance_epsilon=999_999)

        shares = shares_of(enrol(plan, 1, 0, SOURCE), slots=12)

        assert max(max(sum(shares[start : start + 4])) for start in range(9)) == 999_999


def shares_of(homes, slots):
    """What every appliance of the first home gets in each slot."""
    appliances, asked = len(homes.plan.appliances), homes.plan.appliances_per_report
    every = []
    for sent in run(homes, slots):
        row = np.array([Fraction(0)] * appliances)
        paid = np.flatnonzero((sent.homes == 0) & (sent.spent > 0))
        if len(paid):
            reports, _ = homes.layout.tally(sent.payloads[paid])
            row += np.array([Fraction(int(sent.drawn[paid[0]]) * int(named), asked) for named in reports])
        every.append(row)
    return every


class TestMemory:
    """Homes keep what is theirs when the fleet changes."""

    @pytest.mark.parametrize("method", ["lbu", "lsp", "lba", "lbd", "lpu"])
    def test_another_order_of_the_homes_sends_the_same(self, plan_of, method):
        """Reordered, each home has its own release, turn, budget and order of appliances."""
        asked = 2 if method in ("lba", "lbd") else 1
        homes = enrol(plan_of(2, 3, method=method, appliances_per_report=asked), 6, 0, SOURCE)
        run(homes, 4)
        order = np.array([3, 5, 0, 1, 4, 2])

        moved = homes.reordered(order)

        assert (moved.drawn == homes.drawn[order]).all()
        assert (moved.strategies.offers() == homes.strategies.offers()[order]).all()
        assert (moved.ledger.spent(4) == homes.ledger.spent(4)[order]).all()
        for name in ("releases", "probes", "order", "cursor"):
            before, after = getattr(homes, name), getattr(moved, name)
            assert (before is after is None) or (after == before[order]).all()

    @pytest.mark.parametrize("method", ["lbu", "lsp", "lba", "lpu"])
    def test_joining_takes_nothing_from_those_who_are_there(self, plan_of, method):
        """Those who were there keep everything, and newcomers start afresh."""
        plan = plan_of(2, 3, method=method)
        homes = enrol(plan, 4, 0, SOURCE)
        run(homes, 2)

        joined = homes.joined(enrol(plan, 3, 2, SOURCE, taken=turns_taken(homes)))

        assert len(joined) == 7
        assert joined.drawn.tolist() == [*homes.drawn.tolist(), 0, 0, 0]
        assert joined.ledger.spent(2).tolist() == [*homes.ledger.spent(2).tolist(), 0, 0, 0]
        assert joined.strategies.offers()[:4].tolist() == homes.strategies.offers().tolist()

    def test_only_new_homes_can_join(self, plan_of):
        """Homes that have spent, or that begin in another slot, are refused: no spend is forgotten."""
        homes, spent, late = (enrol(plan_of(2), 2, slot, SOURCE) for slot in (2, 1, 3))
        run(spent, 1, 1)

        for others in (spent, late):
            with pytest.raises(StateError, match="only homes that have not reported yet can join, in slot 2"):
                homes.joined(others)

    def test_silence_costs_nothing_and_keeps_the_phase(self, plan_of):
        """Slots that are skipped are not charged, and the turn after them is the same as without them."""
        homes, others = (enrol(plan_of(2, method="lsp", window=4), 2, 0, SOURCE) for _ in range(2))

        homes.skip_to(6)
        run(others, 6)

        assert homes.ledger.spent(6).tolist() == [0, 0]
        assert homes.strategies.offers().tolist() == others.strategies.offers().tolist() == [0, 0]
        assert [len(sent.homes) for sent in run(homes, 4, 6)] == [0, 0, 2, 2]

    def test_repr_says_no_more_than_how_many(self, plan_of):
        """A fleet in a log is a number of homes and a slot."""
        assert repr(enrol(plan_of(2), 3, 5, SOURCE)) == "<3 homes before slot 5>"
