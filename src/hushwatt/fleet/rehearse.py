"""What a collection from very many homes would show, beside the truth that only a rehearsal knows.

A table of readings says what homes are like; each of its homes stands for as
many as the others.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hushwatt.fleet.aggregate import aggregate, homes_per_row, refuse_undrawable
from hushwatt.fleet.progress import ProgressCallback
from hushwatt.fleet.randomise import seed_purpose, slot_span
from hushwatt.fleet.readings.readings import ReadingsTable, read_slots
from hushwatt.household.report.levels import Watts, ranged
from hushwatt.plan.plan import Plan
from hushwatt.privacy.entropy import source_for
from hushwatt.provider.estimate.estimate import estimate
from hushwatt.provider.estimate.results import Estimates

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class TrueUsage:
    """One appliance as the homes really used it, on the watts that stand for the levels."""

    watts: float  # mean of a home over all slots with an answer
    share: float  # of all appliances' watts; NaN when these are zero
    rank: int  # 1: the most watts


@dataclass(frozen=True)
class RehearsalResult:
    """What the provider would say, and what is so."""

    estimates: Estimates
    like: int  # homes in the table of readings
    by_slot: Numbers  # true mean watts, slots × appliances

    @property
    def truth(self) -> dict[str, TrueUsage]:
        """Every appliance that has an answer, in the plan's order."""
        watts_of = {
            name: float(self.by_slot[self.estimates.by_slot[name].counted, place].mean())
            for place, name in enumerate(self.estimates.plan.names)
            if self.estimates.by_period[name] is not None
        }
        total, ranked = sum(watts_of.values()), sorted(watts_of, key=lambda name: -watts_of[name])
        return {
            name: TrueUsage(watts, watts / total if total else np.nan, ranked.index(name) + 1)
            for name, watts in watts_of.items()
        }

    @property
    def within(self) -> int:
        """How many appliances' true watts lie between their 95 % limits."""
        periods = self.estimates.by_period
        return sum(
            period.low <= true.watts <= period.high
            for name, true in self.truth.items()
            if (period := periods[name]) is not None
        )


def rehearse(
    plan: Plan, readings: Path, homes: int, *, seed: int | None = None, progress: ProgressCallback | None = None
) -> RehearsalResult:
    """Draw what `homes` homes like those of a table of readings would report, and estimate from it."""
    refuse_undrawable(plan, homes)
    table = read_slots(plan, readings, progress=progress)
    first, _ = slot_span(plan, table)
    weights = homes_per_row(homes, len(table.homes)) / homes
    truth: list[Numbers] = []
    source = source_for(seed, f"{seed_purpose(plan, table.homes)} {homes}")
    tallies = aggregate(plan, _noting_truth(plan, table, weights, truth), homes, source, first)
    by_slot = np.array(truth)
    estimates = estimate(plan, tallies)
    drawn = [slot.slot if slot.as_of is None else slot.as_of for slot in estimates.slots]
    return RehearsalResult(estimates, len(table.homes), by_slot[np.array(drawn, dtype=int) - first])


def _noting_truth(plan: Plan, table: ReadingsTable, weights: Numbers, truth: list[Numbers]) -> Iterator[Watts]:
    """The watts of each slot, whose true means are noted as they pass."""
    for _, watts in table.matrices():
        truth.append(weights @ quantised(plan, watts))
        yield watts


def quantised(plan: Plan, watts: Watts) -> Watts:
    """Watts as the plan counts them: its level's value for each, or cut off at the outer values."""
    columns = []
    for index, appliance in enumerate(plan.appliances):
        values = np.array(appliance.values)
        if plan.mapping == "range":
            columns.append(values[ranged(appliance, watts[:, index])])
        else:
            columns.append(np.clip(watts[:, index], values[0], values[-1]))
    return np.stack(columns, axis=1)
