"""Several levels taken as one: the debiased tallies of "the home holds one of these".

A direct answer for one of them is a direct answer for the set, with a law of its own.  Bits are answers for every
level; as a home holds exactly one, their sum less the average of all bits has the least noise.  Either way the
variance is a function of the share alone, as it is for one level, so that the same intervals hold.
"""

from collections.abc import Sequence

import numpy as np

from hushwatt.provider.estimate.array_types import Floats, Mask
from hushwatt.provider.estimate.debias import DebiasedGroups


def set_groups(groups: DebiasedGroups, levels: Sequence[int], direct: bool) -> DebiasedGroups:
    """The groups with one level in the place of all, held by homes that hold any of `levels`."""
    count = groups.held.shape[1]
    inside = np.isin(np.arange(count), levels)
    changed = _direct(groups, inside) if direct else _bits(groups, inside)
    return DebiasedGroups(**vars(groups) | {"noise": np.zeros((len(groups.reports), 1))} | changed)


def _direct(groups: DebiasedGroups, inside: Mask) -> dict[str, Floats]:
    """With c levels in the set, an answer names it with p + (c−1)q when it is true, with c·q when it is not."""
    many = int(inside.sum())
    lean = -groups.lowest  # q/(p−q)
    square = groups.noise_not_held + lean**2  # q/(p−q)²
    slope = groups.noise_held - groups.noise_not_held - 2 * (many - 1) * lean
    noise = many * square - (many * lean) ** 2
    return {
        "held": groups.held[:, inside].sum(axis=1, keepdims=True),
        "noise_not_held": noise,
        "noise_held": noise + slope,
        "lowest": many * groups.lowest,
        "highest": many * groups.lowest + groups.step,
    }


def _bits(groups: DebiasedGroups, inside: Mask) -> dict[str, Floats]:
    """With the part α of all levels in the set, a bit counts 1 − α in it and −α outside, and α is added."""
    part, count = float(inside.mean()), len(inside)
    slope, spread = groups.noise_held - groups.noise_not_held, count * part * (1 - part)
    noise = groups.noise_not_held * spread
    reach = groups.step * spread
    return {
        "held": part * groups.reports[:, None] + groups.held @ (inside - part)[:, None],
        "noise_not_held": noise + slope * part**2,
        "noise_held": noise + slope * (1 - part) ** 2,
        "step": groups.step * max(part, 1 - part),
        "lowest": part - reach,
        "highest": part + reach,
    }
