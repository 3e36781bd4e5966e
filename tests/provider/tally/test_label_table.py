"""Files that say which labels each home has."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hushwatt.errors import UsageError
from hushwatt.provider.tally import label_table
from hushwatt.provider.tally.label_table import LabelTable, read_labels


def read(tmp_path, content):
    path = tmp_path / "labels.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_labels(path)


def test_homes_get_their_cells(tmp_path):
    """A home that is not named, or has no value at all, is in cell 0."""
    table = read(tmp_path, "region,household, tariff\nnorth,ada,A\n,bob,B\n,eve,\nsouth,dan,A\nnorth,flo,A\n")

    assert table.cells.names == ("region", "tariff")
    assert [table.cells.labels_of(cell) for cell in (1, 2)] == [
        {"region": "(none)", "tariff": "B"},
        {"region": "north", "tariff": "A"},
    ]
    assert table.cells_of(pa.array(["flo", "zoe", "bob", "ada", "eve", "dan"])).tolist() == [2, 0, 1, 2, 0, 3]
    assert table.homes.tolist() == [1, 1, 2, 1]
    assert len(table.cells_of(pa.array([], pa.string()))) == 0


@pytest.mark.parametrize("block", [64, 1 << 20])
def test_parquet_is_the_same(tmp_path, block, monkeypatch):
    """In pieces of any size, with whole numbers, dictionaries and long strings."""
    monkeypatch.setattr(label_table, "BLOCK_BYTES", block)
    rng, homes = np.random.default_rng(1), [f"home {number}" for number in range(500)]
    zones, tariffs = rng.integers(1, 5, 500), rng.choice(["A", "B"], 500)
    rows = "".join(f"{home},{zone},{tariff}\n" for home, zone, tariff in zip(homes, zones, tariffs, strict=True))
    path = tmp_path / "labels.parquet"
    columns = {
        "household": pa.array(homes, pa.large_string()),
        "zone": pa.array(zones),
        "tariff": pa.array(tariffs).dictionary_encode(),
    }
    pq.write_table(pa.table(columns), path, row_group_size=70)
    some, other = read(tmp_path, "household,zone,tariff\n" + rows), read_labels(path)

    assert some.cells == other.cells
    assert np.array_equal(some.cells_of(pa.array(homes)), other.cells_of(pa.array(homes)))
    assert np.array_equal(LabelTable.of(pq.read_table(path)).numbers, other.numbers)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("household,tariff\nada,A\nbob,B\nada,B\n", "row 3, column household: the home is there twice"),
        ("household\nada\n", "0 columns beside household; write 1 to 8 labels"),
        ("household," + ",".join("abcdefghi") + "\n", "9 columns beside household"),
        ("home,tariff\nada,A\n", "column household: not there"),
        ("household,tariff,tariff\nada,A,A\n", "column tariff: there twice"),
        ("household,weekdays\nada,A\n", "line 1: label “weekdays”"),
        ("household,tariff\nada,A\nbob,a=b\n", "row 2, column tariff: value “a=b”"),
        ("household,tariff\n,A\n", "row 1, column household: 1 to 128 bytes"),
        (f"household,tariff\n{'x' * 129},A\n", "row 1, column household: 1 to 128 bytes"),
        ("household,tariff\nada\n", "not a CSV file in UTF-8 whose lines all have as many fields"),
        (b"household,tariff\nada,\xff\n", "not a CSV file in UTF-8"),
        (b"\xff,tariff\n", "line 1: not a line of CSV"),
        ("household,tariff\n" + "".join(f"{n},{n}\n" for n in range(1001)), "more than 1,000 combinations of labels"),
        (f"household,tariff\nada,{'x' * 61}\n", "write 1 to 60 plain characters"),
    ],
)
def test_what_is_refused(tmp_path, content, said):
    """In one line that names the row and the column, and never a household."""
    with pytest.raises(UsageError) as refused:
        read(tmp_path, content)

    assert said in str(refused.value)
    assert "ada" not in str(refused.value)


def test_other_files_are_refused(tmp_path):
    """What is no CSV and no Parquet, or is not there, or has other kinds of columns."""
    (tmp_path / "bad.parquet").write_bytes(b"PAR1")
    pq.write_table(pa.table({"household": ["a"], "zone": [1.5]}), tmp_path / "float.parquet")
    pq.write_table(pa.table({"household": [1], "zone": ["a"]}), tmp_path / "number.parquet")
    found = {}
    for name in ("bad.parquet", "float.parquet", "number.parquet", "none.csv", "labels.txt"):
        with pytest.raises(UsageError) as refused:
            read_labels(tmp_path / name)
        found[name] = str(refused.value)

    assert "not a Parquet file" in found["bad.parquet"]
    assert "column zone: double; labels are texts or whole numbers" in found["float.parquet"]
    assert "column household: int64, not string" in found["number.parquet"]
    assert "No such file" in found["none.csv"]
    assert "labels are read from a .csv or .parquet file" in found["labels.txt"]
