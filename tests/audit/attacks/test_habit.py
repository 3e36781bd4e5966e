"""Claim C15: habits are not protected for ever, and what is found out is said for every plan."""

from math import comb

import numpy as np
import pytest

from hushwatt.audit.attacks import habit
from hushwatt.audit.attacks.habit import GuessingRate, attack_habit, audit_habit, drawn_answers
from hushwatt.errors import UsageError
from hushwatt.household.report import randomise
from hushwatt.plan.amounts import MICRO
from hushwatt.plan.presets import preset
from hushwatt.privacy.kernels import answer_levels
from hushwatt.privacy.laws import law_for


def test_the_advised_plan():
    """71 % after 30 days and 90 % after 90, and that is what its law says."""
    plan = preset("advised")
    month, quarter = attack_habit(plan, (30, 90), homes=400)

    assert month.levels == pytest.approx(0.71, abs=0.02)
    assert quarter.levels == pytest.approx(0.90, abs=0.015)
    assert audit_habit(plan, (30, 90), homes=400).passed


def test_two_levels_by_the_binomial_law(plan_of):
    """With two levels the attacker is right when most of the answers are true, ties by halves."""
    plan = plan_of(2, method="lpu", oracle="grr", epsilon=MICRO // 2, window=3)
    hold = float(law_for("grr", MICRO // 2, 1, 2).hold)
    chances = [comb(9, k) * hold**k * (1 - hold) ** (9 - k) for k in range(10)]

    found = attack_habit(plan, (27,), homes=4_000)[0]

    assert found.levels == pytest.approx(sum(chances[5:]), abs=0.03)


@pytest.mark.parametrize(
    "method, oracle, asked",
    [("lbu", "oue", 3), ("lpu", "grr", 1), ("lsp", "sue", 2), ("lbd", "oue", 3), ("lba", "grr", 3)],
)
def test_any_plan(plan_of, method, oracle, asked):
    """Real bytes tell as much as as many answers by the law do, with turns, orders, repeats and decisions."""
    plan = plan_of(3, 4, 2, method=method, oracle=oracle, appliances_per_report=asked, epsilon=3 * MICRO)
    finding = audit_habit(plan, (5, 40), homes=300)

    assert finding.passed
    assert finding.numbers["told_after_5_days"] < finding.numbers["told_after_40_days"]


def test_a_leak_is_found(plan_of, monkeypatch):
    """Homes that answer with a twentieth more truth than their law allows tell more than is foreseen."""
    plan = plan_of(2, 2, 2, method="lpu", oracle="grr", epsilon=2 * MICRO)
    honest = answer_levels

    def leaking(levels, law, entropy):
        answers = honest(levels, law, entropy)
        answers[::20] = levels[::20]
        return answers

    monkeypatch.setattr(randomise, "answer_levels", leaking)

    assert not audit_habit(plan, (15, 45), homes=20_000).passed


@pytest.mark.parametrize("off", [-0.2, 0.2])
@pytest.mark.parametrize("when", range(3))
def test_every_day_is_compared(plan_of, monkeypatch, off, when):
    """More than is foreseen is a leak and less is a blunt attack, after whichever number of days."""
    levels = [0.5 + (off if place == when else 0.0) for place in range(3)]
    told = [GuessingRate(30 * (place + 1), level, 0.1, 0.5) for place, level in enumerate(levels)]
    monkeypatch.setattr(habit, "attack_habit", lambda *_: told)

    assert not audit_habit(plan_of(2), homes=1_000).passed
    told[when] = GuessingRate(30, 0.5, 0.1, 0.5)
    assert audit_habit(plan_of(2), homes=1_000).passed


def test_answers_by_the_law():
    """As many answers as were seen, most of them true."""
    law, random = law_for("grr", 2 * MICRO, 1, 3), np.random.default_rng(1)
    said = drawn_answers(law, np.full(4_000, 10), np.full(4_000, 2, np.uint16), random)

    assert (said.sum(axis=1) == 10).all()
    assert said[:, 2].mean() / 10 == pytest.approx(float(law.hold), abs=0.01)


def test_the_advised_and_the_papers_plan_are_audited():
    """Nobody has to guess which plan a figure is about."""
    named = [audit.args[0].name for audit in habit.habit_audits(quick=True)]  # type: ignore[attr-defined]

    assert named == [preset("advised").name, preset("paper").name]


def test_not_where_the_provider_decides(plan_of):
    """What homes send then depends on all of them."""
    with pytest.raises(UsageError, match="the provider decides"):
        attack_habit(plan_of(2, method="lpd", decision="provider"), (5,), 10)
