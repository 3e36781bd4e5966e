"""Somebody who asks every door everything, and looks for numbers that few homes are behind.

Levels are linear in the counts of answers, so what an answer is made of is found by adding one answer to one cell
in one slot and asking again.  What is inside is not looked at.
"""

from dataclasses import replace
from itertools import combinations

import numpy as np

from hushwatt.provider.estimate.collected import CollectedCells
from hushwatt.provider.estimate.estimate import estimate
from hushwatt.provider.tally.labels import Cells
from hushwatt.provider.tally.tally import Tallies, Tally, TallyKey

APPLIANCE = "appliance 0"


def collection(plan, speakers, cells):
    """Tallies of one appliance; `speakers` are slots × cells, and all say the same.

    Where homes speak of one of two appliances at a time, enough of them speak of the other one.
    """
    others = plan.minimum_homes * (len(plan.appliances) - 1)
    groups = {}
    for slot, row in enumerate(speakers.tolist()):
        for cell, count in enumerate(row):
            if count:
                counts = np.full(plan.width, count, dtype=np.int64)
                spoke = np.array([count, others][: len(plan.appliances)])
                groups[TallyKey(slot, 0, slot, plan.epsilon, cell)] = Tally(count + others, spoke, counts)
    homes = np.maximum(speakers.sum(axis=0), 1) * 2
    return Tallies(
        int(homes.sum()), groups, cells=cells, cell_homes={cell: int(homes[cell]) for cell in range(1, len(homes))}
    )


def product(*sizes, missing=()):
    """Cells of every combination of so many values of each label, but for some."""
    names = tuple("abc"[: len(sizes)])
    rows = [tuple(f"v{each}" for each in place) for place in np.ndindex(*sizes) if place not in missing]
    return Cells(names, tuple(rows))


def answered(plan, tallies):
    """Every number of levels that any door tells, by what was asked."""
    told: dict[tuple, float] = {}
    slots = sorted({key.slot for key in tallies.groups})
    stretches = [(None, None), *((a, b) for a in slots for b in slots if a <= b <= a + 3)]
    for first, last in stretches:
        if plan.publish > 1 and first is not None and (first % plan.publish or (last + 1) % plan.publish):
            continue
        every = CollectedCells.of(plan, tallies, first, last, None)
        wheres = [{}]
        for count in range(1, len(tallies.cells.names) + 1):
            for by in combinations(tallies.cells.names, count):
                wheres += tallies.cells.groups(by)
        for where in wheres:
            found = every.only(where) if where else every.whole()
            asked = (first, last, tuple(where.items()))
            series = found.series[APPLIANCE]
            if series.period is not None:
                told[asked, "period"] = series.period.share[0]
            for row in np.flatnonzero(series.slots.known & found.timeline.requested):
                told[asked, int(found.timeline.slots[row])] = series.slots.share[row, 0]
    for by in ((), tallies.cells.names):
        for each in estimate(plan, tallies, by=by, consistency="none").groups:
            if each.by_period[APPLIANCE]:
                told["estimate", each.name] = each.by_period[APPLIANCE].unbiased[0]
    return told


def ingredients(plan, tallies):
    """What each told number is made of: a row for each, a column for each key of the tallies."""
    keys = sorted(tallies.groups)
    before, columns = answered(plan, tallies), []
    for key in keys:
        tally, more = tallies.groups[key], np.eye(plan.width, dtype=np.int64)[0]
        changed = replace(tallies, groups=tallies.groups | {key: replace(tally, counts=tally.counts + 1000 * more)})
        after = answered(plan, changed)
        assert after.keys() == before.keys()  # whether there is an answer never depends on answers
        columns.append([after[asked] - before[asked] for asked in before])
    return keys, np.array(columns).reshape(len(keys), -1).T


def given_away(keys, rows, tallies, need):
    """Sets of fewer than `need` reports of which a weighted mean can be worked out from the told numbers."""
    if not rows.size:
        return []
    rows = rows / np.maximum(np.abs(rows).max(axis=1, keepdims=True), 1e-300)
    _, sizes, basis = np.linalg.svd(rows)
    basis = basis[: int((sizes > 1e-9 * sizes[0]).sum())]
    counts = [int(tallies.groups[key].reports[0]) for key in keys]
    small = [
        some
        for count in range(1, need)
        for some in combinations(range(len(keys)), count)
        if sum(counts[each] for each in some) < need
    ]
    return [tuple(keys[each] for each in some) for some in small if _reached(basis, some)]


def _reached(basis, some):
    """Whether a combination of the rows is nowhere negative, and nothing but in `some` columns, all of them."""
    outside = np.delete(basis, some, axis=1)
    values, sizes, _ = (
        np.linalg.svd(outside @ outside.T) if outside.size else (np.eye(len(basis)), np.zeros(len(basis)), 0)
    )
    free = values[:, sizes < 1e-14 * max(sizes.max(initial=0), 1)]
    if not free.shape[1]:
        return False
    inside = free.T @ basis[:, some]
    weights = inside[0] if len(inside) == 1 else None
    if weights is None:  # several: any of them would do
        return True
    return bool((weights > 1e-7).all() or (weights < -1e-7).all())
