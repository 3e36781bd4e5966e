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
    """Pass the shares of all levels through one bank of filters, and the watts through another."""
    shown = Smoothed(
        *(np.zeros(column.shape) for column in (slots.share, slots.share, slots.watts, slots.watts))
    )
    kept, news = kept_errors(groups, slots, timeline)
    shares: Bank | None = None
    watts: Bank | None = None
    for place in np.flatnonzero(slots.known).tolist():
        if shares is None or watts is None:
            histogram = usual(slots.share[place], slots.reports[place])
            shares = Bank.start(seen_share(slots, place, histogram))
            watts = Bank.start(seen_watts(slots, place, histogram, values))
        elif news[place]:
            histogram = usual(shares.foretold(), slots.reports[place])
            shares = shares.after(seen_share(slots, place, histogram, kept[place]))
            watts = watts.after(seen_watts(slots, place, histogram, values, kept[place]))
        shown.share[place], shown.share_variance[place] = shares.told()
        (shown.watts[place],), (shown.watts_variance[place],) = watts.told()
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


def seen_share(slots: Slots, place: int, histogram: Numbers, kept: float = 0.0) -> Seen:
    noise = slots.errors.at(place).variance(histogram)
    return Seen(slots.share[place], np.maximum(noise, LEAST), kept)


def seen_watts(slots: Slots, place: int, histogram: Numbers, values: Numbers, kept: float = 0.0) -> Seen:
    """The watts of a slot, with the noise and the sampling that homes at the usual levels would have."""
    spread = histogram @ values**2 - (histogram @ values) ** 2
    variance = (histogram @ slots.watts_loud[place] + slots.absent[place] * spread) / slots.reports[place]
    return Seen(slots.watts[[place]], np.maximum(np.array([variance]), LEAST * np.ptp(values) ** 2), kept)
