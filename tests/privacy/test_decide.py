"""Claim C6: whether to publish is decided by what is released or public, and by nothing else."""

import inspect
from collections.abc import Iterable
from fractions import Fraction
from itertools import product
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hushwatt.privacy.decide import Look, change_threshold, expected_error, mean_variance, provider_publishes
from hushwatt.privacy.laws import LAWS, Law, debias, law_for

ORACLES = sorted(LAWS)

widths = st.lists(st.integers(2, 5), min_size=1, max_size=6)


class TestAtHome:
    """A home publishes when its probe differs from the kept one in more cells than chance explains."""

    @pytest.mark.parametrize("oracle", ORACLES)
    @settings(max_examples=60)
    @given(drawn=st.integers(1, 20_000_000), widths=widths)
    def test_patience_is_the_rule_dis_above_err(self, oracle, drawn, widths):
        """For every number of differing cells, `dis > err` in fractions says what patience says."""
        laws = [law_for(oracle, drawn, len(widths), width) for width in widths]
        err = sum(wrong_cells(law) for law in laws) / sum(widths)

        for differing in range(sum(widths) + 1):
            dis = Fraction(differing, sum(widths))

            assert (dis > err) == (differing > change_threshold(laws))

    @pytest.mark.parametrize("oracle", ORACLES)
    def test_expected_error_is_the_mean_over_all_answers(self, oracle):
        """`err` is what a fresh report is expected to get wrong, before it is drawn."""
        laws = [law_for(oracle, 1_000_000, 2, 3), law_for(oracle, 1_000_000, 2, 4)]

        assert expected_error(laws) == sum(wrong_cells(law) for law in laws)

    def test_the_paper_s_formulas(self):
        """Σ((1−p) + (d−1)q) for a bit per level, 2(1−p) for a direct answer."""
        unary, direct = law_for("oue", 1_000_000, 1, 10), law_for("grr", 1_000_000, 1, 10)

        assert expected_error([unary, unary]) == 2 * (Fraction(1, 2) + 9 * unary.rise)
        assert expected_error([direct]) == 2 * (1 - direct.hold)

    @pytest.mark.parametrize("rule", [expected_error, change_threshold])
    def test_peeking_cannot_be_written(self, rule):
        """The household's rule takes laws and nothing else: no bit, no level, no reading can reach it."""
        takes = [each.annotation for each in inspect.signature(rule).parameters.values()]

        assert takes == [Iterable[Law]]


def wrong_cells(law):
    """How many cells of an answer are wrong on average, answer by answer; level 0 is the true one."""
    plain = [1] + [0] * (law.levels - 1)
    total = Fraction(0)
    for answer in law.answers():
        cells = answer if isinstance(answer, tuple) else [int(answer == level) for level in range(law.levels)]
        total += law.chance(answer, 0) * sum(a != b for a, b in zip(cells, plain, strict=True))
    return total


def estimates(law, truth):
    """Every estimate of the shares that these homes' answers can give, with its chance."""
    for answers in product(law.answers(), repeat=len(truth)):
        chance = prod((law.chance(a, level) for a, level in zip(answers, truth, strict=True)), start=Fraction(1))
        cells = [
            answer if isinstance(answer, tuple) else [int(answer == level) for level in range(law.levels)]
            for answer in answers
        ]
        yield float(chance), debias(np.sum(cells, axis=0), len(truth), law) / len(truth)


def look(probe, last, law, reports, homes, next_reports=100.0):
    return Look(np.array(probe), np.array(last), law, reports, law, next_reports, homes)


class TestAtTheProvider:
    """The provider publishes when the shares moved further than a publication would be off."""

    TRUTHS = ((0, 1), (0, 0, 1), (2, 0, 2))
    LAST = np.array([0.2, 0.5, 0.3])

    @pytest.mark.parametrize("oracle", ORACLES)
    @pytest.mark.parametrize("truth", TRUTHS)
    def test_dissimilarity_is_how_far_the_shares_moved(self, oracle, truth):
        """On average over all answers the probe's noise cancels: Σ(f − last)² is left."""
        law, homes = law_for(oracle, 1_000_000, 1, 3), len(truth)
        shares = np.bincount(truth, minlength=3) / homes

        mean = sum(
            chance * look(probe, self.LAST, law, homes, homes).dissimilarity()
            for chance, probe in estimates(law, truth)
        )

        assert mean == pytest.approx(np.sum((shares - self.LAST) ** 2), abs=1e-9)

    @pytest.mark.parametrize("oracle", ORACLES)
    @pytest.mark.parametrize("truth", TRUTHS)
    def test_squares_are_free_of_noise(self, oracle, truth):
        """On average over all answers, the debiased Σf² is the true one."""
        law, homes = law_for(oracle, 1_000_000, 1, 3), len(truth)
        shares = np.bincount(truth, minlength=3) / homes

        mean = sum(
            chance * look(probe, self.LAST, law, homes, homes).squares() for chance, probe in estimates(law, truth)
        )

        assert mean == pytest.approx(np.sum(shares**2), abs=1e-9)

    @pytest.mark.parametrize("oracle", ORACLES)
    @pytest.mark.parametrize("truth", TRUTHS)
    def test_mean_variance_is_the_variance(self, oracle, truth):
        """When all homes speak, it is the mean over cells of the estimate's variance, answer by answer."""
        law, homes = law_for(oracle, 1_000_000, 1, 3), len(truth)
        shares = np.bincount(truth, minlength=3) / homes

        exact = sum(chance * np.mean((probe - shares) ** 2) for chance, probe in estimates(law, truth))

        assert mean_variance(law, homes, homes, squares=0.5) == pytest.approx(exact)

    def test_few_of_many_homes_add_their_sampling(self):
        """With m of K homes the variance has (1 − m/K)(1 − Σf²)/(d·m) more."""
        law = law_for("grr", 1_000_000, 1, 4)

        noise = mean_variance(law, 100, 100, squares=0.4)
        sampled = mean_variance(law, 100, 1_000, squares=0.4)

        assert sampled - noise == pytest.approx(0.9 * 0.6 / (4 * 100))

    def test_publishes_what_moved_and_keeps_what_did_not(self):
        """A clear move is published, a still one is not, and many small moves add up."""
        law = law_for("oue", 1_000_000, 1, 2)
        still = look([0.5, 0.5], [0.5, 0.5], law, 10_000, 10_000, 10_000)
        moved = look([0.9, 0.1], [0.5, 0.5], law, 10_000, 10_000, 10_000)
        little = look([0.53, 0.47], [0.5, 0.5], law, 10_000, 10_000, 10_000)

        assert not provider_publishes([still])
        assert provider_publishes([still, moved])
        assert provider_publishes([little]) == (little.dissimilarity() > little.expected_error())
        assert not provider_publishes([])

    def test_a_costly_publication_needs_a_larger_move(self):
        """The fewer homes would publish, the larger the error that a move must exceed."""
        law = law_for("oue", 1_000_000, 1, 2)

        many = look([0.6, 0.4], [0.5, 0.5], law, 10_000, 10_000, next_reports=10_000)
        few = look([0.6, 0.4], [0.5, 0.5], law, 10_000, 10_000, next_reports=100)

        assert provider_publishes([many])
        assert not provider_publishes([few])
