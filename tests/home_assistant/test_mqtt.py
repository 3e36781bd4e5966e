"""Home Assistant and the agent with a broker between them: readings one way, the home's own entities the other."""

import subprocess
import time

import pytest
from tests.home_assistant.agent import AgentBeside
from tests.home_assistant.mosquitto import Mosquitto
from tests.home_assistant.running import PLUGS, until
from tests.home_assistant.street import NAMES
from tests.household.serving import HUSHWATT

from hushwatt.household.home_folder import HomeFolder

PLAN = NAMES[2]
STATESTREAM = """
mqtt_statestream:
  base_topic: homeassistant
  publish_attributes: true
  include:
    entities: [sensor.kettle_power, sensor.fridge_power, sensor.tv_power]
"""
SOURCES = "entities = true\n[mqtt]\nport = {port}\n"
PLUG = '[[plug]]\nappliance = "{name}"\npreset = "homeassistant"\ntopic = "sensor.{name}_power"\n'


@pytest.fixture(scope="module")
def broker(tmp_path_factory):
    broker = Mosquitto(tmp_path_factory.mktemp("broker"))
    broker.start()
    yield broker
    broker.stop()


@pytest.fixture(scope="module")
def streaming(old_house, broker):
    """The older Home Assistant, which repeats three sensors on the broker."""
    old_house.use_broker(broker.port)
    with (old_house.folder / "configuration.yaml").open("a") as file:
        file.write(STATESTREAM)
    old_house.stop()
    old_house.start()
    return old_house


@pytest.fixture
def agents(street, broker, tmp_path):
    """Two homes on one broker; the second one hears nothing."""
    both = [AgentBeside(tmp_path / name) for name in ("first", "second")]
    for agent, plugs in zip(both, (PLUGS, ()), strict=True):
        agent.join(street.provider.address, street.plan(PLAN))
        text = SOURCES.format(port=broker.port) + "".join(PLUG.format(name=name) for name in plugs)
        (agent.folder / "sources.toml").write_text(text)
        agent.start()
    yield both
    for agent in both:
        agent.stop()


def mqtt_entities(house):
    """The entities that Home Assistant found on the broker, by their unique ids."""
    with house.websocket() as ask:
        found = ask("config/entity_registry/list")
    return {each["unique_id"]: each["entity_id"] for each in found if each["platform"] == "mqtt"}


def test_readings_entities_and_a_broker_that_restarts(streaming, agents, broker, street):
    """Changed states are heard; two homes have entities of their own; the switch pauses, and cannot resume."""
    first, second = agents
    plan, house = street.plan(PLAN), streaming
    until("all are heard", lambda: heard_as_they_change(house, first), every=1)
    first.record.wait_for_more(plan)
    until("entities of both homes", lambda: len(pauses(house)) >= 2 and len(mqtt_entities(house)) % 2 == 0)
    broker.stop()
    broker.start()
    until("the entities are back", lambda: states(house, pauses(house)) == {"off"}, 90)
    first.record.wait_for_more(plan)
    house.call("switch.turn_on", entity_id=pauses(house))
    until("both are paused", lambda: paused(first) and paused(second))
    until("the switches are on", lambda: states(house, pauses(house)) == {"on"})
    house.call("switch.turn_off", entity_id=pauses(house))
    until("they stay on", lambda: "someone on the broker" in first.log)
    words = ["household", "resume", "--folder", str(first.folder)]
    done = subprocess.run([*HUSHWATT, *words], capture_output=True, text=True, timeout=60)

    assert done.returncode == 0
    assert paused(second)
    assert first.record.wait_for_more(plan) > 0


def heard_as_they_change(house, agent):
    """Whether all are heard; only a change is published, so each look changes them."""
    now = time.time() % 100
    house.watts(kettle=900 + now, fridge=45 + now, tv=75 + now)
    return {each["appliance"] for each in HomeFolder(agent.folder).health() if each["fresh"]} == set(PLUGS)


def pauses(house):
    return [entity for entity in mqtt_entities(house).values() if entity.startswith("switch.")]


def states(house, entities):
    return {house.state(each) for each in entities}


def paused(agent):
    return agent.record.rows("SELECT paused FROM plans")[0][0] is not None
