"""Levels become answers by the law of their own appliance, whatever the report looks like."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binomtest

from hushwatt.household.report.levels import to_levels
from hushwatt.household.report.randomise import laws_of, randomise
from hushwatt.privacy.entropy import OperatingSystem, Simulation
from hushwatt.privacy.laws import debias, law_for
from hushwatt.wire.payload import Layout

DOUBT = 1e-9
HOMES = 400_000
WIDTHS = (2, 5, 3)
DRAWN = 2_000_000


def drawn(oracle, asked):
    """Tallies of many homes that all hold the last level of every appliance."""
    layout = Layout(oracle, WIDTHS, asked)
    order = np.arange(HOMES)[:, None] + np.arange(asked)
    members = np.sort(order % len(WIDTHS), axis=1).astype(np.uint16)
    levels = (np.array(WIDTHS, dtype=np.uint16) - 1)[members]
    stream = Simulation(7, "randomise").stream(oracle, asked)
    return layout, layout.tally(randomise(layout, levels, members if layout.partial else None, DRAWN, stream))


@pytest.mark.parametrize("oracle", ["oue", "sue", "grr"])
@pytest.mark.parametrize("asked", [1, 2, 3])
def test_every_cell_follows_the_law_of_its_appliance(oracle, asked):
    """For every appliance and level: accepts the chance of a budget shared by s, rejects one 10 % off."""
    layout, (reports, counts) = drawn(oracle, asked)

    for place, width in enumerate(WIDTHS):
        law = law_for(oracle, DRAWN, asked, width)
        for level in range(width):
            chance = law.hold if level == width - 1 else law.rise
            count = int(counts[layout.starts[place] + level])

            assert binomtest(count, int(reports[place]), float(chance)).pvalue > DOUBT
            wrong = float(chance * Fraction(90, 100))
            assert binomtest(count, int(reports[place]), wrong).pvalue < DOUBT


@pytest.mark.parametrize("oracle", ["oue", "sue", "grr"])
@pytest.mark.parametrize("asked", [1, 3])
def test_the_provider_finds_what_homes_hold(oracle, asked):
    """Undone with the same laws, the counts are the homes', within six standard errors."""
    layout, (reports, counts) = drawn(oracle, asked)

    for place, law in enumerate(laws_of(layout, DRAWN)):
        cells = counts[layout.starts[place] : layout.starts[place + 1]]
        off = debias(cells, reports[place], law) - [*[0] * (law.levels - 1), reports[place]]

        assert np.abs(off).max() < 6 * (reports[place] / 4) ** 0.5 / float(law.hold - law.rise)


@pytest.mark.parametrize("oracle", ["oue", "grr"])
@pytest.mark.parametrize("asked", [1, 3])
def test_one_home_draws_from_its_own_system(oracle, asked):
    """A single row with the system's words is a payload that the provider accepts."""
    layout = Layout(oracle, WIDTHS, asked)
    members = None if asked == 3 else np.array([[1]], dtype=np.uint16)

    row = randomise(layout, np.zeros((1, asked), dtype=np.uint16), members, DRAWN, OperatingSystem())

    assert layout.tally(row)[0].sum() == asked


def test_laws_of_share_the_budget_among_those_asked():
    """Two of three asked means half of the budget for each, at its own number of levels."""
    laws = laws_of(Layout("grr", WIDTHS, 2), DRAWN)

    assert laws == tuple(law_for("grr", 1_000_000, 1, width) for width in WIDTHS)


@pytest.mark.parametrize("oracle", ["oue", "sue", "grr"])
@pytest.mark.parametrize("mapping", ["range", "dither"])
def test_the_bytes_of_a_home_without_a_plug(plan_of, oracle, mapping):
    """As often as the law says, and no payload is more than e^ε times as likely as with a plug."""
    plan, homes = plan_of(3, oracle=oracle, mapping=mapping, epsilon=1_000_000, unmeasured="answer"), 200_000
    stream, law = Simulation(5, "plugs").stream(oracle), law_for(oracle, 1_000_000, 1, 4)
    seen = []
    for watts in (np.nan, 0.0, 250.0):
        levels = to_levels(plan, np.full((homes, 1), watts), stream)
        payloads = randomise(Layout.of(plan), levels, None, 1_000_000, stream)
        seen.append(np.bincount(payloads[:, 0], minlength=16))

    for counts, level in zip(seen, (3, 0, 2), strict=True):
        for answer in law.answers():
            payload = answer if isinstance(answer, int) else sum(bit << place for place, bit in enumerate(answer))
            chance = float(law.chance(answer, level))
            assert abs(counts[payload] - homes * chance) < 6 * (homes * chance) ** 0.5
    assert all(one <= np.e * other + 6 * one**0.5 + 6 * other**0.5 for one, other in zip(*seen[:2], strict=True))
