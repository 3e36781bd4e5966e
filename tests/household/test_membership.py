"""One plan at home: paid before drawn, kept whole, counted at the most when nobody knows."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.household.living import NO_CAPS, fresh_store, join

from hushwatt.errors import StateError
from hushwatt.household import membership
from hushwatt.household.ledger.home_ledger import HomeLedger, SpendEntry
from hushwatt.household.ledger.store import Store
from hushwatt.household.membership import Membership, merge_old_entries
from hushwatt.household.report.serialise import strategy_of
from hushwatt.plan.amounts import MICRO
from hushwatt.privacy.entropy import OperatingSystem

METHODS = ("lbu", "lsp", "lbd", "lba", "lpu")
CANARY = 1234.5678


@pytest.fixture
def member_of(folder):
    """Join a plan in a fresh ledger."""
    stores = []

    def member(plan, source=None):
        store = Store(folder / f"ledger{len(stores)}.sqlite")
        stores.append(store)
        return Membership(plan, join(store, plan), HomeLedger(store, NO_CAPS), source or OperatingSystem())

    yield member
    for store in stores:
        store.close()


def spends(member, slot):
    return [
        tuple(row)
        for row in member.store.disk.execute(
            "SELECT purpose, amount FROM spends WHERE slot = ? ORDER BY rowid", (slot,)
        )
    ]


class Looking:
    """The system's randomness, which looks at the disk with other eyes before it gives any."""

    path: Path

    def __init__(self):
        self.seen = []

    def stream(self, *labels):
        if labels[0] in ("probe", "publication"):
            with Store(self.path) as other:
                paid = other.value("SELECT sum(amount) FROM spends WHERE slot = ?", (labels[1],)) or 0
            self.seen.append((labels[0], labels[2], paid))
        return OperatingSystem()


@pytest.mark.parametrize("method", METHODS)
def test_nothing_is_drawn_before_it_is_paid(member_of, plan_of, method):
    """At every draw the charge for it is on the disk already, where another process sees it."""
    looking = Looking()
    member = member_of(plan_of(3, 3, method=method), looking)
    looking.path = member.store.path
    for _ in range(6):
        member.report_slot(np.array([50.0, 250.0]), due=0)

    assert looking.seen
    paid_for = {"probe": 0}
    for purpose, amount, paid in looking.seen:
        before = paid_for["probe"] if purpose == "publication" else 0
        assert paid >= amount + before
        paid_for["probe"] = amount if purpose == "probe" else 0


@pytest.mark.parametrize("method", METHODS)
def test_state_and_bytes_are_one_transaction(member_of, plan_of, method):
    """When the bytes cannot be kept, the state has not moved either, and the slot counts as lost."""
    member = member_of(plan_of(3, 3, method=method, window=2))
    while not member._max_cost():
        member.skip_slots(member.slot, "not its turn")
    slot, most = member.slot, member._max_cost()
    member.store.disk.execute("CREATE TRIGGER no BEFORE UPDATE ON plans BEGIN SELECT raise(ABORT, 'no'); END")
    with pytest.raises(StateError):
        member.report_slot(np.array([50.0, 250.0]), due=0)
    member.store.disk.execute("DROP TRIGGER no")

    assert member.slot == slot
    assert member.store.value("SELECT count(*) FROM reports") == 0
    member.charge_lost_slots(slot, "crashed")
    assert sum(amount for _, amount in spends(member, slot)) == most


def test_probe_and_publication_are_written_apart(member_of, plan_of):
    """A home that decides pays for the look, and then for what it publishes."""
    member = member_of(plan_of(3, 3, method="lba", epsilon=6 * MICRO, window=3))
    member.report_slot(np.array([50.0, 250.0]), due=0)

    assert spends(member, 0) == [("probe", MICRO), ("publication", MICRO)]
    assert member.store.rows("SELECT spent, drawn FROM reports") == [{"spent": 2 * MICRO, "drawn": MICRO}]


def test_a_home_that_comes_back_remembers(member_of, plan_of):
    """Whatever the method, the memory on disk is the memory in mind."""
    for method in METHODS:
        member = member_of(plan_of(3, 3, 3, method=method, appliances_per_report=3 if method in ("lbd", "lba") else 2))
        for _ in range(5):
            member.report_slot(np.array([50.0, 250.0, 0.0]), due=0)
        before = (repr(strategy_of(member.homes)), member.homes.drawn.tolist(), member.slot)
        charges = [(charge.slot, charge.amounts.tolist()) for charge in member.ledger.log.before(10**9)]
        member.reload()

        assert (repr(strategy_of(member.homes)), member.homes.drawn.tolist(), member.slot) == before
        recent = [(charge.slot, charge.amounts.tolist()) for charge in member.ledger.log.before(10**9)]
        assert [each for each in recent if each[0] > member.slot - 3] == [
            each for each in charges if each[0] > member.slot - 3
        ]


def test_a_missed_turn_drops_the_old_release(member_of, plan_of):
    """Under lsp a home that missed its turn keeps silent rather than pass an older answer off as new."""
    member = member_of(plan_of(3, 3, method="lsp", window=2))
    member.report_slot(np.array([50.0, 250.0]), due=0)
    member.charge_lost_slots(2, "away")
    member.report_slot(np.array([50.0, 250.0]), due=0)
    member.report_slot(np.array([50.0, 250.0]), due=0)

    assert [row["slot"] for row in member.store.rows("SELECT slot FROM reports")] == [0, 4]


@given(
    method=st.sampled_from(METHODS),
    window=st.integers(1, 5),
    fates=st.lists(st.sampled_from(["close", "close", "lost", "silent", "unseen"]), max_size=30),
)
@settings(max_examples=40)
def test_no_window_overspends(plan_of, method, window, fates):
    """Whatever becomes of its slots, any w in a row send at most ε."""
    plan = plan_of(3, 3, method=method, window=window)
    with fresh_store() as store:
        member = Membership(plan, join(store, plan), HomeLedger(store, NO_CAPS), OperatingSystem())
        for slot, fate in enumerate(fates):
            if fate == "close":
                member.report_slot((OperatingSystem().words(2) % np.uint64(400)).astype(float), due=0)
            elif fate == "silent":
                member.skip_slots(slot, "paused")
            else:
                member.charge_lost_slots(slot, "away", unseen=9 if fate == "unseen" else 0)
        sent = dict(store.disk.execute("SELECT slot, spent FROM reports").fetchall())  # type: ignore[arg-type]

    for start in range(len(fates)):
        assert sum(sent.get(slot, 0) for slot in range(start, start + window)) <= plan.epsilon


def test_a_window_lived_unseen_is_followed_by_silence(member_of, plan_of):
    """When a window may have been lived through unseen, nothing is left for the w − 1 slots after it."""
    member = member_of(plan_of(3, 3, method="lbu", window=3))
    member.charge_lost_slots(0, "away", unseen=3)
    for _ in range(4):
        member.report_slot(np.array([50.0, 250.0]), due=0)

    assert [row["slot"] for row in member.store.rows("SELECT slot FROM reports")] == [3, 4]


def test_many_lost_slots_take_few_rows(member_of, plan_of):
    """Years away are written in stretches that count for all their slots, never for less."""
    entries = [SpendEntry(1, slot, "lost", 10 * slot, 10 * slot + 10, 3) for slot in range(50_000)]

    joined = merge_old_entries(entries, window=5)

    assert len(joined) <= 2_000
    assert sum(each.amount for each in joined) == 150_000
    assert [each.slot for each in joined[-1000:]] == list(range(49_000, 50_000))
    assert joined[0].start == 0
    assert all(one.end == next.start for one, next in pairwise(joined))


@given(
    asked=st.lists(st.none() | st.sets(st.integers(0, 3), min_size=1, max_size=3), min_size=1, max_size=20),
    window=st.integers(1, 4),
)
@settings(max_examples=60)
def test_stretches_count_for_every_appliance(asked, window):
    """In every slot, a row for many slots gives each appliance at least what that slot gave it."""
    named = [None if each is None else np.array(sorted(each), "<u2").tobytes() for each in asked]
    entries = [
        SpendEntry(1, slot, "lost", 10 * slot, 10 * slot + 10, 1 + slot % 3, members)
        for slot, members in enumerate(named)
    ]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(membership, "MAX_LOST_ROWS", 3)
        joined = merge_old_entries(entries, window)

    def given_to(rows, appliance, start):
        here = [each for each in rows if each.start < start + 10 and each.end > start]
        speaks = [each.members is None or appliance in np.frombuffer(each.members, "<u2") for each in here]
        return sum(each.amount for each, spoken in zip(here, speaks, strict=True) if spoken)

    for appliance in range(4):
        for entry in entries:
            assert given_to(joined, appliance, entry.start) >= given_to(entries, appliance, entry.start)
    assert sum(each.amount for each in joined) == sum(each.amount for each in entries)


def test_readings_are_not_on_the_disk(member_of, plan_of):
    """The ledger's file holds no byte of what was read."""
    member = member_of(plan_of(3, 3, method="lba"))
    for _ in range(5):
        member.report_slot(np.array([CANARY, CANARY]), due=0)
    member.store.disk.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    content = member.store.path.read_bytes()

    assert b"1234.5" not in content
    assert np.float64(CANARY).tobytes() not in content
    assert np.float64(CANARY).tobytes()[::-1] not in content
