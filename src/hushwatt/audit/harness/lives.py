"""Thousands of homes at home, and what each of them posted.

A life says at which level every appliance is in every slot.  Each home is new: its own ledger,
its own keys, its own randomness.
"""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing import get_context
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from hushwatt.audit.harness.marked import STEP, middle_watts
from hushwatt.audit.harness.plan_home import home_in_plan, proposal_of
from hushwatt.audit.miniature import Shape, range_plan
from hushwatt.household.report.report import SlotReports
from hushwatt.plan.appliance import Appliance
from hushwatt.plan.plan import Plan
from hushwatt.plan.slot import SlotLength
from hushwatt.wire.payload import Layout
from hushwatt.wire.record import Records, unpack

HOMES_PER_JOB = 250  # homes of one job
Levels = tuple[tuple[int, ...], ...]  # of every appliance, slot by slot


@dataclass(frozen=True)
class PostedReports:
    """What some homes posted: their records one after the other, and whose each is."""

    homes: NDArray[np.int64]
    records: Records

    def sent(self, slot: int, first: int) -> SlotReports:
        """What was posted about one slot, by homes numbered from `first`."""
        rows = np.flatnonzero(self.records.slot == slot)
        spent, drawn = (column[rows].astype(np.int64) for column in (self.records.spent, self.records.drawn))
        return SlotReports(slot, 0, self.homes[rows] + first, spent, drawn, self.records.payloads[rows])


def concatenated(one: SlotReports, other: SlotReports) -> SlotReports:
    """What two groups of homes sent in the same slot."""
    columns = ("homes", "spent", "drawn", "payloads")
    joined = [np.concatenate([getattr(one, name), getattr(other, name)]) for name in columns]
    return SlotReports(one.slot, one.round, *joined)


def plan_at_home(
    method: str,
    decision: str | None,
    oracle: str,
    asked: int,
    window: int,
    epsilon: int,
    unmeasured: str = "zero",
) -> Plan:
    """A small plan that the service takes, with short slots and levels far enough apart for secrets."""
    plan = range_plan(method, decision, oracle, Shape((2, 4, 3), window, window + 1, unmeasured), epsilon, asked)
    appliances = tuple(appliance_at_home(each.name, each.levels) for each in plan.appliances)
    return replace(plan, appliances=appliances, slot=SlotLength(15, "m"))


def appliance_at_home(name: str, levels: int) -> Appliance:
    """An appliance whose levels are STEP watts wide each."""
    return Appliance.of(name, edges=[STEP * level for level in range(1, levels)])


def post_reports(plan: Plan, life: Levels, homes: int) -> PostedReports:
    """What `homes` new homes post that all lead the same life."""
    sizes = [min(HOMES_PER_JOB, homes - start) for start in range(0, homes, HOMES_PER_JOB)]
    parts = list(map_on_all_cores(partial(_some, plan, life), sizes))
    starts = np.cumsum([0, *sizes[:-1]])
    numbers = np.concatenate([who + start for (who, _), start in zip(parts, starts, strict=True)])
    return PostedReports(numbers, unpack(b"".join(body for _, body in parts), Layout.of(plan).size))


def _some(plan: Plan, life: Levels, homes: int) -> tuple[NDArray[np.int64], bytes]:
    proposal, who, bodies = proposal_of(plan), list[int](), list[bytes]()
    watts = [middle_watts(levels) for levels in life]
    for number in range(homes):
        with home_in_plan(plan, watts.__getitem__, proposal) as home:
            for slot in range(len(life)):
                home.live_slot(slot)
            bodies.append(b"".join(home.provider.uploads))
        who += [number] * len(unpack(bodies[-1], Layout.of(plan).size))
    return np.array(who, dtype=np.int64), b"".join(bodies)


Done = TypeVar("Done")


def map_on_all_cores(work: Callable[[int], Done], jobs: list[int]) -> Iterator[Done]:
    """Do jobs on all cores when there are many, in their order."""
    if len(jobs) < 4:
        yield from map(work, jobs)
        return
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn")) as pool:
        yield from pool.map(work, jobs)
