"""Claims C1, C3 and C4: what a law costs, and how its tally is undone.

Everything here is counted in fractions, answer by answer; the series for e^x is the test's own.
"""

from fractions import Fraction
from itertools import permutations, product
from math import ceil, prod

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hushwatt.privacy.laws import LAWS, RESOLUTION, BitLaw, DirectLaw, debias, law_for, noise
from hushwatt.privacy.laws.law import exp_below

SCALE = 1 << 320
HUGE = 1_000_000_000  # ε = 1000, in millionths
ORACLES = sorted(LAWS)

budgets = st.integers(1, HUGE) | st.integers(1, 10_000_000) | st.integers(1, 100)
shared = st.integers(1, 40)


def exp_bounds(exponent):
    """e^x from below and from above, by its series in whole numbers."""
    halvings = max(0, int(exponent).bit_length())
    part = exponent / 2**halvings
    term, low, count = SCALE, SCALE, 0
    while term:
        count += 1
        term = term * part.numerator // (part.denominator * count)
        low += term
    high = low + 2 * count + 4  # each term was cut by less than 2, and so is the rest
    for _ in range(halvings):
        low, high = low * low // SCALE, high * high // SCALE + 1
    return Fraction(low, SCALE), Fraction(high, SCALE)


def budgets_over_the_scale(count):
    """Budgets from a millionth shared by 40 appliances up to ε = 1000 for one."""
    for place in range(count):
        yield int(10 ** (9 * place / (count - 1))), 1 + (7 * place) % 40


def says(answer, level):
    """Whether an answer speaks for a level: its bit is set, or it is that level."""
    return answer[level] if isinstance(answer, tuple) else int(answer == level)


def outcomes(law, truth):
    """Every way in which homes with these levels can answer: how likely, and the counts it adds up to."""
    for answers in product(law.answers(), repeat=len(truth)):
        chance = prod(
            (law.chance(answer, level) for answer, level in zip(answers, truth, strict=True)),
            start=Fraction(1),
        )
        yield chance, [sum(says(answer, level) for answer in answers) for level in range(law.levels)]


SHAPES = [  # laws of moderate budgets, and the true levels of a few homes
    pytest.param(law_for(oracle, drawn, 2, levels), truth, id=f"{oracle}-{drawn}-{levels}-{truth}")
    for oracle in ORACLES
    for drawn in (500_000, 4_000_000)
    for levels, truth in [(2, (0,)), (2, (0, 1)), (2, (1, 1, 1)), (3, (2, 0)), (3, (1, 1))]
]


class TestChances:
    """A law gives every answer a chance, and the chances are the whole of it."""

    @pytest.mark.parametrize("oracle", ORACLES)
    @settings(max_examples=60)
    @given(drawn=budgets, asked=shared, levels=st.integers(2, 5))
    @example(drawn=1, asked=40, levels=5)
    @example(drawn=HUGE, asked=1, levels=5)
    def test_sum_to_one(self, oracle, drawn, asked, levels):
        """Over all answers the chances sum to exactly 1, whichever level is true."""
        law = law_for(oracle, drawn, asked, levels)

        sums = {sum(law.chance(answer, level) for answer in law.answers()) for level in range(levels)}

        assert sums == {1}

    @pytest.mark.parametrize("oracle", ORACLES)
    @given(drawn=budgets, asked=shared, levels=st.integers(2, 300))
    @example(drawn=1, asked=40, levels=300)
    def test_fit_one_draw_of_64_bits(self, oracle, drawn, asked, levels):
        """Both chances are whole steps of 1/2⁶⁴, and the truth is always the likelier answer."""
        law = law_for(oracle, drawn, asked, levels)

        assert (law.hold * RESOLUTION).denominator == (law.rise * RESOLUTION).denominator == 1
        assert 0 < law.rise < law.hold < 1

    @pytest.mark.parametrize("oracle", ORACLES)
    @given(drawn=budgets, asked=shared, levels=st.integers(2, 5))
    def test_what_is_said_of_answers_is_what_they_do(self, oracle, drawn, asked, levels):
        """The chance of the plain truth and the expected number of wrong cells follow from the answers."""
        law, truth = law_for(oracle, drawn, asked, levels), 1
        cells = [[says(answer, level) for level in range(levels)] for answer in law.answers()]
        chances = [law.chance(answer, truth) for answer in law.answers()]
        plain = [int(level == truth) for level in range(levels)]
        wrong = [sum(a != b for a, b in zip(row, plain, strict=True)) for row in cells]

        assert law.truthful == sum(c for c, row in zip(chances, cells, strict=True) if row == plain)
        assert law.expected_difference == sum(c * w for c, w in zip(chances, wrong, strict=True))


class TestCost:
    """C1: no answer tells two levels apart by more than e^x, and the law says by how much it does."""

    @pytest.mark.parametrize("oracle", ORACLES)
    @settings(max_examples=60)
    @given(drawn=budgets, asked=shared, levels=st.integers(2, 5))
    @example(drawn=1, asked=40, levels=5)
    @example(drawn=HUGE, asked=1, levels=5)
    def test_likelihood_ratio_is_the_worst_of_all_answers(self, oracle, drawn, asked, levels):
        """The declared ratio is the largest over all answers and all pairs of levels."""
        law = law_for(oracle, drawn, asked, levels)

        worst = max(
            law.chance(answer, one) / law.chance(answer, other)
            for answer in law.answers()
            for one, other in permutations(range(levels), 2)
        )

        assert law.likelihood_ratio == worst

    @pytest.mark.parametrize("oracle", ORACLES)
    @pytest.mark.parametrize("levels", [2, 10])
    def test_never_dearer_than_declared(self, oracle, levels):
        """From a millionth among 40 appliances up to ε = 1000, the ratio is at most e^x.

        One step less for the smaller chance would break it: nothing is wasted either.
        """
        for drawn, asked in budgets_over_the_scale(2_000):
            law = law_for(oracle, drawn, asked, levels)
            low, high = exp_bounds(Fraction(drawn, 1_000_000 * asked))

            assert law.likelihood_ratio <= low
            if law.rise > Fraction(1, RESOLUTION):
                assert one_step_less(law, oracle).likelihood_ratio > high

    @pytest.mark.parametrize("oracle", ORACLES)
    @settings(max_examples=300)
    @given(drawn=budgets, asked=shared, levels=st.integers(2, 1_000))
    def test_never_dearer_than_declared_for_any_budget(self, oracle, drawn, asked, levels):
        """Whatever the budget, however it is shared, for any number of levels, the ratio is at most e^x."""
        law = law_for(oracle, drawn, asked, levels)

        low, _ = exp_bounds(Fraction(drawn, 1_000_000 * asked))

        assert law.likelihood_ratio <= low

    @given(drawn=budgets, asked=shared)
    @example(drawn=10**12, asked=1)
    def test_exponential_is_never_too_large(self, drawn, asked):
        """What stands in for e^x is below it, and by next to nothing."""
        exponent = Fraction(drawn, 1_000_000 * asked)
        low, high = exp_bounds(exponent) if drawn <= HUGE else (None, None)

        below = exp_below(exponent)

        if drawn <= HUGE:
            assert high * (1 - Fraction(2, 10**50)) <= below <= low
        assert below > 1

    def test_a_known_law(self):
        """At ε = 1 a bit rises with 1/(1+e) = 0.26894142136999512074884…, rounded up to 64 binary digits."""
        law = law_for("oue", 1_000_000, 1, 10)

        assert law.hold == Fraction(1, 2)
        assert law.rise == Fraction(ceil(Fraction("0.26894142136999512074884") * RESOLUTION), RESOLUTION)


def one_step_less(law, oracle):
    """The law with its smaller chance one step of 1/2⁶⁴ lower."""
    rise = law.rise - Fraction(1, RESOLUTION)
    if oracle == "grr":
        return DirectLaw(1 - (law.levels - 1) * rise, rise, law.levels)
    return BitLaw(1 - rise if oracle == "sue" else law.hold, rise, law.levels)


class TestUndoing:
    """C3 and C4: the debiased counts and their noise are right on average, over every possible answer."""

    @pytest.mark.parametrize("law, truth", SHAPES)
    def test_counts_are_unbiased(self, law, truth):
        """On average over all answers, the debiased count is the number of homes that hold the level."""
        mean = sum(float(chance) * debias(counts, len(truth), law) for chance, counts in outcomes(law, truth))

        assert mean == pytest.approx([truth.count(level) for level in range(law.levels)], abs=1e-12)

    @pytest.mark.parametrize("law, truth", SHAPES)
    def test_counts_with_another_chance_are_not(self, law, truth):
        """Undone with a rise 2 % off, the counts are off: the test above can fail."""
        wrong = BitLaw(law.hold, law.rise * Fraction(102, 100), law.levels)

        mean = sum(float(chance) * debias(counts, len(truth), wrong) for chance, counts in outcomes(law, truth))

        assert np.abs(np.array([truth.count(level) for level in range(law.levels)]) - mean).max() > 1e-3

    @pytest.mark.parametrize("law, truth", SHAPES)
    def test_noise_is_the_variance(self, law, truth):
        """On average over all answers, the stated noise is the variance of the debiased count."""
        held = np.array([truth.count(level) for level in range(law.levels)])
        pairs = [(float(chance), counts) for chance, counts in outcomes(law, truth)]

        stated = sum(chance * noise(counts, len(truth), law) for chance, counts in pairs)
        exact = sum(chance * (debias(counts, len(truth), law) - held) ** 2 for chance, counts in pairs)

        assert stated == pytest.approx(exact, rel=1e-9)

    @pytest.mark.parametrize("oracle", ORACLES)
    @settings(max_examples=50)
    @given(drawn=st.integers(10_000, 10_000_000), levels=st.integers(2, 20), reports=st.integers(0, 1_000))
    def test_noise_is_never_negative(self, oracle, drawn, levels, reports):
        """Whatever the counts, a variance is no less than 0."""
        law = law_for(oracle, drawn, 1, levels)

        assert noise(np.arange(reports + 1), reports, law).min() >= 0

    @pytest.mark.parametrize("law, truth", SHAPES)
    def test_correlated_says_whether_counts_depend_on_each_other(self, law, truth):
        """Given the truth, two counts vary together exactly when the law says so."""
        pairs = list(outcomes(law, truth))
        first, second = (sum(chance * counts[level] for chance, counts in pairs) for level in (0, 1))

        together = sum(chance * (counts[0] - first) * (counts[1] - second) for chance, counts in pairs)

        assert law.correlated == (together != 0)
