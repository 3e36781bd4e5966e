"""Plans for measured homes protect alike, and know what they say they know."""

import pytest

from hushwatt.evaluate.experiments.measured_homes import DAILY, HOURLY, PriorKnowledge
from hushwatt.evaluate.experiments.real_plans import CATALOGUE, PRIORS, answer_plan, paper_plan, zero_plan
from hushwatt.plan.amounts import MICRO
from hushwatt.privacy.promise import promise

TYPICAL = {"kettle": PriorKnowledge(20.0, 60.0), "rice cooker": PriorKnowledge(10.0, 50.0)}


@pytest.mark.parametrize("prior", PRIORS)
def test_knowledge_is_off_as_it_says(prior):
    """Means of all homes where unmeasured is 0 W, of measuring ones where it is an answer; the catalogue last."""
    zero = zero_plan(DAILY, TYPICAL, prior).appliances
    answer = answer_plan(DAILY, TYPICAL, prior).appliances
    factors = PRIORS[prior]

    if factors is None:
        assert (zero[0].typical_mean, zero[0].typical_high) == (17.9, 45)
        assert (answer[0].typical_mean, answer[0].typical_high) == (None, None)
    mean, high = factors or (1.0, 1.0)
    assert (answer[1].typical_mean, answer[1].typical_high) == (min(10 * mean, 50 * high), 50 * high)
    assert (zero[1].typical_mean, zero[1].typical_high) == (0.6 * min(10 * mean, 50 * high), 50 * high)


def test_hourly_catalogue_sees_it_run():
    """A high of an hour is at most what the appliance is rated for."""
    high = zero_plan(HOURLY, TYPICAL, CATALOGUE).appliances[0].typical_high

    assert high == 24 * 45


@pytest.mark.parametrize("kind, window", [(DAILY, 3), (HOURLY, 72)])
def test_all_plans_protect_alike(kind, window):
    """ε 1 an appliance in any three days, whatever the slot, and no more for the paper's."""
    plan = paper_plan(kind, TYPICAL, "right")
    asked = answer_plan(kind, TYPICAL, "right")

    assert (plan.window, plan.epsilon, plan.unmeasured) == (window, 2 * MICRO, "zero")
    assert (asked.window, asked.epsilon, asked.unmeasured) == (window, 2 * MICRO, "answer")
    assert promise(plan).appliance_dearest <= MICRO
    assert plan.appliances[0].edges[-1] == 60.0
