"""Claim C2: no window spends more than was promised for it."""

from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest

from hushwatt.audit.exact.schedules import Draw
from hushwatt.audit.miniature import Mechanism, Shape, deciders, small_plan
from hushwatt.audit.planted import AbsorbOneMore, Redrawn
from hushwatt.audit.spending import budget
from hushwatt.audit.spending.budget import (
    audit_appliances,
    audit_plan,
    audit_strategy,
    dearest_appliance,
    dearest_ever,
    dearest_within,
)
from hushwatt.plan.presets import preset, presets
from hushwatt.privacy.strategies import STRATEGIES, Absorb, Distribute


def tried(first, window, slots):
    """The dearest window by trying every sequence of wishes."""
    worst = 0
    for wishes in product((False, True), repeat=slots):
        state, costs = first, []
        for wish in wishes:
            publish = wish and state.offer() > 0
            costs.append(state.probe + state.offer() * publish)
            state = state.after(publish)
        worst = max(worst, *(sum(costs[i : i + window]) for i in range(slots - window + 1)))
    return worst


@pytest.mark.parametrize("kind", dict.fromkeys(STRATEGIES.values()))
@pytest.mark.parametrize("window", [2, 3, 4])
def test_search_is_trying_everything(kind, window):
    """Searching states finds what trying all sequences finds."""
    first = kind.start(1_000_003, window)

    assert dearest_within(first, window, 9) == tried(first, window, 9) <= 1_000_003


def test_ever_is_no_less():
    """What any number of slots can cost is known where the states can be searched, and is no less."""
    first = Absorb.start(1_000_003, 4)

    assert dearest_ever(first, 4) == dearest_within(first, 4, 12) == 1_000_000
    assert dearest_ever(Distribute.start(1_000_003, 8), 8) == 0


@pytest.mark.parametrize("dear", [0, 5, -1])
def test_one_dear_schedule_is_enough(monkeypatch, dear):
    """Wherever it comes among all turns, orders and decisions, it is told, and all of them are counted."""
    cases = int(audit_appliances("lpu", None, longest=5).numbers["cases"])
    costs = [Fraction(1)] * cases
    costs[dear] = Fraction(10**9)
    left = iter(costs)
    monkeypatch.setattr(budget, "dearest_appliance", lambda plan, schedule: next(left))
    found = audit_appliances("lpu", None, longest=5)

    assert not found.passed
    assert found.cases == cases
    assert next(left, None) is None


def test_lbd_by_hand():
    """LBD at ε=80, w=2: two probes of 20, an offer of 20 and one of 10."""

    assert dearest_within(Distribute.start(80, 2), window=2, slots=3) == 70


@pytest.mark.parametrize("name", ["lbu", "lsp", "lbd", "lba"])
def test_no_strategy_overspends(name):
    """All decisions to 10 slots, windows up to 8, awkward amounts: at most ε."""

    assert audit_strategy(name, STRATEGIES[name].start, slots=10).passed


@pytest.mark.parametrize(
    "start, dearest", [(AbsorbOneMore.start, 1.5), (Redrawn.start, 2.0)], ids=["lba + 1", "lsp redrawn"]
)
def test_overspending_is_found(start, dearest):
    """The authors' LBA and a redrawn LSP spend more than ε, and the search says how much."""
    finding = audit_strategy("planted", start, slots=8)

    assert not finding.passed
    assert finding.numbers["reached"] == pytest.approx(dearest, abs=1e-6)


@pytest.mark.parametrize("method, decision", [m for m in deciders() if m[1] != "household"])
def test_no_appliance_overspends(method, decision):
    """All turns, orders and decisions: no appliance exceeds its part, nor its cap."""

    assert audit_appliances(method, decision, longest=4).passed


def test_appliance_by_hand():
    """An appliance asked in two of three slots of a window, one of two at a time, spends both halves."""
    mechanism = Mechanism("lbu", None, "oue", "range", True)
    plan = small_plan(mechanism, Shape((2, 2, 2), 3, 3), 900, asked=2)
    schedule = ((Draw(300, (0, 1)),), (Draw(300, (0, 2)),), (Draw(300, (1, 2)),))

    assert dearest_appliance(plan, schedule) == Fraction(300)


@pytest.mark.parametrize("name", presets())
def test_presets(name):
    """The presets' dearest windows keep both promises."""

    assert audit_plan(preset(name)).passed


def test_plan_with_a_cap():
    """A cap below what ε would give is kept."""
    finding = audit_plan(replace(preset("paper"), appliance_epsilon=100_000))

    assert finding.passed
    assert 0.9 < finding.numbers["appliance"] <= 1
    assert finding.numbers["home"] < 0.2
