"""All sources together: plugs add up, trouble is said once, and nothing that was read is shown."""

import json
from dataclasses import replace

import numpy as np
import pytest

from hushwatt.errors import UsageError
from hushwatt.household.clock import SECOND
from hushwatt.household.sources.hub import Hub
from hushwatt.household.sources.sources_file import SourcesFile
from hushwatt.plan.times import nanoseconds

HOUR = 3600 * SECOND


@pytest.fixture
def plan(plan_of):
    from hushwatt.plan import SlotLength

    return plan_of(3, 3, slot=SlotLength(1, "h"))


@pytest.fixture
def hub_of(folder):
    def hub(*plugs, tables=()):
        said = []
        table = {"plug": [{"preset": "custom", "appliance": "appliance 0", **plug} for plug in plugs]}
        made = Hub.of(SourcesFile.parse({**table, "table": list(tables)}, folder), said.append)
        return made, said

    return hub


def start_of(plan, slot=0):
    return nanoseconds(plan.calendar.start_of(slot))


def test_plugs_of_one_appliance_add_up(hub_of, plan):
    """Two plugs on one appliance are its watts together; others get their own."""
    hub, _ = hub_of({"topic": "a"}, {"topic": "b"}, {"topic": "c", "appliance": "appliance 1"})
    hub.open(plan, 0)
    for topic, watts in (("a", "100"), ("b", "50"), ("c", "7")):
        for minute in range(0, 60, 10):
            hub.on_message(start_of(plan) + minute * 60 * SECOND, topic, watts.encode(), retained=False)

    assert hub.means(plan, 0).tolist() == pytest.approx([150, 7])


@pytest.mark.parametrize("unmeasured", ["zero", "answer"])
def test_what_was_measured_is_known(hub_of, plan, unmeasured):
    """0 W of a plug that spoke is a reading; that of one that was silent for most of the slot, or of none, is not."""
    plan = replace(plan, unmeasured=unmeasured)
    hub, _ = hub_of({"topic": "one"})
    before = hub.measured(plan)
    hub.open(plan, 0)
    hub.on_message(start_of(plan), "one", b"0", False)
    hub.on_message(start_of(plan) + HOUR // 2, "one", b"0", False)
    means = hub.means(plan, 0)
    spoke = hub.measured(plan)
    hub.open(plan, 5)
    hub.means(plan, 5)

    assert before == [False, False]
    assert means[0] == 0
    assert spoke == [True, False]
    assert hub.measured(plan) == [False, False]


def test_an_appliance_nobody_measures_is_said_once(hub_of, plan):
    """It counts as 0 W, and the owner is told."""
    hub, said = hub_of({"topic": "a"})
    for slot in range(3):
        hub.open(plan, slot)

    assert said == ["nobody measures “appliance 1”: it is reported as 0 W, randomised like all else"]
    assert hub.means(plan, 2).tolist() == [0, 0]


class TestNotMeasured:
    """With the answer "not measured", silence is NaN and 0 W is a reading."""

    @pytest.fixture
    def plan(self, plan):
        return replace(plan, unmeasured="answer")

    def test_nobody_measures_it(self, hub_of, plan):
        """It is said once, in the answer's own words, and shown as the health of no source."""
        hub, said = hub_of({"topic": "a"})
        for slot in range(3):
            hub.open(plan, slot)

        assert said == ["nobody measures “appliance 1”: it is reported as not measured, randomised like all else"]
        assert np.isnan(hub.means(plan, 2)).tolist() == [True, True]
        assert [(each["appliance"], each["trouble"], each.get("measured")) for each in hub.health(0)] == [
            ("appliance 0", None, None),
            ("appliance 1", "not measured", False),
        ]

    def test_off_is_a_reading(self, hub_of, plan):
        """A plug that says 0 W is measured; one that was heard for a quarter of the slot is not."""
        hub, _ = hub_of({"topic": "a", "stale": "1h"}, {"topic": "b", "appliance": "appliance 1", "stale": "15m"})
        hub.open(plan, 0)
        for topic, watts in (("a", b"0"), ("b", b"90")):
            hub.on_message(start_of(plan), topic, watts, retained=False)

        assert str(hub.means(plan, 0).tolist()) == "[0.0, nan]"

    def test_one_of_two_plugs_is_silent(self, hub_of, plan):
        """Half of what an appliance takes is not what it takes: all its plugs must speak."""
        hub, _ = hub_of({"topic": "a", "stale": "1h"}, {"topic": "b"})
        hub.open(plan, 0)
        hub.on_message(start_of(plan), "a", b"100", retained=False)

        assert np.isnan(hub.means(plan, 0)[0])

    def test_a_table(self, hub_of, folder, plan):
        """No row is not measured, beside a plug no row is nothing; what had a row is no longer without a source."""
        rows = "2024-01-01T00:10,appliance 1,0\n2024-01-01T00:20,appliance 1,\n2024-01-01T01:20,appliance 1,\n"
        (folder / "t.csv").write_text(f"time,appliance,watts\n{rows}")
        hub, said = hub_of({"topic": "a", "stale": "1h"}, tables=[{"path": "t.csv"}])
        hub.open(plan, 0)
        before = [each["appliance"] for each in hub.health(0)]
        hub.on_message(start_of(plan), "a", b"100", retained=False)
        first = hub.means(plan, 0)
        hub.open(plan, 1)

        assert first.tolist() == pytest.approx([100, 0])
        assert np.isnan(hub.means(plan, 1)).all()
        assert before == ["appliance 0", "table", "appliance 1"]
        assert [each["appliance"] for each in hub.health(0)] == before[:2]
        assert said == []

    def test_beside_a_plan_without_the_answer(self, hub_of, plan):
        """Each plan has its own: what is NaN for one is 0 W for the other."""
        hub, _ = hub_of({"topic": "a"})
        other = replace(plan, unmeasured="zero")
        for each in (plan, other):
            hub.open(each, 0)

        assert np.isnan(hub.means(plan, 0)).all()
        assert hub.means(other, 0).tolist() == [0, 0]


def test_a_retained_value_is_not_fresh(hub_of, plan):
    """What the broker kept from before is not a reading, but that a plug is gone is."""
    hub, _ = hub_of({"topic": "a"})
    hub.open(plan, 0)
    hub.on_message(start_of(plan), "a", b"500", retained=True)

    assert hub.health(start_of(plan))[0]["heard"] is None
    assert hub.means(plan, 0).tolist() == [0, 0]


def test_malformed_messages_are_said_once(hub_of, plan):
    """One line until the plug speaks sense again, and never what it said."""
    hub, said = hub_of({"topic": "a", "path": "x"})
    for _ in range(5):
        hub.on_message(0, "a", b"{4711", retained=False)
    hub.on_message(0, "a", b'{"x": 1}', retained=False)
    hub.on_message(0, "a", b"{4711", retained=False)

    assert said == ["plug a: its message is not JSON"] * 2


def test_a_silent_plug_is_asked_about(hub_of, plan):
    """A wrong topic, or a plug that was renamed, is said after half an hour."""
    hub, said = hub_of({"topic": "a"})
    hub.poll(HOUR, since=0)

    assert said == ["plug a: nothing heard on a; is that its topic?"]


def test_kilowatts_are_said(hub_of, plan):
    """Numbers that look like kilowatts for something that takes hundreds of watts get one line."""
    hub, said = hub_of({"topic": "a"}, {"topic": "b", "appliance": "appliance 1"})
    hub.open(plan, 0)
    for second in range(50):
        hub.on_message(second * SECOND, "a", b"1.83", retained=False)

    assert said == ['plug a: its numbers look like kilowatts; if so, write unit = "kW" in sources.toml']


def test_a_sender_may_name_its_unit(hub_of, plan):
    """Home Assistant says that a sensor is in kW, and it is believed; another unit is trouble."""
    hub, said = hub_of({"preset": "homeassistant", "topic": "x"})
    hub.open(plan, 0)
    hub.on_message(start_of(plan), "homeassistant/sensor/x/unit_of_measurement", b'"kW"', retained=True)
    hub.on_message(start_of(plan), "homeassistant/sensor/x/state", b'"1.5"', retained=False)
    hub.on_message(start_of(plan), "homeassistant/sensor/x/unit_of_measurement", b'"apples"', retained=True)

    assert hub.means(plan, 0)[0] == pytest.approx(1500)
    assert said[-1] == "plug x: its unit is none of power or energy"


def test_health_tells_freshness_and_no_reading(hub_of, plan):
    """When each source was last heard, and what is wrong with it."""
    hub, _ = hub_of({"topic": "a"}, {"topic": "b"})
    hub.on_message(10 * SECOND, "a", b"4711.5", retained=False)

    health = hub.health(20 * SECOND)

    assert [each["fresh"] for each in health] == [True, False]
    assert "4711" not in json.dumps(health)


def test_a_table_is_read_for_its_slot(hub_of, folder, plan):
    """Tables are read up to the end of the slot, and add to the plugs."""
    (folder / "t.csv").write_text("time,appliance,watts\n2024-01-01T00:10,appliance 1,40\n")
    hub, _ = hub_of(tables=[{"path": "t.csv"}])
    hub.open(plan, 0)

    assert hub.means(plan, 0).tolist() == [0, 40]


def test_an_unknown_table_is_refused(hub_of):
    """Only files that can be read are taken."""
    with pytest.raises(UsageError, match="not a table that can be read"):
        hub_of(tables=[{"path": "t.xlsx"}])


def test_what_nobody_foresaw_is_said_once_and_passed_over(hub_of, plan, monkeypatch):
    """Should a preset fail all the same, its kind and place are said, never the message, and it goes on."""
    hub, said = hub_of({"topic": "a"}, {"topic": "b"})
    monkeypatch.setattr(hub.plugs[0].preset.__class__, "read", lambda self, topic, payload: 1 // int(payload))
    for _ in range(3):
        hub.on_message(0, "a", b"0", retained=False)

    assert len(said) == 1
    assert said[0].startswith("plug a: a message could not be handled (ZeroDivisionError at test_hub.py:")
    assert hub.guard.count == 3


def test_a_table_that_fails_is_begun_anew(folder, plan):
    """A reader that fails in a way nobody foresaw is said, and tried again at the next look."""
    from hushwatt.household.sources.table import TableSource

    said, tries = [], []

    def rows(path):
        tries.append(path)
        raise ZeroDivisionError
        yield

    hub = Hub.of(SourcesFile.parse({"table": [{"path": "t.csv"}]}, folder), said.append, {".csv": rows})
    for _ in range(2):
        hub.poll(0, since=0)

    assert isinstance(hub.tables[0], TableSource)
    assert len(tries) == 2
    assert len(said) == 1


def test_a_broker_that_is_away_for_a_moment_changes_nothing(hub_of, plan):
    """What was said before goes on, but for no longer than it would have; its owner is told meanwhile."""
    plan = replace(plan, unmeasured="answer")
    hub, _ = hub_of({"topic": "a", "stale": "90m"})
    begin = start_of(plan)
    hub.open(plan, 0)
    hub.on_broker(begin, True)
    hub.on_message(begin, "a", b"40", retained=False)
    hub.on_broker(begin + HOUR // 2, False)
    away = hub.health(begin + HOUR // 2)[0]
    hub.on_broker(begin + HOUR // 2 + 60 * SECOND, True)
    back = hub.health(begin + HOUR // 2 + 60 * SECOND)[0]
    means = []
    for slot in range(3):
        hub.open(plan, slot)
        means.append(hub.means(plan, slot)[0])

    assert (away["trouble"], away["fresh"]) == ("the broker is not there", False)
    assert (back["trouble"], back["fresh"]) == (None, True)
    assert means[:2] == [40, 40]
    assert np.isnan(means[2])


def test_a_broker_that_stays_away_leaves_nothing_to_hold(hub_of, plan):
    """An hour after it went what plugs said is no longer true, however long their readings hold."""
    plan = replace(plan, unmeasured="answer")
    hub, _ = hub_of({"topic": "a", "stale": "7d"})
    begin = start_of(plan)
    hub.open(plan, 0)
    hub.on_message(begin, "a", b"40", retained=False)
    hub.on_broker(begin + HOUR, False)
    hub.on_broker(begin + 2 * HOUR, False)
    means = []
    for slot in range(4):
        hub.open(plan, slot)
        means.append(hub.means(plan, slot)[0])

    assert means[:2] == [40, 40]
    assert np.isnan(means[2:]).all()


def test_who_is_back_does_not_speak_for_another(hub_of, plan):
    """A broker that is there again says nothing of Home Assistant, which is gone."""
    plan = replace(plan, unmeasured="answer")
    hub, _ = hub_of({"preset": "homeassistant", "topic": "sensor.x"})
    begin = start_of(plan)
    hub.open(plan, 0)
    hub.on_message(begin, "homeassistant/sensor/x/state", b"40", retained=False)
    hub.on_message(begin, "homeassistant/status", b"offline", retained=False)
    hub.on_broker(begin + 1, False)
    hub.on_broker(begin + 2, True)
    means = []
    for slot in range(3):
        hub.open(plan, slot)
        means.append(hub.means(plan, slot)[0])

    assert means[0] == 40
    assert np.isnan(means[1:]).all()
