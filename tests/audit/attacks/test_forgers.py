"""Claim C19: forging homes count for no more than is printed, and fewer than printed swap no ranks."""

import numpy as np
import pytest

from hushwatt.audit.attacks import forgers
from hushwatt.audit.attacks.forgers import (
    attacked,
    audit_forgers,
    collected,
    counts,
    forger_audits,
    furthest,
)
from hushwatt.audit.attacks.plans_to_forge import measuring_plan, random_plan
from hushwatt.provider.estimate import influence as printed_by
from hushwatt.provider.estimate.document import document, top_document


@pytest.mark.parametrize("seed", [0, 1, 2, 4, 6, 7, 9, 11, 12, 20, 26])
def test_no_home_counts_for_more_than_is_printed(seed):
    """Attackers at their worst, in plans of every method and oracle, with all appliances or some."""
    finding = audit_forgers(*random_plan(seed), seed=seed)

    assert finding.passed
    assert finding.reached > 0.6  # the attack is no weak one


@pytest.mark.parametrize("seed", range(12))
def test_no_home_counts_for_more_where_not_measured_is_an_answer(seed):
    """Nor by saying that it does not measure, nor by what the top is worth with its tail."""
    finding = audit_forgers(*measuring_plan(seed), seed=seed)

    assert finding.passed


def test_an_understated_influence_is_found(monkeypatch):
    """A home that is heard more often than its share is noticed when the share is what is printed."""
    monkeypatch.setattr(printed_by, "heaviest", lambda plan, slots, weights: 0.9 * weights.mean())

    assert not audit_forgers(*random_plan(7), seed=7).passed


def test_out_of_turn_counts_for_more(monkeypatch):
    """A home that speaks in every slot under lpu exceeds what is printed: turns have to be enforced."""
    plan, slots = random_plan(6)
    monkeypatch.setattr(forgers, "asked_in", lambda plan, *_: list(range(len(plan.appliances))))
    counted, printed = counts(collected(plan, slots, 6), 0)

    assert plan.method == "lpu"
    assert counted > 2 * printed


def test_enough_homes_do_swap():
    """Three times the printed number swap two neighbours, so the number is no empty one."""
    plan, slots = random_plan(10)
    honest = collected(plan, slots, 10)
    before = attacked(honest, {0: (0,)}, 1).estimates
    upper, lower = before.top[:2]
    wishes = furthest(honest, upper, rising=False) | furthest(honest, lower, rising=True)
    after = attacked(honest, wishes, int(3 * before.swap_homes[upper]) + 3).estimates

    assert after.by_period[lower].watts > after.by_period[upper].watts


def test_json_has_both():
    """The result says what a forging home counts as, and how many swap each pair of neighbours."""
    plan, slots = random_plan(6)
    found = attacked(collected(plan, slots, 6), {0: (0,)}, 1).estimates
    told, top = document(found), top_document(found, 2)

    assert told["influence"] == top["influence"] == found.influence
    assert "swap_homes" not in told["appliances"][found.top[-1]]
    assert all(np.isfinite(told["appliances"][name]["swap_homes"]) for name in found.top[:-1])


def test_the_long_run():
    """A hundred plans, and sixty with means among measuring homes or of real watts."""
    assert len(list(forger_audits())) == 100 + 60
