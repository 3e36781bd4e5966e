"""Whose turn it is, and about which appliances: public, and the same function on both sides.

A home speaks at its turns and walks its own order of the appliances, s at a time.  Turn k asks
about the places k·s … k·s + s − 1 of the order, going round, so a missed turn moves on by itself
(docs/proofs/rotation.md).  Nothing here sees a reading.
"""

from collections.abc import Sequence
from functools import lru_cache
from hashlib import shake_256
from math import gcd

import numpy as np
from numpy.typing import NDArray

from hushwatt.plan.plan import Plan
from hushwatt.privacy.strategies import rules_of

ORDER, TURNS = b"hushwatt-order-v1\n", b"hushwatt-turns-v1\n"
CACHED = 64  # permutations of the turns of a window


def has_turns(plan: Plan) -> bool:
    """Whether each home speaks in one slot of every window alone, its phase."""
    return rules_of(plan).population and plan.decision is None


def repeats_by_clock(plan: Plan) -> bool:
    """Whether all homes draw in the same slots, as the clock says, and send that again in between."""
    return rules_of(plan).repeats and plan.decision is None


def has_orders(plan: Plan) -> bool:
    """Whether each home walks an order of the appliances by the clock."""
    return plan.appliances_per_report < len(plan.appliances) and plan.decision is None


def turn_of(plan: Plan, slot: int) -> int:
    """The number of the turn that a slot belongs to: `lbu` has one in every slot, others one a window."""
    return slot // rules_of(plan).stride(plan.window)


def first_place(plan: Plan, slot: int) -> int:
    """Where in its order a home begins to ask in a slot."""
    return turn_of(plan, slot) * plan.appliances_per_report % len(plan.appliances)


def distinct_span(plan: Plan) -> int:
    """Slots in a row in which no home speaks twice of the same appliance.

    A home goes round its own order of the n appliances, s at a time, so it comes back to one after
    ⌊n/s⌋ reports at the earliest; it reports in every slot (`lbu`) or every w-th (`lpu`).  Where
    reports are repeated, only a slot by itself is sure to hold every home once.
    """
    rules, rounds = rules_of(plan), len(plan.appliances) // plan.appliances_per_report
    return 1 if rules.repeats or plan.decision is not None else rounds * rules.stride(plan.window)


def reporting_span(plan: Plan) -> int:
    """Slots in a row in which no home reports twice, whatever about; likewise."""
    rules = rules_of(plan)
    return 1 if rules.repeats or plan.decision is not None else rules.stride(plan.window)


def turn_classes(plan: Plan) -> int:
    """How many kinds of slots there are: the same homes are asked about the same appliances in slots of one kind."""
    return rules_of(plan).groups(plan.window) * _turns_around(plan)


def turn_class(plan: Plan, slots: NDArray[np.int64]) -> NDArray[np.int64]:
    """Which kind each slot is of: its phase, and how far homes have come in their orders.

    >>> from hushwatt.plan.presets import preset
    >>> turn_class(preset("advised"), np.arange(5)), turn_classes(preset("advised"))
    (array([0, 1, 2, 0, 1]), 3)
    """
    rules, around = rules_of(plan), _turns_around(plan)
    stride, groups = rules.stride(plan.window), rules.groups(plan.window)
    return np.asarray(slots % groups * around + slots // stride % around)


def take_turns(plan: Plan, slots: NDArray[np.int64]) -> bool:
    """Whether some homes are asked in some of these slots, and others in others."""
    return turn_classes(plan) > 1 and len(np.unique(turn_class(plan, slots))) > 1


def part_asked(plan: Plan, drawn: NDArray[np.int64]) -> float:
    """The part of homes that are asked at all when draws of some slots count, at least.

    All, unless the slots come back to homes that were asked before others were, as one hour of every day may.
    """
    if turn_classes(plan) == 1:
        return 1.0
    kinds = turn_class(plan, drawn)
    hit = len(np.unique(kinds))
    return hit / turn_classes(plan) if hit < len(np.unique(drawn)) else 1.0


def parts_asked_on_both(
    plan: Plan, sides: Sequence[NDArray[np.int64]]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Of the homes asked in some slots, the part asked in others too, for every two sides: at least, and at most.

    Of m_a and m_b homes m_ab are asked in both: m_ab/√(m_a·m_b).  Turns say how many that is, where each home is
    asked about an appliance in one kind of slot alone.
    """
    kinds = [set(turn_class(plan, slots).tolist()) for slots in sides]
    part = np.array([[len(a & b) / max(len(a) * len(b), 1) ** 0.5 for b in kinds] for a in kinds])
    exact = plan.decision is None and len(plan.appliances) % plan.appliances_per_report == 0
    return (part, part) if exact else (np.zeros_like(part), np.ones_like(part))


def _turns_around(plan: Plan) -> int:
    """Turns until a home asks about the same appliances again."""
    count = len(plan.appliances)
    return count // gcd(count, plan.appliances_per_report) if has_orders(plan) else 1


def order_of(plan: Plan, device: bytes) -> NDArray[np.uint16]:
    """The order of the appliances that belongs to a device: their numbers, sorted by keys of 64 bits.

    The keys are SHAKE-256 over `hushwatt-order-v1`, a line end, the plan's id (32 bytes) and the
    device (16 bytes), 8 bytes for each appliance, least significant first.
    """
    seed = ORDER + bytes.fromhex(plan.id) + device
    return _sorted(seed, len(plan.appliances)).astype(np.uint16)


def assigned_turn(plan: Plan, home: int) -> int | None:
    """The turn offered to the home of this number; none where the plan has none.

    Any w homes in a row have one turn each, in an order that only a hash knows.
    """
    if not has_turns(plan):
        return None
    return int(_block(plan.id, plan.window, home // plan.window)[home % plan.window])


def even_turn(plan: Plan, home: int, alike: NDArray[np.int64], all_homes: NDArray[np.int64]) -> int:
    """The turn offered to the home of this number, so that the turns of homes like it fill evenly.

    `alike` and `all_homes` count the homes that each turn has been offered to.  Of the turns with the
    fewest homes alike, one with the fewest of all; among these the order that only a hash knows.
    Where all homes are alike and none has left, it is the assigned one.

    >>> from hushwatt.plan.presets import preset
    >>> plan, filled = preset("advised"), np.zeros(3, dtype=np.int64)
    >>> even_turn(plan, 0, filled, filled) == assigned_turn(plan, 0)
    True
    """
    turns = np.flatnonzero(alike == alike.min())
    turns = turns[all_homes[turns] == all_homes[turns].min()]
    order = _block(plan.id, plan.window, home // plan.window)
    return int(order[np.isin(order, turns)][0])


@lru_cache(maxsize=CACHED)
def _block(plan_id: str, window: int, block: int) -> NDArray[np.intp]:
    return _sorted(TURNS + bytes.fromhex(plan_id) + block.to_bytes(8, "little"), window)


def _sorted(seed: bytes, count: int) -> NDArray[np.intp]:
    keys = np.frombuffer(shake_256(seed).digest(8 * count), dtype="<u8")
    return np.argsort(keys, kind="stable")
