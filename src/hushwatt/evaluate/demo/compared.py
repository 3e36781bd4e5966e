"""What a provider says of invented homes, beside what is so."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hushwatt.evaluate.metrics import share_error
from hushwatt.plan.plan import Plan


@dataclass(frozen=True)
class ComparedAnswer:
    """An answer of the service, or what it would be, and the truth that only a rehearsal knows."""

    plan: Plan
    homes: int
    slots: int
    truth: NDArray[np.float64]  # mean watts of each appliance
    answer: dict[str, Any]  # as the service says it

    @property
    def true_order(self) -> list[str]:
        """The appliances, those with the most watts first."""
        return [self.plan.names[place] for place in np.argsort(-self.truth, kind="stable")]

    @property
    def hits(self) -> int:
        """How many of the ten first stand at their true place."""
        return hits(self.answer["top"], self.true_order)

    @property
    def share_error(self) -> float:
        """How far an appliance's share of all watts is off, on average, in points of per cent."""
        appliances = self.answer["appliances"]
        return share_error(self.truth, [appliances[name]["mean_watts"] for name in self.plan.names])

    @property
    def within(self) -> int:
        """How many real means lie within their 95 % limits."""
        limits = [self.answer["appliances"][name]["ci95"] for name in self.plan.names]
        return sum(low <= real <= high for (low, high), real in zip(limits, self.truth.tolist(), strict=True))


def hits(ranking: list[str], true: list[str], top: int = 10) -> int:
    """Appliances at exactly the right rank.

    >>> hits(["kettle", "oven", "fridge"], ["kettle", "fridge", "oven"])
    1
    """
    return sum(one == other for one, other in zip(ranking[:top], true[:top], strict=False))
