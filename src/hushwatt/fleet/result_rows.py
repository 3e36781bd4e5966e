"""The JSON of estimates as the rows of tables: one for each appliance, with its limits in columns of their own."""

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from hushwatt.fleet.dataframe_kinds import Frame, from_arrow

Row = dict[str, Any]
WORDS = {"needs"}  # columns of texts
LIMITS = {"watts": "ci95", "share": "share_ci95", "rank": "rank_ci95"}
CONTRAST = ("difference", "ci95", "percent", "percent_ci95", "p", "p_adjusted", "detectable")
ENERGY = ("kwh", "kwh_a_day", "kwh_if_all", "kwh_if_all_a_day")


def frame_of(kind: str, rows: list[Row]) -> Frame:
    """The rows as a frame; a column without a value is one of numbers, or of texts, all the same."""
    table = pa.Table.from_pylist(rows)
    for place, field in enumerate(table.schema):
        if pa.types.is_null(field.type):
            meant = pa.string() if field.name in WORDS else pa.float64()
            table = table.set_column(place, field.name, table.column(place).cast(meant))
    return from_arrow(kind, table)


def period_rows(appliances: Mapping[str, Row | None], asked: bool, **first: Any) -> list[Row]:
    """A row for each appliance; `asked` whether homes say that they do not measure it."""
    return [{**first, **_period_row(name, numbers or {}, asked)} for name, numbers in appliances.items()]


def _period_row(name: str, numbers: Row, asked: bool) -> Row:
    row = {"appliance": name, "mean_watts": numbers.get("mean_watts"), "se": numbers.get("mean_watts_se")}
    row |= {key: numbers.get(key) for key in ("share", "rank")}
    row |= {"measured": numbers.get("measured")} if asked else {}
    for column, key in (LIMITS | ({"measured": "measured_ci95"} if asked else {})).items():
        row[f"{column}_low"], row[f"{column}_high"] = numbers.get(key, (None, None))
    return row


def energy_rows(document: Row, asked: bool) -> list[Row]:
    """What homes use, of all customers where their number was given; the last row is all appliances together."""
    customers = "customers" in document
    told = {name: _of(each or {}, customers) for name, each in document["appliances"].items()}
    together = document["customers"] if customers else document.get("totals", {})
    return [_energy_row(name, each, asked) for name, each in (told | {"together": together}).items()]


def _of(numbers: Row, customers: bool) -> Row:
    found: Row = numbers.get("customers", {}) if customers else numbers
    return found


def _energy_row(name: str, numbers: Row, asked: bool) -> Row:
    row: Row = {"appliance": name}
    for key in ENERGY if asked else ENERGY[:2]:
        row[key] = numbers.get(key)
        row[f"{key}_low"], row[f"{key}_high"] = numbers.get(f"{key}_ci95", (None, None))
    return row


def above_rows(appliances: Mapping[str, Row | None], key: str, **first: Any) -> list[Row]:
    """The share of homes above so many watts; where levels do not tell it, its limits are bounds."""
    return [{**first, "appliance": name, **_above_row((each or {}).get(key, {}))} for name, each in appliances.items()]


def _above_row(told: Row | list[Row]) -> Row:
    numbers = told[0] if isinstance(told, list) else told
    low, high = numbers.get("ci95") or numbers.get("bounds") or (None, None)
    share = {"watts": numbers.get("watts"), "share": numbers.get("share"), "share_low": low, "share_high": high}
    return share | {"needs": numbers.get("needs")}


def contrast_rows(appliances: Mapping[str, Row | None]) -> list[Row]:
    """By how much every appliance differs."""
    rows = []
    for name, each in appliances.items():
        row: Row = {"appliance": name}
        for key in CONTRAST:
            value = (each or {}).get(key)
            if key.endswith("ci95"):
                column = key.removesuffix("ci95") or "difference_"
                row[f"{column}low"], row[f"{column}high"] = value or (None, None)
            else:
                row[key] = value
        rows.append(row)
    return rows
