"""Real time: whatever clocks, boots and disks do, time that cannot be shown to have passed has not passed."""

import json
import random
import shutil

import pytest
from living import TURN, Home, join, plan_for

from hushwatt.household.caps import DAY, Caps
from hushwatt.household.clock import SECOND
from hushwatt.plan import Appliance
from hushwatt.plan.amounts import MICRO

WINDOW = 7


def plan(method="lpu", **fields):
    usual = {"window": WINDOW, "oracle": "oue", "mapping": "range", "epsilon": 4 * MICRO}
    return plan_for(random.Random(1), method, **{**usual, **fields})


def turn_in(agreed, wait):
    """A home's memory whose turn comes after so many slots."""
    return 0, json.dumps({"strategy": {"epsilon": agreed.epsilon, "window": agreed.window, "wait": wait}, "drawn": 0})


def whole(method="lpu", **fields):
    """A plan without an order of appliances."""
    asked = tuple(Appliance.of(f"appliance {each}", range(100, 1500, 100)) for each in range(4))
    return plan(method, appliances=asked, appliances_per_report=4, **fields)


@pytest.fixture
def home(folder):
    started = Home(folder / "ledger.sqlite")
    yield started
    started.switch_off()


def live(home, slots):
    home.live(slots * TURN, 60)


def spent(home, since=0):
    return sum(row[0] for key, rows in home.left.items() if key[1] >= since for row in rows)


def rebooted(home, off=40.0, wall=None, clean=False):
    if clean:
        home.agent.stop(home.hands.look())
    home.switch_off()
    home.hands.reboot(off, wall)
    home.switch_on()
    home.tick()


def test_a_reboot_and_a_moved_clock_refresh_nothing(home):
    """A reboot and a jump over all slots but the turns, after every report, gives one report in w slots."""
    agreed = whole()
    join(home.store, agreed, begun=turn_in(agreed, 1))
    home.tick()
    live(home, 2)
    assert len(home.left) == 1
    began = home.hands.true
    while home.hands.true < began + 0.95 * (WINDOW - 1) * TURN * SECOND:
        home.switch_off()
        home.hands.reboot(0)
        home.hands.jump((WINDOW - 2) * TURN)
        home.switch_on()
        home.tick()
        live(home, 2)
        if spent(home) > agreed.epsilon:
            break

    assert home.hands.true - began >= 0.95 * (WINDOW - 1) * TURN * SECOND


@pytest.mark.parametrize("method", ["lbu", "lsp", "lbd", "lba", "lpu"])
def test_a_moved_clock_refreshes_nothing(home, method):
    """Moved on by a window after every slot, the clock brings no second window."""
    agreed = whole(method)
    join(home.store, agreed)
    home.tick()
    for _ in range(WINDOW):
        live(home, 1)
        home.hands.jump((WINDOW - 1) * TURN)
        home.tick()

    assert spent(home) <= agreed.epsilon


def test_a_moved_clock_costs_what_it_moved(home):
    """Nothing is charged for slots that a moved clock skipped, and what was spent counts for as long as it should."""
    agreed = whole("lbu")
    join(home.store, agreed)
    live(home, 10)
    before = home.agent.book.lifetime
    home.hands.jump(121 * TURN)
    live(home, 1)
    skipped = home.agent.book.lifetime - before
    live(home, 9)

    assert skipped <= agreed.epsilon // WINDOW
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
    right = home.hands.wall - home.hands.true
    rebooted(home, 50.0, home.hands.wall if wall == "saved" else wall, clean)
    home.live(60, 20)
    home.hands.wall = right + home.hands.true
    home.live(TURN - 110, 10)
    live(home, 12)
    turns = {"lbu": range(11, 22), "lpu": (15,), "lsp": (14, 21)}[method]

    assert set(turns) <= set(home.slots())


def test_a_long_time_off_is_not_believed(home):
    """Two windows off count as a twentieth of one: the wall's clock alone shows nothing more."""
    agreed = whole()
    join(home.store, agreed, begun=turn_in(agreed, 1))
    home.tick()
    live(home, 2)
    rebooted(home, off=(2 * WINDOW - 4) * TURN)
    live(home, 4)
    assert len(home.left) == 1
    live(home, 2 * WINDOW)
    assert len(home.left) > 1


def test_an_old_ledger_on_the_same_boot(home, folder):
    """What the machine's own clock shows to have passed unseen counts as the most it could have cost."""
    agreed = whole()
    join(home.store, agreed, begun=turn_in(agreed, 5))
    home.tick()
    live(home, 1)
    home.switch_off()
    shutil.copy(home.path, folder / "copy")
    home.switch_on()
    home.tick()
    home.hands.jump(3 * TURN)
    live(home, 2)
    home.switch_off()
    shutil.copy(folder / "copy", home.path)
    home.hands.jump(-3 * TURN)
    home.switch_on()
    began = home.hands.true
    live(home, 5)

    assert spent(home) == agreed.epsilon
    assert home.hands.true - began < WINDOW * TURN * SECOND


def test_an_old_ledger_and_a_slot_that_ended_meanwhile(home, folder):
    """The report of the slot that ran when a copy was made is as old as it is, not as the clock says."""
    agreed = whole(window=3)
    join(home.store, agreed, begun=turn_in(agreed, 1))
    home.tick()
    live(home, 1.9)
    shutil.copy(home.path, folder / "copy")
    shutil.copy(home.path.with_name(home.path.name + "-wal"), folder / "copy-wal")
    live(home, 0.1)
    assert home.slots() == [1]
    home.switch_off()
    for file in ("", "-wal"):
        shutil.copy(folder / f"copy{file}", home.path.with_name(home.path.name + file))
    home.hands.jump(TURN)
    home.switch_on()
    home.tick()
    live(home, 2)

    assert home.slots() == [1]


def test_the_owners_day_is_a_real_day(folder):
    """A clock set back or forward by days makes no room under the owner's cap, for any plan."""
    caps = Caps(epsilon_per_day=9 * MICRO)
    home = Home(folder / "both.sqlite", caps=caps)
    first, second = whole("lbu", window=1), whole("lbu", window=1, name="another")
    join(home.store, first)
    live(home, 2)
    home.hands.jump(3 * DAY / SECOND)
    live(home, 2)
    home.hands.jump(-5 * DAY / SECOND)
    home.store.disk.execute("UPDATE plans SET left = 1")
    join(home.store, second)
    for _ in range(3):
        live(home, 2)
        rebooted(home)
        home.hands.jump(DAY / SECOND)
    total = spent(home)
    home.switch_off()

    assert 0 < total <= caps.epsilon_per_day


def test_a_clock_set_back_says_until_when(home):
    """One line, with the time from which the home speaks again."""
    join(home.store, whole("lbu"))
    live(home, 5)
    home.hands.jump(-3 * TURN)
    live(home, 2)

    assert len(home.said) == 1
    assert home.said[0].endswith("the clock was set back; silent until 2024-01-01 00:50 UTC")
