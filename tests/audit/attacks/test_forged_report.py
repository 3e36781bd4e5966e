"""Claim C19: one forged report moves little, and no honest one is refused."""

from fractions import Fraction

import pytest

from hushwatt.audit.attacks import forged_report
from hushwatt.audit.attacks.forged_report import (
    PROMISED,
    audit_band,
    audit_forged,
    audit_honest,
    audit_influence,
    budgets,
    ones_of,
    refused,
)
from hushwatt.plan.presets import preset, presets
from hushwatt.privacy.band import band
from hushwatt.privacy.influence import report_influence
from hushwatt.privacy.laws import law_for


@pytest.mark.parametrize("asked", [1, 2, 4])
@pytest.mark.parametrize("oracle", ["oue", "sue"])
def test_honest_reports_are_hardly_ever_refused(oracle, asked):
    """At every budget of every method, less than once in 10⁹, as fractions."""

    assert audit_band(oracle, asked).passed


def test_a_tighter_band_is_found(monkeypatch):
    """A band that refuses one honest report in a million is seen."""
    monkeypatch.setattr(forged_report, "band", lambda *case: (band(*case)[0] + 4, band(*case)[1]))

    assert not audit_band("sue", 4).passed


@pytest.mark.parametrize("asked", [1, 4])
@pytest.mark.parametrize("oracle", ["oue", "sue", "grr"])
def test_the_inbox_takes_honest_reports(oracle, asked):
    """Tens of thousands of honest reports, about all appliances or one, are all taken."""

    assert audit_honest(oracle, asked, 20_000).passed


@pytest.mark.parametrize("name", presets())
def test_influence(name):
    """What a plan says of one report's influence is what one report can do, at the smallest budget too."""

    assert audit_influence(preset(name)).passed
    assert audit_forged(preset(name)).passed


def test_an_understated_influence_is_found(monkeypatch):
    """The influence of the largest budget is not that of the smallest."""
    told = 0.5 * report_influence(preset("paper"))
    monkeypatch.setattr(forged_report, "report_influence", lambda plan: min(told, 19.0))

    assert not audit_influence(preset("paper")).passed


def test_numbers_of_ones():
    """One bit by p and one by q: four ways, three numbers of ones."""
    law = law_for("sue", 1_000_000, 1, 2)
    p, q = law.hold, law.rise

    assert ones_of((law,)) == ((1 - p) * (1 - q), p * (1 - q) + (1 - p) * q, p * q)
    assert sum(ones_of((law, law))) == 1
    assert Fraction(0) <= refused("oue", 12_000_000, (10, 10)) < PROMISED


def test_every_method_s_budgets():
    """Saved up shares and halves of what is left are among the budgets."""

    assert 166_666 in budgets(4)  # one share of LBA at ε = 1, w = 3
    assert 3 * 166_666 in budgets(4)
    assert 250_000 in budgets(4)  # LBD
    assert 250_000 not in budgets(1)
