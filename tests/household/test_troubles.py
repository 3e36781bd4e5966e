"""One list of what is wrong: each trouble is there when it is so, says since when, and goes with it."""

import os
import random
from dataclasses import replace

import pytest
from tests.household.living import NO_CAPS, TURN, HomeUnderTest, join, plan_for

from hushwatt.household import troubles as module
from hushwatt.household.join import pause, resume
from hushwatt.household.troubles import Trouble, measured_appliances, troubles
from hushwatt.household.upload.delivery_note import note_answers, note_failure
from hushwatt.household.upload.http import Unreachable
from hushwatt.household.upload.provider_client import WrongProvider
from hushwatt.plan import Appliance
from hushwatt.plan.amounts import MICRO

NAMES = ("kettle", "washing_machine")


@pytest.fixture
def home(folder):
    started = HomeUnderTest(folder / "ledger.sqlite")
    yield started
    started.switch_off()


def agreed(**fields):
    usual = {
        "name": "Kettles",
        "window": 3,
        "epsilon": 3 * MICRO,
        "unmeasured": "zero",
        "timezone": "Europe/London",
        "appliances": tuple(Appliance.of(name, [100, 200]) for name in NAMES),
        "appliances_per_report": 2,
    }
    return plan_for(random.Random(1), "lbu", **usual | fields)


def source(appliance, fresh=True, heard=1_704_067_384 * 10**9, trouble=None, **more):
    return {
        "name": f"plug {appliance}",
        "appliance": appliance,
        "heard": heard,
        "fresh": fresh,
        "trouble": trouble,
    } | more


HEALTHY = [source(name) for name in NAMES]


def found(home, health=HEALTHY, caps=NO_CAPS):
    return troubles(home.store, caps, health, home.clock.wall)


def kinds(wrong):
    return [each.key.split(" ")[0] for each in wrong]


def test_all_is_well(home):
    """A home that reports and hears its plugs has no trouble, from its start on."""
    join(home.store, agreed())
    for _ in range(5):
        home.live(TURN, TURN)
        assert found(home) == []


def test_a_home_without_plans(home):
    """There is nothing that could be wrong."""
    assert found(home, []) == []


def test_a_provider_out_of_reach(home):
    """Since when, in what words; nothing while paused, and gone once it answers."""
    plan = agreed()
    join(home.store, plan)
    home.live(2 * TURN, TURN)
    note_failure(home.store, 1, Unreachable("127.0.0.1 does not answer (Connection refused)"), home.clock.wall)
    home.clock.advance(60)

    [told] = found(home)
    assert told == Trouble(f"unreachable {plan.id}", told.words, told.remedy, plan.id)
    assert "“Kettles”: out of reach since 2024-01-01 00:20 GMT: 127.0.0.1 does not answer" in told.words
    assert "reports wait here" in told.remedy
    pause(home.store, None, home.clock.wall)
    assert found(home) == []
    resume(home.store, None)
    note_answers(home.store, 1, [], home.clock.wall)
    assert found(home) == []


def test_a_provider_that_refuses_or_is_another(home):
    """A reason that is known has its own remedy."""
    join(home.store, agreed())
    home.live(2 * TURN, TURN)
    note_answers(home.store, 1, ["too_early"], home.clock.wall)
    [told] = found(home)
    assert kinds([told]) == ["refused"]
    assert "clock" in told.remedy
    note_answers(home.store, 1, ["wrong_amount"], home.clock.wall)
    assert found(home)[0].remedy == "ask the provider why"
    note_failure(home.store, 1, WrongProvider("it cannot prove that it has the key"), home.clock.wall)
    assert kinds(found(home)) == ["impostor"]


def test_the_outbox_leaves_the_note(folder):
    """With the shipped outbox and a provider that is switched off and on."""
    home = HomeUnderTest(folder / "ledger.sqlite")
    plan = agreed()
    join(home.store, plan)
    home.store.disk.execute("UPDATE plans SET address = 'http://127.0.0.1:9'")  # nobody is there
    home.live(4 * TURN, TURN)
    home.clock.advance(TURN / 2)
    home.outbox.send(home.clock.wall)
    assert kinds(found(home)) == ["unreachable"]
    assert not any(word in str(found(home)) for word in ("watts", "level"))
    home.switch_off()


def test_an_agent_that_does_not_run(home):
    """After the slot it was in, the silence is said, and the sources, which nobody looks at, are not."""
    join(home.store, agreed())
    home.live(2 * TURN, TURN)
    home.clock.advance(TURN)
    assert found(home) == []
    home.clock.advance(TURN)

    [told] = found(home, [source("kettle", fresh=False)])
    assert kinds([told]) == ["silent"]
    assert "silent since 2024-01-01 00:20 GMT: the agent is not running" in told.words
    assert "household run" in told.remedy


def test_a_clock_that_was_set_back(home):
    """Silent until it has caught up; then all is well."""
    join(home.store, agreed())
    home.live(5 * TURN, TURN)
    home.clock.jump(-3 * TURN)
    home.tick()

    [told] = found(home)
    assert kinds([told]) == ["clock"]
    assert told.words == "“Kettles”: the clock was set back; silent until 2024-01-01 00:50 GMT"
    home.live(5 * TURN, TURN)
    assert found(home) == []


def test_a_cap_in_the_way(folder):
    """Silent slots say why and until when."""
    caps = replace(NO_CAPS, epsilon_per_day=4 * MICRO)
    home = HomeUnderTest(folder / "ledger.sqlite", caps=caps)
    join(home.store, agreed())
    home.live(9 * TURN, TURN)

    wrong = found(home, caps=caps)
    assert kinds(wrong) == ["silent", "caps"]
    assert "silent since 2024-01-01 00:40 GMT: a cap of the owner or of the plan stands in the way" in wrong[0].words
    assert wrong[0].remedy.startswith("it speaks again by itself, next at 2024-01-02 00:")
    assert "epsilon_per_day is 4" in wrong[1].words
    home.switch_off()


def test_beyond_the_caps(home):
    """A cap that the owner lowered."""
    join(home.store, agreed())
    home.live(2 * TURN, TURN)
    low = replace(NO_CAPS, epsilon_per_window=MICRO)

    [told] = found(home, caps=low)
    assert kinds([told]) == ["caps"]
    assert "epsilon_per_window is 1" in told.words


def test_a_home_that_retired(home):
    """In the words that the log had."""
    join(home.store, agreed())
    home.store.disk.execute("UPDATE plans SET retired = 'this home has retired'")

    [told] = found(home)
    assert (kinds([told]), told.words) == (["retired"], "this home has retired")


def test_a_silent_source(home):
    """Which one, of what, since when, and what was wrong with its last word."""
    join(home.store, agreed())
    home.live(2 * TURN, TURN)
    health = [source("kettle", fresh=False, trouble="no number\nin it"), source("washing_machine", False, None)]

    first, second = found(home, health)
    assert first.key == "source plug kettle"
    assert first.words == "“plug kettle” (“kettle”) is silent since 2024-01-01 00:03 GMT: no number in it"
    assert second.words == "“plug washing_machine” (“washing_machine”) is silent since the agent started"
    assert "household sources --discover" in first.remedy
    assert "gains rows" in found(home, [*HEALTHY, source("table", fresh=False)])[0].remedy


def test_an_appliance_that_nobody_measures(home):
    """Where silence is told as 0 W; a plan with an answer for it has no trouble."""
    join(home.store, agreed())
    home.live(2 * TURN, TURN)

    [told] = found(home, HEALTHY[:1])
    assert kinds([told]) == ["unmeasured"]
    assert "“washing_machine”" in told.words
    assert "kettle" not in told.words
    table = [source("table", measures=list(NAMES))]
    assert found(home, table) == []
    assert measured_appliances(table) == set(NAMES)


def test_many_that_nobody_measures_are_one_trouble(home):
    """Not a line for each."""
    appliances = tuple(Appliance.of(f"thing {number}", [100]) for number in range(9))
    join(home.store, agreed(appliances=appliances, appliances_per_report=9))
    home.live(2 * TURN, TURN)

    [told] = found(home, [])
    assert "“thing 3” and 5 more" in told.words


def test_a_plan_that_answers_unmeasured(home):
    """`not measured` is an answer, not a trouble."""
    join(home.store, agreed(unmeasured="answer"))
    home.live(2 * TURN, TURN)

    assert found(home, [source("kettle"), source("washing_machine", measured=False, fresh=False)]) == []


@pytest.mark.parametrize("unmeasured", ["zero", "answer"])
def test_a_slip_in_a_name(home, unmeasured):
    """A plug for `washing machine`, where the plan asks of `washing_machine`, is fresh and measures nothing."""
    join(home.store, agreed(unmeasured=unmeasured))
    home.live(2 * TURN, TURN)
    health = [source("kettle"), source("washing machine"), source("aquarium")]

    told = next(each for each in found(home, health) if each.key.startswith("unknown"))
    assert "“washing machine”" in told.words
    assert told.remedy == "write appliance = “washing_machine” in sources.toml"
    assert "aquarium" not in str(found(home, health))


def test_a_ledger_that_takes_nothing(home, monkeypatch):
    """Read-only, or on a disk that is full."""
    join(home.store, agreed())
    home.live(2 * TURN, TURN)
    with monkeypatch.context() as patched:
        patched.setattr(os, "access", lambda path, mode: False)
        [told] = found(home)
        assert told.key == "ledger"
        assert "cannot be written" in told.words
    monkeypatch.setattr(module, "MIN_FREE_BYTES", 1 << 62)
    assert "is full" in found(home)[0].words


def test_two_plans_are_told_apart(home):
    """A trouble names its plan."""
    join(home.store, agreed())
    join(home.store, agreed(name="Others", slot=agreed().slot))
    home.live(2 * TURN, TURN)
    note_failure(home.store, 2, Unreachable("gone"), home.clock.wall)

    [told] = found(home)
    assert told.plan == agreed(name="Others").id
    assert "“Others”" in told.words


def test_restarts_are_no_trouble(home):
    """The slot in which an agent starts is silent, and the next is not."""
    join(home.store, agreed())
    home.live(3 * TURN, TURN)
    home.clock.advance(TURN / 2)
    home.restart()
    home.tick()

    assert found(home) == []


def test_an_old_note_on_health():
    """A note without what newer agents add."""
    assert measured_appliances([source("kettle")]) == {"kettle"}
