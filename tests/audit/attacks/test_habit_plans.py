"""The plans whose long run is attacked are of every kind."""

from hushwatt.audit.attacks.habit_plans import habit_plans
from hushwatt.plan.choices import MAPPINGS, ORACLES, UNMEASURED
from hushwatt.privacy.long_run import long_run
from hushwatt.privacy.long_run.answers import slots_in


def test_every_kind():
    """Every oracle, mapping, answer and way of speaking; windows longer than the time; all and few appliances."""
    plans = habit_plans()

    assert len({plan.id for plan in plans}) == len(plans) == 21
    assert {plan.oracle for plan in plans} == set(ORACLES)
    assert {plan.mapping for plan in plans} == set(MAPPINGS)
    assert {plan.unmeasured for plan in plans} == set(UNMEASURED)
    assert {"lbu", "lsp", "lpu", "lba"} <= {plan.method for plan in plans}
    assert sum(plan.appliances_per_report < len(plan.appliances) for plan in plans) >= 6
    assert sum(plan.window > slots_in(plan, 365) for plan in plans) >= 2
    assert sum(long_run(plan).at_most for plan in plans) == 2


def test_none_is_told_for_nothing():
    """Where the clock decides, some appliance's owner can be told, or the attack would show nothing."""
    for plan in habit_plans():
        told = long_run(plan, 1_825).told.values()
        assert long_run(plan).at_most or max(each.owned for each in told) > 0.52
