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
    drawn = [slot.as_of for slot in estimates.slots if slot.enough and slot.as_of is not None]
    if not drawn:
        return None
    first, last = estimates.slots[0].slot, estimates.slots[-1].slot
    return unseen_between(estimates.plan, np.array(drawn), np.arange(first, last + 1))


def watts_caption(estimates: Estimates) -> str:
    """Over which slots the watts of a period are a mean."""
    plan = estimates.plan
    if not repeats_by_clock(plan):
        return "Watts are the mean of a home over all slots, on the watts that stand for the levels."
    drawn = len({slot.as_of for slot in estimates.slots if slot.enough})
    return (
        f"Watts are the mean of a home over the {drawn:,} slots in which homes drew, "
        f"one in {rules_of(plan).stride(plan.window):,}, on the watts that stand for the levels; "
        "the slots in between repeat them."
    )
