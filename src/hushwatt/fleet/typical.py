"""What a table of readings says of appliances: how much they use, and what a high slot is."""

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from hushwatt.errors import ReadingsError
from hushwatt.fleet.progress import ProgressCallback
from hushwatt.fleet.readings.readings import read_slots
from hushwatt.household.report.levels import Watts
from hushwatt.plan.plan import Plan
from hushwatt.privacy.advice.learn import Typical
from hushwatt.wire.storage import Location

ANY_TIME = datetime(2000, 1, 1, tzinfo=UTC), datetime(2050, 1, 1, tzinfo=UTC)
STEPS = np.geomspace(1e-3, 1e6, 4001)  # watts that slots are counted between: half a percent apart
IN_USE = 0.02  # of the mean: less is standby
IN_USE_WATTS = 1.0  # and less than this, or a fifth of the mean, is never use
HIGH = 0.95  # of slots in use lie below a high one
HALF = 0.5  # of the energy is used in slots below a high one, at least: standby by the hour hides a rare use


@dataclass
class _Usage:
    """Slots of one appliance, as they pass."""

    slots: int = 0
    measured: int = 0
    watts: float = 0.0
    counts: NDArray[np.int64] = field(default_factory=lambda: np.zeros(len(STEPS) + 1, np.int64))

    def add(self, watts: Watts) -> None:
        known = watts[~np.isnan(watts)]
        self.slots += len(watts)
        self.measured += len(known)
        self.watts += float(known.sum())
        self.counts += np.bincount(np.searchsorted(STEPS, known), minlength=len(self.counts))

    @property
    def typical(self) -> Typical | None:
        """None when nobody measured it, or it was never used."""
        if self.watts <= 0:
            return None
        mean = self.watts / self.measured
        least = max(IN_USE * mean, min(IN_USE_WATTS, mean / 5))
        used = self.counts[: len(STEPS)] * (least < STEPS)
        energy = self.counts[: len(STEPS)] * STEPS
        high, half = (
            float(STEPS[min(int(np.searchsorted(np.cumsum(each), part * each.sum())), len(STEPS) - 1)])
            for each, part in ((used, HIGH), (energy, HALF))
        )
        return Typical(mean, max(high, half, mean), self.measured / self.slots)


def typical_usage(plan: Plan, readings: Location, *, progress: ProgressCallback | None = None) -> dict[str, Typical]:
    """By appliance of the plan that is in the readings, whenever these were taken.

    What a home did not measure is no part of a mean, and a home that measured nothing in a slot none of that slot.
    """
    any_time = replace(plan, start=ANY_TIME[0], expires=ANY_TIME[1], unmeasured="answer")
    table = read_slots(any_time, readings, progress=progress)
    if table.first is None:
        raise ReadingsError(f"{readings}: holds no reading")
    usage = {name: _Usage() for name in plan.names}
    for _, watts in table.matrices():
        present = watts[~np.isnan(watts).all(axis=1)]
        for place, each in enumerate(usage.values()):
            each.add(present[:, place])
    found = {name: each.typical for name, each in usage.items()}
    return {name: typical for name, typical in found.items() if typical is not None}
