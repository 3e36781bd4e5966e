"""From a few measured homes to any number of invented ones, as in the paper.

Of every measured home and appliance four numbers are kept: mean, standard
deviation, lowest and highest reading.  A new home copies a measured one at
random and draws its readings from the normal law with that mean and
deviation, cut off at the lowest and the highest.  An appliance that the
measured home lacks stays at 0 W.

Readings are drawn independently from slot to slot, so what a home does on
Tuesdays is lost: augmented homes are synthetic, and are labelled so.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from hushwatt.errors import UsageError
from hushwatt.evaluate.generators.home_generator import Watts
from hushwatt.evaluate.generators.invented_homes import InventedHomes
from hushwatt.evaluate.generators.streams import Streams, label
from hushwatt.plan.plan import Plan


@dataclass(frozen=True)
class Profile:
    """Four numbers for every home (row) and appliance (column), in watts.

    >>> base = Profile.of(np.array([[[10.0, 0.0]], [[30.0, np.nan]]]))  # two slots, one home, two appliances
    >>> base.mean, base.low, base.high
    (array([[20.,  0.]]), array([[10.,  0.]]), array([[30.,  0.]]))
    """

    mean: Watts
    deviation: Watts
    low: Watts
    high: Watts

    @classmethod
    def of(cls, watts: NDArray[np.float64]) -> Self:
        """The profile of readings, slots × homes × appliances; NaN is what was not measured."""
        if watts.ndim != 3 or 0 in watts.shape:
            raise UsageError(f"a profile needs readings of slots × homes × appliances, not of shape {watts.shape}")
        measured = ~np.isnan(watts)
        count = np.maximum(measured.sum(axis=0), 1)
        mean = np.where(measured, watts, 0.0).sum(axis=0) / count
        square = np.where(measured, watts - mean, 0.0) ** 2
        ever = measured.any(axis=0)
        return cls(
            mean=mean,
            deviation=np.sqrt(square.sum(axis=0) / np.maximum(count - 1, 1)),
            low=np.where(ever, np.where(measured, watts, np.inf).min(axis=0), 0.0),
            high=np.where(ever, np.where(measured, watts, -np.inf).max(axis=0), 0.0),
        )

    @property
    def homes(self) -> int:
        """How many homes were measured."""
        return len(self.mean)

    def at(self, homes: NDArray[np.int64]) -> "Profile":
        """The profiles of these homes, any of them as often as it is named."""
        return Profile(self.mean[homes], self.deviation[homes], self.low[homes], self.high[homes])

    def draw(self, stream: np.random.Generator) -> Watts:
        """One reading for every home and appliance: normal, cut off at low and high.

        mean + deviation·Φ⁻¹(U), U uniform between Φ of the two cuts.
        """
        from scipy.special import ndtr, ndtri

        safe = np.where(self.deviation > 0, self.deviation, 1.0)
        least, most = ndtr((self.low - self.mean) / safe), ndtr((self.high - self.mean) / safe)
        chance = least + (most - least) * stream.random(self.mean.shape)
        return np.asarray(np.clip(self.mean + self.deviation * ndtri(chance), self.low, self.high))


def augment(base: Profile, plan: Plan, homes: int, slots: int, seed: int | None = None) -> InventedHomes:
    """A fleet of `homes` homes like those of `base`, whose columns are the appliances of `plan`.

    Ask it for `arrays()`, or for the `pages()` of the readings table.
    """
    if base.mean.shape[1] != len(plan.appliances):
        have, need = base.mean.shape[1], len(plan.appliances)
        raise UsageError(f"the base has {have} appliances and the plan {need}; they must be the same")
    streams = Streams.seeded(seed)

    def watts(slot: int, block: int, count: int) -> Watts:
        """The readings of a block of homes in one slot, each a copy of a measured one."""
        copied = streams.open(label("augmented"), label("copies"), block).integers(base.homes, size=count)
        return base.at(copied).draw(streams.open(label("augmented"), label("draws"), block, slot))

    return InventedHomes(plan, homes, slots, watts, label={"kind": f"augmented from {base.homes} homes", "seed": seed})
