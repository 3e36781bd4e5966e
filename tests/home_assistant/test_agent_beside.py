"""An agent beside a real Home Assistant, old or new, with nothing but a token between them."""

import time
from functools import partial

import pytest
from tests.home_assistant.agent import AgentBeside
from tests.home_assistant.running import PLUGS, until
from tests.home_assistant.street import NAMES

from hushwatt.household.home_folder import HomeFolder

PLAN = NAMES[2]


@pytest.fixture
def beside(house, old_house, street, tmp_path):
    """An agent that takes part, beside each of the two versions."""
    pairs = [(each, AgentBeside(tmp_path / each.version)) for each in (house, old_house)]
    for each, agent in pairs:
        agent.join(street.provider.address, street.plan(PLAN))
        agent.listen_to(each, each.new_token("hushwatt"))
        agent.start()
    yield pairs
    for each, agent in pairs:
        agent.stop()
        each.revoke_token("hushwatt")


def all_heard(agent):
    """Whether all appliances are heard now."""
    return {each["appliance"] for each in HomeFolder(agent.folder).health() if each["fresh"]} == set(PLUGS)


def said(agent, words):
    return words in agent.log


def refused(agent):
    """The lines that say that a token is not taken."""
    return [line for line in agent.log.splitlines() if "token" in line]


def test_a_token_is_enough(beside, street):
    """Entities are heard, reports arrive; a new name and a revoked token are said once; a new token mends it."""
    plan = street.plan(PLAN)
    for house, _ in beside:
        house.watts(kettle=1200, fridge=55, tv=80)
    for _, agent in beside:
        until("all are heard", partial(all_heard, agent))
        agent.record.wait_for_more(plan)
    for house, agent in beside:
        house.rename("sensor.tv_power", "sensor.screen_power")
        until("the rename is said", partial(said, agent, "sensor.tv_power"))
        house.rename("sensor.screen_power", "sensor.tv_power")
        house.revoke_token("hushwatt")
    for _, agent in beside:
        until("the token is said to be refused", partial(refused, agent))
    time.sleep(1)
    lines = [refused(agent) for _, agent in beside]
    for house, agent in beside:
        agent.keep_token(house.new_token("hushwatt"))
    for _, agent in beside:
        until("all are heard again", partial(all_heard, agent))
        agent.record.wait_for_more(plan)

    assert [len(each) for each in lines] == [1, 1], lines
    assert all(house.token not in agent.log for house, agent in beside)
    assert all("1200" not in agent.log for _, agent in beside)
