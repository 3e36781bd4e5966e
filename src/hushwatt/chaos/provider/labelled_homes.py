"""Homes with labels, and what may be told of them: no kind of too few homes, nor what is left beside others."""

from collections import Counter
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import pyarrow as pa

from hushwatt.audit.harness.expect import expect
from hushwatt.plan import Plan
from hushwatt.provider.estimate.collected import CollectedCells
from hushwatt.provider.intake.file_labels import FileLabels
from hushwatt.provider.store.cells import StoredCell
from hushwatt.provider.tally.label_table import LabelTable
from hushwatt.provider.tally.labels import group_name
from hushwatt.provider.tally.tally import Tallies
from hushwatt.wire.labels import MISSING, Labels

LABELS = ("tariff", "region")
Spoke = Callable[[range, int], set[int]]  # the homes that spoke of an appliance in some slots


def labels_of(home: int) -> Labels:
    """What is known of a home: one in twelve has no tariff, and one in four no region."""
    tariff = {"tariff": "AAB"[home % 3]} if home % 12 else {}
    return Labels.of(tariff | ({"region": ("north", "south")[home // 12 % 2]} if home % 4 else {}))


def table_of(names: list[str]) -> FileLabels:
    """The labels of all homes, as a data engineer has them."""
    rows = [{"household": name} | labels_of(home).document() for home, name in enumerate(names)]
    columns = {name: [row.get(name, "") for row in rows] for name in ("household", *LABELS)}
    return FileLabels(Path("labels"), LabelTable.of(pa.table(columns)))


def check_counted(cells: list[StoredCell], homes: Collection[int]) -> None:
    """The homes that a store counts in every cell are those that are there."""
    here = Counter(labels_of(home).canonical() for home in homes)
    counted = {each.labels.canonical(): each.homes for each in cells}
    expect(all(count == here[labels] for labels, count in counted.items()), "homes are counted under other labels")


def check_groups(plan: Plan, by: list[str], document: dict[str, Any], slots: range, spoke: Spoke) -> None:
    """No kind of homes is told of that too few are in."""
    groups = document.get("groups", {})
    for place, name in enumerate(plan.names):
        told = {group for group, answer in groups.items() if (answer.get("appliances") or {}).get(name)}
        here = spoke(slots, place) if told else set()
        for group in told:
            homes = sum(_group(home, by) == group for home in here)
            expect(homes >= plan.minimum_homes, f"{homes} homes of a kind are told of")


def check_rests(plan: Plan, tallies: Tallies, slots: Callable[[int], range], spoke: Spoke) -> None:
    """In slots that count together, those who are not told of are not too few homes, left of all."""
    every = CollectedCells.of(plan, tallies, None, None, None)
    for by in ([LABELS[0]], [LABELS[1]], list(LABELS)) if {*LABELS} <= {*tallies.cells.names} else ():
        kinds = {group_name(kind): tallies.cells.matching(kind) for kind in tallies.cells.groups(by)}
        for place, (name, pools) in enumerate(zip(plan.names, every.grouped.pools, strict=True)):
            told = {kind: pools.answered(cells) for kind, cells in kinds.items()}
            for number in range(len(pools)):
                starts = every.grouped.timeline.slots[pools.pool_of == number].tolist()
                here = {home for start in starts for home in spoke(slots(start), place)}
                rest = {home for home in here if not told[_group(home, by)][number]}
                apart = 0 < len(rest) < plan.minimum_homes and rest != here
                expect(not apart, f"what {len(rest)} homes said of {name} can be told by subtracting kinds of homes")


def _group(home: int, by: list[str]) -> str:
    return group_name({name: labels_of(home).document().get(name, MISSING) for name in by})
