"""What a collection from very many homes would show, beside the truth that only a rehearsal knows.

A table of readings says what homes are like; each of its homes stands for as
many as the others.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from hushwatt.fleet.aggregate import aggregate, homes_per_row, refuse_undrawable
from hushwatt.fleet.progress import ProgressCallback
from hushwatt.fleet.randomise import seed_purpose, slot_span
from hushwatt.fleet.readings.readings import ReadingsTable, read_slots
from hushwatt.household.report.levels import Watts, ranged
from hushwatt.plan.plan import Plan
from hushwatt.privacy.entropy import source_for
from hushwatt.privacy.strategies import rules_of
from hushwatt.provider.estimate.estimate import estimate
from hushwatt.provider.estimate.results import Estimates, SlotSummary
from hushwatt.wire.storage import Location

Numbers = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class TrueUsage:
    """One appliance as the homes that measure it really used it."""

    watts: float  # mean of a home over all slots with an answer, nothing cut off
    share: float  # of all appliances' watts; NaN when these are zero
    rank: int  # 1: the most watts
    counted: float  # the same mean, on the watts that stand for the levels
    measured: float  # share of homes that measure it


@dataclass(frozen=True)
class TrueWatts:
    """What is so in each slot, slots × appliances, as means over all homes: those that do not measure add nothing."""

    watts: Numbers
    counted: Numbers
    measured: Numbers

    @classmethod
    def of(cls, plan: Plan, watts: Watts, weights: Numbers) -> Self:
        """Of one slot, in which each row stands for a share of the homes."""
        known = ~np.isnan(watts)
        real = np.where(known, watts, 0.0)
        return cls(weights @ real, weights @ np.where(known, quantised(plan, real), 0.0), weights @ known)

    @classmethod
    def stack(cls, slots: list[Self]) -> Self:
        return cls(*(np.array([getattr(each, key) for each in slots]) for key in ("watts", "counted", "measured")))

    def mean(self, slots: list[int]) -> Self:
        """The mean of some slots, as one."""
        return type(self)(*(each[slots].mean(axis=0) for each in vars(self).values()))

    def over(self, slots: Mask, place: int) -> tuple[float, float, float]:
        """Of one appliance over some slots: means of homes that measure it, real and counted, and their share."""
        watts, counted, measured = (float(each[slots, place].mean()) for each in vars(self).values())
        return (watts / measured, counted / measured, measured) if measured else (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class RehearsalResult:
    """What the provider would say, and what is so."""

    estimates: Estimates
    like: int  # homes in the table of readings
    by_slot: TrueWatts

    @property
    def truth(self) -> dict[str, TrueUsage]:
        """Every appliance that has an answer, in the plan's order."""
        found = {
            name: self.by_slot.over(self.estimates.by_slot[name].counted, place)
            for place, name in enumerate(self.estimates.plan.names)
            if self.estimates.by_period[name] is not None
        }
        total = sum(watts for watts, _, _ in found.values())
        ranked = sorted(found, key=lambda name: -found[name][0])
        return {
            name: TrueUsage(watts, watts / total if total else np.nan, ranked.index(name) + 1, counted, measured)
            for name, (watts, counted, measured) in found.items()
        }

    @property
    def within(self) -> int:
        """How many appliances' real mean watts lie between their 95 % limits."""
        periods = self.estimates.by_period
        return sum(
            period.low <= true.watts <= period.high
            for name, true in self.truth.items()
            if (period := periods[name]) is not None
        )


def rehearse(
    plan: Plan, readings: Location, homes: int, *, seed: int | None = None, progress: ProgressCallback | None = None
) -> RehearsalResult:
    """Draw what `homes` homes like those of a table of readings would report, and estimate from it."""
    refuse_undrawable(plan, homes)
    table = read_slots(plan, readings, progress=progress)
    first, _ = slot_span(plan, table)
    weights = homes_per_row(homes, len(table.homes)) / homes
    truth: list[TrueWatts] = []
    source = source_for(seed, f"{seed_purpose(plan, table.homes)} {homes}")
    tallies = aggregate(plan, _noting_truth(plan, table, weights, truth), homes, source, first)
    estimates = estimate(plan, tallies)
    by_slot = TrueWatts.stack(truth)
    rows = [by_slot.mean([slot - first for slot in drawn_for(plan, row, first)]) for row in estimates.slots]
    return RehearsalResult(estimates, len(table.homes), TrueWatts.stack(rows))


def drawn_for(plan: Plan, row: SlotSummary, first: int) -> list[int]:
    """The slots in which homes drew what they stand by in a slot, or in each of those published together."""
    if plan.publish == 1:
        return [row.slot if row.as_of is None else row.as_of]
    slots, rules = range(max(row.slot, first), row.slot + row.slots), rules_of(plan)
    return [max(int(rules.drawn_in(slot, plan.window)), first) for slot in slots]


def _noting_truth(plan: Plan, table: ReadingsTable, weights: Numbers, truth: list[TrueWatts]) -> Iterator[Watts]:
    """The watts of each slot, whose true means are noted as they pass."""
    for _, watts in table.matrices():
        truth.append(TrueWatts.of(plan, watts, weights))
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
