"""Estimates as files: everything in JSON, a tidy table of the slots in CSV and Parquet."""

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.provider.simulated import MICRO, plan_of

from hushwatt.errors import UsageError
from hushwatt.provider.estimate.document import document
from hushwatt.provider.estimate.estimate import estimate
from hushwatt.provider.estimate.export import export, without_formulas
from hushwatt.provider.tally.tally import Tallies, Tally, TallyKey

PLAN = plan_of([[0, 100, 300], [5, 800]], appliances_per_report=1, minimum_homes=10)
TALLIES = Tallies(
    90,
    {
        TallyKey(0, 0, 0, MICRO): Tally(30, np.array([20, 10]), np.array([12, 9, 7, 6, 4])),
        TallyKey(1, 0, 1, MICRO): Tally(4, np.array([2, 2]), np.array([1, 1, 1, 1, 1])),
        TallyKey(2, 0, 2, MICRO): Tally(30, np.array([30, 0]), np.array([12, 9, 7, 0, 0])),
    },
)
FOUND = estimate(PLAN, TALLIES)


def read(path):
    return pl.read_csv(path, try_parse_dates=True) if path.suffix == ".csv" else pl.read_parquet(path)


@pytest.mark.parametrize("name", ["estimates.csv", "estimates.PARQUET"])
def test_one_row_for_each_slot_appliance_and_level(tmp_path, name):
    """Every number of every slot, each in its place, and nothing where there is no answer."""
    path = tmp_path / name
    export(FOUND, path)
    table = read(path)
    slots = document(FOUND)["slots"]

    assert len(table) == 3 * 5
    assert table["watts"].to_list() == [0, 100, 300, 5, 800] * 3
    for row in table.iter_rows(named=True):
        there = slots[row["slot"]].get("appliances", {}).get(row["appliance"])
        numbers = [row[key] for key in ("homes", "homes_se", "homes_low", "homes_high", "mean_watts")]
        assert (row["start"].hour, row["as_of"], row["reports"]) == (
            row["slot"],
            row["slot"],
            slots[row["slot"]]["reports"],
        )
        if there is None:
            assert numbers == [None] * 5
            assert row["mean_watts_se"] is None
        else:
            level = row["level"]
            expected = [
                there["levels"][level],
                there["se"][level],
                *there["ci95"][level],
                there["mean_watts"],
            ]
            assert np.allclose(numbers, expected)
            assert np.isclose(row["mean_watts_se"], there["mean_watts_se"])


def test_json_is_the_document(tmp_path):
    """A .json file is what --json prints."""
    export(FOUND, tmp_path / "estimates.json")

    assert json.loads((tmp_path / "estimates.json").read_text()) == document(FOUND)


def test_parquet_says_whose(tmp_path):
    """The table knows its plan and how many homes take part."""
    export(FOUND, tmp_path / "estimates.parquet")
    metadata = pq.read_schema(tmp_path / "estimates.parquet").metadata

    assert metadata[b"hushwatt.plan"] == PLAN.id.encode()
    assert metadata[b"hushwatt.homes"] == b"90"


def test_no_slots_is_an_empty_table(tmp_path):
    """Without reports there are columns and no rows."""
    export(estimate(PLAN, Tallies(0, {})), tmp_path / "estimates.parquet")

    assert pl.read_parquet(tmp_path / "estimates.parquet").shape == (0, 14)


def test_smoothed_slots_are_marked(tmp_path):
    """With smoothing there are the limits of the watts, and whether each row is smoothed."""
    export(estimate(PLAN, TALLIES, smooth=True), tmp_path / "estimates.parquet")
    table = pl.read_parquet(tmp_path / "estimates.parquet").filter(pl.col("level") == 0)

    assert table["smoothed"].to_list() == [False, False, None, None, True, None]
    assert (table["mean_watts_low"] <= table["mean_watts"]).all()
    assert (table["mean_watts"] <= table["mean_watts_high"]).all()


def test_other_endings_are_refused(tmp_path):
    """A file that ends otherwise is not written."""
    with pytest.raises(UsageError, match=r"must end in one of \.csv, \.parquet, \.json"):
        export(FOUND, tmp_path / "estimates.xlsx")

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("sign", "=+-@")
def test_no_name_is_a_formula(tmp_path, sign):
    """A spreadsheet that opens the CSV reads names, whatever the plan's author called an appliance."""
    names = [f"{sign}cmd|' /C calc'!A0", "oven"]
    parts = [replace(each, name=name) for each, name in zip(PLAN.appliances, names, strict=True)]
    found = estimate(replace(PLAN, appliances=tuple(parts)), TALLIES)
    export(found, tmp_path / "estimates.csv")
    export(found, tmp_path / "estimates.parquet")

    assert set(read(tmp_path / "estimates.csv")["appliance"]) == {"'" + names[0], "oven"}
    assert set(read(tmp_path / "estimates.parquet")["appliance"]) == set(names)


def test_texts_alone_are_changed():
    """Numbers below zero stay numbers; what begins with a tab or a line's end is a text like others."""
    table = pa.table({"text": ["\tx", "\rx", "\n=x", "x=y", None, ""], "number": [-1.5] * 6})

    assert without_formulas(table)["number"].equals(table["number"])
    assert without_formulas(table)["text"].to_pylist() == ["'\tx", "'\rx", "'\n=x", "x=y", None, ""]
