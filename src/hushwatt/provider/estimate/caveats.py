"""Which times of the day and of the week are behind an estimate.

An answer is about what homes held when they drew.  Where all of them draw in the same few slots, or where
slots have too few homes, some hours or weekdays may not be in it at all.
"""

import numpy as np

from hushwatt.plan.phases import unseen_between
from hushwatt.privacy.rotation import repeats_by_clock
from hushwatt.privacy.strategies import rules_of
from hushwatt.provider.estimate.results import Estimates


def unmeasured_times(estimates: Estimates) -> str | None:
    """What of the asked slots' times of day and week was never measured, in words; None when all was."""
    drawn = _drawn_slots(estimates)
    if not drawn:
        return None
    first, end = estimates.slots[0].slot, estimates.slots[-1].slot + estimates.slots[-1].slots
    return unseen_between(estimates.plan, np.array(drawn), np.arange(first, end))


def _drawn_slots(estimates: Estimates) -> list[int]:
    """The slots in which the answers were drawn; of a slot by itself that is the newest of them."""
    if estimates.plan.publish == 1:
        return [slot.as_of for slot in estimates.slots if slot.enough and slot.as_of is not None]
    return sorted({drawn for slot in estimates.slots if slot.enough for drawn in slot.drawn})


def watts_caption(estimates: Estimates) -> str:
    """Over which homes and slots the watts of a period are a mean, and whether they are real."""
    plan = estimates.plan
    home = "a home that measures the appliance" if plan.answers_unmeasured else "a home"
    if any(period and not period.clipped for period in estimates.by_period.values()):
        return f"Watts are the real mean of {home} over {_slots_in_words(estimates)}. {_above_top(estimates)}"
    if not repeats_by_clock(plan):
        return f"Watts are the mean of {home} over all slots, on the watts that stand for the levels."
    drawn = len(set(_drawn_slots(estimates)))
    return (
        f"Watts are the mean of {home} over the {drawn:,} slots in which homes drew, "
        f"one in {rules_of(plan).stride(plan.window):,}, on the watts that stand for the levels; "
        "the slots in between repeat them."
    )


def hardly_measured(estimates: Estimates) -> str:
    """Which appliances have no mean as hardly any home measures them, in words; nothing when there are none."""
    names = ", ".join(estimates.too_few_measure)
    return f"Hardly any home measures {names}: no mean and no rank." if names else ""


def _slots_in_words(estimates: Estimates) -> str:
    if not repeats_by_clock(estimates.plan):
        return "all slots"
    drawn = len(set(_drawn_slots(estimates)))
    return f"the {drawn:,} slots in which homes drew, which those in between repeat"


def _above_top(estimates: Estimates) -> str:
    """What the numbers say of the watts above the top level."""
    clipped = [name for name, period in estimates.by_period.items() if period and period.clipped]
    line = "What may lie above the top level is part of them and of their intervals, at most as much as is said."
    return f"{line} Clipped at the top level, as the plan knows no more: {', '.join(clipped)}." if clipped else line
