"""Homes that decide for themselves may not follow their levels so closely that means over time lean."""

from itertools import product

import numpy as np
import pytest

from hushwatt.errors import UsageError
from hushwatt.household.report.homes import enrol
from hushwatt.household.report.report import report
from hushwatt.plan.amounts import MICRO
from hushwatt.plan.presets import preset, presets
from hushwatt.privacy.entropy import Simulation
from hushwatt.privacy.laws import debias, law_for
from hushwatt.privacy.length_bias import (
    SHARPEST,
    above,
    differing,
    leaning,
    refuse_length_bias,
    sharpness,
)
from hushwatt.wire.payload import Layout

RARE = 0.1


@pytest.mark.parametrize("oracle, levels", [("grr", 2), ("grr", 4), ("oue", 2), ("oue", 3), ("sue", 3)])
@pytest.mark.parametrize("changed", [False, True])
def test_differences_by_enumeration(oracle, levels, changed):
    """The chances of every distance are those of all pairs of answers."""
    law = law_for(oracle, MICRO, 1, levels)
    found = np.zeros(levels + 1 if oracle != "grr" else 3)
    for one, other in product(law.answers(), repeat=2):
        apart = 2 * (one != other) if oracle == "grr" else sum(a != b for a, b in zip(one, other, strict=True))
        found[apart] += float(law.chance(one, 0) * law.chance(other, 1 if changed else 0))

    assert differing(law, changed) == pytest.approx(found)


def test_many_cells_are_as_good_as_normal():
    """Where cells are too many to add up one by one, the chance is nearly the same."""
    parts = [differing(law_for("oue", MICRO, 60, 10), False)] * 60
    exact = np.ones(1)
    for part in parts:
        exact = np.convolve(exact, part)
    more = [*parts, np.array([1.0] + [0.0] * 500)]  # that many cells that never differ

    assert above(290, more) == pytest.approx(float(exact[291:].sum()), abs=0.002)


@pytest.mark.parametrize("name", presets())
def test_presets_do_not_lean(name):
    """With fifteen appliances a probe hardly tells one change from noise."""
    assert sharpness(preset(name)) < 0.005
    assert leaning(preset(name)) is None


@pytest.mark.parametrize("method", ["lba", "lbd"])
@pytest.mark.parametrize("oracle", ["grr", "sue", "oue"])
def test_one_appliance_with_a_large_budget_is_refused(plan_of, method, oracle):
    """The line says what is wrong, and what to choose instead."""
    plan = plan_of(2, method=method, oracle=oracle, epsilon=10 * MICRO)

    with pytest.raises(UsageError, match=r"would lean .* choose lpu, lbu or lsp, or lower"):
        refuse_length_bias(plan)


def test_others_may_do_what_they_like(plan_of):
    """Slots that no home chooses cannot lean, and a small budget hides what changed."""
    for plan in (plan_of(2, epsilon=10 * MICRO), plan_of(2, method="lba", epsilon=MICRO)):
        refuse_length_bias(plan)

        assert sharpness(plan) <= SHARPEST


@pytest.mark.parametrize(
    "epsilon, low, high",
    [
        (10.0, 1.35, 1.65),  # what is refused counts a rare level half as often again
        (2.7, 0.98, 1.1),  # just blunt enough
    ],
)
def test_what_is_allowed_leans_by_little(plan_of, epsilon, low, high):
    """A level held in a tenth of the slots, in no order, through the homes' own code."""
    plan = plan_of(2, method="lba", oracle="grr", epsilon=int(epsilon * MICRO))

    assert (sharpness(plan) <= SHARPEST) == (epsilon < 3)
    assert low < counted(plan, homes=120_000, slots=40) / RARE < high


def counted(plan, homes, slots):
    """The estimated share of the rare level, over the second half of the slots."""
    source, random, layout = Simulation(1, "leaning"), np.random.default_rng(1), Layout.of(plan)
    fleet, shares = enrol(plan, homes, 0, source), []
    for slot in range(slots):
        levels = (random.random((homes, 1)) < RARE).astype(np.uint16)
        sent, found = report(fleet, slot, levels, source), 0.0
        for drawn in np.unique(sent.drawn):
            reports, counts = layout.tally(sent.payloads[sent.drawn == drawn])
            found += debias(counts, reports[0], law_for(plan.oracle, int(drawn), 1, 2))[1]
        shares.append(found / homes)
    return float(np.mean(shares[slots // 2 :]))
