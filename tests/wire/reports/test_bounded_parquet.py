"""The door for Parquet files that others wrote, and that there is no other."""

import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hushwatt
from hushwatt.cli.household.options import parquet_rows
from hushwatt.errors import ReadingsError
from hushwatt.evaluate.datasets.dataset import DatasetOptions
from hushwatt.evaluate.datasets.tidy import Tidy
from hushwatt.fleet.readings.parquet_file import ParquetReadings
from hushwatt.wire.reports import bounded_parquet, parquet_bounds
from hushwatt.wire.reports.bounded_parquet import BoundedParquet
from hushwatt.wire.reports.parquet_bounds import UnsafeParquet

COLUMNS = ("household", "time", "appliance", "watts")
DOORS = {
    "household": lambda path: list(parquet_rows(path)),
    "datasets": lambda path: list(Tidy().tables(path, DatasetOptions())),
    "readings": lambda path: list(ParquetReadings(path).batches(COLUMNS)),
}
OPENERS = re.compile(r"\b(ParquetFile|ParquetDataset|read_table|read_schema|read_metadata|read_parquet)\(")


def saved(path, rows=10, name="kettle", **how):
    columns = {
        "household": ["ada"] * rows,
        "time": pa.array([1704067200_000_000] * rows, pa.timestamp("us")),
        "appliance": [name] * rows,
        "watts": [1.0] * rows,
    }
    pq.write_table(pa.table(columns), path, **how)
    return path


@pytest.mark.parametrize("door", DOORS)
class TestDoors:
    """Every reader of foreign Parquet."""

    def refused(self, door, path):
        with pytest.raises(ReadingsError) as caught:
            DOORS[door](path)
        assert "\n" not in str(caught.value)
        return str(caught.value)

    def test_a_file_as_it_should_be(self, tmp_path, door):
        assert DOORS[door](saved(tmp_path / "r.parquet"))

    def test_a_page_that_unpacks_to_too_much(self, tmp_path, door):
        """A text of many megabytes in a file of a few kilobytes."""
        path = saved(tmp_path / "r.parquet", 1, "k" * (parquet_bounds.MAX_PAGE + 1), compression="zstd")

        assert path.stat().st_size < 100_000
        assert "a page of column appliance unpacks to" in self.refused(door, path)

    def test_notes_that_take_too_much(self, tmp_path, door, monkeypatch):
        monkeypatch.setattr(parquet_bounds, "MAX_COLUMNS", 4)

        assert "it has 5 columns; at most 4 are read" in self.refused(door, saved(tmp_path / "r.parquet"))

    def test_pages_of_many_columns(self, tmp_path, door, monkeypatch):
        """Each page is small enough, and all that are open together are not."""
        monkeypatch.setattr(bounded_parquet, "MAX_OPEN_PAGES", 30)

        assert "bytes at a time; at most 30 are read" in self.refused(door, saved(tmp_path / "r.parquet"))

    def test_what_is_no_parquet(self, tmp_path, door):
        (tmp_path / "r.parquet").write_bytes(b"PAR1, or not")

        assert "not a Parquet file, or not a complete one" in self.refused(door, tmp_path / "r.parquet")


@pytest.mark.parametrize("coded", [True, False])
def test_long_texts_are_read_a_few_at_a_time(tmp_path, coded, monkeypatch):
    """Pages of one long text each take no more together than a batch may."""
    monkeypatch.setattr(bounded_parquet, "BATCH_BYTES", 1 << 20)
    path = saved(tmp_path / "r.parquet", 100, "k" * 100_000, use_dictionary=coded, data_page_size=1, write_batch_size=1)

    sizes = [batch.nbytes for batch in BoundedParquet(path).batches(["appliance"])]

    assert max(sizes) < 2 << 20


def test_a_column_twice(tmp_path):
    """Of two columns of one name none is read."""
    pq.write_table(pa.table([["a"], ["b"]], names=["x", "x"]), tmp_path / "r.parquet")

    with pytest.raises(UnsafeParquet, match="column x is there twice"):
        list(BoundedParquet(tmp_path / "r.parquet").batches(["x"]))


@pytest.mark.parametrize("name", ["x", "x.y"])
def test_pages_inside_a_column_are_looked_at(tmp_path, monkeypatch, name):
    """Also a column of lists has pages."""
    pq.write_table(pa.table({name: [[1, 2], [3]]}), tmp_path / "r.parquet")
    monkeypatch.setattr(parquet_bounds, "MAX_PAGE", 1)

    with pytest.raises(UnsafeParquet, match=rf"a page of column {name}\.list\.element unpacks to"):
        list(BoundedParquet(tmp_path / "r.parquet").batches([name]))


def test_there_is_no_other_door():
    """Whatever opens a Parquet file looks at its notes first."""
    source = Path(hushwatt.__file__).parent
    opening = {path for path in source.rglob("*.py") if OPENERS.search(path.read_text())}
    unbounded = {str(path.relative_to(source)) for path in opening if "check_footer(" not in path.read_text()}

    assert unbounded == {"chaos/provider/doors.py"}  # reads what the provider wrote
