"""Which homes two collections of slots have in common: kinds of homes, and those whose turn it was in both."""

from collections.abc import Sequence

import numpy as np

from hushwatt.privacy.rotation import turn_class
from hushwatt.provider.estimate.array_types import Floats, Mask
from hushwatt.provider.estimate.collected import CollectedSlots


def asked_on_both(sides: Sequence[CollectedSlots], name: str) -> tuple[Floats, Floats]:
    """Of the homes asked about an appliance on one side, the part asked on another too: at least, and at most."""
    plan = sides[0].plan
    kinds = [set(turn_class(plan, side.drawn_slots(name)).tolist()) for side in sides]
    part = np.array([[len(a & b) / max(len(a) * len(b), 1) ** 0.5 for b in kinds] for a in kinds])
    exact = plan.decision is None and len(plan.appliances) % plan.appliances_per_report == 0
    least, most = (part, part) if exact else (np.zeros_like(part), np.ones_like(part))
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
