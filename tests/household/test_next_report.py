"""The time that is told for the next report is the time at which a home that lives on makes one."""

import random

import pytest
from tests.household.living import NO_CAPS, TURN, HomeUnderTest, join, plan_for

from hushwatt.household.join import pause, resume
from hushwatt.household.ledger.caps import NO_LIMITS, Caps
from hushwatt.household.next_report import MAX_REFUSED_SLOTS, is_behind
from hushwatt.household.status import plan_statuses
from hushwatt.plan import SlotLength
from hushwatt.plan.amounts import MICRO
from hushwatt.plan.times import nanoseconds

METHODS = ("lbu", "lsp", "lbd", "lba", "lpu")
STEP = TURN // 2


@pytest.fixture
def home(folder):
    started = HomeUnderTest(folder / "ledger.sqlite")
    yield started
    started.switch_off()


def plan(method, **fields):
    usual = {"window": 4, "oracle": "oue", "mapping": "range", "epsilon": 4 * MICRO}
    return plan_for(random.Random(7), method, **{**usual, **fields})


def told(home, caps=NO_LIMITS):
    return plan_statuses(home.store, home.clock.wall, caps)[0]


def end_of(agreed, slot):
    return nanoseconds(agreed.calendar.end_of(slot))


def compare(home, agreed, seconds):
    """Live on, and compare what was told at every step with the reports that there were then."""
    forecasts, before = [], len(home.slots())
    for _ in range(round(seconds / STEP)):
        home.clock.advance(STEP)
        home.tick()
        forecasts.append((home.clock.wall, told(home, home.caps).next_report_at))
    made = [end_of(agreed, slot) for slot in home.slots()[before:]]
    known = [(now, told) for now, told in forecasts if any(end > now for end in made)]
    assert known
    for now, forecast in known:
        assert forecast == min(end for end in made if end > now), (now, forecast)
    assert told(home).last_report_at == max(made)


@pytest.mark.parametrize("method", METHODS)
def test_a_quiet_life(home, method):
    """From the first slot on, whatever the method and the home's turn in it."""
    agreed = plan(method)
    join(home.store, agreed, slot=1)
    compare(home, agreed, 9 * TURN)


@pytest.mark.parametrize("method", METHODS)
def test_after_time_that_nobody_saw(home, method):
    """What counts as lost holds the next report back, and the time told says until when."""
    agreed = plan(method)
    join(home.store, agreed)
    home.live(3 * TURN, TURN)
    home.clock.advance(6.5 * TURN)
    home.restart()
    compare(home, agreed, 9 * TURN)


@pytest.mark.parametrize("method", METHODS)
def test_after_a_power_cut(home, method):
    """A machine that was off: time that is not shown to have passed holds reports back."""
    agreed = plan(method)
    join(home.store, agreed)
    home.live(6 * TURN, TURN)
    home.clock.reboot(2 * TURN)
    home.restart()
    compare(home, agreed, 11 * TURN)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("jump", [-2.5, 3])
def test_after_the_clock_was_moved(home, method, jump):
    """Back: silence until the clock has caught up.  Forward: what was spent counts longer."""
    agreed = plan(method)
    join(home.store, agreed)
    home.live(6 * TURN, TURN)
    home.clock.jump(jump * TURN)
    home.tick()
    compare(home, agreed, 11 * TURN)


@pytest.mark.parametrize("method", METHODS)
def test_under_a_cap(folder, method):
    """A cap on a day that is lower than what a day of slots costs: the time told is when there is room again."""
    caps = Caps(**{**vars(NO_CAPS), "epsilon_per_day": 5 * MICRO})
    home = HomeUnderTest(folder / "ledger.sqlite", caps=caps)
    agreed = plan(method, slot=SlotLength(2, "h"))
    join(home.store, agreed)
    forecasts = []
    for _ in range(30):
        home.clock.advance(3_600)
        home.tick()
        forecasts.append((home.clock.wall, told(home, caps).next_report_at))
    made = [end_of(agreed, slot) for slot in home.slots()]
    for now, forecast in forecasts:
        if later := [end for end in made if end > now]:
            assert forecast == later[0]
    home.switch_off()


def test_who_will_not_speak(home):
    """Paused, beyond the caps, without an agent, over, left and retired: there is no next report."""
    agreed = plan("lbu")
    join(home.store, agreed)
    home.live(2 * TURN, STEP)

    assert told(home).next_report_at == end_of(agreed, 2)
    assert told(home, Caps(epsilon_per_window=1, smallest_minimum_homes=1)).next_report_at is None
    pause(home.store, None, home.clock.wall)
    assert told(home).next_report_at is None
    resume(home.store, None)
    home.tick()
    assert told(home).next_report_at is not None
    home.store.disk.execute("UPDATE plans SET retired = 'retired'")
    assert told(home).next_report_at is None
    home.store.disk.execute("UPDATE plans SET retired = NULL, left = 1")
    assert told(home).next_report_at is None
    home.store.disk.execute("UPDATE plans SET left = NULL")
    home.clock.advance(3 * TURN)
    assert told(home).next_report_at is None
    home.clock.advance(400 * 86_400)
    assert (told(home).state, told(home).next_report_at) == ("over", None)


def test_a_lifetime_that_ends(home):
    """A home whose lifetime does not pay for its next report will retire, not speak."""
    agreed = plan("lbu")
    join(home.store, agreed)
    home.live(3 * TURN, STEP)
    spent = home.agent.home_ledger.lifetime
    enough = Caps(**{**vars(NO_LIMITS), "epsilon_lifetime": spent + MICRO})

    assert told(home, enough).next_report_at == end_of(agreed, 3)
    assert told(home, Caps(**{**vars(enough), "epsilon_lifetime": spent})).next_report_at is None


def test_the_last_slot(home):
    """After the last report of a plan there is none to come."""
    agreed = plan("lbu", expires=plan("lbu").start.replace(hour=1))
    join(home.store, agreed)
    home.live(5 * TURN, STEP)
    assert told(home).next_report_at == end_of(agreed, 5)
    home.live(TURN, STEP)
    assert told(home).next_report_at is None
    assert told(home).last_report_at == end_of(agreed, 5)


def test_a_moment_to_end_a_slot(home):
    """Just after a slot's end the agent is not yet behind, and nothing but the next slot is told."""
    agreed = plan("lbu")
    join(home.store, agreed)
    home.live(2 * TURN, STEP)
    home.clock.advance(TURN + 1)

    assert not is_behind(agreed, 2, home.clock.wall)
    assert told(home).next_report_at == end_of(agreed, 3)
    home.clock.advance(TURN / 5)
    assert is_behind(agreed, 2, home.clock.wall)


def test_no_report_for_long(folder):
    """A cap that leaves no room for as far as is looked: no time is made up."""
    caps = Caps(**{**vars(NO_CAPS), "epsilon_per_year": MICRO // 2})
    home = HomeUnderTest(folder / "ledger.sqlite", caps=caps)
    join(home.store, plan("lbu"))
    home.live(2 * TURN, STEP)

    assert home.slots() == []
    assert MAX_REFUSED_SLOTS * TURN < 366 * 86_400
    assert told(home, caps).next_report_at is None
    home.switch_off()


def test_a_damaged_memory_tells_no_time(home):
    """The rest of the status is shown all the same."""
    join(home.store, plan("lbu"))
    home.live(2 * TURN, STEP)
    home.store.disk.execute("UPDATE plans SET memory = '{}'")

    assert (told(home).state, told(home).next_report_at) == ("taking part", None)
