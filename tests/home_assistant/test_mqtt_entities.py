"""The agent's own entities in a real Home Assistant, old and new, over a real broker."""

from datetime import UTC, datetime
from functools import partial

import pytest
from tests.home_assistant.agent import AgentBeside
from tests.home_assistant.mosquitto import Mosquitto
from tests.home_assistant.running import until
from tests.home_assistant.street import NAMES

SOURCES = "entities = true\n[mqtt]\nport = {port}\n"
PLANS = NAMES[0], NAMES[2]
DEVICES = 2 + 3  # two homes and three memberships


@pytest.fixture
def told(house, old_house, street, tmp_path):
    """Two agents on one broker, the first with two plans, that both Home Assistants are told about."""
    broker, agents = Mosquitto(tmp_path), [AgentBeside(tmp_path / name) for name in ("first", "second")]
    for agent, plans in zip(agents, (PLANS, PLANS[:1]), strict=True):
        for name in plans:
            agent.join(street.provider.address, street.plan(name))
        (agent.folder / "sources.toml").write_text(SOURCES.format(port=broker.port))
        agent.start()
    for agent, plans in zip(agents, (PLANS, PLANS[:1]), strict=True):
        for name in plans:  # what is told first is told with reports
            until("a first report", partial(agent.record.accepted, street.plan(name)))
    broker.start()
    for each in (house, old_house):
        each.use_broker(broker.port)
    yield (house, old_house), agents
    for agent in agents:
        agent.stop()
    for each in (house, old_house):
        each.forget("mqtt")
    broker.stop()


def states(house, word):
    return {name: each for name, each in house.states().items() if "hushwatt" in name and word in name}


def shown(house, word, count):
    """The states of so many entities, once all are known."""

    def all_there():
        found = states(house, word)
        good = [each for each in found.values() if each["state"] not in ("unknown", "unavailable")]
        return found if len(found) == len(good) == count else None

    return until(f"{count} × {word}", all_there, 60)


def test_entities_of_two_homes_and_two_plans(told):
    """None overwrites another; times are times; a switch pauses its own plan; a stopped agent is unavailable."""
    houses, (first, second) = told
    for house in houses:
        check_shown(house)
    house, other = houses
    york = only_switch(house, "york")
    house.call("switch.turn_on", entity_id=york)
    until("it is paused in both", lambda: {"on"} == {each.state(only_switch(each, "york")) for each in houses})
    others = {house.state(name) for name in states(house, "switch.") if name != york}
    house.call("switch.turn_off", entity_id=york)
    until("the wish to resume is said", lambda: "wants to end the pause" in first.log)
    assert others == {"off"}
    assert house.state(york) == "on"
    assert first.record.rows("SELECT count(*) FROM plans WHERE paused IS NOT NULL")[0] == (1,)
    assert second.record.rows("SELECT count(*) FROM plans WHERE paused IS NOT NULL")[0] == (0,)

    assert second.stop() == 0
    until("the second is unavailable", lambda: unavailable(other) == 2)
    first.process.kill()
    first.process.wait(20)
    until("both are", lambda: unavailable(house) == DEVICES)
    for each in houses:
        assert [line for line in each.log.splitlines() if " ERROR " in line and "hushwatt" in line] == []


def check_shown(house):
    """Every entity is there, in a form that Home Assistant understands."""
    nexts, lasts = shown(house, "next_report", DEVICES), shown(house, "last_report", DEVICES)
    sent, troubles = shown(house, "reports_sent", DEVICES), shown(house, "trouble", DEVICES)
    now = datetime.now(UTC)

    assert len(shown(house, "switch.hushwatt", DEVICES)) == DEVICES
    assert all(abs((datetime.fromisoformat(each["state"]) - now).total_seconds()) < 120 for each in nexts.values())
    assert all(datetime.fromisoformat(each["state"]) <= now for each in lasts.values())
    assert {each["attributes"]["device_class"] for each in (nexts | lasts).values()} == {"timestamp"}
    assert all(float(each["state"]) > 0 for each in sent.values())
    assert {each["attributes"]["device_class"] for each in troubles.values()} == {"problem"}
    assert any("nobody measures" in str(each["attributes"]["troubles"]) for each in troubles.values())


def only_switch(house, word):
    (name,) = [name for name in states(house, "switch.") if word in name]
    return name


def unavailable(house):
    return sum(each["state"] == "unavailable" for each in states(house, "next_report").values())
