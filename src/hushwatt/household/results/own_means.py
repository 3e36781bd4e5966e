"""This home's own means, beside the ledger and only where the owner wants them.

They are sums over stretches of a week or so, one for each appliance, of the very watts that reports are drawn from
and on the scale that results are published on: nothing of single hours is in them.  They never leave this machine,
and they are in no file of those who did not ask for them.
"""

import json
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import isfinite, isnan, nan
from pathlib import Path
from typing import Any

import numpy as np

from hushwatt.household.ledger.store import Store
from hushwatt.household.private_files import write_private
from hushwatt.household.report.levels import Watts, ranged
from hushwatt.household.untrusted_json import Malformed, as_count, as_list, as_table, parse_json
from hushwatt.plan.choices import METHODS
from hushwatt.plan.plan import Plan
from hushwatt.plan.sharing import TRAILING, SlotRange, stretches
from hushwatt.privacy.tails import is_real

FILE = "own-means.json"  # beside the ledger
WANTED = "compare"  # in the ledger: whether the owner wants them
MAX_PENDING = 1_000  # slots that wait to be written
MAX_BYTES = 64 << 20  # of the file

Sums = dict[str, dict[str, dict[str, list[float]]]]  # by plan, first slot of a stretch, and appliance: watts, slots


@dataclass
class OwnMeans:
    """The sums of one home; an agent adds slots, and every few seconds what it added is kept, or forgotten."""

    store: Store
    pending: deque[tuple[Plan, int, Watts]] = field(default_factory=lambda: deque(maxlen=MAX_PENDING), repr=False)
    tidied: bool = False  # whether plans that were left before the start are forgotten

    def add(self, plan: Plan, slot: int, watts: Watts, measured: Sequence[bool]) -> None:
        """Take in the mean watts of a slot that is over; what was not measured is no reading, not 0 W."""
        if plan.share_results and slots_drawn_in(plan, SlotRange(slot, slot)):
            self.pending.append((plan, slot, np.where(measured, watts, nan)))

    def keep(self) -> None:
        """Write down what was added if the owner wants that; else forget it."""
        added = list(self.pending)
        self.pending.clear()
        if not wanted(self.store):
            if path_of(self.store).exists():
                delete(self.store)
        elif added or not self.tidied:
            with self.store.transaction():  # nobody turns it off in between
                if wanted(self.store):
                    _replace(self.store, added)
        self.tidied = True


def slots_drawn_in(plan: Plan, span: SlotRange) -> int:
    """How many slots homes speak of: under some methods they speak of one in every window, the first.

    >>> from dataclasses import replace
    >>> from hushwatt.plan.presets import preset
    >>> yearly = replace(preset("advised"), method="lsp", window=7)
    >>> slots_drawn_in(yearly, SlotRange(7, 13)), slots_drawn_in(yearly, SlotRange(8, 13))
    (1, 0)
    """
    step = METHODS[plan.method].step(plan.window)
    return span.last // step - (span.first - 1) // step


def as_published(plan: Plan, watts: Watts) -> Watts:
    """Watts on the scale that results are on: real, clipped at the top, or the watts that stand for their level.

    >>> from hushwatt.plan.presets import preset
    >>> paper = preset("paper")
    >>> as_published(paper, np.full(15, 1e6))[0] == paper.appliances[0].values[-1]
    np.True_
    """
    shown = watts.copy()
    for number, appliance in enumerate(plan.appliances):
        if isnan(watts[number]) or is_real(plan, number):
            continue
        if plan.mapping == "dither":
            shown[number] = min(max(watts[number], appliance.values[0]), appliance.values[-1])
        else:
            shown[number] = appliance.values[int(ranged(appliance, watts[number : number + 1])[0])]
    return shown


def own_sum(sums: Sums, plan: Plan, appliance: str, span: SlotRange) -> tuple[float, int]:
    """The watts of an appliance added up over a stretch of time, and the slots that they are of."""
    kept = sums.get(plan.id, {})
    found = [kept[first].get(appliance) for first in kept if span.first <= int(first) <= span.last]
    return sum(each[0] for each in found if each), int(sum(each[1] for each in found if each))


def wanted(store: Store) -> bool:
    """Whether the owner wants the home's own means to be kept."""
    return bool(store.read_value(WANTED))


def set_wanted(store: Store, on: bool) -> None:
    """Keep them from now on, or delete them and keep none."""
    with store.transaction() as disk:
        disk.execute("INSERT OR REPLACE INTO home VALUES (?, ?)", (WANTED, int(on)))
        if not on:
            _unlink(store)


def delete(store: Store) -> None:
    """Delete what is kept, unless the owner wants it by now."""
    with store.transaction():
        if not wanted(store):
            _unlink(store)


def forget_plan(store: Store, plan_id: str) -> None:
    """Delete what is kept for a plan that was left, and what was fetched of it."""
    with store.transaction() as disk:
        disk.execute("DELETE FROM home WHERE name IN (?, ?)", (f"results {plan_id}", f"fetch {plan_id}"))
        sums = load(store)
        if sums.pop(plan_id, None) is not None:
            _write(store, sums)


def path_of(store: Store) -> Path:
    return store.path.with_name(FILE)


def load(store: Store) -> Sums:
    """What is kept; a damaged file is none."""
    try:
        tables = as_table(as_table(parse_json(path_of(store).read_bytes(), MAX_BYTES)).get("plans"))
    except (OSError, Malformed):
        return {}
    return {plan: _stretches(as_table(each)) for plan, each in tables.items()}


def _stretches(table: dict[str, Any]) -> dict[str, dict[str, list[float]]]:
    known = {first: as_table(each) for first, each in table.items() if first.isascii() and first.isdigit()}
    return {first: {name: pair for name, pair in each.items() if _is_sum(pair)} for first, each in known.items()}


def _is_sum(pair: Any) -> bool:
    watts, slots = as_list(pair) if len(as_list(pair)) == 2 else (None, None)
    return isinstance(watts, int | float) and isfinite(watts) and bool(as_count(slots))


def _replace(store: Store, added: list[tuple[Plan, int, Watts]]) -> None:
    """Keep what was added, too, and forget plans that were left and stretches that are too long ago."""
    here = {row["plan"] for row in store.rows("SELECT plan FROM plans WHERE left IS NULL")}
    before = load(store)
    sums = {plan: kept for plan, kept in before.items() if plan in here}
    if added or sums != before:
        _write(store, _joined(sums, [each for each in added if each[0].id in here]))


def _joined(sums: Sums, added: list[tuple[Plan, int, Watts]]) -> Sums:
    for plan, slot, watts in added:
        parts = stretches(plan)
        first = parts.first_of(slot)
        kept = sums.setdefault(plan.id, {})
        _add(kept.setdefault(str(first), {}), plan, watts)
        oldest = first - (TRAILING[-1] - 1) * parts.length
        sums[plan.id] = {each: kept[each] for each in kept if int(each) >= oldest}
    return sums


def _add(kept: dict[str, list[float]], plan: Plan, watts: Watts) -> None:
    for name, each in zip(plan.names, as_published(plan, watts).tolist(), strict=True):
        if not isnan(each):
            before, slots = kept.get(name, [0.0, 0])
            kept[name] = [before + each, slots + 1]


def _write(store: Store, sums: Sums) -> None:
    write_private(path_of(store), json.dumps({"plans": sums}))


def _unlink(store: Store) -> None:
    for path in (path_of(store), path_of(store).with_name(f".{FILE}")):
        path.unlink(missing_ok=True)
