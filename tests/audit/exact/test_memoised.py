"""Memoised answers: the quick road agrees with the plain one, constants are capped, changes are not."""

from fractions import Fraction
from itertools import product
from math import log

import numpy as np
import pytest

from hushwatt.audit.exact.memoised import (
    lifetime_ratios,
    memoised_home,
    noise_of_constant,
    noise_without,
)
from hushwatt.audit.exponent import at_most, loss
from hushwatt.privacy.laws import RESOLUTION

PERMANENT = 2_000_000
FRESH = (200_000, 666_666, 2_000_000)


def table(home, stream, answers):
    """How often each answer was given at each level."""
    pairs = list(zip(stream, answers, strict=True))
    return tuple(tuple(pairs.count((level, answer)) for answer in range(home.levels)) for level in range(home.levels))


@pytest.mark.parametrize("levels, reports", [(2, 5), (3, 3)])
@pytest.mark.parametrize("fresh", FRESH)
def test_counts_agree_with_every_memory(levels, reports, fresh):
    """Every stream and transcript: the chance by counts is the chance over all permanent answers, to the last bit."""
    home = memoised_home(PERMANENT, fresh, levels)
    whole = RESOLUTION ** (levels + reports)

    for stream in product(range(levels), repeat=reports):
        chances = [home.chance(stream, answers) for answers in product(range(levels), repeat=reports)]
        weights = [
            Fraction(home.weight_of(table(home, stream, answers)), whole)
            for answers in product(range(levels), repeat=reports)
        ]
        assert weights == chances
        assert sum(chances) == 1


@pytest.mark.parametrize("levels, reports", [(2, 5), (3, 3)])
def test_worst_ratio_is_that_of_all_pairs(levels, reports):
    """No pair of streams and no transcript is worse than what the counts say, and one is as bad."""
    home = memoised_home(PERMANENT, 666_666, levels)
    streams = list(product(range(levels), repeat=reports))
    laws = {stream: [home.chance(stream, answers) for answers in streams] for stream in streams}
    found = lifetime_ratios(home, reports)

    def worst(kind):
        return max(a / b for one, other in product(kind, kind) for a, b in zip(laws[one], laws[other], strict=True))

    assert worst(streams) == found.changing
    assert worst([(level,) * reports for level in range(levels)]) == found.constant


@pytest.mark.parametrize("levels, reports", [(2, 12), (3, 8)])
@pytest.mark.parametrize("fresh", FRESH)
def test_constants_are_capped(levels, reports, fresh):
    """However many reports, two homes that never change are told apart by at most e^ε∞."""
    found = lifetime_ratios(memoised_home(PERMANENT, fresh, levels), reports)

    assert at_most(found.constant, Fraction(2))


@pytest.mark.parametrize("levels, rounds", [(2, (2, 4, 8, 16)), (3, (1, 2, 3))])
@pytest.mark.parametrize("fresh", FRESH)
def test_changes_have_no_cap(levels, rounds, fresh):
    """A home that goes through its levels again and again shows (1 − 1/d)·ε₁ a report, less a constant."""
    home = memoised_home(PERMANENT, fresh, levels)
    given_away = levels * log(1 / home.permanent.hold)

    for each in rounds:
        reports = levels * each
        least = (1 - 1 / levels) * reports * fresh / 1e6 - given_away

        assert least - 1e-6 <= loss(lifetime_ratios(home, reports).changing) <= reports * fresh / 1e6


def test_changes_pass_every_bound_of_constants():
    """Beyond d·ε∞ as well, which is not a bound for streams that change."""
    found = lifetime_ratios(memoised_home(PERMANENT, 666_666, 2), 16)

    assert not at_most(found.changing, Fraction(2 * 2))


@pytest.mark.parametrize("levels", [2, 3])
def test_noise_is_that_of_drawn_homes(levels):
    """The stated variances are those of 40,000 drawn homes, within 3 %; half the reports would be noticed."""
    home, reports, homes = memoised_home(PERMANENT, 666_666, levels), 10, 40_000
    random = np.random.default_rng(5)
    truth = random.integers(0, levels, homes)

    def answer(law, level):
        other = (level + random.integers(1, levels, level.shape)) % levels
        return np.where(random.random(level.shape) < float(law.hold), level, other)

    for kept, slope, stated in (
        (answer(home.permanent, truth), home.permanent.hold - home.permanent.rise, noise_of_constant(home, reports)),
        (truth, 1, noise_without(home.fresh, reports)),
    ):
        said = np.stack([answer(home.fresh, kept) == 0 for _ in range(reports)]).mean(axis=0)
        by_level = [np.var(said[truth == level]) for level in range(levels)]
        seen = np.mean(by_level) / float(slope * (home.fresh.hold - home.fresh.rise)) ** 2

        assert seen == pytest.approx(stated, rel=0.03)
        assert stated != pytest.approx(noise_without(home.fresh, 2 * reports), rel=0.05)


def test_the_permanent_noise_stays():
    """With ever more reports, what is left is the noise of one single report drawn with ε∞."""
    home = memoised_home(PERMANENT, 666_666, 2)

    assert noise_of_constant(home, 10**9) == pytest.approx(noise_without(home.permanent, 1))
    assert (noise_of_constant(home, 10) / noise_without(home.fresh, 10)) ** 0.5 == pytest.approx(1.6, abs=0.005)
