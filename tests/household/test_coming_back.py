"""Plans joined again, from every state that a copy of the ledger can hold them in: no budget comes back."""

import random
import shutil
from dataclasses import replace

import pytest
from tests.household.living import NO_CAPS, TURN, HomeUnderTest, plan_for

from hushwatt.audit.harness.fake_provider import KEY, FakeProvider
from hushwatt.audit.harness.home_under_test import SeededSource
from hushwatt.audit.harness.plan_home import agree_again
from hushwatt.audit.harness.released import check_windows, dearest, total_cost
from hushwatt.household.join import pause, propose, resume
from hushwatt.household.leave import leave
from hushwatt.household.ledger.high_water_mark import ProcessMark
from hushwatt.plan.amounts import MICRO
from hushwatt.wire.signature import public_bytes

METHODS = ("lbu", "lsp", "lpu", "lbd", "lba")
LOW, HIGH = (replace(NO_CAPS, epsilon_lifetime=amount * MICRO) for amount in (7, 20))
WINDOW = 12
HALF = TURN / 2


def plan(method, **changes):
    return plan_for(random.Random(3), method, epsilon=3 * MICRO, window=WINDOW, **changes)


def home_of(folder, *plans, caps=NO_CAPS, seed=5, mark=None):
    provider = FakeProvider(plans)
    home = HomeUnderTest(
        folder / "ledger.sqlite",
        SeededSource(seed),
        caps=caps,
        mark=mark,
        client=lambda address: provider.provider_client(),
    )
    home.tick()
    assert agree_again(home, plans[0])
    home.live(TURN, HALF)
    return home


def copy(home, name="copy.sqlite"):
    """Put the ledger aside."""
    home.switch_off()
    shutil.copy(home.path, home.path.with_name(name))
    home.switch_on()


def restore(home, name="copy.sqlite", boot=False):
    """The ledger is the one that was put aside, on the same boot of the machine or on another."""
    home.switch_off()
    if boot:
        home.clock.reboot(0)
    shutil.copy(home.path.with_name(name), home.path)
    home.switch_on()


def raise_cap(home):
    home.caps = home.agent.caps = HIGH


@pytest.mark.parametrize("first", ["the agent", "the owner"])
@pytest.mark.parametrize("slots", [4, 150])
@pytest.mark.parametrize("method", METHODS)
def test_a_copy_in_which_it_has_retired(folder, method, slots, first):
    """Whoever is first to look at the copy, the time in which the home may have been back counts."""
    agreed = plan(method)
    home = home_of(folder, agreed, caps=LOW, mark=ProcessMark())
    home.live(40 * TURN, HALF)
    assert any("has retired" in line for line in home.said)
    copy(home)
    home.live(TURN, HALF)
    raise_cap(home)
    assert agree_again(home, agreed)
    home.live(slots * TURN, HALF)
    restore(home)
    if first == "the agent":
        home.live(TURN, HALF)
    agree_again(home, agreed)
    home.live(3 * WINDOW * TURN, HALF)
    home.switch_off()

    check_windows(home.released, agreed)
    assert total_cost(home.released) <= HIGH.epsilon_lifetime


def test_who_really_stayed_away_pays_for_nothing(folder):
    """A home that has retired and is stopped and started again owes nothing for that, as the mark shows."""
    agreed = plan("lbu")
    home = home_of(folder, agreed, caps=LOW, mark=ProcessMark())
    home.live(30 * TURN, HALF)
    before = home.agent.home_ledger.lifetime
    for _ in range(3):
        home.agent.stop(home.clock.look())
        home.restart()
        home.live(5 * TURN, HALF)
    after = home.agent.home_ledger.lifetime
    home.switch_off()

    assert before == after


def test_the_time_since_a_copy_is_weighed_before_it_is_joined_again(folder):
    """Where the agent has not looked yet, the objection is the one that would follow."""
    agreed = plan("lbu")
    home = home_of(folder, agreed, caps=LOW)
    home.live(40 * TURN, HALF)
    home.switch_off()
    home.clock.advance(150 * TURN)
    home.switch_on()
    early = propose(home.store, HIGH, home.client(""), agreed.id, now=home.clock.wall)
    home.live(TURN, HALF)
    late = propose(home.store, HIGH, home.client(""), agreed.id, now=home.clock.wall)
    home.switch_off()

    assert [each.cap for each in early.objections] == [each.cap for each in late.objections] == ["epsilon_lifetime"]


@pytest.mark.parametrize("boot", [False, True])
@pytest.mark.parametrize("state", ["running", "paused", "left", "left before the agent looks"])
@pytest.mark.parametrize("method", ["lbu", "lpu", "lba"])
def test_a_copy_in_every_other_state(folder, method, state, boot):
    """A plan that runs, is paused or was left in the copy, and ran on in the time that the copy forgot."""
    agreed = plan(method)
    home = home_of(folder, agreed, caps=HIGH, mark=ProcessMark())
    home.live(7 * TURN, HALF)
    if state == "paused":
        pause(home.store, None, home.clock.wall)
    if state == "left":
        leave(home.store, None, home.clock.wall, forget=True)
    home.live(TURN, HALF)
    copy(home)
    home.live(TURN, HALF)
    if state == "paused":
        resume(home.store, None)
    if state == "left":
        agree_again(home, agreed)
    home.live(20 * TURN, HALF)
    restore(home, boot=boot)
    if state == "paused":
        resume(home.store, None)
    if state.startswith("left "):
        leave(home.store, None, home.clock.wall, forget=True)
        home.live(TURN, HALF)
    if state.startswith("left"):
        agree_again(home, agreed)
    home.live(3 * WINDOW * TURN, HALF)
    home.switch_off()

    check_windows(home.released, agreed)
    assert total_cost(home.released) <= HIGH.epsilon_lifetime


def costs_of(home):
    """What each slot cost, under all plans, in the terms of a single one."""
    costs = {}
    for (place, slot), rows in home.released.items():
        costs.setdefault((1, slot), set()).update((*row[:2], row[2] + bytes([place])) for row in rows)
    return costs


RELATED = {
    "by name": {"description": "Other words."},
    "by its word": {"name": "Another name"},
}


@pytest.mark.parametrize("how", RELATED)
@pytest.mark.parametrize("method", METHODS)
def test_going_back_to_a_plan(folder, method, how):
    """A, then B in its place, then A again: no window of A holds more than its ε, B's spends included."""
    old = plan(method)
    new = replace(old, replaces=old.id if how == "by its word" else None, **RELATED[how])
    home = home_of(folder, old, new, seed=2)
    home.live(15 * TURN, HALF)
    agree_again(home, new)
    home.live(25 * TURN, HALF)
    back = propose(home.store, home.caps, home.client(""), old.id, public_bytes(KEY), home.clock.wall)
    agree_again(home, old)
    home.live(30 * TURN, HALF)
    running = home.store.rows("SELECT place FROM plans WHERE left IS NULL")
    home.switch_off()

    assert back.replaces == new
    assert running == [{"place": 1}]
    assert max(home.slots(1)) > max(home.slots(2))
    assert dearest(costs_of(home), 1, WINDOW) <= old.epsilon


@pytest.mark.parametrize("method", METHODS)
def test_a_plan_of_the_same_name_as_one_that_was_left(folder, method):
    """Leaving first and joining then is no way around the wait."""
    old = plan(method)
    new = replace(old, description="Other words.")
    home = home_of(folder, old, new)
    home.live(15 * TURN, HALF)
    leave(home.store, None, home.clock.wall, forget=True)
    agree_again(home, new)
    home.live(30 * TURN, HALF)
    home.switch_off()

    assert home.slots(2)
    assert dearest(costs_of(home), 1, WINDOW) <= old.epsilon


@pytest.mark.parametrize("boot", [False, True])
@pytest.mark.parametrize("how", RELATED)
@pytest.mark.parametrize("method", ["lbu", "lpu", "lba"])
def test_a_copy_that_is_replaced_before_the_agent_looks(folder, method, how, boot):
    """What a plan may have spent since the copy counts though it is left by then."""
    old = plan(method)
    new = replace(old, replaces=old.id if how == "by its word" else None, **RELATED[how])
    home = home_of(folder, old, new, caps=HIGH, mark=ProcessMark())
    home.live(3 * TURN, HALF)
    copy(home)
    home.live(20 * TURN, HALF)
    restore(home, boot=boot)
    agree_again(home, new)
    home.live(40 * TURN, HALF)
    home.switch_off()

    assert dearest(costs_of(home), 1, WINDOW) <= old.epsilon
    assert total_cost(home.released) <= HIGH.epsilon_lifetime
