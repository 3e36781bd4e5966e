"""Whether to publish: the public rules.

Both rules see only what is private already and paid for, and numbers everyone
knows.  Neither ever sees a reading, a level or a true bit.  Why deciding then tells
nothing more is proved in docs/proofs/kept-probe.md.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import floor

import numpy as np
from numpy.typing import NDArray

from hushwatt.privacy.laws import Law


def expected_error(laws: Iterable[Law]) -> Fraction:
    """How many cells of a fresh report are expected to differ from the truth, Σ((1−p) + (d−1)q).

    Divided by the number of cells this is the paper's `err`, but taken before anything is
    drawn and from the law alone.
    """
    return sum((law.expected_difference for law in laws), start=Fraction(0))


def change_threshold(laws: Iterable[Law]) -> int:
    """The most cells in which two probes may differ without a home publishing.

    `dis > err` over whole cells: a home publishes when this slot's probe differs from
    the probe kept from its last release in more cells than that.  [claim C6]
    """
    return floor(expected_error(laws))


def mean_variance(law: Law, reports: float, homes: float, squares: float) -> float:
    """The variance of one cell's estimated share, averaged over the cells of an appliance.

    (q(1−q)/(p−q)² + (1−p−q)/(d(p−q)))/m for the noise, as shares average 1/d, and
    (1 − m/K)(1 − Σf²)/(d·m) when only m of K homes speak of it.
    """
    hold, rise = float(law.hold), float(law.rise)
    drawn = rise * (1 - rise) / (hold - rise) ** 2 + (1 - hold - rise) / (law.levels * (hold - rise))
    sampled = max(0.0, 1 - reports / homes) * max(0.0, 1 - squares) / law.levels
    return (drawn + sampled) / reports


@dataclass(frozen=True)
class Look:
    """One appliance as the provider sees it: its last release, this slot's probe, and what each is worth."""

    probe: NDArray[np.float64]  # estimated shares of the levels, from the probes
    last: NDArray[np.float64]  # the same, as last released
    probe_law: Law
    probe_reports: float
    next_law: Law  # of a publication in this slot
    next_reports: float
    homes: float

    def squares(self) -> float:
        """Σf², without the noise of the probe."""
        hold, rise = float(self.probe_law.hold), float(self.probe_law.rise)
        each = (rise * (1 - rise) + self.probe * (hold - rise) * (1 - hold - rise)) / (hold - rise) ** 2
        return float(np.sum(self.probe**2) - np.sum(each) / self.probe_reports)

    def dissimilarity(self) -> float:
        """How far the shares moved, summed over cells, beyond what the probe's noise explains."""
        noise = mean_variance(self.probe_law, self.probe_reports, self.homes, self.squares())
        return float(np.sum((self.probe - self.last) ** 2)) - len(self.probe) * noise

    def expected_error(self) -> float:
        """The variance that a publication would have, summed over cells."""
        return len(self.probe) * mean_variance(self.next_law, self.next_reports, self.homes, self.squares())


def provider_publishes(looks: Iterable[Look]) -> bool:
    """`dis > err`, from released numbers only: the sum of all probes and the last release."""
    looks = list(looks)
    return sum(look.dissimilarity() for look in looks) > sum(look.expected_error() for look in looks)
