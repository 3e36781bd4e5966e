"""Estimates as a file: JSON with everything, or a tidy table of the slots.

The table has one row for each slot, appliance and level; slots that are published together are one, and `slots`
says how many they are.  Where there is no answer,
because too few homes reported or spoke of the appliance, the numbers are empty.  Homes of
the levels are on the scale of all homes that took part in the slot.  `homes` is a histogram
as people expect it, made so slot by slot, which biases its averages over slots;
`homes_unbiased` may fall below zero, and its averages are right.  Where a plan has "not measured" as an answer,
levels are those of homes that measure the appliance, and `measured` is their part of all homes.

Where groups of homes were asked for, the slots are followed by the period of each group: `group` is its name, and
slot, start and reports are empty.
"""

import json
from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from hushwatt.errors import UsageError
from hushwatt.provider.estimate.document import document, uneven_limits
from hushwatt.provider.estimate.results import Estimates, GroupEstimates
from hushwatt.wire.storage import Location, atomic_write_to, location

if TYPE_CHECKING:
    import pyarrow as pa

FORMULA = r"^([=+\-@\t\r\n])"


def export(estimates: Estimates, path: str | PathLike[str] | Location) -> None:
    """Write the estimates to `path`, in the form that its ending names."""
    path = location(path)
    form = FORMATS.get(path.suffix.lower())
    if form is None:
        raise UsageError(f"{path} must end in one of {', '.join(FORMATS)}")
    with atomic_write_to(path) as temporary:
        form(estimates, temporary)


def tidy_table(estimates: Estimates) -> "pa.Table":
    """The slots as a table, and below them the groups, if there are any."""
    import pyarrow as pa

    slots = slots_table(estimates)
    if not estimates.groups:
        return slots
    slots = slots.add_column(0, "group", pa.nulls(len(slots), pa.string()))
    tables = [slots, *(group_table(estimates, group) for group in estimates.groups)]
    return pa.concat_tables(tables, promote_options="default").replace_schema_metadata(slots.schema.metadata)


def group_table(estimates: Estimates, group: GroupEstimates) -> "pa.Table":
    """The period of one group: a row for each appliance and level; numbers that are withheld are empty."""
    import pyarrow as pa

    rows = []
    for appliance in estimates.plan.appliances:
        period = group.by_period[appliance.name]
        low, high = period.level_limits(group.homes) if period else (None, None)
        for level, watts in enumerate(appliance.values):
            row = {"group": group.name, "appliance": appliance.name, "level": level, "watts": watts}
            if period is not None and low is not None and high is not None:
                row |= {
                    "homes": float(period.levels[level]),
                    "homes_unbiased": period.unbiased[level],
                    "homes_se": float(period.levels_se[level]),
                    "homes_low": float(low[level]),
                    "homes_high": float(high[level]),
                    "mean_watts": period.watts,
                    "mean_watts_se": period.watts_se,
                    "mean_watts_low": period.low,
                    "mean_watts_high": period.high,
                }
            rows.append(row)
    numbers = ("homes", "homes_unbiased", "homes_se", "homes_low", "homes_high", "mean_watts", "mean_watts_se")
    kinds = {"group": pa.string(), "appliance": pa.string(), "level": pa.int64(), "watts": pa.float64()}
    kinds |= dict.fromkeys((*numbers, "mean_watts_low", "mean_watts_high"), pa.float64())
    return pa.table({name: pa.array([row.get(name) for row in rows], kind) for name, kind in kinds.items()})


def slots_table(estimates: Estimates) -> "pa.Table":
    """The slots as a table: slot, start, as_of, reports, appliance, level, its watts, and all numbers."""
    import pyarrow as pa

    plan, slots = estimates.plan, estimates.slots
    count, width = len(slots), sum(each.levels for each in plan.appliances)

    def each_slot(values: list[object], kind: pa.DataType) -> pa.Array:
        return pa.array([value for value in values for _ in range(width)], kind)

    def each_level(values: list[object]) -> pa.Array:
        return pa.array(values * count)

    def numbers(name: str) -> pa.Array:
        """A column of cells, or of means that are repeated for every level."""
        parts, gaps = [], []
        for appliance in plan.appliances:
            series = estimates.by_slot[appliance.name]
            column = getattr(series, name)
            cells = column if column.ndim == 2 else np.repeat(column[:, None], appliance.levels, axis=1)
            parts.append(cells)
            gaps.append(np.repeat(~series.known[:, None], appliance.levels, axis=1))
        return pa.array(np.hstack(parts).ravel(), mask=np.hstack(gaps).ravel())

    limits = ("watts_low", "watts_high") if estimates.smoothed or uneven_limits(plan) else ()
    smoothed = ("smoothed",) if estimates.smoothed else ()
    measured = ("measured", "measured_low", "measured_high") if plan.answers_unmeasured else ()
    return pa.table(
        {
            "slot": each_slot([slot.slot for slot in slots], pa.int64()),
            **({"slots": each_slot([slot.slots for slot in slots], pa.int64())} if plan.publish != 1 else {}),
            "start": each_slot([slot.start for slot in slots], pa.timestamp("s", tz="UTC")),
            "as_of": each_slot([slot.as_of for slot in slots], pa.int64()),
            "reports": each_slot([slot.reports for slot in slots], pa.int64()),
            "appliance": each_level([each.name for each in plan.appliances for _ in each.values]),
            "level": each_level([level for each in plan.appliances for level in range(each.levels)]),
            "watts": each_level([watts for each in plan.appliances for watts in each.values]),
            "homes": numbers("levels"),
            "homes_unbiased": numbers("unbiased"),
            "homes_se": numbers("levels_se"),
            "homes_low": numbers("low"),
            "homes_high": numbers("high"),
            "mean_watts": numbers("watts"),
            "mean_watts_se": numbers("watts_se"),
            **{name.replace("watts", "mean_watts"): numbers(name) for name in limits},
            **{name: numbers(name) for name in (*smoothed, *measured)},
        },
        metadata={"hushwatt.plan": plan.id, "hushwatt.homes": str(estimates.homes)},
    )


def _json(estimates: Estimates, path: Path) -> None:
    path.write_text(json.dumps(document(estimates), ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8")


def _csv(estimates: Estimates, path: Path) -> None:
    from pyarrow import csv

    csv.write_csv(without_formulas(tidy_table(estimates)), path)


def without_formulas(table: "pa.Table") -> "pa.Table":
    """The same table against CSV injection: a text that a spreadsheet takes for a formula gets an apostrophe.

    >>> import pyarrow as pa
    >>> without_formulas(pa.table({"appliance": ["=1+1", "oven"], "watts": [-1, 2]})).to_pylist()
    [{'appliance': "'=1+1", 'watts': -1}, {'appliance': 'oven', 'watts': 2}]
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    for index, field in enumerate(table.schema):
        if pa.types.is_string(field.type):
            plain = pc.replace_substring_regex(table.column(index), FORMULA, r"'\1")
            table = table.set_column(index, field, plain)
    return table


def _parquet(estimates: Estimates, path: Path) -> None:
    from pyarrow import parquet

    parquet.write_table(tidy_table(estimates), path)


FORMATS: dict[str, Callable[[Estimates, Path], None]] = {".csv": _csv, ".parquet": _parquet, ".json": _json}
