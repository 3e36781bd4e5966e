"""What a home that follows the plan can send: amounts, fields and numbers of ones.

A report outside this is refused.  Inside it a home may say what it likes: the bits of an
honest home are random too.
"""

import numpy as np
from numpy.typing import NDArray

from hushwatt.plan.plan import Plan
from hushwatt.privacy.band import Case, band, remembers
from hushwatt.privacy.strategies import strategy_for
from hushwatt.wire.payload import Layout

Mask = NDArray[np.bool_]
Whole = NDArray[np.int64]
Rows = NDArray[np.uint8]


def amounts_fit(plan: Plan, slot: Whole, spent: Whole, drawn: Whole) -> Mask:
    """Which reports cost what the plan's method can cost in their slot."""
    return strategy_for(plan).amounts_fit(slot, spent, drawn)


def payloads_fit(layout: Layout, drawn: Whole, rows: Rows) -> Mask:
    """Which payloads a home could have drawn with these budgets.

    No bit beyond the last field, appliances that ascend, no level beyond an appliance's last, and a
    number of ones that chance allows.
    """
    fit = ~layout.padding(rows)
    if not len(rows):
        return fit
    members = _members(layout, rows, fit) if layout.partial else None
    if layout.direct or members is not None:
        widths = np.array(layout.widths)
        for entry in range(layout.asked):
            levels = widths[entry] if members is None else widths[members[:, entry]]
            fit &= ~layout.beyond(layout.answers(rows, entry), levels)
    if not layout.direct:
        fit &= _ones_fit(layout, drawn, rows, members)
    return fit


def _members(layout: Layout, rows: Rows, fit: Mask) -> NDArray[np.intp]:
    """The appliances each report speaks of, which must ascend."""
    members = layout.members(rows)
    before = np.column_stack([np.full(len(rows), -1), members[:, :-1]])
    fit &= ~layout.misplaced(members, before).any(axis=1)
    return np.minimum(members, len(layout.widths) - 1)


def ones_fit(layout: Layout, drawn: Whole, rows: Rows) -> Mask:
    """Which payloads of unary answers have a number of ones that chance allows with these budgets."""
    fit = np.ones(len(rows), dtype=bool)
    if not len(rows):
        return fit
    members = _members(layout, rows, fit) if layout.partial else None
    return _ones_fit(layout, drawn, rows, members)


def _ones_fit(layout: Layout, drawn: Whole, rows: Rows, members: NDArray[np.intp] | None) -> Mask:
    ones = np.bitwise_count(rows).sum(axis=1, dtype=np.int64)
    levels, fit = _levels(layout, rows, members), np.ones(len(rows), dtype=bool)
    if members is not None:
        ones -= np.bitwise_count(members.astype(np.uint64)).sum(axis=1, dtype=np.int64)
    for case in _cases(layout, drawn, levels):
        (_, budget, _, cells), (low, high) = case, band(*case)
        fit &= ((ones >= low) & (ones <= high)) | (drawn != budget) | (levels != cells)
    return fit


def bands_at_hand(layout: Layout, drawn: Whole, rows: Rows) -> bool:
    """Whether judging these payloads takes no time to speak of: no band has to be worked out first."""
    if layout.direct or not len(rows):
        return True
    members = _members(layout, rows, np.ones(len(rows), dtype=bool)) if layout.partial else None
    return remembers(_cases(layout, drawn, _levels(layout, rows, members)))


def _levels(layout: Layout, rows: Rows, members: NDArray[np.intp] | None) -> Whole:
    """How many levels the appliances have that each report speaks of."""
    if members is None:
        return np.full(len(rows), sum(layout.widths))
    levels: Whole = np.array(layout.widths)[members].sum(axis=1)
    return levels


def _cases(layout: Layout, drawn: Whole, levels: Whole) -> list[Case]:
    """The different bands that reports ask for."""
    return [(layout.oracle, budget, layout.asked, cells) for budget, cells in unique_rows(drawn, levels)]


def unique_rows(*columns: Whole) -> list[tuple[int, ...]]:
    """The different rows of some columns, ascending; mostly there is one."""
    if all((column == column[0]).all() for column in columns):
        return [tuple(int(column[0]) for column in columns)]
    return sorted(set(zip(*(column.tolist() for column in columns), strict=True)))
