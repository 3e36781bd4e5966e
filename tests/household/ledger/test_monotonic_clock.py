"""Real time: whatever clocks, boots and disks do, time that cannot be shown to have passed has not passed."""

import json
import random
import shutil

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.household.living import NO_CAPS, TURN, HomeUnderTest, fresh_store, join, plan_for

from hushwatt.audit.harness.machine_clock import START
from hushwatt.audit.harness.true_time_recorder import TrueTimeRecorder, dearest_starts
from hushwatt.cli.household.owner_text import status_lines
from hushwatt.household.clock import SECOND, Moment, SystemHomeClock
from hushwatt.household.ledger.caps import DAY, Caps
from hushwatt.household.ledger.high_water_mark import ProcessMark, SharedMemoryMark
from hushwatt.household.ledger.home_ledger import HomeLedger, SpendEntry
from hushwatt.household.ledger.monotonic_clock import MonotonicClock
from hushwatt.household.ledger.store import SCHEMA
from hushwatt.household.status import meters, plan_statuses
from hushwatt.plan import Appliance, SlotLength
from hushwatt.plan.amounts import MICRO

WINDOW = 7


def plan(method="lpu", **fields):
    usual = {"window": WINDOW, "oracle": "oue", "mapping": "range", "epsilon": 4 * MICRO}
    return plan_for(random.Random(1), method, **{**usual, **fields})


def turn_in(agreed, wait):
    """A home's memory whose turn comes after so many slots."""
    strategy = {"epsilon": agreed.epsilon, "window": agreed.window, "wait": wait}
    return 0, json.dumps({"strategy": strategy, "drawn": 0})


def whole(method="lpu", **fields):
    """A plan without an order of appliances."""
    asked = tuple(Appliance.of(f"appliance {each}", range(100, 1500, 100)) for each in range(4))
    return plan(method, appliances=asked, appliances_per_report=4, **fields)


@pytest.fixture
def home(folder):
    started = HomeUnderTest(folder / "ledger.sqlite")
    yield started
    started.switch_off()


def live(home, slots):
    home.live(slots * TURN, 60)


def spent(home, since=0):
    return sum(row[0] for key, rows in home.released.items() if key[1] >= since for row in rows)


def rebooted(home, off=40.0, wall=None, clean=False):
    if clean:
        home.agent.stop(home.clock.look())
    home.switch_off()
    home.clock.reboot(off, wall)
    home.switch_on()
    home.tick()


def test_a_reboot_and_a_moved_clock_refresh_nothing(home):
    """A reboot and a jump over all slots but the turns, after every report, gives one report in w slots."""
    agreed = whole()
    join(home.store, agreed, begun=turn_in(agreed, 1))
    home.tick()
    live(home, 2)
    assert len(home.released) == 1
    began = home.clock.true
    while home.clock.true < began + 0.95 * (WINDOW - 1) * TURN * SECOND:
        home.switch_off()
        home.clock.reboot(0)
        home.clock.jump((WINDOW - 2) * TURN)
        home.switch_on()
        home.tick()
        live(home, 2)
        if spent(home) > agreed.epsilon:
            break

    assert home.clock.true - began >= 0.95 * (WINDOW - 1) * TURN * SECOND


@pytest.mark.parametrize("method", ["lbu", "lsp", "lbd", "lba", "lpu"])
def test_a_moved_clock_refreshes_nothing(home, method):
    """Moved on by a window after every slot, the clock brings no second window."""
    agreed = whole(method)
    join(home.store, agreed)
    home.tick()
    for _ in range(WINDOW):
        live(home, 1)
        home.clock.jump((WINDOW - 1) * TURN)
        home.tick()

    assert spent(home) <= agreed.epsilon


MOVES = {  # parts of a slot by which the clock is moved on, in every slot with an odd number and an even one
    "not at all": (0, 0),
    "a tenth": (1 / 11, 1 / 11),
    "a twentieth": (1 / 18, 1 / 18),
    "hardly": (1 / 70, 1 / 70),
    "between two turns": (0.9, 0),
}


@pytest.mark.parametrize("seconds", [1, 2, 5, 20, 60, 600])
@pytest.mark.parametrize("moves", MOVES)
@pytest.mark.parametrize("method, window", [("lbu", 1), ("lbu", 3), ("lsp", 2)])
def test_a_little_in_every_slot_refreshes_nothing(home, method, window, moves, seconds):
    """A clock moved on within its slots, however short: 19 parts of 20 of a window cost at most ε.

    Left alone, the home speaks in every window.
    """
    agreed = whole(method, window=window, slot=SlotLength(seconds, "s"))
    recorder = TrueTimeRecorder({join(home.store, agreed): agreed})
    home.tick()
    for slot in range(1, 12 * window + 1):
        home.clock.advance(seconds - seconds * MOVES[moves][slot % 2])
        home.clock.wall = START + slot * seconds * SECOND
        home.tick()
        recorder.look(home)

    assert dearest_starts(recorder.reports, window * seconds * SECOND * 19 // 20) <= agreed.epsilon
    assert moves != "not at all" or len(recorder.reports) >= 10 * window


def test_a_moved_clock_costs_what_it_moved(home):
    """Slots that a moved clock skipped cost nothing, and the home goes on."""
    agreed = whole("lbu")
    join(home.store, agreed)
    live(home, 10)
    before = home.agent.home_ledger.lifetime
    home.clock.jump(121 * TURN)
    live(home, 1)
    skipped = home.agent.home_ledger.lifetime - before
    shown = plan_statuses(home.store, home.clock.wall)[0]
    live(home, 9)

    assert skipped <= agreed.epsilon // WINDOW
    assert shown.window_spent <= agreed.epsilon
    assert shown.window_why.startswith("ε 2.857")
    assert "from earlier slots: the clock was moved" in shown.window_why
    assert len([slot for slot in home.slots() if slot > 130]) >= 8


@pytest.mark.parametrize("wall", [None, 0, "saved"])
@pytest.mark.parametrize("clean", [True, False])
@pytest.mark.parametrize("method", ["lbu", "lpu", "lsp"])
def test_an_ordinary_reboot_costs_its_slot(home, method, clean, wall):
    """With a battery for the clock or without, every turn but that of the reboot's slot is taken."""
    agreed = whole(method)
    begun = turn_in(agreed, 1) if method == "lpu" else None
    join(home.store, agreed, begun=begun)
    home.tick()
    live(home, 10)
    right = home.clock.wall - home.clock.true
    rebooted(home, 50.0, home.clock.wall if wall == "saved" else wall, clean)
    home.live(60, 20)
    home.clock.wall = right + home.clock.true
    home.live(TURN - 110, 10)
    live(home, 12)
    turns = {"lbu": range(11, 22), "lpu": (15,), "lsp": (14, 21)}[method]

    assert set(turns) <= set(home.slots())


def test_a_reboot_at_a_slots_end_with_a_clock_in_the_past_costs_two_slots(home):
    """The slot it began in and the one it ended in; both are over a window later."""
    join(home.store, whole("lbu"))
    home.tick()
    live(home, 9.9)
    right = home.clock.wall - home.clock.true
    rebooted(home, 100.0, home.clock.wall - 50 * SECOND)
    home.live(60, 20)
    home.clock.wall = right + home.clock.true
    home.tick()
    live(home, 10)

    assert {*range(11, 19)} <= set(home.slots())


def test_a_long_time_off_is_not_believed(home):
    """Two windows off count as a twentieth of one: the wall's clock alone shows nothing more."""
    agreed = whole()
    join(home.store, agreed, begun=turn_in(agreed, 1))
    home.tick()
    live(home, 2)
    rebooted(home, off=(2 * WINDOW - 4) * TURN)
    live(home, 4)
    assert len(home.released) == 1
    live(home, 2 * WINDOW)
    assert len(home.released) > 1


MARKS = [lambda: None, ProcessMark]


def marked(home, mark):
    """The home with a mark that no copy of its ledger brings back, or without one."""
    home.mark = mark()
    home.restart()


@pytest.mark.parametrize("mark", MARKS)
def test_an_old_ledger_on_the_same_boot(home, folder, mark):
    """What the machine's own clock shows to have passed unseen counts as the most it could have cost."""
    marked(home, mark)
    agreed = whole()
    join(home.store, agreed, begun=turn_in(agreed, 5))
    home.tick()
    live(home, 1)
    home.switch_off()
    shutil.copy(home.path, folder / "copy")
    home.switch_on()
    home.tick()
    home.clock.jump(3 * TURN)
    live(home, 2)
    home.switch_off()
    shutil.copy(folder / "copy", home.path)
    home.clock.jump(-3 * TURN)
    home.switch_on()
    began = home.clock.true
    live(home, 5)

    assert spent(home) == agreed.epsilon
    assert home.clock.true - began < WINDOW * TURN * SECOND


@pytest.mark.parametrize("mark", MARKS)
def test_an_old_ledger_and_a_slot_that_ended_meanwhile(home, folder, mark):
    """The report of the slot that ran when a copy was made is as old as it is, not as the clock says."""
    marked(home, mark)
    agreed = whole(window=3)
    join(home.store, agreed, begun=turn_in(agreed, 1))
    home.tick()
    live(home, 1.9)
    kept = copied(home, folder)
    live(home, 0.1)
    assert home.slots() == [1]
    put_back(home, kept)
    home.clock.jump(TURN)
    home.switch_on()
    home.tick()
    live(home, 2)

    assert home.slots() == [1]


@pytest.mark.parametrize("method", ["lbu", "lpu"])
def test_an_old_ledger_and_a_clock_set_back(home, folder, method):
    """The slot that ran when a copy was made, and those after it, count under any clock."""
    agreed = whole(method, window=3)
    join(home.store, agreed, begun=turn_in(agreed, 1) if method == "lpu" else None)
    home.tick()
    live(home, 1.9)
    kept = copied(home, folder)
    live(home, 2.1 if method == "lbu" else 0.2)
    assert home.slots()[0] == 1
    told = spent(home)
    put_back(home, kept)
    home.clock.jump(-3.2 * TURN)
    home.switch_on()
    began = home.clock.true
    home.tick()

    counted = home.store.value("SELECT sum(amount) FROM spends WHERE slot >= 1")
    assert counted >= told
    live(home, 5)
    early = home.store.rows("SELECT slot FROM reports WHERE slot = 1")
    assert not early
    assert home.clock.true - began < 6 * TURN * SECOND


def test_a_copy_made_within_a_look_is_an_old_one(folder):
    """The mark is another after every change, also after the changes of one and the same look."""
    home = HomeUnderTest(folder / "ledger.sqlite", mark=ProcessMark())
    agreed = whole(window=3)
    join(home.store, agreed, begun=turn_in(agreed, 1))
    home.tick()
    live(home, 1.9)
    home.clock.advance(0.1 * TURN)
    home.agent.monotonic.look(home.clock.look())
    home.agent.monotonic.keep()
    kept = copied(home, folder)
    home.tick()
    assert home.slots() == [1]
    put_back(home, kept)
    home.switch_on()
    home.tick()
    counted = home.store.value("SELECT sum(amount) FROM spends")
    home.switch_off()

    assert counted == agreed.epsilon


def copied(home, folder):
    """The ledger as it is on disk now, while the agent runs."""
    for file in ("", "-wal"):
        shutil.copy(home.path.with_name(home.path.name + file), folder / f"copy{file}")
    return folder / "copy"


def put_back(home, kept):
    home.switch_off()
    for file in ("", "-wal"):
        shutil.copy(kept.with_name(kept.name + file), home.path.with_name(home.path.name + file))


def test_the_owners_day_is_a_real_day(folder):
    """A clock set back or forward by days makes no room under the owner's cap, for any plan."""
    caps = Caps(epsilon_per_day=9 * MICRO)
    home = HomeUnderTest(folder / "both.sqlite", caps=caps)
    first, second = whole("lbu", window=1), whole("lbu", window=1, name="another")
    join(home.store, first)
    live(home, 2)
    home.clock.jump(3 * DAY / SECOND)
    live(home, 2)
    home.clock.jump(-5 * DAY / SECOND)
    home.store.disk.execute("UPDATE plans SET left = 1")
    join(home.store, second)
    for _ in range(3):
        live(home, 2)
        rebooted(home)
        home.clock.jump(DAY / SECOND)
    total = spent(home)
    home.switch_off()

    assert 0 < total <= caps.epsilon_per_day


def test_a_clock_set_back_says_until_when(home):
    """One line, with the time from which the home speaks again."""
    join(home.store, whole("lbu"))
    live(home, 5)
    home.clock.jump(-3 * TURN)
    live(home, 2)

    assert len(home.said) == 1
    assert home.said[0].endswith("the clock was set back; silent until 2024-01-01 00:50 UTC")


def test_a_stop_that_is_known_to_be_one_costs_its_slots(folder):
    """With a mark that no backup brings back, a stop of three slots costs no turn beside its own."""
    home = HomeUnderTest(folder / "ledger.sqlite", mark=ProcessMark())
    agreed = whole()
    join(home.store, agreed, begun=turn_in(agreed, 5))
    home.tick()
    live(home, 1)
    home.agent.stop(home.clock.look())
    home.switch_off()
    home.clock.advance(3 * TURN)
    home.switch_on()
    home.tick()
    live(home, 2)
    home.switch_off()

    assert home.slots() == [5]


@pytest.mark.parametrize("what", ["stop", "kill", "sleep"])
@pytest.mark.parametrize("method", ["lbu", "lpu", "lsp", "lba", "lbd"])
def test_what_is_known_to_be_unspent_is_not_charged(folder, method, what):
    """A stop, a crash or sleep of some slots costs silence, and nothing that was not spent is counted."""
    home = HomeUnderTest(folder / "ledger.sqlite", mark=ProcessMark())
    agreed = whole(method)
    join(home.store, agreed, begun=turn_in(agreed, 5) if method == "lpu" else None)
    home.tick()
    live(home, 4)
    if what == "sleep":
        home.clock.advance(3.5 * TURN)
        home.tick()
    else:
        if what == "stop":
            home.agent.stop(home.clock.look())
        home.switch_off()
        home.clock.advance(3.5 * TURN)
        home.switch_on()
        home.tick()
    live(home, 5)
    counted = home.store.value("SELECT sum(amount) FROM spends WHERE slot > 3") or 0
    lost = home.store.value("SELECT count(*) FROM spends WHERE purpose = 'lost' AND slot > 0")
    shown = plan_statuses(home.store, home.clock.wall)[0]
    home.switch_off()

    assert not lost
    assert counted == spent(home, since=4)
    assert any(first <= 5 <= last for first, last, _ in shown.silences)
    assert not shown.window_why


def test_no_mark_is_an_old_state(folder):
    """A mark of another user, or none, or of a ledger's later state, proves nothing."""
    mark = SharedMemoryMark("home", folder)
    assert mark.read() is None
    mark.write("newest")
    assert mark.read() == "newest"
    assert mark.path.stat().st_mode & 0o077 == 0
    SharedMemoryMark("home", folder / "not there").write("newest")
    mark.path.unlink()
    mark.path.symlink_to(folder / "elsewhere")
    mark.write("newest")
    assert not (folder / "elsewhere").exists()


def test_lost_slots_never_count_for_more_than_a_window(home):
    """Days off cost what could have been spent in them, and what is shown is at most the promise."""
    agreed = whole("lba")
    join(home.store, agreed)
    assert "  0 reports, 0 waiting" in status_lines([], plan_statuses(home.store, home.clock.wall), {}, [], 0, Caps())
    live(home, 5)
    home.switch_off()
    home.clock.advance(60 * TURN)
    home.switch_on()
    home.tick()
    now = home.clock.wall
    shown = plan_statuses(home.store, now)[0]

    assert home.agent.home_ledger.lifetime <= agreed.epsilon * 12
    assert shown.window_spent == agreed.epsilon
    assert shown.window_why.endswith("of it counted as spent: the agent was not running")
    assert f"  {shown.window_why}" in status_lines([], [shown], {}, [], now, Caps())
    assert all(meter.spent <= meter.cap for meter in meters(home.store, Caps(), now) if meter.cap)


@given(
    walks=st.lists(st.tuples(st.sampled_from(["run", "jump", "boot", "spend"]), st.integers(-30, 200)), max_size=30),
    length=st.integers(20, 2_000),
)
@settings(max_examples=150)
def test_what_a_query_finds_is_what_moved(walks, length):
    """One rule, told twice: the spends that a condition finds are those that moved to after the moment."""
    with fresh_store() as store:
        timeline, boot, wall, alive = MonotonicClock(store), 0, 1_000, 0
        for number, (what, by) in enumerate([*walks, ("run", 5)]):
            alive += abs(by) * (what == "run")
            wall += by if what != "run" else abs(by)
            if what == "boot":
                boot, alive = boot + 1, 3
            timeline.look(Moment(wall, alive, f"{boot}"))
            if what == "spend":
                entry = SpendEntry(1, number, "lost", wall - 10, wall + by, 1, None, *timeline.stamp(wall + by))
                with store.transaction():
                    HomeLedger(store, NO_CAPS, timeline).record([entry])
        credits = timeline.credits(length)
        moment = wall - length
        where, values = timeline.since(moment, length, tolerance=0)
        found = {row["slot"] for row in store.rows(f"SELECT slot FROM spends WHERE {where}", values)}
        rows = store.rows("SELECT slot, end, running, boots FROM spends")
        moved = {row["slot"]: timeline.moved(row["end"], row["running"], row["boots"], credits) for row in rows}

    assert found == {slot for slot, end in moved.items() if end > moment}
    assert all(end <= wall for end in moved.values())
    for first in range(len(credits)):
        total, shift = 0, sum(credit for _, credit in credits[:first])
        for each, credit in credits[first:]:
            if each.running + shift - (credits[first][0].running + total_before(credits, first)) >= length:
                break
            total, shift = total + credit, shift + credit
        assert total <= length // 20


def total_before(credits, first):
    """Where in credited time the first of these times off ends, beside its running time."""
    return sum(credit for _, credit in credits[: first + 1])


def test_many_boots_are_forgotten_and_nothing_is_gained(home):
    """Only so many boots are kept; a spend from before them never counts as older than it is."""
    agreed = whole()
    join(home.store, agreed, begun=turn_in(agreed, 1))
    home.tick()
    live(home, 2)
    for _ in range(300):
        home.switch_off()
        home.clock.reboot(0)
        home.clock.jump(TURN / 10)
        home.switch_on()
        home.tick()
    live(home, 3)

    assert home.store.value("SELECT count(*) FROM boots") == 256
    assert len(home.released) == 1


def test_an_older_ledger_is_brought_up_to_date(folder):
    """A ledger from before running time was counted keeps its spends, none of them older than it was."""
    agreed = whole()
    disk = apsw.Connection(str(folder / "old.sqlite"))
    disk.execute(SCHEMA)
    disk.execute("INSERT INTO home VALUES ('home', 'a home'), ('moment', ?)", (f"{START} {10**12} first",))
    disk.execute("PRAGMA user_version = 1")
    start = START + TURN * SECOND
    row = (1, 1, "publication", start, start + TURN * SECOND, agreed.epsilon, None)
    disk.execute("INSERT INTO spends VALUES (?, ?, ?, ?, ?, ?, ?)", row)
    disk.close()
    for boot, jump in (("first", 0), ("first", 5 * TURN), ("second", 5 * TURN)):
        shutil.copy(folder / "old.sqlite", folder / "new.sqlite")
        home = HomeUnderTest(folder / "new.sqlite")
        home.clock.advance(2 * TURN)
        home.clock.jump(jump)
        home.clock.boot = boot
        join(home.store, agreed, begun=(2, turn_in(agreed, 6)[1]))
        home.tick()
        live(home, 3)
        assert home.store.value("SELECT count(*) FROM spends WHERE running IS NULL") == 0
        assert home.slots() == []
        live(home, 8)
        assert len(home.slots()) <= 1
        home.switch_off()


def test_a_clock_behind_at_a_start_is_said(home):
    """A machine whose clock starts in the past says from when on the home speaks again."""
    join(home.store, whole("lbu"))
    live(home, 5)
    rebooted(home, wall=0)

    assert home.said[0].endswith("the clock is behind; silent until 2024-01-01 00:50 UTC")


def test_both_clocks_are_read_together():
    """A machine that falls asleep between the two looks is looked at again."""
    alive = iter([0, 3600 * SECOND, 3600 * SECOND, 3600 * SECOND + 5])
    moment = SystemHomeClock(wall=lambda: 7, alive=lambda: next(alive)).look()

    assert (moment.wall, moment.alive) == (7, 3600 * SECOND)
