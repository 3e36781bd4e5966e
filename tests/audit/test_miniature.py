"""Miniatures cover every mechanism that a plan can name."""

from itertools import product

import pytest

from hushwatt.audit.miniature import SHAPES, Shape, deciders, mechanism_of, mechanisms, plans, shape_like
from hushwatt.errors import PlanError
from hushwatt.plan.choices import DECISIONS, MAPPINGS, METHODS, ORACLES
from hushwatt.plan.presets import preset


def test_every_mechanism_is_there():
    """What a plan accepts is gone through, and nothing else."""
    accepted = set()
    for mechanism in mechanisms():
        accepted.add((mechanism.method, mechanism.decision, mechanism.oracle, mechanism.mapping))

    possible = {choice for choice in product(METHODS, (None, *DECISIONS), ORACLES, MAPPINGS) if _can_be_named(*choice)}
    assert accepted == possible


def _can_be_named(method, decision, oracle, mapping):
    from hushwatt.audit.miniature import Mechanism, small_plan

    try:
        small_plan(Mechanism(method, decision, oracle, mapping, False), SHAPES[0], 1_000_000, 1)
    except PlanError:
        return False
    return True


@pytest.mark.parametrize("method, decision", deciders())
def test_partial_wherever_a_plan_may_be(method, decision):
    """Fewer appliances than all are asked in every mechanism but the household-decided ones."""
    partial = {m.partial for m in mechanisms() if (m.method, m.decision) == (method, decision)}

    assert partial == ({False} if decision == "household" else {False, True})


def test_partial_plans_ask_every_smaller_number():
    """A partial mechanism is tried with 1 to n − 1 appliances, with and without a cap."""
    mechanism = next(m for m in mechanisms() if m.partial)

    made = [
        (plan.appliances_per_report, plan.appliance_epsilon)
        for plan in plans(mechanism, Shape((2, 2, 2), 2, 4), 900_000)
    ]

    assert made == [(1, None), (1, 600_000), (2, None), (2, 600_000)]


def test_plan_cut_down():
    """The paper's plan keeps its choices and shrinks to what can be enumerated."""
    plan = preset("paper")

    assert (mechanism_of(plan).method, mechanism_of(plan).decision) == ("lba", "household")
    assert shape_like(plan) == Shape((2, 2), 2, 3)
