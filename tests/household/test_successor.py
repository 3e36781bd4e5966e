"""A home moves on by itself where nothing is weaker, and the change costs no more than either promise."""

from dataclasses import replace
from datetime import timedelta
from itertools import count
from typing import Any

import pytest
from tests.household.succeeding import FOLLOWS, here, home_of, look_now, old_plan, slots, successor

from hushwatt.audit.harness.home_under_test import NO_CAPS
from hushwatt.household.clock import SECOND
from hushwatt.household.page.data import OwnerPageData
from hushwatt.household.page.plan_page import plan_page
from hushwatt.household.page.view import home_page
from hushwatt.household.status import plan_statuses
from hushwatt.household.successor import heir_of
from hushwatt.plan import Appliance, Plan, SlotLength
from hushwatt.plan.times import nanoseconds
from hushwatt.privacy.successor import weaker

METHODS = ("lbu", "lsp", "lbd", "lba", "lpu")


def spends(home, plans: list[Plan]) -> list[tuple[int, int, int, int]]:
    """All that could have left: which plan, from, to, how much."""
    found = []
    for (place, slot), rows in home.released.items():
        plan = plans[place - 1]
        start, end = (nanoseconds(plan.calendar.start_of(each)) for each in (slot, slot + 1))
        found.append((place, start, end, sum(row[0] for row in rows)))
    return found


def dearest_stretch(found, length: int, since: int = 0) -> int:
    """The most that slots within any stretch of a length cost, over stretches that hold a slot of `since` or later."""
    sums = [0]
    for begin in {start for _, start, _, _ in found}:
        inside = [each for each in found if begin <= each[1] and each[2] <= begin + length]
        if any(each[0] >= since for each in inside):
            sums.append(sum(each[3] for each in inside))
    return max(sums)


def length_of(plan: Plan) -> int:
    return plan.window * plan.slot.seconds * SECOND


CHANGES: dict[str, dict[str, Any]] = {
    "the same": {},
    "another phase": {"start_later": 300},
    "less": {"epsilon": 1_500_000},
    "a longer window": {"window": 5},
    "longer slots": {"slot": SlotLength(900, "s")},
    "longer slots of another phase": {"slot": SlotLength(900, "s"), "start_later": 300},
}


def changed(old: Plan, start_later: int = 0, **fields) -> Plan:
    return successor(old, start=old.start + timedelta(seconds=start_later), **fields)


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("method", METHODS)
def test_no_moment_of_the_change_costs_more_than_either_promise(folder, method, change):
    """Wherever in a slot the successor is found, and whatever turn it gives."""
    old = old_plan(method)
    new, seeds = changed(old, **CHANGES[change]), count(1)
    for moment in range(0, 4 * 600, 300):
        home, provider = home_of(folder, old, new, seed=next(seeds))
        if method == "lpu":
            provider.enrolment |= {"turn": (moment // 300) % new.window}
        with home:
            home.live(slots(3) + moment, 300)
            look_now(home, old)
            home.live(slots(4 + 2 * new.window * new.slot.seconds / 600), 300)
            assert here(home) == ["new"], home.said
            found = spends(home, [old, new])
            assert dearest_stretch(found, length_of(old)) <= old.epsilon
            assert dearest_stretch(found, length_of(new), since=2) <= new.epsilon
            assert any(place == 2 for place, *_ in found), "it never spoke again"


def test_a_home_is_told_and_takes_its_time(folder):
    """The old plan's slot is reported, then the home is under the new one: said, shown, and agreed to in words."""
    old = old_plan()
    new = successor(
        old, appliances=tuple(Appliance.of(each.name, [7, 8], mapping=old.mapping) for each in old.appliances)
    )
    home, provider = home_of(folder, old, new)
    with home:
        home.live(slots(4.5), 300)
        look_now(home, old)
        assert here(home) == ["old"]
        home.live(slots(0.5), 300)
        assert here(home) == ["new"]
        assert home.slots(1) == [1, 2, 3, 4]
        home.live(slots(2), 300)
        assert min(home.slots(2)) == 6
        home.outbox.send(home.clock.wall + 10**12)
        assert home.store.value("SELECT count(*) FROM reports WHERE place = 1 AND due IS NOT NULL") == 0
        [line] = [line for line in home.said if line.startswith("moved on")]
        assert "nothing about your protection is weaker" in line
        assert old.id not in line  # what the owner reads is what changes for him
        left, right = plan_statuses(home.store, home.clock.wall)
        assert (left.state, right.state) == ("left", "taking part")
        assert left.successors == right.successors == (line,)
        assert heir_of(home.store, old.id) == heir_of(home.store, new.id) == new.id
        page = home_page(OwnerPageData(home.store, FOLLOWS, home.clock.wall, {}, [], "token"))
        assert "Moved on from" in page
        terms = plan_page(OwnerPageData(home.store, FOLLOWS, home.clock.wall, {}, [], "token"), new.id)
        assert terms is not None
        assert "follow_successors" in terms
        assert line in home.store.value("SELECT words FROM consents WHERE plan = ?", (new.id,))
    assert [each.path for each in provider.requests if each.path.endswith("/devices")] == [
        f"/v1/plans/{new.id}/devices"
    ]


def extra(old):
    return (*old.appliances, Appliance.of("one more", [1, 2]))


WEAKER: dict[str, tuple[dict[str, Any], str]] = {
    "ε": ({"epsilon": 3_000_001}, "in a window"),
    "minimum": ({"minimum_homes": 4}, "results of 4 homes"),
    "window": ({"window": 2}, "less time"),
    "slot": ({"slot": SlotLength(300, "s"), "window": 6}, "more closely"),
    "appliance": ({"appliances": extra, "appliances_per_report": 1}, "one more"),
    "answer": ({"unmeasured": "answer"}, "which appliances your home measures"),
    "method": ({"method": "lpu"}, "a day"),
    "decision": ({"method": "lbd", "decision": "household"}, "decided by the household"),
    "stranger": ({"replaces": "0" * 64}, "does not say that it replaces"),
}


@pytest.mark.parametrize("name", WEAKER)
def test_what_is_weaker_is_only_offered(folder, name):
    """Said once, with what is weaker; nothing is joined, and no place is asked for."""
    fields, words = WEAKER[name]
    old = old_plan(seed=2)
    values = {key: value(old) if callable(value) else value for key, value in fields.items()}
    new = successor(old, **values)
    assert any(words in line for line in weaker(old, new)), weaker(old, new)
    home, provider = home_of(folder, old, new)
    with home:
        for _ in range(3):
            home.live(slots(1), 300)
            look_now(home, old)
        assert here(home) == ["old"]
        assert all(each.method == "GET" for each in provider.requests)
        offers = [line for line in home.said if "offers" in line]
        assert len(offers) == (name != "stranger")
        assert all(words in line for line in offers)


def test_without_leave_it_is_only_offered_and_the_owner_may_change_his_mind(folder):
    """Off by default; a place that was taken is not used when the owner forbids it before the slot ends."""
    old = old_plan()
    new = successor(old)
    home, _ = home_of(folder, old, new, caps=NO_CAPS)
    with home:
        home.live(slots(1.5), 300)
        look_now(home, old)
        assert "follow_successors is off" in home.said[-1]
        home.agent.caps = FOLLOWS
        look_now(home, old)
        home.agent.caps = NO_CAPS
        home.live(slots(2), 300)
        assert here(home) == ["old"]
        home.agent.caps = replace(FOLLOWS, epsilon_per_window=1)
        look_now(home, old)
        assert "beyond your caps" in home.said[-1]


def test_a_start_ahead_is_waited_for_under_the_old_plan(folder):
    old = old_plan()
    new = successor(old, start=old.start + timedelta(seconds=slots(5)))
    home, _ = home_of(folder, old, new)
    with home:
        home.live(slots(1.5), 300)
        look_now(home, old)
        home.live(slots(3), 300)
        assert here(home) == ["old"]
        home.live(slots(3), 300)
        assert here(home) == ["new"]
        assert home.slots(1) == [1, 2, 3, 4]


def test_paused_nothing_is_asked_and_nothing_changes(folder):
    old = old_plan()
    home, provider = home_of(folder, old, successor(old))
    with home:
        home.live(slots(1), 300)
        look_now(home, old)
        home.store.disk.execute("UPDATE plans SET paused = 1")
        asked = len(provider.requests)
        look_now(home, old)
        home.live(slots(3), 300)
        assert len(provider.requests) == asked
        assert here(home) == ["old"]


def test_what_the_owner_left_is_not_followed_again(folder):
    old = old_plan()
    new = successor(old)
    home, _ = home_of(folder, old, new)
    with home:
        home.store.disk.execute(
            "INSERT INTO plans (plan, canonical, address, provider, joined, left, slot, memory) "
            "VALUES (?, ?, '', x'00', 0, 1, 0, '')",
            (new.id, new.canonical()),
        )
        look_now(home, old)
        home.live(slots(2), 300)
        assert here(home) == ["old"]
        assert "yours to decide" in home.said[-1]


@pytest.mark.parametrize("method", METHODS)
def test_an_old_copy_of_the_ledger_moves_on_with_the_worst_counted(folder, method):
    """A copy from before the change knows nothing of it, and costs no more in any window."""
    old = old_plan(method)
    new = successor(old)
    home, provider = home_of(folder, old, new)
    if method == "lpu":
        provider.enrolment |= {"turn": 1}
    home.live(slots(2.5), 300)
    home.switch_off()
    copy = home.path.read_bytes()
    home.switch_on()
    home.live(300, 300)
    look_now(home, old)
    home.live(slots(3), 300)
    assert here(home) == ["new"]
    home.switch_off()
    for tail in ("-wal", "-shm"):
        home.path.with_name(home.path.name + tail).unlink(missing_ok=True)
    home.path.write_bytes(copy)
    if method == "lpu":
        provider.enrolment |= {"turn": 2}
    home.switch_on()
    home.live(slots(0.5), 300)
    look_now(home, old)
    home.live(slots(9), 300)
    assert here(home) == ["new"]
    found = spends(home, [old, new])
    assert dearest_stretch(found, length_of(old)) <= old.epsilon
    home.switch_off()


def test_the_heir_is_the_plan_that_the_home_is_in(folder):
    """A plan that was joined again since has none; a circle of notes ends."""
    old, new = old_plan(), successor(old_plan())
    home, _ = home_of(folder, old, new)
    with home:
        home.store.write_value(f"moved {old.id}", f'{{"to": "{new.id}"}}')
        assert heir_of(home.store, old.id) == old.id
        home.store.disk.execute("UPDATE plans SET left = 1")
        assert heir_of(home.store, old.id) == new.id
        home.store.write_value(f"moved {new.id}", f'{{"to": "{old.id}"}}')
        assert heir_of(home.store, old.id) in (old.id, new.id)
