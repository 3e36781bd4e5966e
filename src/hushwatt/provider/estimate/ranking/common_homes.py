"""Which homes two collections of slots have in common: kinds of homes, and those whose turn it was in both."""

from collections.abc import Sequence

import numpy as np

from hushwatt.privacy.rotation import parts_asked_on_both
from hushwatt.provider.estimate.array_types import Floats, Mask
from hushwatt.provider.estimate.collected import CollectedSlots


def asked_on_both(sides: Sequence[CollectedSlots], name: str) -> tuple[Floats, Floats]:
    """Of the homes asked about an appliance on one side, the part asked on another too: at least, and at most."""
    least, most = parts_asked_on_both(sides[0].plan, [side.drawn_slots(name) for side in sides])
    same = _same_cells(sides)
    return np.where(same, least, 0.0), np.where(same, most, 1.0)


def shares_homes(sides: Sequence[CollectedSlots]) -> Mask:
    """Whether two sides are about any homes in common, for each two of them."""
    cells = [side.cells for side in sides]
    return np.array([[a is None or b is None or bool((a & b).any()) for b in cells] for a in cells], dtype=bool)


def _same_cells(sides: Sequence[CollectedSlots]) -> Mask:
    """Whether they are about the same homes altogether."""
    whole = next((np.ones_like(side.cells) for side in sides if side.cells is not None), np.ones(1, dtype=bool))
    cells = [whole if side.cells is None else side.cells for side in sides]
    return np.array([[bool((a == b).all()) for b in cells] for a in cells], dtype=bool)
