"""Watts become levels.

`range` looks up the published range that holds a reading.  `dither` rounds at random
to one of the two nearest representative values, up or down with the chance that
keeps the mean right; that tells nothing more (docs/proofs/dithering.md).  Every
appliance of the plan gets a level, owned or not.  Watts that are NaN were not measured:
where the plan has that answer, it follows the last level.
"""

import numpy as np
from numpy.typing import NDArray

from hushwatt.plan.appliance import Appliance
from hushwatt.plan.plan import Plan
from hushwatt.privacy.entropy import Entropy

Watts = NDArray[np.float64]
Levels = NDArray[np.uint16]


def to_levels(plan: Plan, watts: Watts, entropy: Entropy) -> Levels:
    """The level of every home (row) and appliance (column); one beyond the last where it is not measured."""
    if plan.answers_unmeasured:
        levels = _measured_levels(plan, np.nan_to_num(watts, nan=0.0), entropy)
        return np.where(np.isnan(watts), np.array(plan.widths, dtype=np.uint16) - np.uint16(1), levels)
    return _measured_levels(plan, watts, entropy)


def _measured_levels(plan: Plan, watts: Watts, entropy: Entropy) -> Levels:
    """The level of every home and appliance; as many words are drawn whatever the watts are."""
    levels = np.empty(watts.shape, dtype=np.uint16)
    for column, appliance in enumerate(plan.appliances):
        if plan.mapping == "dither":
            levels[:, column] = dithered(appliance, watts[:, column], entropy)
        else:
            levels[:, column] = ranged(appliance, watts[:, column])
    return levels


def ranged(appliance: Appliance, watts: Watts) -> NDArray[np.intp]:
    """The range that holds each reading; one on an edge belongs to the lower level.

    >>> kettle = Appliance("kettle", edges=(250.0, 500.0), values=(125.0, 375.0, 625.0))
    >>> ranged(kettle, np.array([0.0, 250.0, 250.1, 9000.0]))
    array([0, 0, 1, 2])
    """
    return np.searchsorted(np.array(appliance.edges), watts, side="left")


def dithered(appliance: Appliance, watts: Watts, entropy: Entropy) -> NDArray[np.intp]:
    """One of the two values around each reading, at random, so that the mean is the reading.

    A reading a fraction u of the way from one value to the next goes up with chance u.
    Below the first value is the first level, above the last the last.
    """
    lower, way = between(appliance, watts)
    coin = (entropy.words(len(watts)) >> np.uint64(11)) * 2.0**-53
    levels: NDArray[np.intp] = lower + (coin < way)
    return levels


def between(appliance: Appliance, watts: Watts) -> tuple[NDArray[np.intp], Watts]:
    """The lower of the two levels around each reading, and which fraction of the way to the next it is.

    >>> kettle = Appliance("kettle", edges=None, values=(0.0, 100.0, 300.0))
    >>> between(kettle, np.array([50.0, 150.0, 999.0]))
    (array([0, 1, 1]), array([0.5 , 0.25, 1.  ]))
    """
    values = np.array(appliance.values)
    inside = np.clip(watts, values[0], values[-1])
    lower = np.clip(np.searchsorted(values, inside, side="right") - 1, 0, len(values) - 2)
    return lower, (inside - values[lower]) / (values[lower + 1] - values[lower])
