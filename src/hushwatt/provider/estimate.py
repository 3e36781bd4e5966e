"""Tallies become estimates: unbiased, every number with its uncertainty.

What is estimated is what the homes held when they drew: how many at each level, and
their mean watts, on the watts that stand for the levels.  Below the plan's minimum of
homes there is no answer.
"""

from dataclasses import fields

import numpy as np
from numpy.typing import NDArray

from hushwatt.errors import UsageError
from hushwatt.plan.plan import Plan
from hushwatt.provider.analyse import ranks, shares
from hushwatt.provider.consistency import CONSISTENCIES, Consistency
from hushwatt.provider.forgers import Forgers
from hushwatt.provider.groups import Groups
from hushwatt.provider.intervals import around, level_interval, mean_interval
from hushwatt.provider.period import PeriodMean, period_mean
from hushwatt.provider.results import Estimates, PeriodNumbers, Slot, SlotNumbers
from hushwatt.provider.slots import Slots, slot_estimates
from hushwatt.provider.smooth import Smoothed
from hushwatt.provider.smooth import smooth as smoothed
from hushwatt.provider.stack import Stack, Timeline
from hushwatt.provider.tally import Tallies

Numbers = NDArray[np.float64]


def estimate(
    plan: Plan,
    tallies: Tallies,
    *,
    consistency: str = "norm-sub",
    smooth: bool = False,
    first: int | None = None,
    last: int | None = None,
) -> Estimates:
    """Everything the tallies say about the slots `first` to `last`, both included.

    `consistency` is what is done to the histograms that are shown, and to nothing else.  With
    `smooth` every slot also learns from those before it; the period is not smoothed.
    """
    if consistency not in CONSISTENCIES:
        raise UsageError(f"consistency is {consistency!r}; choose one of {', '.join(CONSISTENCIES)}")
    show = CONSISTENCIES[consistency]
    stack = Stack.of(plan, tallies).until(last)
    timeline = Timeline.of(stack, plan.minimum_homes, first)
    forgers = Forgers(plan, timeline, tallies.homes)
    by_slot: dict[str, SlotNumbers] = {}
    periods: dict[str, PeriodMean | None] = {}
    for number, appliance in enumerate(plan.appliances):
        groups = Groups.of(plan, stack, number)
        slots = slot_estimates(plan, number, groups, timeline, tallies.homes)
        if smooth:
            found = smoothed(groups, slots, timeline, np.asarray(appliance.values))
            numbers = smoothed_numbers(slots, found, tallies.homes, show)
        else:
            numbers = slot_numbers(slots, tallies.homes, show)
        by_slot[appliance.name] = asked_for(numbers, timeline)
        forgers.note(number, appliance.name, slots)
        periods[appliance.name] = period_mean(plan, number, groups, slots, timeline)
    by_period = period_numbers(periods, tallies.homes, show)
    swaps = forgers.swaps({name: period.watts for name, period in periods.items() if period})
    return Estimates(
        plan,
        tallies.homes,
        smooth,
        slots_of(plan, timeline),
        by_slot,
        by_period,
        influence=forgers.influence(),
        swap_homes=swaps,
    )


def slots_of(plan: Plan, timeline: Timeline) -> tuple[Slot, ...]:
    """The slots that were asked for."""
    return tuple(
        Slot(
            slot=int(timeline.slots[place]),
            start=plan.calendar.start_of(int(timeline.slots[place])),
            as_of=int(timeline.as_of[place]) if timeline.as_of[place] >= 0 else None,
            reports=int(timeline.rows[place]),
            enough=bool(timeline.enough[place]),
        )
        for place in np.flatnonzero(timeline.inside)
    )


def slot_numbers(slots: Slots, homes: int, show: Consistency) -> SlotNumbers:
    """The slots on the scale of all homes."""
    low, high = level_interval(slots.share, slots.errors)
    return SlotNumbers(
        known=slots.known,
        levels=show(homes * slots.share, homes),
        levels_se=homes * np.sqrt(slots.share_variance),
        low=homes * low,
        high=homes * high,
        watts=slots.watts,
        watts_se=np.sqrt(slots.watts_variance),
    )


def smoothed_numbers(slots: Slots, found: Smoothed, homes: int, show: Consistency) -> SlotNumbers:
    """The smoothed slots on the scale of all homes."""
    low, high = around(homes * found.share, homes**2 * found.share_variance)
    return SlotNumbers(
        known=slots.known,
        levels=show(homes * found.share, homes),
        levels_se=homes * np.sqrt(found.share_variance),
        low=low,
        high=high,
        watts=found.watts,
        watts_se=np.sqrt(found.watts_variance),
    )


def asked_for(numbers: SlotNumbers, timeline: Timeline) -> SlotNumbers:
    """Without the slots before the first that was asked for."""
    return SlotNumbers(*(getattr(numbers, column.name)[timeline.inside] for column in fields(numbers)))


def period_numbers(
    periods: dict[str, PeriodMean | None], homes: int, show: Consistency
) -> dict[str, PeriodNumbers | None]:
    """The period of every appliance, compared with that of the others."""
    known = {name: period for name, period in periods.items() if period}
    watts = np.array([period.watts for period in known.values()])
    variance = np.array([period.watts_variance for period in known.values()])
    parts, places = shares(watts, variance), ranks(watts, variance)
    found: dict[str, PeriodNumbers | None] = dict.fromkeys(periods)
    for place, (name, period) in enumerate(known.items()):
        low, high = mean_interval(period.watts, period.watts_variance, period.watts_slope, period.watts_jump)
        found[name] = PeriodNumbers(
            levels=show(homes * period.share, homes),
            levels_se=homes * np.sqrt(period.share_variance),
            watts=period.watts,
            watts_se=float(np.sqrt(period.watts_variance)),
            low=low,
            high=high,
            share=float(parts.share[place]),
            share_low=float(parts.low[place]),
            share_high=float(parts.high[place]),
            rank=int(places.rank[place]),
            rank_best=int(places.best[place]),
            rank_worst=int(places.worst[place]),
        )
    return found
