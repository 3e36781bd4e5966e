"""Refused reports are kept in a file that readers of reports take, whole or not at all."""

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from hushwatt.errors import UsageError
from hushwatt.wire.payload import Layout
from hushwatt.wire.reports import ReportBatch, read_reports, rejected
from hushwatt.wire.reports.refused_files import RefusedFile
from hushwatt.wire.reports.rejected import check_apart, rejected_file
from hushwatt.wire.storage import location


def batch_of(plan, count):
    """Some reports, each of its own home."""
    payloads = np.arange(count * Layout.of(plan).size, dtype=np.uint8).reshape(count, -1)
    numbers = np.full(count, 5, dtype=np.int64)
    slots, rounds = np.zeros(count, dtype=np.int32), np.zeros(count, dtype=np.int8)
    return ReportBatch(pa.array([f"home {n}" for n in range(count)]), slots, rounds, numbers, numbers, payloads)


def test_a_table_of_reports(plan_of, tmp_path, monkeypatch):
    """What is kept reads as reports, and says of each row whose it was and why; none is held back."""
    monkeypatch.setattr(rejected, "GROUP_ROWS", 3)
    plan, path = plan_of(3, 4), tmp_path / "no.parquet"
    batch = batch_of(plan, 5)
    with rejected_file(path, plan, 9) as writer:
        for start in (0, 2, 4):
            few = batch.taken(slice(start, start + 2))
            writer.write("a.parquet", np.arange(start, start + len(few)), few, ["too_late"] * len(few))
    table = pq.read_table(path)
    back = list(read_reports(plan, path, Layout.of(plan).size))

    assert writer.rows == 5
    assert table["row"].to_pylist() == [1, 2, 3, 4, 5]
    assert set(table["file"].to_pylist()) == {"a.parquet"}
    assert [name for each in back for name in each.households.to_pylist()] == batch.households.to_pylist()
    assert np.concatenate([each.payloads for each in back]).tolist() == batch.payloads.tolist()


def test_csv_has_payloads_in_hex(plan_of, tmp_path):
    """A CSV file has the same rows, and payloads that can be typed."""
    plan, path = plan_of(3, 4), tmp_path / "no.csv"
    batch = batch_of(plan, 2)
    with rejected_file(path, plan, 9) as writer:
        writer.write("a.parquet", np.array([6, 8]), batch, ["wrong_amount", "out_of_turn"])
    options = pyarrow.csv.ConvertOptions(column_types={"payload": pa.string()})
    table = pyarrow.csv.read_csv(path, convert_options=options)

    assert table["row"].to_pylist() == [7, 9]
    assert table["reason"].to_pylist() == ["wrong_amount", "out_of_turn"]
    assert [bytes.fromhex(text) for text in table["payload"].to_pylist()] == [row.tobytes() for row in batch.payloads]


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_a_file_that_was_refused_as_a_whole(plan_of, tmp_path, ending):
    """It has a row with its name and why; no report stands there."""
    plan, path = plan_of(3, 4), tmp_path / f"no.{ending}"
    with rejected_file(path, plan, 9) as writer:
        writer.write_file(RefusedFile("cut.parquet", "not a complete one"))
        writer.write("a.parquet", np.array([6]), batch_of(plan, 1), ["wrong_amount"])
    table = pq.read_table(path) if ending == "parquet" else pyarrow.csv.read_csv(path)

    assert (writer.files, writer.rows) == (1, 1)
    assert table.select(["file", "row", "reason"]).to_pylist() == [
        {"file": "cut.parquet", "row": None, "reason": "not a complete one"},
        {"file": "a.parquet", "row": 7, "reason": "wrong_amount"},
    ]
    assert table["slot"].to_pylist() == [None, 0]


def test_whole_or_not_at_all(plan_of, tmp_path):
    """An error inside leaves nothing, an empty file is a table of no rows, and another ending is refused."""
    plan = plan_of(3, 4)
    with pytest.raises(ZeroDivisionError), rejected_file(tmp_path / "a.parquet", plan, 9):
        raise ZeroDivisionError
    with rejected_file(tmp_path / "b.parquet", plan, 9), rejected_file(tmp_path / "b.csv", plan, 9):
        pass
    with pytest.raises(UsageError, match=r"ends in .parquet or .csv"), rejected_file(tmp_path / "c.txt", plan, 9):
        pytest.fail("it began")

    assert sorted(path.name for path in tmp_path.iterdir()) == ["b.csv", "b.parquet"]
    assert pq.read_table(tmp_path / "b.parquet").num_rows == 0


class TestApart:
    """What is refused does not replace reports, and is not taken for them."""

    @pytest.mark.parametrize(
        "where, reports",
        [
            ("reports.parquet", "reports.parquet"),
            ("months/../reports.parquet", "reports.parquet"),
            ("months/refused.parquet", "months"),
            ("months/deep/refused.parquet", "months/"),
            ("s3://meters/months/refused.parquet", "s3://meters/months"),
            ("s3://meters/refused.parquet", "s3://meters"),
        ],
    )
    def test_among_reports(self, where, reports, tmp_path, monkeypatch):
        """The file itself, or one in the folder, however it is written."""
        monkeypatch.chdir(tmp_path)
        (tmp_path / "months").mkdir()

        with pytest.raises(UsageError, match="is among the reports of"):
            check_apart(location(where), reports)

    @pytest.mark.parametrize(
        "where, reports",
        [
            ("refused.parquet", "reports.parquet"),
            ("months/refused.csv", "months"),
            ("months refused.parquet", "months"),
            ("s3://meters/refused.parquet", "s3://meters/months"),
            ("refused.parquet", "abfss://meters@store/months"),
        ],
    )
    def test_elsewhere(self, where, reports):
        """A table that no reader of reports looks at may lie beside them."""
        check_apart(location(where), reports)
