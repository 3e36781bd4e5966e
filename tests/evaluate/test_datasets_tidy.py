"""Tidy tables are taken as they are, written whole or not at all, and become arrays for experiments."""

import json
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from hushwatt.errors import ReadingsError, UsageError
from hushwatt.evaluate.datasets import DatasetOptions, read
from hushwatt.evaluate.datasets.arrays import measured_watts
from hushwatt.evaluate.datasets.convert import convert
from hushwatt.evaluate.readings_file import SCHEMA
from hushwatt.plan.presets import preset
from hushwatt.plan.slot import SlotLength

DAYS = [datetime(2020, 1, day, tzinfo=UTC) for day in (1, 2)]


def table(**columns):
    """A small table of readings, some columns changed or (None) left out."""
    usual = {
        "household": ["a", "a", "b", "b"],
        "time": pa.array([*DAYS, *DAYS], pa.timestamp("us", "UTC")),
        "appliance": ["kettle", "kettle", "mains", "fridge"],
        "watts": [1.0, 2.0, 500.0, 40.0],
    }
    return pa.table({name: column for name, column in (usual | columns).items() if column is not None})


def readings(path, **options):
    """All rows of a tidy file or folder."""
    tables = [batch.cast(SCHEMA) for batch in read("tidy", path, DatasetOptions(**options))]
    rows = pa.Table.from_batches(tables, SCHEMA).to_pylist()
    return [(row["household"], row["time"], row["appliance"], row["watts"]) for row in rows]


def save(path, contents):
    """A table as Parquet or CSV, by its name."""
    pq.write_table(contents, path) if path.suffix == ".parquet" else pyarrow.csv.write_csv(contents, path)
    return path


EXPECTED = [("a", DAYS[0], "kettle", 1.0), ("a", DAYS[1], "kettle", 2.0), ("b", DAYS[1], "fridge", 40.0)]


@pytest.mark.parametrize("suffix", [".parquet", ".csv"])
class TestTidy:
    def test_our_own_layout(self, tmp_path, suffix):
        """Our own columns come as they are, without whole homes' totals."""
        path = save(tmp_path / f"t{suffix}", table())

        assert readings(path) == EXPECTED
        assert len(readings(path, mains=True)) == 4
        assert readings(path, homes=("b",)) == EXPECTED[2:]

    def test_daily_and_half_hourly_layouts(self, tmp_path, suffix):
        """Days or timestamps, and mean watts, go by our names; what else there is stays behind."""
        day = pa.array([moment.date() for moment in (*DAYS, *DAYS)])
        extra = {"dataset": ["x"] * 4, "kwh": [9.0] * 4, "mean_watts": [1.0, 2.0, 500.0, 40.0], "watts": None}
        save(tmp_path / f"daily{suffix}", table(day=day, time=None, **extra))
        stamps = pa.array([moment.replace(tzinfo=None) for moment in (*DAYS, *DAYS)], pa.timestamp("us"))
        save(tmp_path / f"fine{suffix}", table(timestamp=stamps, time=None, **extra))

        assert readings(tmp_path) == EXPECTED * 2

    def test_coverage(self, tmp_path, suffix):
        """With a coverage, poorer rows are left out; those that do not say are kept."""
        path = save(tmp_path / f"t{suffix}", table(coverage=[0.9, 0.3, 1.0, None]))

        assert readings(path) == EXPECTED
        assert readings(path, coverage=0.5) == [EXPECTED[0], EXPECTED[2]]

    @pytest.mark.parametrize("column", ["household", "time", "appliance", "watts"])
    def test_a_column_that_is_not_there(self, tmp_path, suffix, column):
        """A missing column is named with its file."""
        path = save(tmp_path / f"t{suffix}", table(**{column: None}))

        with pytest.raises(ReadingsError, match=rf"t{suffix}: column {column}.* is not there"):
            readings(path)

    def test_what_is_missing_or_infinite(self, tmp_path, suffix):
        """An empty cell or an infinite reading is named by row and column, without its value."""
        empty = save(tmp_path / f"empty{suffix}", table(appliance=["kettle", None, "mains", "fridge"]))
        infinite = save(tmp_path / f"inf{suffix}", table(watts=[1.0, 2.0, 3.0, float("inf")]))

        with pytest.raises(ReadingsError, match=rf"empty{suffix}, row 2, column appliance: missing"):
            readings(empty)
        with pytest.raises(ReadingsError, match=rf"inf{suffix}, row 4, column watts: not a finite number"):
            readings(infinite)

    def test_every(self, tmp_path, suffix):
        """Asking for periods is refused, as the rows are readings already."""
        path = save(tmp_path / f"t{suffix}", table())

        with pytest.raises(UsageError, match="leave --every out"):
            readings(path, every=SlotLength(1, "h"))


def test_converting_within_a_folder(tmp_path):
    """What is being written into the very folder that is read is passed by, as is whatever is hidden."""
    save(tmp_path / "mine.parquet", table())
    (tmp_path / ".half.parquet").write_bytes(b"")
    (tmp_path / ".old").mkdir()
    save(tmp_path / ".old" / "mine.parquet", table())
    convert("tidy", tmp_path, tmp_path / "readings.parquet", DatasetOptions(), lambda done: None)

    assert pq.read_table(tmp_path / "readings.parquet").num_rows == 3  # the mains are left out


def test_csv_that_cannot_be_read(tmp_path):
    """A word for a number, a date that is none and a row too short are refused without their value."""
    head = "household,time,appliance,watts\na,2020-01-01,kettle,1\n"
    for name, row, line in (
        ("word", "a,2020-01-02,kettle,lots4711", "word.csv, row 2, column watts: not a number"),
        ("date", "a,4711,kettle,1", "date.csv, row 2, column time: not a time"),
        ("short", "a,2020-01-02", "short.csv: not a CSV file with household, time, appliance, watts"),
    ):
        (tmp_path / f"{name}.csv").write_text(head + row + "\n")
        with pytest.raises(ReadingsError, match=line) as refused:
            readings(tmp_path / f"{name}.csv")

        assert "4711" not in str(refused.value)


def test_parquet_that_cannot_be_read(tmp_path):
    """Half a file and columns of another type are refused."""
    path = save(tmp_path / "t.parquet", table())
    path.write_bytes(path.read_bytes()[:-100])
    typed = save(tmp_path / "typed.parquet", table(watts=["1", "2", "3", "4"]))

    with pytest.raises(ReadingsError, match="not a Parquet file, or not a complete one"):
        readings(path)
    with pytest.raises(ReadingsError, match=r"typed.parquet, column watts: .*string, not a number"):
        readings(typed)


class TestConvert:
    def test_what_is_written(self, tmp_path):
        """The file has the readings and says where they come from, and the summary counts them."""
        save(tmp_path / "t.parquet", table())
        done = convert("tidy", tmp_path / "t.parquet", tmp_path / "out.parquet", DatasetOptions())
        schema = pq.read_schema(tmp_path / "out.parquet")

        assert schema.remove_metadata() == SCHEMA
        assert json.loads(schema.metadata[b"hushwatt.source"]) == "tidy"
        assert readings(tmp_path / "out.parquet") == EXPECTED
        assert done.lines() == [
            "3 readings of 2 homes, 2020-01-01 00:00 to 2020-01-02 00:00 UTC",
            "2 appliances: fridge, kettle",
        ]

    def test_csv(self, tmp_path):
        """A name that ends in .csv gets CSV."""
        save(tmp_path / "t.parquet", table())
        convert("tidy", tmp_path / "t.parquet", tmp_path / "out.csv", DatasetOptions())

        assert (tmp_path / "out.csv").read_text().splitlines()[1] == '"a",2020-01-01 00:00:00Z,"kettle",1'

    def test_nothing_is_written_when_something_is_wrong(self, tmp_path):
        """An error half-way, or nothing to write, leaves the old file as it was."""
        save(tmp_path / "t.parquet", table())
        (tmp_path / "out.parquet").write_text("old")

        with pytest.raises(ReadingsError, match="no readings of appliances in it"):
            convert("tidy", tmp_path / "t.parquet", tmp_path / "out.parquet", DatasetOptions(homes=("nobody",)))

        assert (tmp_path / "out.parquet").read_text() == "old"
        assert sorted(path.name for path in tmp_path.iterdir()) == ["out.parquet", "t.parquet"]


class TestMeasured:
    PLAN = replace(preset("paper"), start=DAYS[0], expires=datetime(2020, 1, 10, tzinfo=UTC))

    def array(self, **columns):
        """The array of a table."""
        return measured_watts(table(**columns).to_batches(), self.PLAN)

    def test_shape_and_gaps(self):
        """Slots × homes × appliances, homes in order, NaN where there is no reading."""
        found = self.array(household=["b", "b", "a", "a"])

        assert (found.homes, found.first, found.watts.shape) == (("a", "b"), 0, (2, 2, 15))
        assert found.watts[:, 1, 1].tolist() == [1.0, 2.0]
        assert found.watts[1, 0, 8] == 40
        assert np.isnan(found.watts).sum() == 2 * 2 * 15 - 3

    def test_several_readings_in_a_slot(self):
        """Several readings of one appliance in one slot are averaged."""
        noon = [moment.replace(hour=12) for moment in DAYS]
        found = self.array(time=pa.array([DAYS[0], noon[0], *noon], pa.timestamp("us", "UTC")))

        assert found.watts[0, 0, 1] == pytest.approx(1.5)

    def test_other_spellings(self):
        """A table's tumble_dryer is the plan's tumble_drier."""
        found = self.array(appliance=["tumble_dryer", "Tumble-Drier", "washer_dryer", "fridge"])

        assert found.watts[:, 0, 4].tolist() == [1.0, 2.0]
        assert found.watts[0, 1, 6] == 500

    def test_outside_the_plan(self):
        """Readings outside the plan do not count; without any inside it, there is no array."""
        early = datetime(2019, 12, 31, tzinfo=UTC)
        found = self.array(time=pa.array([early, *DAYS, datetime(2021, 1, 1, tzinfo=UTC)], pa.timestamp("us", "UTC")))

        assert found.watts[~np.isnan(found.watts)].tolist() == [2.0]
        with pytest.raises(ReadingsError, match="no reading of the plan's appliances within its slots"):
            self.array(appliance=["flux capacitor"] * 4)
