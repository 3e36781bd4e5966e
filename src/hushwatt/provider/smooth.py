"""Smoothed slots: each learns from the slots before it, never from those after.

A slot in which nobody drew anew shows what the last one showed.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hushwatt.provider.bank import Bank, Seen
from hushwatt.provider.consistency import usual
from hushwatt.provider.groups import Groups
from hushwatt.provider.slots import Slots
from hushwatt.provider.stack import Timeline

Numbers = NDArray[np.float64]
LEAST = 1e-12  # variance of a share below which nothing is to be gained


@dataclass(frozen=True)
class Smoothed:
    """One appliance in every slot, smoothed; slots without an answer are left at zero."""

    share: Numbers
    share_variance: Numbers
    watts: Numbers
    watts_variance: Numbers

    @classmethod
    def blank(cls, slots: Slots) -> "Smoothed":
        cells, means = slots.share.shape, slots.watts.shape
        return cls(np.zeros(cells), np.zeros(cells), np.zeros(means), np.zeros(means))


def smooth(groups: Groups, slots: Slots, timeline: Timeline, values: Numbers) -> Smoothed:
    """Pass the shares of all levels and the watts through a bank of filters."""
    shown = Smoothed.blank(slots)
    if not len(timeline.slots):
        return shown
    kept, news = kept_errors(groups, slots, timeline)
    bank: Bank | None = None
    for place in np.flatnonzero(slots.known).tolist():
        if bank is None:
            bank = Bank.start(seen(slots, place, values, slots.share[place]))
        elif news[place]:
            bank = bank.after(seen(slots, place, values, bank.foretold()[:-1], kept[place]))
        told, doubt = bank.told()
        shown.share[place], shown.watts[place] = told[:-1], told[-1]
        shown.share_variance[place], shown.watts_variance[place] = doubt[:-1], doubt[-1]
    return shown


def kept_errors(groups: Groups, slots: Slots, timeline: Timeline) -> tuple[Numbers, NDArray[np.bool_]]:
    """How much of the last slot's error is in each slot again, and whether anybody drew anew.

    The error of a home that repeats itself is the same in both; this is the covariance of the two
    slots' errors over the variance of the last one's.
    """
    known = np.where(slots.known, np.arange(len(slots.known)), 0)
    last = np.concatenate([[0], np.maximum.accumulate(known)[:-1]])  # the slot before with an answer
    again = groups.as_of <= timeline.slots[last][timeline.places]
    again &= timeline.places > last[timeline.places]
    weight = groups.reports * groups.quiet
    errors, repeats = timeline.summed(weight), timeline.summed(np.where(again, weight, 0.0))
    ratio = repeats * slots.reports[last] / np.maximum(errors[last] * slots.reports, LEAST)
    return np.minimum(ratio, 1.0), timeline.summed(np.where(again, 0.0, groups.reports)) > 0


def seen(slots: Slots, place: int, values: Numbers, expected: Numbers, kept: float = 0.0) -> Seen:
    """The shares and the watts of a slot; their errors are those of a histogram halfway to `expected`."""
    histogram = usual((slots.share[place] + expected) / 2, slots.reports[place])
    spread = histogram @ values**2 - (histogram @ values) ** 2
    watts = (histogram @ slots.watts_loud[place] + slots.absent[place] * spread) / slots.reports[place]
    noise = np.append(slots.errors.at(place).variance(histogram), watts)
    least = np.append(np.full(len(values), LEAST), LEAST * np.ptp(values) ** 2)
    return Seen(np.append(slots.share[place], slots.watts[place]), np.maximum(noise, least), kept)
