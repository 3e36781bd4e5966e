"""What a deciding provider reckons with is right."""

from itertools import combinations

import numpy as np
import pytest

from hushwatt.fleet.provider_decisions import DecisionState, sample_silent_homes, shares
from hushwatt.household.report.homes import enrol
from hushwatt.household.report.report import pay_and_draw
from hushwatt.privacy.entropy import Simulation
from hushwatt.privacy.laws import law_for, noise
from hushwatt.provider.tally.tally import tally_rows

HOMES = 40_000
TRUE = ((0.5, 0.3, 0.2), (0.9, 0.1), (0.25, 0.25, 0.25, 0.25))


def levels(source):
    """Levels of three appliances, drawn so that the shares are known to the home."""
    columns = []
    for place, held in enumerate(TRUE):
        words = source.stream("truth", place).words(HOMES) * 2.0**-64
        columns.append(np.searchsorted(np.cumsum(held), words))
    return np.stack(columns, axis=1).astype(np.uint16)


@pytest.mark.parametrize("oracle", ["oue", "sue", "grr"])
@pytest.mark.parametrize("asked", [1, 2, 3])
def test_shares_are_unbiased(plan_of, oracle, asked):
    """The shares that a decision compares are those of the homes, whichever part of ε each answer got."""
    plan = plan_of(3, 2, 4, method="lba", decision="provider", oracle=oracle, appliances_per_report=asked, window=1)
    source = Simulation(5, f"{oracle} {asked}")
    truth, homes = levels(source), enrol(plan, HOMES, 0, source)
    everyone, drawn = np.arange(HOMES), plan.epsilon // 2
    payloads = pay_and_draw(homes, everyone, truth, np.full(HOMES, drawn), source, "probe")
    tally = tally_rows(homes.layout, payloads)
    found = np.split(shares(plan, tally, drawn), homes.layout.starts[1:-1])

    for place, (estimate, counts) in enumerate(
        zip(found, np.split(tally.counts, homes.layout.starts[1:-1]), strict=True)
    ):
        law, reports = law_for(oracle, drawn, asked, plan.widths[place]), int(tally.reports[place])
        held = np.bincount(truth[:, place], minlength=plan.widths[place]) / HOMES
        errors = np.sqrt(noise(counts, reports, law) / reports**2 + held * (1 - held) / reports)
        assert (np.abs(estimate - held) < 5 * errors).all()


def test_who_speaks_is_drawn_anew(plan_of):
    """Where all homes may speak again, another slot and another round pick others, all by chance."""
    plan = plan_of(3, 2, method="lpa", decision="provider", window=1)
    decided, source = DecisionState.start(plan, 1_000), Simulation(5, "pick")
    picked = [
        set(sample_silent_homes(plan, decided, slot, 100, source, purpose).tolist())
        for slot, purpose in ((0, "probers"), (1, "probers"), (2, "publishers"), (3, "publishers"))
    ]

    assert all(len(one) == 100 for one in picked)
    assert all(len(one & other) < 40 for one, other in combinations(picked, 2))
