"""Claim C5: the samplers draw from the laws they declare."""

import numpy as np
import pytest

from hushwatt.audit.laws.sampler import _finding, audit_dither, audit_sampler, cell_counts, sampler_audit_of
from hushwatt.audit.planted import biased_sampler
from hushwatt.household.report.randomise import randomise
from hushwatt.household.report.report import BATCH_HOMES, levels_of
from hushwatt.plan.presets import preset
from hushwatt.privacy.entropy import Simulation
from hushwatt.privacy.laws import LAWS, law_for
from hushwatt.wire.payload import Layout

ROWS = 500_000


@pytest.mark.parametrize("oracle", LAWS)
@pytest.mark.parametrize("budget", [500_000, 1_000_000])
def test_follows_its_law(oracle, budget):
    """Payloads fit the declared law and refuse one 2 % off."""

    assert audit_sampler(randomise, oracle, budget, ROWS).passed


@pytest.mark.parametrize("oracle", ["oue", "sue"])
def test_a_second_chance_is_found(oracle):
    """A true bit that gets a second chance to be 1 is found out."""

    assert not audit_sampler(biased_sampler, oracle, 1_000_000, 50_000).passed


@pytest.mark.parametrize("oracle", LAWS)
def test_a_slightly_larger_budget_is_found(oracle):
    """A sampler that draws with 5 % more than it was paid is found out."""

    def greedy(layout, levels, members, drawn, entropy):
        return randomise(layout, levels, members, drawn * 105 // 100, entropy)

    assert not audit_sampler(greedy, oracle, 1_000_000, ROWS).passed


def test_bits_that_lean_on_each_other_are_found():
    """Right chances for every bit are not enough: bits drawn together are found out."""

    def together(layout, levels, members, drawn, entropy):
        rows = randomise(layout, levels, members, drawn, entropy)
        noise = randomise(layout, levels[:1], members, drawn, entropy)
        same = entropy.words(len(rows)) % 50 == 0
        return np.where(same[:, None], noise, rows)

    assert not audit_sampler(together, "oue", 1_000_000, ROWS).passed


@pytest.mark.parametrize("place", range(3))
def test_one_count_that_does_not_fit_is_enough(place):
    """The answer is no wherever it is among the counts, and when all fit but what they make up does not."""
    cells = [(int(chance * 10**7), 10**7, chance) for chance in (0.5, 0.25, 0.1)]
    hits, trials, chance = cells[place]
    off = [*cells[:place], (hits * 101 // 100, trials, chance), *cells[place + 1 :]]

    assert _finding("x", cells, 0.0).passed
    assert not _finding("x", off, 0.0).passed
    assert not _finding("x", cells, 7.0).passed


def test_dither():
    """Readings between two values go up as often as they should."""

    assert audit_dither(ROWS).passed


def test_preset():
    """The paper's preset is looked at with its own largest budget."""

    assert sampler_audit_of(preset("paper"))().passed


def test_cells_by_hand():
    """Answers 0, 1 and 2 of a direct law, and bits 01, 10 and 11 of a unary one, as counts."""
    direct, unary = law_for("grr", 1_000_000, 1, 3), law_for("sue", 1_000_000, 1, 2)

    straight = list(cell_counts(direct, Layout("grr", (3,), 1), np.array([7, 2, 1, 0]), level=0))
    bits = list(cell_counts(unary, Layout("sue", (2,), 1), np.array([0, 4, 5, 1]), level=0))

    assert [cell[:2] for cell in straight] == [(7, 10), (3, 10)]
    assert straight[1][2] == pytest.approx(2 * float(direct.rise))
    assert [cell[:2] for cell in bits] == [(5, 10), (6, 10)]


def test_dither_coins_are_fresh(plan_of):
    """No coin that rounds a reading comes again, in the next slot or for the next block of homes."""
    plan = plan_of(3, mapping="dither")
    watts = np.full((2 * BATCH_HOMES, 1), 150.0)  # half-way between two values
    first, again = (levels_of(plan, slot, watts, Simulation(5, "coins"))[:, 0] for slot in (0, 1))

    assert 0.48 < (first == again).mean() < 0.52
    assert 0.48 < (first[:BATCH_HOMES] == first[BATCH_HOMES:]).mean() < 0.52
    assert 0.48 < (first == first.min()).mean() < 0.52
