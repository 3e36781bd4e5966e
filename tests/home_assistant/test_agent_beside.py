"""An agent beside a real Home Assistant, old or new, with nothing but a token between them."""

import pytest
from tests.home_assistant.agent import AgentBeside
from tests.home_assistant.running import PLUGS, until
from tests.home_assistant.street import NAMES

from hushwatt.household.home_folder import HomeFolder

PLAN = NAMES[2]


@pytest.fixture(params=["house", "old_house"])
def beside(request, street, tmp_path):
    """An agent that takes part, beside each of the two versions."""
    house = request.getfixturevalue(request.param)
    agent = AgentBeside(tmp_path / "home")
    agent.join(street.provider.address, street.plan(PLAN))
    agent.listen_to(house, house.new_token("hushwatt"))
    agent.start()
    yield house, agent, street.plan(PLAN)
    assert agent.stop() == 0
    if "hushwatt" in house.tokens():
        house.revoke_token("hushwatt")


def fresh(agent):
    """The appliances that are heard now."""
    return {each["appliance"] for each in HomeFolder(agent.folder).health() if each["fresh"]}


def test_a_token_is_enough(beside):
    """Entities are heard, reports arrive; a new name and a revoked token are said once; a new token mends it."""
    house, agent, plan = beside
    house.watts(kettle=1200, fridge=55, tv=80)
    agent.record.wait_for_more(plan, 2)
    until("all are heard", lambda: fresh(agent) == set(PLUGS))
    house.rename("sensor.tv_power", "sensor.screen_power")
    until("the rename is said", lambda: "sensor.tv_power" in agent.log)
    house.rename("sensor.screen_power", "sensor.tv_power")
    house.revoke_token("hushwatt")
    until("the token is said to be refused", lambda: "token" in agent.log)
    refused = agent.log
    agent.keep_token(house.new_token("hushwatt"))
    until("all are heard again", lambda: fresh(agent) == set(PLUGS), 120)

    assert agent.log.count("sensor.tv_power") <= 2, agent.log
    assert [line for line in refused.splitlines() if "token" in line] != []
    assert agent.record.wait_for_more(plan) > 0
    assert house.token not in agent.log
