"""Claim C5: the samplers draw from the law they declare, and counting loses nothing.

A lane is decided at the first digit where a fair coin says "differs", so the sampler is exact
when every place decides as its digit says.  That is shown place by place; the statistical
tests then look at real streams, and must also reject a law 2 % off.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from hushwatt.privacy.entropy import OperatingSystem, Simulation
from hushwatt.privacy.kernels import (
    BLOCK,
    DIGITS,
    EVERY,
    answer_bits,
    answer_levels,
    count_ones,
    digits,
)
from hushwatt.privacy.laws import RESOLUTION, BitLaw, DirectLaw, law_for

DOUBT = 1e-9  # both verdicts use it; the seeds make them repeatable
FARTHER = 7  # standard errors that no true stream is away in these few looks

steps = st.integers(1, RESOLUTION - 1)


def words_of(*labels):
    return Simulation(7, "kernels").stream(*labels)


class Scripted:
    """An entropy whose words are written down beforehand."""

    def __init__(self, *draws):
        self.draws = list(draws)

    def words(self, count):
        draw = self.draws.pop(0)
        return np.full(count, draw, dtype=np.uint64) if np.isscalar(draw) else np.array(draw, dtype=np.uint64)


class EveryLaneDiffers:
    """An entropy by which every lane is decided at its first digit."""

    def words(self, count):
        return np.full(count, EVERY)


def unaligned(rows):
    """The same rows from an odd address on."""
    memory = np.empty(rows.size + 1, dtype=np.uint8)
    memory[1:] = rows.reshape(-1)
    return memory[1:].reshape(rows.shape)


LAID: dict[str, Callable[[Any], Any]] = {  # in memory
    "in a row": lambda rows: rows,
    "by columns": np.asfortranarray,
    "in a wider table": lambda rows: np.hstack([rows, rows])[:, : rows.shape[1]],
    "backwards": lambda rows: rows[::-1],
    "at an odd address": unaligned,
}


def accepts(ones, lanes, chance):
    """Whether so many ones fit a chance and do not fit one 2 % off, either way."""
    fits = binomtest(ones, lanes, float(chance)).pvalue > DOUBT
    others = [binomtest(ones, lanes, float(chance * Fraction(off, 100))).pvalue < DOUBT for off in (98, 102)]
    return fits and all(others)


def enough(chance):
    """Lanes that show 2 % at eleven standard errors."""
    return -(-int(300_000 * (1 - chance) / chance) // 64) * 64


class TestAnsweringBits:
    """A 1 stays with `hold`, a 0 rises with `rise`, every lane on its own."""

    @settings(max_examples=25)
    @given(hold=steps, rise=steps, truth=st.integers(0, 255))
    @example(hold=RESOLUTION - 1, rise=1, truth=0b10101010)
    def test_every_place_decides_as_its_digit_says(self, hold, rise, truth):
        """A lane that differs first at place k is answered by digit k of its chance, for all 64 places.

        Place k comes with chance 2⁻ᵏ, so a 1 comes with exactly the chance that the digits spell.
        """
        law = BitLaw(Fraction(hold, RESOLUTION), Fraction(rise, RESOLUTION), levels=2)
        rows = np.array([[truth]], dtype=np.uint8)

        for place in range(DIGITS):
            answer = int(answer_bits(rows, law, Scripted(*[0] * place, *[EVERY] * (DIGITS - place)))[0, 0])
            kept, risen = hold >> (63 - place) & 1, rise >> (63 - place) & 1

            assert answer == (truth * kept) | ((255 - truth) * risen)

    def test_a_lane_that_never_differs_is_a_zero(self):
        """Equal in all 64 digits is not below the chance."""
        law = BitLaw(Fraction(RESOLUTION - 1, RESOLUTION), Fraction(1, 2), levels=2)

        answer = answer_bits(np.array([[0b11110000]], dtype=np.uint8), law, Scripted(*[0] * DIGITS))

        assert answer.tolist() == [[0]]

    @pytest.mark.parametrize("rows, size", [(1, 1), (1, 8), (3, 19), (8, 19), (BLOCK, 8), (BLOCK + 1, 8), (BLOCK, 19)])
    @pytest.mark.parametrize("kind", LAID)
    def test_no_truth_is_left(self, kind, rows, size):
        """Where every answer is a 0, no 1 of the truth is: however it lies in memory, in a last short block as well."""
        law = BitLaw(Fraction(1, RESOLUTION), Fraction(1, RESOLUTION), levels=2)
        truth = LAID[kind](np.full((rows, size), 255, dtype=np.uint8))
        answers = answer_bits(truth, law, EveryLaneDiffers())

        assert answers.shape == (rows, size)
        assert not answers.any()

    @given(chance=steps)
    def test_digits_spell_the_chance(self, chance):
        """The binary digits of a chance add up to it."""
        spelled = sum(Fraction(digit, 2 ** (place + 1)) for place, digit in enumerate(digits(Fraction(chance, 2**64))))

        assert spelled == Fraction(chance, RESOLUTION)

    @pytest.mark.parametrize(
        "rise",
        [
            law_for("oue", 1_000_000, 1, 10).rise,
            law_for("oue", 222_222, 1, 10).rise,
            law_for("oue", 1, 40, 10).rise,  # a millionth among 40: nearly a fair coin
            Fraction(1, 16),
            Fraction(3, 1024),  # decided after the quick digits only
            law_for("oue", 7_000_000, 1, 10).rise,  # nine in ten thousand
        ],
        ids=lambda rise: f"{float(rise):.5f}",
    )
    def test_zeros_rise_by_the_law(self, rise):
        """Accepts the declared chance and rejects one 2 % off, down to chances of a thousandth."""
        lanes = enough(rise)
        law = BitLaw(Fraction(1, 2), rise, levels=2)

        answers = answer_bits(np.zeros((lanes // 64, 8), dtype=np.uint8), law, words_of("rise", str(rise)))

        assert accepts(int(np.bitwise_count(answers).sum()), lanes, rise)

    @pytest.mark.parametrize(
        "hold",
        [Fraction(1, 2), law_for("sue", 1_000_000, 1, 10).hold, Fraction(5, 1024)],
        ids=lambda hold: f"{float(hold):.5f}",
    )
    def test_ones_hold_by_the_law(self, hold):
        """Accepts the declared chance and rejects one 2 % off."""
        lanes = max(1_000_000, enough(hold))
        law = BitLaw(hold, Fraction(1, 1000), levels=2)

        answers = answer_bits(np.full((lanes // 64, 8), 255, dtype=np.uint8), law, words_of("hold", str(hold)))

        assert accepts(int(np.bitwise_count(answers).sum()), lanes // 64 * 64, hold)

    def test_each_lane_follows_its_own_truth(self):
        """With ones and zeros side by side, ones hold and zeros rise."""
        truth = words_of("truth").words(400_000).view(np.uint8).reshape(-1, 8)
        law = law_for("oue", 1_000_000, 1, 10)

        answers = answer_bits(truth.copy(), law, words_of("answers"))  # type: ignore[arg-type]

        ones = int(np.bitwise_count(truth).sum())
        assert accepts(int(np.bitwise_count(answers & truth).sum()), ones, law.hold)
        assert accepts(int(np.bitwise_count(answers & ~truth).sum()), 8 * truth.size - ones, law.rise)

    @pytest.mark.parametrize("size", [1, 3, 8, 19])
    def test_every_byte_is_answered(self, size):
        """Also the last byte of a row follows the law, where rows are no whole words."""
        rows, law = 3_000_000 // 8, law_for("oue", 1_000_000, 1, 10)

        answers = answer_bits(np.zeros((rows, size), dtype=np.uint8), law, words_of("size", size))  # type: ignore[arg-type]

        assert answers.shape == (rows, size)
        assert accepts(int(np.bitwise_count(answers[:, -1]).sum()), 8 * rows, law.rise)

    @pytest.mark.parametrize("rise", [Fraction(1, 4), law_for("oue", 3_000_000, 1, 10).rise, Fraction(3, 1024)])
    @pytest.mark.parametrize("apart", [1, 2, 8, 63, 64, 128, 64 * BLOCK, 128 * BLOCK])
    def test_lanes_know_nothing_of_each_other(self, rise, apart):
        """Lanes next to each other, in neighbouring words and in neighbouring blocks, vary on their own."""
        assert abs(together(answered(rise), apart)) < FARTHER

    def test_a_stream_that_is_drawn_twice_is_noticed(self):
        """Lanes answered by the same words vary together far beyond chance: the test above can fail."""
        answers = np.tile(answered(Fraction(1, 4)), 2)

        assert together(answers, len(answers) // 2) > 100 * FARTHER

    def test_randomness_may_come_from_the_operating_system(self):
        """The words of one home's own system serve as well as a keystream's."""
        answers = answer_bits(np.zeros((20_000, 8), np.uint8), law_for("oue", 1, 1, 2), OperatingSystem())  # type: ignore[arg-type]

        assert 0.49 < np.bitwise_count(answers).mean() / 8 < 0.51


def unpacked(rise, entropy):
    """The lanes of a few blocks of zeros."""
    law, rows = BitLaw(Fraction(1, 2), rise, levels=2), np.zeros((4 * BLOCK, 8), dtype=np.uint8)
    return np.unpackbits(answer_bits(rows, law, entropy).reshape(-1), bitorder="little")


@cache
def answered(rise):
    return unpacked(rise, words_of("apart"))


def together(lanes, apart):
    """How many standard errors lanes `apart` from each other vary together."""
    one, other = lanes[apart:], lanes[:-apart]
    means = one.mean(), other.mean()
    both = np.count_nonzero(one & other) / len(one) - means[0] * means[1]
    return both * len(one) ** 0.5 / (means[0] * (1 - means[0]))


class TestAnsweringLevels:
    """The true level comes with `hold`, each other one with `rise`."""

    @settings(max_examples=50)
    @given(drawn=st.integers(1, 50_000_000), levels=st.integers(2, 40), data=st.data())
    def test_every_answer_has_its_exact_share_of_the_words(self, drawn, levels, data):
        """The first `hold` words give the truth, then each other level has `rise` words: ends are tried."""
        law, truth = law_for("grr", drawn, 1, levels), data.draw(st.integers(0, levels - 1))
        hold, rise = int(law.hold * RESOLUTION), int(law.rise * RESOLUTION)
        others = [level for level in range(levels) if level != truth]
        ends = [0, hold - 1]
        ends += [hold + place * rise + end for place in range(levels - 1) for end in (0, rise - 1)]

        answers = answer_levels(np.full(len(ends), truth, dtype=np.uint16), law, Scripted(ends))  # type: ignore[arg-type]

        assert ends[-1] == RESOLUTION - 1
        assert answers.tolist() == [truth, truth, *(level for level in others for _ in range(2))]

    @pytest.mark.parametrize("drawn, levels", [(1_000_000, 5), (300_000, 2), (2_000_000, 10)])
    def test_levels_follow_their_law(self, drawn, levels):
        """For every true level and every answer: accepts the declared chance and rejects one 2 % off."""
        law = law_for("grr", drawn, 1, levels)
        draws = max(1_000_000, enough(law.rise))

        for truth in range(levels):
            stream = words_of("levels", drawn, truth)
            answers = answer_levels(np.full(draws, truth, dtype=np.uint16), law, stream)  # type: ignore[arg-type]
            counts = np.bincount(answers, minlength=levels)

            assert all(accepts(int(count), draws, law.chance(level, truth)) for level, count in enumerate(counts))

    def test_mixed_levels_keep_their_places(self):
        """Answered together, each home's answer belongs to its own level."""
        law = DirectLaw(1 - 9 * Fraction(1, RESOLUTION), Fraction(1, RESOLUTION), levels=10)
        levels = (np.arange(1_000) % 10).astype(np.uint16)

        assert (answer_levels(levels, law, words_of("mixed")) == levels).all()


class TestCounting:
    """`count_ones` gives what unpacking every bit gives."""

    @settings(max_examples=150)
    @given(size=st.integers(1, 40), rows=st.integers(0, 300_000), label=st.integers(0, 10))
    def test_counts_like_unpacking(self, size, rows, label):
        """For any size of a row and any number of rows, a few or several blocks."""
        rows = min(rows, 1_200_000 // size)
        packed = words_of(label).words(rows * size // 8 + 1).view(np.uint8)[: rows * size].reshape(rows, size)

        assert (count_ones(packed) == plainly(packed)).all()

    @pytest.mark.parametrize("size", range(1, 41))
    def test_counts_like_unpacking_around_its_blocks(self, size):
        """One row less and more than one, two and three blocks of the adders."""
        block = 8 << max(3, (16384 // size).bit_length())
        packed = words_of(size).words((3 * block + 1) * size // 8 + 1).view(np.uint8)
        packed = packed[: (3 * block + 1) * size].reshape(-1, size)

        for rows in (block - 1, 2 * block - 1, 2 * block, 2 * block + 1, 3 * block + 1):
            assert (count_ones(packed[:rows]) == plainly(packed[:rows])).all()

    @pytest.mark.parametrize("size", [19, 40])
    def test_carries_of_carries(self, size):
        """So many rows that the eights are themselves added by eights, all of them full."""
        rows = 20 * (8 << (16384 // size).bit_length())

        assert set(count_ones(np.full((rows, size), 255, dtype=np.uint8)).tolist()) == {rows}

    def test_rows_that_lie_apart(self):
        """Rows taken from a wider table are counted as they are."""
        wide = words_of("wide").words(40_000).view(np.uint8).reshape(-1, 16)

        assert (count_ones(wide[:, 3:14]) == plainly(wide[:, 3:14])).all()


def plainly(rows):
    """The same, bit by bit of a column."""
    columns = [np.bincount(column, minlength=256) for column in rows.T]
    bits = np.arange(256)[:, None] >> np.arange(8) & 1
    return np.concatenate([column @ bits for column in columns])
