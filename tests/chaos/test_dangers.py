"""A scenario that nothing could fail would show nothing: homes weakened on purpose break their promises."""

import random
import re
import shutil
from dataclasses import replace
from fractions import Fraction

import pytest

from hushwatt.audit.harness.expect import Fault
from hushwatt.audit.harness.home_under_test import NO_CAPS, HomeUnderTest, SeededSource, join
from hushwatt.audit.harness.plans import TURN, plan_for
from hushwatt.audit.harness.released import check_windows
from hushwatt.audit.harness.true_time_recorder import TrueTimeRecorder
from hushwatt.audit.planted import OnceOnlyBook, RenewedBook
from hushwatt.chaos.home.wild_clock import EventScript
from hushwatt.household.agent import Agent
from hushwatt.household.ledger import monotonic_clock, store
from hushwatt.household.ledger.home_ledger import HomeLedger
from hushwatt.household.ledger.monotonic_clock import MonotonicClock
from hushwatt.household.membership import NOT_RUNNING, Membership
from hushwatt.plan.amounts import MICRO


@pytest.fixture
def hasty(monkeypatch):
    """A home that does not wait for its disk."""
    opened = store._open

    def hurry(path):
        disk = opened(path)
        disk.pragma("synchronous", "normal")
        return disk

    monkeypatch.setattr(store, "_open", hurry)


def test_a_home_that_does_not_wait_for_its_disk(hasty, found_out):
    """With synchronous = NORMAL, power losses undo what was paid and sent, and are caught at it."""

    assert re.search("drew .* and paid|not in the ledger", found_out("power-loss-home"))


def test_kills_cannot_see_what_power_loss_shows(hasty, found_out):
    """The same home survives every kill: that is why there are both."""

    assert found_out("kill-agent") == "nothing"


@pytest.mark.parametrize("name", ["kill-agent", "power-loss-home"])
def test_an_agent_that_pays_later(name, monkeypatch, found_out):
    """A spend that reaches the disk after the draw is found out."""
    charge, waiting = HomeLedger.charge, []
    keep = Membership._commit_report

    def later(self, entry):
        waiting.append((self, entry))

    def pay_and_keep(self, sent, due):
        while waiting:
            charge(*waiting.pop())
        keep(self, sent, due)

    monkeypatch.setattr(HomeLedger, "charge", later)
    monkeypatch.setattr(Membership, "_commit_report", pay_and_keep)

    assert re.search("drew .* and paid", found_out(name))


def test_an_agent_that_never_pays_for_its_probe(monkeypatch, found_out):
    """A probe that is drawn and not charged is found out."""
    charge = HomeLedger.charge
    monkeypatch.setattr(
        HomeLedger, "charge", lambda self, entry: charge(self, entry) if entry.purpose != "probe" else None
    )

    assert re.search("drew .* and paid", found_out("kill-agent"))


def rewound(folder):
    """A home whose ledger is put back after every report to where its first slot must publish."""
    plan = plan_for(random.Random(1), "lbd", window=8)
    home = HomeUnderTest(folder / "rewound.db", SeededSource(1))
    join(home.store, plan)
    home.switch_off()
    shutil.copy(home.path, folder / "copy.db")
    for _ in range(4):
        shutil.copy(folder / "copy.db", home.path)
        home.switch_on()
        home.tick()
        home.live(2 * TURN, TURN / 2)
        home.switch_off()
    check_windows(home.released, plan)


def test_a_rewound_ledger_spends_nothing_again(tmp_path):
    """Put back again and again, a ledger never speaks as if for the first time."""
    rewound(tmp_path)


def test_an_agent_that_believes_every_ledger(tmp_path, monkeypatch):
    """Without the rule for slots nobody knows about, the same home overspends."""
    lost = Membership.charge_lost_slots

    def believe(self, last, reason, unseen=0):
        if reason == "the agent was not running":
            self.skip_slots(last, reason)
        else:
            lost(self, last, reason, unseen)

    monkeypatch.setattr(Membership, "charge_lost_slots", believe)

    with pytest.raises(Fault, match="a window of lbd cost"):
        rewound(tmp_path)


def test_an_agent_that_believes_a_ledger_in_which_it_has_retired(monkeypatch, found_out):
    """If the slots of a plan that the copy calls retired pass for free, joining it again gives budget back."""
    count = Agent._count_slots

    def believe(self, tracker, last):
        if self._is_retired(tracker.member):
            tracker.member.skip_slots(min(last, tracker.end), NOT_RUNNING)
        else:
            count(self, tracker, last)

    monkeypatch.setattr(Agent, "_count_slots", believe)

    assert re.search("a window of .* cost|in all, where the owner allows", found_out("restored-ledger"))


def hurried(folder, rebooted=False):
    """A home whose clock is moved on to the next turn as soon as it has spoken."""
    plan = plan_for(random.Random(1), "lsp", window=3)
    home = HomeUnderTest(folder / "hurried.db", SeededSource(1))
    recorder = TrueTimeRecorder({join(home.store, plan): plan})
    home.tick()
    home.live(2 * TURN, TURN / 2)
    for _ in range(4):
        home.live(2 * TURN, TURN / 2)
        recorder.look(home)
        home.switch_off()
        if rebooted:
            home.clock.reboot(0)
        home.clock.jump(TURN)
        home.switch_on()
        home.tick()
    home.switch_off()
    recorder.judge(NO_CAPS, home.clock.boots)


@pytest.mark.parametrize("rebooted", [False, True])
def test_a_hurried_clock_refreshes_nothing(tmp_path, rebooted):
    """Moving the clock on does not bring the next turn any sooner, and a reboot does not either."""
    hurried(tmp_path, rebooted)


@pytest.mark.parametrize("rebooted", [False, True])
def test_an_agent_that_believes_the_wall(tmp_path, monkeypatch, rebooted):
    """Without the machine's own clock, the same home speaks too often."""
    monkeypatch.setattr(MonotonicClock, "since", lambda *_: ("0", ()))

    with pytest.raises(Fault, match="slots of real time"):
        hurried(tmp_path, rebooted)


def test_an_agent_that_believes_the_wall_after_a_boot(tmp_path, monkeypatch):
    """If a boot proves whatever the wall's clock shows, a reboot after every report refreshes the window."""
    monkeypatch.setattr(monotonic_clock, "OFF_TIME_PARTS", Fraction(1, 1_000))

    with pytest.raises(Fault, match="slots of real time"):
        hurried(tmp_path, rebooted=True)


def test_wild_clock_finds_a_boot_that_proves_everything(monkeypatch, found_out):
    """The same, found by the scenario's own scripts."""
    monkeypatch.setattr(monotonic_clock, "OFF_TIME_PARTS", Fraction(1, 1_000))

    assert "slots of real time" in found_out("wild-clock")


def test_a_home_without_caps(monkeypatch, found_out):
    """A book that refuses nothing gives hostile plans what they ask, and is found out."""
    monkeypatch.setattr(HomeLedger, "refusal", lambda self, start, end, amount, caps=None: None)

    assert re.search("epsilon_per_(day|year) +cost", found_out("hostile-plans"))


def test_a_home_that_adds_nothing_up_for_an_appliance(monkeypatch, found_out):
    """A book that compares each spend by itself gives one appliance to several plans, and is found out."""
    monkeypatch.setattr(HomeLedger, "_appliance_refusal", OnceOnlyBook._appliance_refusal)

    assert re.search("appliance_epsilon(_per_year)? appliance [0-9] cost", found_out("hostile-plans"))


def test_a_home_that_lives_more_than_once(monkeypatch, found_out):
    """A book for which every spend begins a new lifetime is found out."""
    monkeypatch.setattr(HomeLedger, "lifetime_refusal", RenewedBook.lifetime_refusal)

    assert re.search("epsilon_lifetime .*cost", found_out("hostile-plans"))


def relived(folder, **caps):
    """A home that lives through hours again and again: an old ledger comes back, and the clock is set back."""
    chance, source = random.Random(1), SeededSource(1)
    plan = plan_for(chance, "lbu", window=1, epsilon=MICRO)
    owner = replace(NO_CAPS, **caps)
    script = EventScript(chance, HomeUnderTest(folder / "ledger.db", source, caps=owner), [plan], folder)
    script.recorder.plans[join(script.home.store, plan, source=source)] = plan
    for _ in range(3):
        script.relive()
        for _ in range(5):
            script.live(2)
    script.home.switch_off()
    script.recorder.judge(owner, script.home.clock.boots)


@pytest.mark.parametrize("cap", ["epsilon_per_year", "epsilon_lifetime"])
def test_an_old_ledger_renews_no_cap(tmp_path, cap):
    """However often hours are lived again, a year and a lifetime have what their owner gave them."""
    relived(tmp_path, **{cap: 15 * MICRO})


@pytest.mark.parametrize("cap", ["epsilon_per_year", "epsilon_lifetime"])
def test_a_home_that_counts_one_window_of_the_time_it_forgot(tmp_path, monkeypatch, cap):
    """If time that ran unseen counts for one window only, however long it was, the same home overspends."""
    charge = Membership.charge_lost_slots
    monkeypatch.setattr(
        Membership,
        "charge_lost_slots",
        lambda self, last, reason, unseen=0: charge(self, last, reason, min(unseen, self.plan.window)),
    )

    with pytest.raises(Fault, match="where the owner allows 15000000"):
        relived(tmp_path, **{cap: 15 * MICRO})


def test_a_home_that_keeps_the_caps_of_its_start(monkeypatch, found_out):
    """An agent that does not see that its owner lowered the caps is found out."""
    monkeypatch.setattr(HomeUnderTest, "tick", with_the_first_caps(HomeUnderTest.tick))

    assert re.search("epsilon[a-z_]* (appliance [0-9])? ?cost", found_out("hostile-plans"))


def with_the_first_caps(tick):
    def ticking(self):
        self.agent.caps = self.caps
        tick(self)

    return ticking
