"""Home Assistant and the agent with a broker between them that restarts: readings one way, entities the other."""

import time

import pytest
from tests.home_assistant.agent import AgentBeside
from tests.home_assistant.mosquitto import Mosquitto
from tests.home_assistant.running import PLUGS, until
from tests.home_assistant.street import NAMES

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


@pytest.fixture
def broker(tmp_path):
    broker = Mosquitto(tmp_path)
    broker.start()
    yield broker
    broker.stop()


@pytest.fixture
def streaming(old_house, broker):
    """The older Home Assistant, which repeats three sensors on the broker."""
    old_house.use_broker(broker.port)
    with (old_house.folder / "configuration.yaml").open("a") as file:
        file.write(STATESTREAM)
    old_house.stop()
    old_house.start()
    yield old_house
    old_house.forget("mqtt")


@pytest.fixture
def agent(street, broker, tmp_path):
    """A home that hears of its plugs by the broker alone."""
    agent = AgentBeside(tmp_path / "home")
    agent.join(street.provider.address, street.plan(PLAN))
    plugs = "".join(PLUG.format(name=name) for name in PLUGS)
    (agent.folder / "sources.toml").write_text(SOURCES.format(port=broker.port) + plugs)
    agent.start()
    yield agent
    agent.stop()


def test_statestream_and_a_broker_that_restarts(streaming, agent, broker, street):
    """Changed states are heard and reported; when the broker is back, readings and entities are as before."""
    plan, house = street.plan(PLAN), streaming
    until("all are heard", lambda: heard_as_they_change(house, agent), every=1)
    agent.record.wait_for_more(plan)
    until("the switches are off", lambda: switches(house) == {"off"})
    broker.stop()
    until("the switches are unavailable", lambda: switches(house) == {"unavailable"})
    broker.start()
    until("the switches are back", lambda: switches(house) == {"off"})
    until("all are heard again", lambda: heard_as_they_change(house, agent), every=1)

    assert agent.record.wait_for_more(plan) > 0
    assert "does not answer" in agent.log
    assert "is back" in agent.log


def heard_as_they_change(house, agent):
    """Whether all are heard; only a change is published, so each look changes them."""
    now = time.time() % 100
    house.watts(kettle=900 + now, fridge=45 + now, tv=75 + now)
    return {each["appliance"] for each in HomeFolder(agent.folder).health() if each["fresh"]} == set(PLUGS)


def switches(house):
    """The states of the switches that Home Assistant found on the broker."""
    return {each["state"] for name, each in house.states("switch.").items()}
