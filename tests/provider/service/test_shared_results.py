"""What homes may fetch is what was published, worked out once, and the same for everyone."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest
from tests.provider.collecting import histories, records

from hushwatt.household.results.published import read_results
from hushwatt.plan.times import nanoseconds
from hushwatt.provider.service import shared_results as module
from hushwatt.provider.service.shared_results import SharedResults, shared_document


@pytest.fixture
def talk(collecting, plan_of):
    plan = plan_of(3, 4, 2, minimum_homes=5, share_results=True)
    return collecting(plan)


def lived(talk, slots, homes=10):
    """Homes report in every slot, and all of it is published."""
    key, name, devices = talk.gateway(homes)
    for slot, sent in enumerate(histories(talk.plan, homes, slots)):
        talk.at_slot(slot)
        talk.send(key, name, records(devices, sent)).raise_for_status()
    talk.at_slot(slots, late=timedelta(days=1))
    talk.client.get(f"{talk.path}/slots")
    return key, name, devices


def test_the_same_numbers_as_analysts_see(talk):
    """Every shared range is what /estimates says for the same time, and nothing else is in it."""
    lived(talk, 30)
    read, plan = talk.service.read, talk.plan
    document = shared_document(read, plan, read.state(plan).published)

    assert [(each["slot"], each["slots"]) for each in document["results"]] == [(21, 7), (0, 28)]
    for each in document["results"]:
        theirs = read.document(plan, each["slot"], each["slot"] + each["slots"] - 1)
        assert each["homes"] == theirs["homes"]
        for name, means in each["appliances"].items():
            counted = means.pop("counted")
            assert means.items() <= theirs["appliances"][name].items()
            assert counted == each["slots"]
        assert set(each["appliances"]) == set(plan.names)


@pytest.mark.parametrize("unmeasured", ["zero", "answer"])
@pytest.mark.parametrize("typical", [None, 500])
def test_a_home_understands_all_of_it(collecting, plan_of, unmeasured, typical):
    """Whatever kind of watts a plan is about: every mean that is told is one that homes are compared with."""
    plan = plan_of(
        3, 4, 2, mapping="dither", minimum_homes=5, share_results=True, unmeasured=unmeasured, epsilon=30 * 10**6
    )
    plan = replace(plan, appliances=tuple(replace(each, typical_high=typical) for each in plan.appliances))
    talk = collecting(plan)
    lived(talk, 8, homes=40)
    (told,) = talk.get("/results").json()["results"]
    (found,) = read_results(plan, talk.get("/results").json(), nanoseconds(plan.expires))
    means = {name: each for name, each in told["appliances"].items() if each is not None}

    assert means
    assert {name: [each.low, each.high] for name, each in found.means.items()} == {
        name: each["ci95"] for name, each in means.items()
    }
    assert found.homes == told["homes"] == 40


def test_many_who_ask_cost_one_reckoning(talk, monkeypatch):
    """However many ask at once, and again: it is worked out when more was published, and never else."""
    lived(talk, 8)
    shared, worked_out = SharedResults(talk.service.read), []
    real = module.shared_document
    monkeypatch.setattr(module, "shared_document", lambda *of: worked_out.append(of) or real(*of))

    async def crowd():
        return {*(await asyncio.gather(*(shared.body(talk.plan) for _ in range(20))))}

    first, second = asyncio.run(crowd()), asyncio.run(crowd())

    assert len(first) == 1
    assert first == second
    assert len(worked_out) == 1
