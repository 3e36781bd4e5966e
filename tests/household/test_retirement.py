"""A home whose lifetime is used up retires from a plan: once, in plain words, and by no reading."""

import random
from dataclasses import replace

import numpy as np
import pytest
from tests.household.living import NO_CAPS, TURN, FixedReadings, GivenReadings, HomeUnderTest, join, plan_for

from hushwatt.audit.harness.fake_provider import KEY, FakeProvider
from hushwatt.audit.harness.home_under_test import SeededSource
from hushwatt.audit.harness.released import total_cost
from hushwatt.cli.household.owner_text import plan_table, status_lines
from hushwatt.household.join import agree, propose
from hushwatt.household.leave import leave
from hushwatt.household.ledger.high_water_mark import ProcessMark
from hushwatt.household.mqtt_entities.entities import entity_messages
from hushwatt.household.page.data import OwnerPageData
from hushwatt.household.page.view import home_page
from hushwatt.household.retirement import RETIRED
from hushwatt.household.status import plan_statuses
from hushwatt.plan.amounts import MICRO
from hushwatt.wire.signature import public_bytes

METHODS = ("lbu", "lsp", "lpu", "lbd", "lba")


def home_of(folder, plan, *, readings=None, seed=5, **caps):
    home = HomeUnderTest(
        folder / "ledger.sqlite",
        SeededSource(seed),
        caps=replace(NO_CAPS, **caps),
        readings=readings or FixedReadings(10.0),
        mark=ProcessMark(),
    )
    join(home.store, plan, source=home.source)
    return home


def plan(method="lbu", **changes):
    return plan_for(random.Random(3), method, epsilon=3 * MICRO, window=3, **changes)


def retired(home):
    return [each.retired for each in plan_statuses(home.store, home.clock.wall)]


@pytest.mark.parametrize("method", METHODS)
def test_a_lifetime_is_never_exceeded_and_used(folder, method):
    """All that is ever sent costs at most the cap; what is left would not pay for the next report."""
    agreed = plan(method)
    home = home_of(folder, agreed, epsilon_lifetime=10 * MICRO)
    home.live(60 * TURN, TURN)
    spent = total_cost(home.released)
    home.switch_off()

    assert 10 * MICRO - 2 * agreed.epsilon < spent <= 10 * MICRO or agreed.decision
    assert spent <= 10 * MICRO
    assert len(home.said) == 1
    assert home.said[0].startswith(f"this home has retired from “{agreed.name}”: its lifetime budget is used up ")
    assert home.said[0].endswith("(epsilon_lifetime is 10); nothing more is sent")


def test_one_appliance_retires_the_home(folder):
    """What its appliance has had counts too, and is named."""
    agreed = plan("lpu", appliances_per_report=1)
    home = home_of(folder, agreed, appliance_epsilon_lifetime=6 * MICRO)
    home.live(200 * TURN, TURN)
    home.switch_off()

    assert any("its lifetime budget for “" in line for line in home.said)
    assert any("appliance_epsilon_lifetime is 6" in line for line in home.said)


@pytest.mark.parametrize("method", METHODS)
def test_the_moment_does_not_depend_on_readings(tmp_path, method):
    """Homes with the same turn and other readings, that never change or always do, retire in the same slot."""
    agreed, chance, ends = plan(method), np.random.default_rng(1), []
    count = len(agreed.appliances)
    watts = [
        lambda slot: np.zeros(count),
        lambda slot: chance.random(count) * 400,
        lambda slot: np.full(count, 400.0 * (slot % 2)),
    ]
    for number, each in enumerate(watts):
        folder = tmp_path / str(number)
        folder.mkdir()
        readings = GivenReadings(each)
        home = home_of(folder, agreed, readings=readings, epsilon_lifetime=10 * MICRO)
        home.live(60 * TURN, TURN)
        ends.append(home.store.value("SELECT first FROM silences WHERE reason = ?", (RETIRED,)))
        home.switch_off()

    assert ends[0] is not None
    assert len(set(ends)) == 1


def test_it_stays_retired(folder):
    """Restarts, time and a clock that is moved bring nothing back; it is said once."""
    home = home_of(folder, plan(), epsilon_lifetime=5 * MICRO)
    home.live(10 * TURN, 60)
    before = home.slots()
    home.restart()
    home.live(5 * TURN, 60)
    home.clock.jump(400 * 86_400)
    home.live(5 * TURN, 60)
    home.switch_off()

    assert home.slots() == before
    assert sum("has retired" in line for line in home.said) == 1


@pytest.fixture
def served(folder):
    """A home that has just retired, and its provider."""
    agreed = plan()
    provider = FakeProvider((agreed,))
    home = home_of(folder, agreed, epsilon_lifetime=5 * MICRO)
    home.client = lambda address: provider.provider_client()
    with home.store.transaction() as disk:
        disk.execute("UPDATE plans SET provider = ?", (public_bytes(KEY),))
    home.live(10 * TURN, 60)
    yield home, provider, agreed
    home.switch_off()


def test_what_waits_is_still_sent(served):
    """Every report that was paid for arrives, byte for byte, and nothing else."""
    home, provider, _ = served
    home.outbox.send(home.clock.wall + 10**15)
    slots = [slot for body in provider.uploads for slot in provider.slots_in(body)]

    assert slots == home.slots() == [1, 2, 3, 4]  # slot 0, in which the agent started, counts as spent
    assert home.store.value("SELECT count(*) FROM reports WHERE answer = 'accepted'") == 4


def test_nobody_is_asked_for_a_successor(served):
    """A home that has retired looks for nothing, so its network is silent."""
    home, provider, agreed = served
    home.store.write_value(f"look {agreed.id}", home.clock.wall)
    home.search.look(home.clock.wall)

    assert provider.requests == []


def test_it_can_still_be_erased(served):
    """The keys are there, and leaving uses them."""
    home, _, agreed = served
    _, erased = leave(home.store, agreed.id, home.clock.wall, forget=True)

    assert erased is None
    assert plan_statuses(home.store, home.clock.wall)[0].state == "left"


def test_joining_again_under_higher_caps_goes_on(served):
    """The owner may raise the cap and agree anew; the same slots are not told again, and what was spent counts."""
    home, provider, agreed = served
    before, client = home.slots(), provider.provider_client()
    low, high = replace(NO_CAPS, epsilon_lifetime=7 * MICRO), replace(NO_CAPS, epsilon_lifetime=9 * MICRO)
    refused = propose(home.store, low, client, agreed.id, now=home.clock.wall)
    allowed = propose(home.store, high, client, agreed.id, now=home.clock.wall)
    agree(home.store, allowed, "words", None, home.clock.wall, home.source)
    home.agent.caps = high
    home.live(20 * TURN, 60)

    assert [each.cap for each in refused.objections] == ["epsilon_lifetime"]
    assert len(home.slots()) == len(before) + 4
    assert total_cost(home.released) + MICRO == 9 * MICRO
    assert sum("has retired" in line for line in home.said) == 2


def test_caps_read_by_half_retire_nobody(folder):
    """While the owner's file may have been read by half, the home keeps silent and stays in the plan."""
    home = home_of(folder, plan())
    home.live(3 * TURN, 60)
    home.agent.caps, home.agent.caps_settled = replace(NO_CAPS, epsilon_lifetime=1), False
    home.live(3 * TURN, 60)
    silent = home.slots()
    home.agent.caps, home.agent.caps_settled = NO_CAPS, True
    home.live(3 * TURN, 60)
    home.switch_off()

    assert len(silent) <= 3
    assert len(home.slots()) > len(silent)
    assert home.said == []


def test_the_owner_is_told_everywhere(served):
    """Log, status, JSON, page and Home Assistant say it in the same words."""
    home, *_ = served
    [words] = home.said
    now = home.clock.wall
    every = plan_statuses(home.store, now)
    page = home_page(OwnerPageData(home.store, home.caps, now, {}, [], "token"))
    told = next(iter(entity_messages(home.store, home.caps, [], now).states.values()))

    assert every[0].state == "retired"
    assert f"  {words}" in list(status_lines([], every, {}, [], now, home.caps))
    assert plan_table(every[0], {})["retired"] == words
    assert page.count(f"T{words[1:]}.") == 1
    assert (told["taking_part"], told["trouble"], told["budget_left_lifetime"]) == ("retired", "ON", "0")
    assert told["troubles"][0].startswith(f"{words};")


def test_other_plans_go_on(folder):
    """A home that cannot pay for one plan's next report may pay for another's, which costs less."""
    dear = plan("lpu", appliances_per_report=1)
    home = home_of(folder, dear, epsilon_lifetime=10 * MICRO)
    cheap = plan_for(random.Random(9), "lbu", epsilon=MICRO // 100, window=1)
    place = join(home.store, cheap, source=home.source)
    home.live(30 * TURN, TURN)
    home.switch_off()

    assert [line for line in home.said if "retired" in line] == home.said
    assert len(home.said) == 1
    assert max(home.slots(place)) >= 28
    assert total_cost(home.released) <= 10 * MICRO
