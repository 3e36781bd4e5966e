"""Claim C13: an attack on real bytes never shows more than ε."""

from dataclasses import replace

import pytest

from hushwatt.audit.attacks import empirical
from hushwatt.audit.attacks.empirical import (
    MECHANISMS,
    AttackTarget,
    allowed,
    audit_attacks,
    empirical_audits,
    shown_by_attack,
    targets,
)
from hushwatt.audit.miniature import Mechanism, Shape, small_plan
from hushwatt.household.report.homes import enrol
from hushwatt.household.report.randomise import randomise

AUDITS = list(empirical_audits(quick=True))


def plan(method="lpu", oracle="grr", asked=1, window=2, epsilon=2_000_000):
    mechanism = Mechanism(method, None, oracle, "range", asked < 3)
    return small_plan(mechanism, Shape((2, 4, 3), window, window), epsilon, asked)


@pytest.mark.parametrize("place", range(len(AUDITS)))
def test_attacks_stay_within_promise(place):
    """Four attacks on each of several plans show no more than was promised."""

    assert AUDITS[place]().passed


def test_strong_enough_to_notice():
    """The attack shows more than 0.8 ε, so a plan that spends a quarter more than it says is caught."""
    shown = shown_by_attack(plan(), targets(plan())[0], trials=60_000, doubt=0.01)

    assert 0.8 * 2 < shown <= 2


def test_a_household_that_overspends_is_caught(monkeypatch):
    """Payloads drawn with twice what was paid show more than ε."""

    def greedy(layout, levels, members, drawn, entropy):
        return randomise(layout, levels, members, 2 * drawn, entropy)

    monkeypatch.setattr(empirical, "enrol", lambda *homes: replace(enrol(*homes), randomiser=greedy))

    assert not audit_attacks(plan(), trials=20_000, doubt=0.01).passed


@pytest.mark.parametrize("succeeds", range(4))
def test_one_attack_that_succeeds_is_enough(monkeypatch, succeeds):
    """Whichever of the four shows more than was promised, the answer is no, and the figure is its own."""
    subject = plan()
    attacks = targets(subject)

    def shown(plan, target, trials, doubt):
        return allowed(plan, target) * (1.25 if target == attacks[succeeds] else 0.5)

    monkeypatch.setattr(empirical, "shown_by_attack", shown)
    found = audit_attacks(subject, trials=100, doubt=0.01)

    assert not found.passed
    assert found.reached == 1.25
    assert f"({attacks[succeeds]})" in found.figure


def test_what_is_allowed():
    """A home has ε; one appliance what the dearest window spends on it, which for one of three is all."""
    home, _, appliance, _ = targets(plan(asked=3))

    assert allowed(plan(asked=3), home) == 2
    assert allowed(plan(asked=3), appliance) == pytest.approx(2 / 3, abs=1e-5)
    assert allowed(plan(asked=1), appliance) == 2


def test_twenty_plans():
    """The full attack goes through twenty different plans, every method and oracle among them."""

    assert len(set(MECHANISMS)) == 20
    assert {row[0] for row in MECHANISMS} == {"lbu", "lsp", "lpu", "lbd", "lba", "lpd", "lpa"}
    assert {row[2] for row in MECHANISMS} == {"oue", "sue", "grr"}


def test_targets():
    """Home and appliance, window and slot."""
    names = [str(target) for target in targets(plan())]

    assert names == ["home, stream", "home, slot", "appliance, stream", "appliance, slot"]
    assert str(AttackTarget((0,), range(1))) == "appliance, slot"


def test_same_seed_same_figure():
    """An attack can be repeated."""
    subject = replace(plan(), name="again")

    one, again = (shown_by_attack(subject, targets(subject)[1], 4_000, 0.01) for _ in range(2))

    assert one == again
