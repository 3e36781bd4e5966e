"""The agent lives by the clock alone: slots end once, and nothing depends on what the plugs show."""

import pytest
from tests.household.living import TURN, FixedReadings, HomeUnderTest, MachineClock, dearest, join, plan_for

from hushwatt.household.clock import SECOND
from hushwatt.household.upload.backoff import jitter
from hushwatt.plan import SlotLength
from hushwatt.plan.times import nanoseconds, parse_instant, zone
from hushwatt.privacy.entropy import OperatingSystem, Simulation


@pytest.fixture
def home(folder):
    started = HomeUnderTest(folder / "ledger.sqlite")
    yield started
    started.switch_off()


def plan(method="lbu", **fields):
    import random

    return plan_for(random.Random(1), method, **{"window": 3, "oracle": "oue", "mapping": "range", **fields})


def test_slots_end_one_after_the_other(home):
    """Every slot that was lived through gives one report, and the one it started in none."""
    join(home.store, plan())
    home.clock.advance(5)
    home.tick()
    home.live(5 * TURN, 60)

    assert home.slots() == [1, 2, 3, 4]
    assert home.store.rows("SELECT first, last FROM silences") == [{"first": 0, "last": 0}]


def test_a_start_costs_the_current_slot(home):
    """The slot in which an agent starts counts as spent, whatever the ledger says."""
    join(home.store, plan(), slot=0)
    home.clock.advance(5)
    home.tick()

    assert home.store.value("SELECT purpose FROM spends WHERE slot = 0") == "lost"


def test_days_offline_are_counted(home):
    """Slots that passed while nobody ran count as the most they could have cost."""
    agreed = plan("lbu")
    join(home.store, agreed)
    home.live(3 * TURN, 60)
    home.clock.advance(50 * TURN)
    home.restart()
    home.tick()
    home.live(3 * TURN, 60)
    counted = home.store.value("SELECT count(*) FROM spends WHERE purpose = 'lost'")

    assert counted >= 50
    assert max(home.slots()) >= 54
    assert dearest(home.released, 1, 3) <= agreed.epsilon


def test_a_clock_set_back_means_silence(home):
    """Slots only go forward: until the clock has caught up nothing is reported."""
    join(home.store, plan())
    home.live(5 * TURN, 60)
    before = home.slots()
    home.clock.jump(-3 * TURN)
    home.live(3 * TURN, 60)

    assert home.slots() == before
    assert home.said == [home.said[0]]
    assert "set back" in home.said[0]


def test_a_clock_moved_forward_is_said(home):
    """The jump is noticed and said in one line; the slots it skipped are silent and cost nothing."""
    join(home.store, plan())
    home.live(5 * TURN, 60)
    spent = home.agent.home_ledger.lifetime
    home.clock.jump(10.5 * TURN)
    home.tick()

    assert home.agent.home_ledger.lifetime == spent
    assert len([line for line in home.said if "moved forward" in line]) == 1
    assert home.store.rows("SELECT first, last, reason FROM silences ORDER BY first")[-1] == {
        "first": 5,
        "last": 15,
        "reason": "the clock was moved forward",
    }
    home.live(2 * TURN, 60)
    assert max(home.slots()) > 15


def test_a_jump_while_off_is_noticed_on_the_same_boot(home):
    """Stopping the agent, moving the clock and starting again refreshes nothing."""
    join(home.store, plan())
    home.live(5 * TURN, 60)
    home.switch_off()
    home.clock.jump(10 * TURN)
    home.switch_on()
    home.live(2 * TURN, 60)

    assert max(home.slots()) == 4


def test_pausing_is_silent_and_free(home):
    """Nothing is sent or spent from the slot of the pause to the one after resuming."""
    join(home.store, plan())
    home.live(4 * TURN, 60)
    spent = home.agent.home_ledger.lifetime
    home.store.disk.execute("UPDATE plans SET paused = 1")
    home.live(4 * TURN, 60)
    during = home.agent.home_ledger.lifetime
    home.store.disk.execute("UPDATE plans SET paused = NULL")
    home.live(3 * TURN, 60)

    assert spent == during
    assert set(home.slots()) & {4, 5, 6, 7} == set()
    assert max(home.slots()) >= 9


def test_leaving_ends_it(home):
    """A plan that was left is not looked at any more."""
    join(home.store, plan())
    home.live(3 * TURN, 60)
    home.store.disk.execute("UPDATE plans SET left = 1")
    home.live(3 * TURN, 60)

    assert max(home.slots()) == 2
    assert home.agent.trackers == {}


def test_a_plan_ends_when_it_expires(home):
    """After the last slot nothing happens any more."""
    from datetime import UTC, datetime

    join(home.store, plan(expires=datetime(2024, 1, 1, 1, tzinfo=UTC)))
    home.live(10 * TURN, 60)

    assert home.slots() == [1, 2, 3, 4, 5]


def test_a_wide_window_of_plans_is_shared(folder):
    """Two plans at once stay under the owner's cap together, and say nothing instead of too much."""
    from hushwatt.household.ledger.caps import Caps
    from hushwatt.plan.amounts import MICRO

    home = HomeUnderTest(folder / "both.sqlite", caps=Caps(epsilon_per_day=6 * MICRO))
    for method in ("lbu", "lba"):
        join(home.store, plan(method, epsilon=4 * MICRO))
    home.live(20 * TURN, 60)
    total = sum(spent for rows in home.released.values() for spent, _, _ in rows)
    home.switch_off()

    assert 0 < total <= 6 * MICRO


@pytest.mark.parametrize("method", ["lbu", "lsp", "lpu"])
def test_when_something_is_sent_says_nothing(folder, method):
    """Two homes with the same chance and other readings send in the same slots, at the same times."""
    schedules = []
    for watts in (0.0, 350.0):
        home, chance = (
            HomeUnderTest(folder / f"{watts}.sqlite", readings=FixedReadings(watts)),
            Simulation(3, "schedule"),
        )
        home.agent.source = chance
        join(home.store, plan(method), source=chance)
        home.live(12 * TURN, 60)
        schedules.append(home.store.rows("SELECT slot, due, spent FROM reports"))
        home.switch_off()

    assert len(schedules[0]) >= 3
    assert schedules[0] == schedules[1]


def test_jitter_is_within_the_grace(home):
    """A finished report waits at most ten minutes, or a quarter of a slot, and not always the same."""
    waits = [jitter(plan(), OperatingSystem()) for _ in range(200)]

    assert 0 <= min(waits) < 30 * SECOND
    assert 120 * SECOND < max(waits) < 150 * SECOND


def test_trouble_in_one_plan_stays_there(home):
    """A plan whose ledger cannot be written is said in one line; the agent goes on."""
    join(home.store, plan())
    home.live(2 * TURN, 60)
    home.store.disk.execute("CREATE TRIGGER no BEFORE UPDATE ON plans BEGIN SELECT raise(ABORT, 'no'); END")
    home.live(TURN, 60)
    home.store.disk.execute("DROP TRIGGER no")
    home.live(3 * TURN, 60)

    assert any("cannot be written" in line for line in home.said)
    assert 2 not in home.slots()
    assert max(home.slots()) >= 4


def test_a_full_disk_is_outlived(home):
    """While the disk takes nothing the agent keeps silent and says so; then it goes on by itself."""
    join(home.store, plan())
    home.live(2 * TURN, 60)
    before = home.slots()
    home.store.disk.pragma("max_page_count", home.store.disk.pragma("page_count"))
    home.store.disk.execute("CREATE TEMP TRIGGER no BEFORE INSERT ON spends BEGIN SELECT raise(ABORT, 'x'); END")
    home.live(3 * TURN, 60)
    silent = home.slots()
    home.store.disk.execute("DROP TRIGGER no")
    home.store.disk.pragma("max_page_count", 1 << 30)
    home.live(3 * TURN, 60)

    assert silent == before
    assert len(home.said) <= 2
    assert all("cannot be written" in line for line in home.said)
    assert max(home.slots()) >= 6
    assert home.store.value("SELECT count(*) FROM spends WHERE purpose = 'lost'") >= 3


def test_a_ledger_that_cannot_be_read_is_one_line(home):
    """Not even the plans can be read: one line, and no crash."""
    join(home.store, plan())
    home.store.disk.execute("ALTER TABLE plans RENAME TO gone")
    home.live(TURN, 60)
    home.store.disk.execute("ALTER TABLE gone RENAME TO plans")
    home.live(3 * TURN, 60)

    assert len(home.said) == 1
    assert "cannot be read" in home.said[0]
    assert home.slots()


# Where a clock changes, the first of four days, and the hours that these have.
DAYS: dict[tuple[str, str], list[float]] = {
    ("UTC", "2024-03-30"): [24, 24, 24, 24],
    ("Europe/Berlin", "2024-03-30"): [24, 23, 24, 24],
    ("Europe/Berlin", "2024-10-25"): [24, 24, 25, 24],
    ("America/New_York", "2024-03-09"): [24, 23, 24, 24],
    ("Asia/Beirut", "2024-03-30"): [24, 23, 24, 24],  # the hour that is missing is the first of the day
    ("Australia/Lord_Howe", "2024-04-06"): [24, 24.5, 24, 24],
    ("Asia/Kathmandu", "2024-04-06"): [24, 24, 24, 24],
}


@pytest.mark.parametrize("method", ["lbu", "lba"])
@pytest.mark.parametrize("where, day", DAYS)
def test_every_local_day_is_reported(folder, where, day, method):
    """A day that was lived through is reported once, whatever its length, and its spend lasts as long."""
    begin = parse_instant("start", day, zone(where))
    clock = MachineClock(wall=nanoseconds(begin) - 900 * SECOND)
    home = HomeUnderTest(folder / "days.sqlite", clock=clock)
    join(home.store, plan(method, start=begin, timezone=where, slot=SlotLength(1, "d"), window=4))
    home.tick()
    home.live((sum(DAYS[where, day]) * 4 + 1) * 900, 900)
    spends = home.store.rows("SELECT DISTINCT slot, start, end FROM spends ORDER BY slot")
    silences = home.store.rows("SELECT * FROM silences")
    home.switch_off()

    assert home.slots() == [0, 1, 2, 3]
    assert silences == []
    assert [(row["end"] - row["start"]) / 3600 / SECOND for row in spends] == DAYS[where, day]
    assert [row["start"] for row in spends[1:]] == [row["end"] for row in spends[:-1]]
