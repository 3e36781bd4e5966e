"""Claim C15: habits are not protected for ever, and what is printed of it is what real bytes tell."""

from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest

from hushwatt.audit.attacks import habit
from hushwatt.audit.attacks.habit import attack_habit, audit_habit, compared, habit_audits
from hushwatt.audit.attacks.habit_plans import ROWS, habit_plans
from hushwatt.errors import UsageError
from hushwatt.household.report import randomise
from hushwatt.plan.amounts import MICRO
from hushwatt.plan.appliance import Appliance
from hushwatt.plan.slot import SlotLength
from hushwatt.privacy.kernels import answer_levels
from hushwatt.privacy.long_run import long_run

PRINTED = import_module("hushwatt.privacy.long_run.long_run")
EXACT = [row for row in ROWS if row.method != "lba"]


@pytest.mark.parametrize("row", EXACT, ids=lambda row: row.plan().name)
def test_printed_is_measured(row):
    """After a month of real bytes, of every method, oracle, mapping and answer; what is owned and what is constant."""
    assert audit_habit(row.plan(), (30,), work=60_000).passed


@pytest.mark.parametrize("place", [1, 6, 12])
def test_printed_is_measured_after_years(place):
    """Five years of windows longer than the time, and of weekly slots."""
    assert audit_habit(ROWS[place].plan(), (1_825,), work=400_000).passed


@pytest.fixture
def plan():
    """Two appliances asked in turns: few answers, so one more or less shows."""
    hot = tuple(Appliance(f"appliance {each}", None, (0.0, 100.0, 300.0), typical_mean=120.0) for each in range(2))
    return replace(ROWS[0].plan(), appliances=hot, appliances_per_report=1, window=6, epsilon=MICRO)


@pytest.fixture
def fresh():
    """Nothing that a planted fault computed is remembered."""
    long_run.cache_clear()
    yield
    long_run.cache_clear()


WORK = 600_000


def test_the_plan_passes(plan, fresh):
    """Without a fault nothing is found."""
    assert audit_habit(plan, (30,), work=WORK).passed


@pytest.mark.parametrize("more", [1, -1])
def test_a_wrong_count_is_found(plan, fresh, monkeypatch, more):
    """Printed for one answer more or fewer, in the average, the figures are rejected."""
    honest = PRINTED.answers_in
    monkeypatch.setattr(
        PRINTED, "answers_in", lambda *of: {max(0, k + more): chance for k, chance in honest(*of).items()}
    )

    assert not audit_habit(plan, (30,), work=WORK).passed


@pytest.mark.parametrize("factor", [0.85, 1.15])
def test_a_wrong_law_is_found(plan, fresh, monkeypatch, factor):
    """Printed for a budget a little smaller or larger, the figures are rejected: too gloomy is as wrong as too rosy."""
    honest = PRINTED.law_for
    monkeypatch.setattr(PRINTED, "law_for", lambda oracle, drawn, *rest: honest(oracle, int(drawn * factor), *rest))

    assert not audit_habit(plan, (30,), work=WORK).passed


def test_a_leak_is_found(plan, fresh, monkeypatch):
    """Homes that answer with a twentieth more truth than their law allows tell more than is printed."""
    honest = answer_levels

    def leaking(levels, law, entropy):
        answers = honest(levels, law, entropy)
        answers[::20] = levels[::20]
        return answers

    monkeypatch.setattr(randomise, "answer_levels", leaking)

    assert not audit_habit(plan, (30, 90), work=WORK).passed


def test_repeats_that_are_drawn_anew_are_found(fresh, monkeypatch):
    """A home that draws more often than its plan lets it tells more than is printed."""
    daily = replace(ROWS[0].plan(), window=3, epsilon=2 * MICRO)
    rare = replace(daily, window=6)
    monkeypatch.setattr(habit, "long_run", lambda plan, days: long_run(rare, days))

    assert not audit_habit(daily, (30,), work=60_000).passed


@pytest.mark.parametrize("off", [-0.05, 0.05])
@pytest.mark.parametrize("kind", ["owned", "constant"])
def test_every_appliance_is_compared(plan, off, kind):
    """One appliance that is off by five points is found among others, below as well as above."""
    run = long_run(plan, 30)
    random = np.random.default_rng(5)
    printed = np.array([getattr(each, kind) for each in run.told.values()])
    as_printed = random.random((20_000, 2)) < printed
    shifted = random.random((20_000, 2)) < printed + np.array([0, off])

    assert compared(kind, as_printed, run).within
    assert not compared(kind, shifted, run).within
    bound = replace(run, at_most=True)
    assert compared(kind, shifted, bound).within == (off < 0)


def test_bounds_hold_where_homes_decide():
    """Measured may be less than printed there, never more."""
    for attacked in attack_habit(ROWS[-1].plan(), (30,), work=30_000):
        assert attacked.within
        assert attacked.told < attacked.printed


def test_who_measures_it_is_attacked(plan, fresh):
    """Homes without the appliance say that they do not measure it; printed for 0 W, the figures are rejected."""
    seldom = tuple(replace(each, typical_mean=20.0) for each in plan.appliances)
    asked = replace(plan, unmeasured="answer", appliances=seldom)
    kinds = [each.kind for each in attack_habit(asked, (30,), work=WORK)]
    honest = audit_habit(asked, (30,), work=WORK)

    assert kinds == ["owned", "measured", "constant"]
    assert honest.passed
    assert "homes that measure told right in" in honest.figure
    assert honest.numbers["measured_after_30_days"] > honest.numbers["owned_after_30_days"] + 0.02
    for rosy in long_run(asked, 30).told.values():
        object.__setattr__(rosy, "measured", rosy.owned)
    assert not audit_habit(asked, (30,), work=WORK).passed


def test_all_plans_are_audited():
    """The quick ones and the thorough ones are the same plans, with fewer and with more homes."""
    for quick, work in ((True, habit.QUICK_WORK), (False, habit.WORK)):
        audits = list(habit_audits(quick))
        assert [audit.args[0] for audit in audits] == habit_plans()  # type: ignore[attr-defined]
        assert {audit.keywords["work"] for audit in audits} == {work}  # type: ignore[attr-defined]


def test_a_short_plan_is_attacked_once(plan_of):
    """A plan that ends after a month has one span, not four."""
    short = plan_of(2, oracle="grr", expires=plan_of(2).start.replace(day=11))

    assert [each.kind for each in attack_habit(short, work=2_000)] == ["owned", "constant"]


def test_too_many_slots(plan_of, monkeypatch):
    """What would take for ever is left out; of very short slots at least as many days as can be are attacked."""
    plan = plan_of(2, oracle="grr", slot=SlotLength(12, "h"))
    monkeypatch.setattr(habit, "MOST_SLOTS", 70)

    assert [each.days for each in attack_habit(plan, (30, 90), 100)] == [30, 30]
    monkeypatch.setattr(habit, "MOST_SLOTS", 10)
    assert [each.days for each in attack_habit(plan, (30, 90), 100)] == [5, 5]


def test_not_where_the_provider_decides(plan_of):
    """What homes send then depends on all of them."""
    with pytest.raises(UsageError, match="the provider decides"):
        list(attack_habit(plan_of(2, method="lpd", decision="provider"), (5,), 10))
