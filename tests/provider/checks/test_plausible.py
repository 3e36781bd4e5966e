"""What honest homes send passes; what none of them can send does not."""

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from tests.provider.collecting import histories

from hushwatt.plan.plan import Plan
from hushwatt.privacy.band import DOUBT, band
from hushwatt.privacy.influence import report_influence, smallest_budget
from hushwatt.privacy.laws import debias, law_for
from hushwatt.privacy.strategies import strategy_for
from hushwatt.provider.checks.plausible import amounts_fit, payloads_fit
from hushwatt.wire.payload import Layout

KINDS: dict[str, dict[str, Any]] = {
    "lbu": {"method": "lbu", "oracle": "oue"},
    "lbu some": {"method": "lbu", "oracle": "sue", "appliances_per_report": 2},
    "lsp": {"method": "lsp", "oracle": "sue"},
    "lpu": {"method": "lpu", "oracle": "grr", "appliances_per_report": 2},
    "lpu all": {"method": "lpu", "oracle": "grr"},
    "lbd": {"method": "lbd", "oracle": "oue"},
    "lba": {"method": "lba", "oracle": "grr"},
}


def columns(sent):
    return np.full(len(sent.homes), sent.slot), sent.spent, sent.drawn


@pytest.mark.parametrize("window", [1, 3, 7])
@pytest.mark.parametrize("kind", KINDS)
def test_honest_homes_pass(kind, window, plan_of):
    """Whatever a home following the plan draws and spends is plausible."""
    plan = plan_of(3, 5, 2, window=window, **KINDS[kind])

    for sent in histories(plan, 200, 9):
        assert amounts_fit(plan, *columns(sent)).all()
        assert payloads_fit(Layout.of(plan), sent.drawn, sent.payloads).all()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("change", [(0, 1), (1, 0), (1, 1), (-1, 0), (0, -1)])
def test_other_amounts_do_not(kind, change, plan_of):
    """A millionth more or less, spent or drawn, is noticed: a tiny budget would weigh like thousands."""
    plan: Plan = plan_of(3, 5, 2, **KINDS[kind])
    sent = next(histories(plan, 20, 1))
    slot, spent, drawn = columns(sent)

    fit = amounts_fit(plan, slot, spent + change[0], drawn + change[1])

    assert not fit.any()


@pytest.mark.parametrize("method", ["lbd", "lba"])
def test_budgets_that_are_never_on_offer(method, plan_of):
    """One millionth, and the whole of ε, are not what a household-decided method draws with."""
    plan = plan_of(3, 5, 2, method=method)
    probe = plan.epsilon // (2 * plan.window)
    drawn = np.array([1, plan.epsilon, plan.epsilon // (4 * plan.window) - 2])

    assert not amounts_fit(plan, np.zeros(3, int), drawn + probe, drawn).any()


def test_levels_and_bits_beyond_the_last(plan_of):
    """A direct answer beyond the last level, appliances out of order, stray bits: all refused."""
    direct = Layout.of(plan_of(3, 5, 2, oracle="grr"))
    some = Layout.of(plan_of(3, 5, 2, oracle="grr", appliances_per_report=2))
    unary = Layout.of(plan_of(3, 5, 3, oracle="oue"))
    drawn = np.array([1_000_000])

    def fits(layout, *bits):
        row = np.zeros(8 * layout.size, np.uint8)
        row[list(bits)] = 1
        return bool(payloads_fit(layout, drawn, np.packbits(row, bitorder="little")[None, :])[0])

    assert fits(direct, 0, 3)
    assert not fits(direct, 0, 1)  # level 3 of 3
    assert not fits(direct, 7)  # padding
    assert fits(some, 5)  # appliances 0 and 1
    assert not fits(some)  # appliance 0 twice
    assert not fits(some, 0)  # 1 before 0
    assert fits(unary, 0, 3, 8)
    assert not fits(unary, 0, 3, 8, 11)  # padding


@pytest.mark.parametrize("oracle, drawn, asked, levels", [("oue", 9_000_000, 1, 12), ("sue", 30_000_000, 2, 10)])
def test_the_band_is_as_narrow_as_it_may_be(oracle, drawn, asked, levels):
    """By every answer there is: outside the band less than one in 10⁹, a step narrower more than that."""
    law = law_for(oracle, drawn, asked, levels)
    chances = [Fraction(0)] * (levels + 1)
    for bits in product((0, 1), repeat=levels):
        chance = Fraction(1)
        for place, bit in enumerate(bits):
            one = law.hold if place < asked else law.rise
            chance *= one if bit else 1 - one
        chances[sum(bits)] += chance
    low, high = band(oracle, drawn, asked, levels)

    assert sum(chances[:low]) + sum(chances[high + 1 :]) <= DOUBT
    assert sum(chances[: low + 1]) > DOUBT / 2
    assert sum(chances[high:]) > DOUBT / 2
    assert (low, high) != (0, levels)


def test_all_ones_and_all_zeros_are_no_chance(plan_of):
    """Somebody who answers yes to everything, to move a ranking, is refused."""
    plan = plan_of(*[10] * 15, oracle="oue", epsilon=10_000_000)
    layout = Layout.of(plan)
    drawn = np.full(2, plan.epsilon // plan.window)
    ones = np.zeros(8 * layout.size, np.uint8)
    ones[: plan.width] = 1

    rows = np.stack([np.packbits(ones, bitorder="little"), np.zeros(layout.size, np.uint8)])

    assert not payloads_fit(layout, drawn, rows).any()


@pytest.mark.parametrize("window", [1, 3, 7])
@pytest.mark.parametrize("kind", KINDS)
def test_the_smallest_budget_is_what_influence_is_told_for(kind, window, plan_of):
    """A forger finds no smaller budget that is accepted, so no report weighs more than the plan says."""
    plan = plan_of(3, 5, 2, window=window, **KINDS[kind])
    strategy = strategy_for(plan)
    drawn = np.arange(1, strategy.largest + 1, 7)
    drawn = np.union1d(drawn, np.arange(max(1, strategy.smallest - 50), strategy.smallest + 50))
    accepted = [
        int(amount)
        for spent in (drawn, drawn + strategy.probe, np.full(len(drawn), strategy.probe))
        for amount in drawn[amounts_fit(plan, np.zeros(len(drawn), int), spent, drawn)]
    ]

    assert min(accepted) == strategy.smallest
    laws = [law_for(plan.oracle, min(accepted), plan.appliances_per_report, width) for width in plan.widths]
    assert smallest_budget(plan) == min(accepted)
    assert report_influence(plan) * (1 + 1e-12) >= max(float(debias(1, 1, law)) for law in laws)


@pytest.mark.parametrize("method", ["lbd", "lba"])
def test_a_probe_that_was_not_paid_is_refused(method, plan_of):
    """A home that decides pays for looking in every slot, and says so: without the probe nothing fits."""
    plan = plan_of(3, 5, 2, method=method, window=3)
    probe = plan.epsilon // (2 * plan.window)
    drawn = np.array([2 * probe if method == "lba" else plan.epsilon // 4])
    slot = np.zeros(1, int)

    assert amounts_fit(plan, slot, drawn + probe, drawn).all()
    assert amounts_fit(plan, slot, np.array([probe]), drawn).all()
    assert not amounts_fit(plan, slot, drawn, drawn).any()
    assert not amounts_fit(plan, slot, np.zeros(1, int), drawn).any()


def test_every_report_has_its_own_band(plan_of):
    """Among reports of other budgets, or of other appliances, a forged one is still refused."""
    plan = plan_of(*[10] * 15, method="lba", epsilon=10_000_000)
    layout = Layout.of(plan)
    honest = [sent for sent in histories(plan, 40, 4) if len(set(sent.drawn.tolist())) > 1][-1]
    bits = np.zeros(8 * layout.size, np.uint8)
    bits[: plan.width] = 1
    forged = np.broadcast_to(np.packbits(bits, bitorder="little"), honest.payloads.shape)

    for place in range(len(honest.drawn)):
        rows = honest.payloads.copy()
        rows[place] = forged[place]
        fit = payloads_fit(layout, honest.drawn, rows)

        assert not fit[place]
        assert fit.sum() == len(fit) - 1


@pytest.mark.parametrize("oracle", ["oue", "sue"])
def test_a_bit_beyond_a_small_appliance_s_last_level(oracle, plan_of):
    """Where a report speaks of some appliances, a bit that only a larger one has is refused."""
    layout = Layout.of(plan_of(3, 5, 2, oracle=oracle, appliances_per_report=1))

    def fits(appliance, level):
        row = np.zeros(8 * layout.size, np.uint8)
        row[: layout.number_bits] = [appliance >> bit & 1 for bit in range(layout.number_bits)]
        row[layout.number_bits + level] = 1
        packed = np.packbits(row, bitorder="little")[None, :]
        return bool(payloads_fit(layout, np.array([1_000_000]), packed)[0])

    for appliance, width in enumerate(layout.widths):
        assert [fits(appliance, level) for level in range(5)] == [level < width for level in range(5)]
