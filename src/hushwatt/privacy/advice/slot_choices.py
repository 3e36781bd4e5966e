"""Longer slots: the same question about hours, days or weeks, and what is then thought of an appliance.

A mean over a longer slot varies less from home to home and from slot to slot, so levels can end lower and let less
noise in.  What is lost is the detail within a slot; a slot is never made shorter, nor longer than a week.
"""

from collections.abc import Iterator
from dataclasses import replace

from hushwatt.plan.appliance import Appliance
from hushwatt.plan.catalogue import entry
from hushwatt.plan.plan import Plan
from hushwatt.plan.slot import SlotLength
from hushwatt.privacy.advice.prior import HOUR, Prior
from hushwatt.privacy.advice.tops import DAY_HOURS, USING_HOURS, slot_high

HIGH_DAY = 2.2  # of the mean: a high day of what is used every day
LONGER = (SlotLength(1, "h"), SlotLength(1, "d"), SlotLength(7, "d"))


def slot_choices(slot: SlotLength) -> Iterator[SlotLength]:
    """The slot itself, then hours, days and weeks that whole ones of it make up.

    >>> [str(each) for each in slot_choices(SlotLength.parse("15m"))]
    ['15m', '1h', '1d', '7d']
    >>> [str(each) for each in slot_choices(SlotLength.parse("1d"))]
    ['1d', '7d']
    """
    yield slot
    for longer in LONGER:
        if longer.seconds > slot.seconds and longer.seconds % slot.seconds == 0:
            yield longer


def with_slot(plan: Plan, slot: SlotLength) -> Plan:
    """The plan with another slot; window and published period last as long as before, or to the end of a slot."""
    if slot == plan.slot:
        return plan
    window, publish = (-(-count * plan.slot.seconds // slot.seconds) for count in (plan.window, plan.publish))
    return replace(plan, slot=slot, window=window, publish=publish)


def prior_at(prior: Prior, appliance: Appliance, plan: Plan, slot: SlotLength) -> Prior:
    """What is thought of an appliance of `plan` over slots of another length: its mean stays, its high evens out."""
    if slot == plan.slot:
        return prior
    before, after = (_high_over(prior, appliance, plan, each.seconds / HOUR) for each in (plan.slot, slot))
    lower = after / before
    tail = None if prior.tail is None else replace(prior.tail, high=prior.tail.high * lower)
    return replace(prior, high=max(prior.high * lower, prior.mean), tail=tail)


def _high_over(prior: Prior, appliance: Appliance, plan: Plan, hours: float) -> float:
    """How high a slot of so many hours is thought to be, by the catalogue, else as far as the prior itself tells."""
    known = entry(appliance.name)
    if known is not None:
        return slot_high(known.typical_high, known.rated, hours, known.typical_mean / known.ownership)
    in_day = min(plan.slot.seconds / HOUR + USING_HOURS, DAY_HOURS) / DAY_HOURS
    day = max(prior.high * in_day, min(prior.high, HIGH_DAY * prior.mean))
    return min(slot_high(day, prior.high, hours, prior.mean), prior.high)
