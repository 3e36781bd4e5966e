"""The plans that homes forge in are of all kinds."""

from hushwatt.audit.attacks.plans_to_forge import METHODS, measuring_plan, random_plan
from hushwatt.privacy.tails import is_real


def test_every_method_and_oracle_is_among_them():
    """A hundred plans, each the same whenever it is asked for."""
    plans = [random_plan(seed)[0] for seed in range(100)]

    assert {(plan.method, plan.decision) for plan in plans} == set(METHODS)
    assert {plan.oracle for plan in plans} == {"grr", "oue", "sue"}
    assert {plan.appliances_per_report < len(plan.appliances) for plan in plans} == {True, False}
    assert plans[7] == random_plan(7)[0]


def test_means_that_are_no_plain_sums_are_among_them():
    """Who measures is asked, or real watts are known, or both; with a middle level and without."""
    plans = [measuring_plan(seed)[0] for seed in range(60)]
    kinds = {(plan.answers_unmeasured, is_real(plan, 0)) for plan in plans}

    assert kinds == {(True, False), (False, True), (True, True)}
    assert {plan.appliances[0].levels for plan in plans if is_real(plan, 0)} == {2, 3}
    assert {plan.oracle for plan in plans} == {"grr", "oue", "sue"}
