"""The agent's own entities in a real Home Assistant, over a real broker."""

from datetime import UTC, datetime

import pytest
from tests.home_assistant.agent import AgentBeside
from tests.home_assistant.running import until
from tests.home_assistant.street import NAMES
from tests.household.serving import broker

SOURCES = "entities = true\n[mqtt]\nport = {port}\n"
PLANS = NAMES[0], NAMES[2]


@pytest.fixture
def told(house, street, tmp_path):
    """Two agents on one broker, the first with two plans, that a Home Assistant is told about."""
    with broker(tmp_path) as port:
        house.use_broker(port)
        agents = [AgentBeside(tmp_path / name) for name in ("first", "second")]
        for agent, plans in zip(agents, (PLANS, PLANS[:1]), strict=True):
            for name in plans:
                agent.join(street.provider.address, street.plan(name))
            (agent.folder / "sources.toml").write_text(SOURCES.format(port=port))
            agent.start()
        yield house, agents
        for entry in house.entries("mqtt"):
            house.delete(f"/api/config/config_entries/entry/{entry['entry_id']}")


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
    house, (first, second) = told
    devices = 2 + 3  # two homes and three memberships
    nexts, lasts = shown(house, "next_report", devices), shown(house, "last_report", devices)
    sent, troubles = shown(house, "reports_sent", devices), shown(house, "trouble", devices)
    switches = shown(house, "switch.hushwatt", devices)
    now = datetime.now(UTC)

    assert all(abs((datetime.fromisoformat(each["state"]) - now).total_seconds()) < 120 for each in nexts.values())
    assert all(datetime.fromisoformat(each["state"]) <= now for each in lasts.values())
    assert {each["attributes"]["device_class"] for each in (nexts | lasts).values()} == {"timestamp"}
    assert all(float(each["state"]) > 0 for each in sent.values())
    assert {each["attributes"]["device_class"] for each in troubles.values()} == {"problem"}
    assert any("nobody measures" in str(each["attributes"]["troubles"]) for each in troubles.values())

    york = [name for name in switches if "york" in name]
    house.call("switch.turn_on", entity_id=york[0])
    until("it is paused", lambda: house.state(york[0]) == "on")
    others = {name: house.state(name) for name in switches if name != york[0]}
    house.call("switch.turn_off", entity_id=york[0])
    until("the wish to resume is said", lambda: "wants to end the pause" in first.log)
    assert len(york) == 1
    assert set(others.values()) == {"off"}
    assert house.state(york[0]) == "on"
    assert first.record.rows("SELECT count(*) FROM plans WHERE paused IS NOT NULL")[0] == (1,)
    assert second.record.rows("SELECT count(*) FROM plans WHERE paused IS NOT NULL")[0] == (0,)

    assert second.stop() == 0
    until("the second is unavailable", lambda: unavailable(house) == 2)
    first.process.kill()
    first.process.wait(20)
    until("both are", lambda: unavailable(house) == devices)
    assert [line for line in house.log.splitlines() if " ERROR " in line and "hushwatt" in line] == []


def unavailable(house):
    return sum(each["state"] == "unavailable" for each in states(house, "next_report").values())
