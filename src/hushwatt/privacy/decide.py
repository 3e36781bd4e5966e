"""Whether to publish: the public rules.

Both rules see only what is private already and paid for, and numbers everyone
knows.  Neither ever sees a reading, a level or a true bit.
"""

from collections.abc import Iterable
from fractions import Fraction
from math import floor

from hushwatt.privacy.laws import Law


def expected_error(laws: Iterable[Law]) -> Fraction:
    """How many cells of a fresh report are expected to differ from the truth, Σ((1−p) + (d−1)q).

    Divided by the number of cells this is the paper's `err`, but taken before anything is
    drawn and from the law alone.
    """
    return sum((law.expected_difference for law in laws), start=Fraction(0))


def patience(laws: Iterable[Law]) -> int:
    """The most cells in which two probes may differ without a home publishing.

    `dis > err` over whole cells: a home publishes when this slot's probe differs from
    the probe kept from its last release in more cells than that.  [claim C6]
    """
    return floor(expected_error(laws))
