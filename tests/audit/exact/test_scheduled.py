"""Losses of mechanisms that send all they draw."""

from fractions import Fraction

import pytest

from hushwatt.audit.exact.scheduled import Losses, open_losses, worst_ratio
from hushwatt.audit.exponent import at_most, loss
from hushwatt.audit.miniature import Mechanism, Shape, small_plan
from hushwatt.privacy.laws import LAWS, law_for


def losses(method, oracle="grr", decision=None, widths=(2, 3), asked=2, window=2, slots=4, mapping="range"):
    mechanism = Mechanism(method, decision, oracle, mapping, asked < len(widths))
    return open_losses(small_plan(mechanism, Shape(widths, window, slots), 1_000_000, asked), slots)


@pytest.mark.parametrize("oracle", LAWS)
@pytest.mark.parametrize("levels", [2, 3])
def test_one_answer_is_the_law(oracle, levels):
    """One answer tells exactly as much as its law says."""
    law = law_for(oracle, 700_000, 2, levels)

    assert worst_ratio(oracle, (700_000,), 2, levels, "range") == law.likelihood_ratio


@pytest.mark.parametrize("oracle", LAWS)
def test_two_answers_multiply(oracle):
    """A probe and a publication in one slot tell as much as both."""
    parts = [law_for(oracle, amount, 1, 2).likelihood_ratio for amount in (300_000, 500_000)]

    assert worst_ratio(oracle, (300_000, 500_000), 1, 2, "range") == parts[0] * parts[1]


@pytest.mark.parametrize("oracle", LAWS)
def test_dithering_tells_no_more(oracle):
    """A mixture of two levels is told apart no better than the levels themselves."""

    assert losses("lbu", oracle, mapping="dither") == losses("lbu", oracle)


@pytest.mark.parametrize("method, decision", [("lbu", None), ("lsp", None), ("lpu", None), ("lba", "provider")])
def test_spends_all_and_no_more(method, decision):
    """A window can tell nearly all of ε about the home, half of it about one of two appliances."""
    told = losses(method, decision=decision)

    assert at_most(told.home, Fraction(1))
    assert at_most(told.appliance, Fraction(1, 2))
    assert loss(told.home) == pytest.approx(1, abs=1e-9)
    assert loss(told.appliance) == pytest.approx(0.5, abs=1e-9)


def test_asking_one_concentrates():
    """Asking one appliance at a time gives it all of ε."""

    assert loss(losses("lpu", asked=1).appliance) == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("oracle", LAWS)
@pytest.mark.parametrize("mapping", ["range", "dither"])
def test_having_a_plug_stays_deniable(oracle, mapping):
    """Whole windows with and without a plug are at most ε apart, and the answer is no freebie."""
    mechanism = Mechanism("lbu", None, oracle, mapping, False)
    plan = small_plan(mechanism, Shape((2, 3), 2, 4, "answer"), 1_000_000, 2)
    told = open_losses(plan, 4)
    law = law_for(oracle, plan.epsilon // plan.window, 2, plan.widths[1])
    without, with_plug = ([law.chance(answer, level) for answer in law.answers()] for level in (3, 0))

    assert plan.widths == (3, 4)
    assert at_most(told.home, Fraction(1))
    assert at_most(told.appliance, Fraction(1, 2))
    assert loss(told.home) == pytest.approx(1, abs=1e-9)
    assert sum(without) == sum(with_plug) == 1
    apart = max(max(one / other, other / one) for one, other in zip(without, with_plug, strict=True))
    assert at_most(apart, Fraction(1, 4))


def test_worse_remembers_infinity():
    """An infinite ratio is never forgotten."""
    fine, broken = Losses(Fraction(2), Fraction(3)), Losses(None, Fraction(1))

    assert fine.worse(broken) == broken.worse(fine) == Losses(None, Fraction(3))
