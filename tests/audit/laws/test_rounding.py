"""Claim C1: rounded probabilities never cost more than claimed."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from hushwatt.audit.laws.rounding import audit_rounding, budgets, rounding_audit_of, worst_answer
from hushwatt.plan.presets import preset
from hushwatt.privacy.laws import LAWS, RESOLUTION

STEP = Fraction(1, RESOLUTION)


@pytest.mark.parametrize("oracle", LAWS)
def test_no_budget_costs_more(oracle):
    """Hundreds of budgets from 10⁻⁸ to 40, each within e^x."""

    assert audit_rounding(oracle, LAWS[oracle], budgets(400)).passed


@pytest.mark.parametrize("oracle", LAWS)
def test_rounding_the_other_way_is_found(oracle):
    """One step of 2⁻⁶⁴ in the wrong direction costs more than e^x for most budgets."""

    def careless(budget, levels):
        law: Any = LAWS[oracle](budget, levels)
        back = levels - 1 if oracle == "grr" else int(oracle == "sue")
        return replace(law, rise=law.rise - STEP, hold=law.hold + back * STEP)

    finding = audit_rounding(oracle, careless, budgets(400))

    assert not finding.passed
    assert finding.numbers["wrong"] > 300


def test_chances_off_the_grid_are_found():
    """A chance that no 64-bit draw can hit is not the sampler's."""

    def fine(budget, levels):
        law: Any = LAWS["oue"](budget, levels)
        return replace(law, rise=law.rise + STEP / 3)

    assert not audit_rounding("oue", fine, budgets(50)).passed


@pytest.mark.parametrize("oracle", LAWS)
@pytest.mark.parametrize("levels", [2, 3, 4])
def test_worst_answer_is_the_declared_ratio(oracle, levels):
    """A law's likelihood ratio is the worst over every answer and every two levels."""
    law = LAWS[oracle](Fraction(7, 10), levels)

    assert worst_answer(law) == law.likelihood_ratio


def test_budgets_are_many_and_different():
    """As many different budgets as were asked for, tiny and large."""
    found = budgets(10_000)

    assert len(set(found)) == 10_000
    assert min(found) < Fraction(1, 10**7)
    assert max(found) > 30


def test_preset():
    """The paper's preset at a thousand parts of its ε."""

    assert rounding_audit_of(preset("paper"))().passed
