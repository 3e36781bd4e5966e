"""Answering and counting many bits at once, alike for one home and for millions.

`answer_bits` randomises packed bits 64 lanes at a time.  A lane compares its own
stream of random bits with the binary digits of its chance, most significant
first, and is decided at the first digit that differs; after nine digits one lane
in 512 is still open, and those few go on up to all 64 digits.  The chance of a 1
is therefore exactly hold or rise.

`count_ones` adds packed rows with carry-save adders: eight rows of bits become
one row of ones, of twos, of fours and of eights, all lanes at once.
"""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from hushwatt.privacy.entropy import Entropy, Words
from hushwatt.privacy.laws import RESOLUTION, BitLaw, DirectLaw

Rows = NDArray[np.uint8]

BLOCK = 1 << 15  # words answered together: they stay in a near cache
DIGITS = 64
QUICK = 9  # digits compared for every lane before the open ones are collected
EVERY = np.uint64(0xFFFF_FFFF_FFFF_FFFF)


def digits(chance: Fraction) -> list[bool]:
    """The 64 binary digits of a chance below 1.

    >>> digits(Fraction(5, 8))[:4]
    [True, False, True, False]
    """
    steps = int(chance * RESOLUTION)
    return [bool(steps >> place & 1) for place in reversed(range(DIGITS))]


def answer_bits(rows: Rows, law: BitLaw, entropy: Entropy) -> Rows:
    """Every bit of `rows` answered by `law`: a 1 stays with `hold`, a 0 rises with `rise`.

    Padding bits are answered too; the caller blanks them.  The answers may take the place of `rows` in memory.
    """
    words = in_words(rows)
    pairs = list(zip(digits(law.hold), digits(law.rise), strict=True))
    for start in range(0, len(words), BLOCK):
        part = slice(start, start + BLOCK)
        words[part] = answer_block(words[part], pairs, entropy)
    return words.view(np.uint8)[: rows.size].reshape(rows.shape)


def in_words(rows: Rows) -> Words:
    """The bytes of all rows as words of 64 bits, the last one filled up with 0: the same memory where it can be."""
    spare = -rows.size % 8
    whole = np.append(rows, np.zeros(spare, dtype=np.uint8)) if spare else np.ascontiguousarray(rows).reshape(-1)
    return whole.view(np.uint64)


def answer_block(truth: Words, pairs: list[tuple[bool, bool]], entropy: Entropy) -> Words:
    """The answers of one block: its first digits for all lanes, the rest for the open ones."""
    answers, undecided = np.zeros_like(truth), np.full(len(truth), EVERY)
    for hold, rise in pairs[:QUICK]:
        compare(truth, hold, rise, answers, undecided, entropy)
    left = np.flatnonzero(undecided)
    some, mine, still = answers[left], truth[left], undecided[left]
    for hold, rise in pairs[QUICK:]:
        if not still.any():
            break
        compare(mine, hold, rise, some, still, entropy)
    answers[left] = some
    return answers


def compare(truth: Words, hold: bool, rise: bool, answers: Words, undecided: Words, entropy: Entropy) -> None:
    """Compare one more random digit with the chances' digits, in the lanes that are still undecided.

    Where they differ at a digit that is 1, the random number is the smaller one and
    the answer is 1.  `hold` has that digit for the lanes that are 1 in `truth`, `rise`
    for the others.  Whether a digit differs is itself a fair coin, so that coin is drawn.
    """
    decided = entropy.words(len(truth))
    decided &= undecided
    undecided ^= decided
    if hold and not rise:
        decided &= truth
    elif rise and not hold:
        decided |= truth
        decided ^= truth
    if hold or rise:
        answers |= decided


def answer_levels(levels: NDArray[np.unsignedinteger], law: DirectLaw, entropy: Entropy) -> NDArray[np.uint16]:
    """Every level answered by `law`: itself with `hold`, each other one with `rise`.

    One 64-bit draw decides: below `hold` the truth, else the place above it names
    one of the other levels, all of the same width.
    """
    draws = entropy.words(levels.size).reshape(levels.shape)
    hold, rise = np.uint64(int(law.hold * RESOLUTION)), np.uint64(int(law.rise * RESOLUTION))
    other = ((draws - hold) // rise).astype(np.uint16)
    other += other >= levels
    return np.where(draws < hold, levels.astype(np.uint16), other)


def count_ones(rows: Rows) -> NDArray[np.int64]:
    """How many rows have a 1 at each bit, least significant bit of the first byte first.

    >>> count_ones(np.array([[0b101], [0b001]], dtype=np.uint8))[:3]
    array([2, 0, 1])
    """
    size = rows.shape[1]
    together = max(8, 1 << max(3, (16384 // size).bit_length()))
    blocks = len(rows) // (8 * together)
    if blocks < 2:
        return count_plainly(rows)
    bulk = blocks * 8 * together
    total = count_plainly(rows[bulk:])
    ones, twos, fours, eights = add_eights(np.ascontiguousarray(rows[:bulk]), blocks)
    for lane, weight in ((ones, 1), (twos, 2), (fours, 4)):
        total += weight * count_plainly(lane.view(np.uint8).reshape(together, size))
    return total + 8 * count_ones(eights.view(np.uint8).reshape(blocks * together, size))


def count_plainly(rows: Rows) -> NDArray[np.int64]:
    """The same by unpacking every bit: for what is left over."""
    total = np.zeros(8 * rows.shape[1], dtype=np.int64)
    for start in range(0, len(rows), 4096):
        bits = np.unpackbits(rows[start : start + 4096], axis=1, bitorder="little")
        total += np.add.reduce(bits, axis=0, dtype=np.uint16)
    return total


def add_eights(rows: Rows, blocks: int) -> tuple[Words, Words, Words, NDArray[np.uint64]]:
    """Add rows bit by bit: what is left over as ones, twos and fours, and every carry of eight."""
    lanes = rows.reshape(-1).view(np.uint64).reshape(blocks, 8, -1)
    ones, twos, fours, spare = (np.zeros(lanes.shape[2], dtype=np.uint64) for _ in range(4))
    first, second, third, fourth = (np.empty_like(ones) for _ in range(4))
    eights = np.empty((blocks, lanes.shape[2]), dtype=np.uint64)
    for lane, eight in zip(lanes, eights, strict=True):
        add(ones, lane[0], lane[1], first, spare)
        add(ones, lane[2], lane[3], second, spare)
        add(twos, first, second, third, spare)
        add(ones, lane[4], lane[5], first, spare)
        add(ones, lane[6], lane[7], second, spare)
        add(twos, first, second, fourth, spare)
        add(fours, third, fourth, eight, spare)
    return ones, twos, fours, eights


def add(total: Words, left: Words, right: Words, carry: Words, spare: Words) -> None:
    """A full adder on every lane: total += left + right, what does not fit goes to `carry`."""
    np.bitwise_xor(total, left, out=spare)
    np.bitwise_and(total, left, out=carry)
    np.bitwise_xor(spare, right, out=total)
    np.bitwise_and(spare, right, out=spare)
    np.bitwise_or(carry, spare, out=carry)
