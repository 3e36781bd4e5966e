"""Tables of reports are written whole, read whole, and refused when anything is wrong."""

import tempfile
from datetime import timedelta
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.kettles import KETTLES

from hushwatt.errors import ReportError
from hushwatt.plan.plan import Plan
from hushwatt.wire.reports import (
    REPORT_SCHEMA,
    ReportWriter,
    external_sort,
    homes_of,
    read_reports,
    reader,
    report_file,
    report_schema,
)
from hushwatt.wire.reports import writer as report_writer

SIZE = 3
PLAN = Plan.parse(KETTLES)


def report(household, slot, round=0, spent=100, drawn=200):
    """One report as a row; its payload tells it apart."""
    return {
        "household": household,
        "slot": slot,
        "round": round,
        "spent": spent,
        "drawn": drawn,
        "payload": bytes([ord(household[0]), slot % 256, round]),
    }


def key(row):
    """The order of the table."""
    return row["slot"], row["household"], row["round"]


ROWS = [report(home, slot) for slot in (0, 1, 3) for home in ("ada", "bob", "cy")]
SCHEMA = report_schema(PLAN, homes=3)


def saved(path, rows=ROWS, schema=SCHEMA, row_group_size=None, **columns):
    """Reports as another program might write them: no order is kept, columns may be replaced."""
    table = pa.Table.from_pylist(rows, REPORT_SCHEMA)
    for name, values in columns.items():
        table = table.set_column(table.schema.get_field_index(name), name, values)
    pq.write_table(table.replace_schema_metadata(schema.metadata), path, row_group_size)
    return path


def read(path, plan=PLAN, size=SIZE, **options):
    """All reports of a path as rows."""
    rows = []
    for batch in read_reports(plan, path, size, **options):
        columns = (
            batch.households.to_pylist(),
            batch.slot,
            batch.round,
            batch.spent,
            batch.drawn,
            batch.payloads,
        )
        rows += [
            report(home, int(slot), int(round), int(spent), int(drawn)) | {"payload": payload.tobytes()}
            for home, slot, round, spent, drawn, payload in zip(*columns, strict=True)
        ]
    return rows


def refused(path, plan=PLAN, size=SIZE):
    """What the error says, in one line."""
    with pytest.raises(ReportError) as caught:
        read(path, plan, size)

    assert "\n" not in str(caught.value)
    return str(caught.value)


def write(path, rows=ROWS, seed=None, plan=PLAN):
    """Reports as hushwatt writes them, slot by slot."""
    with ReportWriter(path, plan, 3, seed) as writer:
        for slot in sorted({row["slot"] for row in rows}):
            here = [row for row in rows if row["slot"] == slot]
            columns = [np.array([row[name] for row in here]) for name in ("round", "spent", "drawn")]
            payloads = np.array([list(row["payload"]) for row in here], dtype=np.uint8)
            writer.write(pa.array([row["household"] for row in here]), slot, *columns, payloads)  # type: ignore[call-arg]
    return path


class TestWriter:
    """ "Reports (Parquet, sorted by slot, household)"."""

    def test_schema_and_metadata(self, tmp_path):
        """The columns have the types of the contract; the file tells its plan and its homes."""
        schema = pq.read_schema(write(tmp_path / "r.parquet"))
        types = {field.name: str(field.type) for field in schema}

        assert types == {
            "household": "string",
            "slot": "int32",
            "round": "int8",
            "spent": "int64",
            "drawn": "int64",
            "payload": "binary",
        }
        assert schema.metadata == {b"hushwatt.plan": PLAN.id.encode(), b"hushwatt.homes": b"3"}

    def test_a_simulation_says_so(self, tmp_path):
        """A seeded file carries its seed, and is the same bytes every time."""
        first, second = (write(tmp_path / name, seed=7) for name in ("a.parquet", "b.parquet"))

        assert pq.read_schema(first).metadata[b"hushwatt.simulation"] == b"7"
        assert first.read_bytes() == second.read_bytes()

    @settings(max_examples=40)
    @given(
        rows=st.lists(
            st.builds(
                report,
                st.sampled_from(["ada", "bob", "cy", "Δ".encode().hex()]),
                st.integers(0, 9),
                st.integers(0, 1),
                st.integers(0, 2**40),
                st.integers(0, 2**40),
            ),
            unique_by=key,
        )
    )
    def test_what_is_written_is_read(self, rows):
        """Every report comes back as it was."""
        rows = sorted(rows, key=key)
        with tempfile.TemporaryDirectory() as folder:
            path = write(Path(folder, "r.parquet"), rows)
            found, homes = read(path), homes_of(PLAN, path)

        assert found == rows
        assert homes == 3

    def test_single_amounts_for_all(self, tmp_path):
        """Round, spent and drawn may be one number for all; rows are counted."""
        with ReportWriter(tmp_path / "r.parquet", PLAN, 2) as writer:
            writer.write(pa.array(["a", "b"]), 4, 0, 10, 20, np.zeros((2, SIZE), np.uint8))

        assert writer.rows == 2
        assert [(row["slot"], row["spent"], row["drawn"]) for row in read(tmp_path / "r.parquet")] == [(4, 10, 20)] * 2

    def test_many_groups_and_reused_memory(self, tmp_path, monkeypatch):
        """Many small slots and one large one; the caller may use its arrays again at once."""
        monkeypatch.setattr(report_writer, "GROUP_ROWS", 10)
        monkeypatch.setattr(report_file, "BATCH_ROWS", 7)
        payloads, spent = np.zeros((25, SIZE), np.uint8), np.zeros(25, np.int64)
        homes = pa.array([f"h{number:02}" for number in range(25)])
        with ReportWriter(tmp_path / "r.parquet", PLAN, 25) as writer:
            for slot, count in enumerate([3, 3, 3, 25, 1]):
                payloads[:], spent[:] = slot, slot
                writer.write(homes[:count], slot, 0, spent[:count], 1, payloads[:count])
        rows = read(tmp_path / "r.parquet")

        assert [row["slot"] for row in rows] == [0] * 3 + [1] * 3 + [2] * 3 + [3] * 25 + [4]
        assert all(row["payload"] == bytes([row["slot"]] * SIZE) and row["spent"] == row["slot"] for row in rows)

    @pytest.mark.parametrize(
        "homes, slot, round", [(["b", "a"], 1, 0), (["a", "a"], 1, 0), (["z"], 0, 0), (["y"], 1, 0)]
    )
    def test_the_order_is_kept(self, tmp_path, homes, slot, round):
        """Reports that do not ascend by slot, household and round are a mistake of the caller."""
        with ReportWriter(tmp_path / "r.parquet", PLAN, 2) as writer:
            writer.write(pa.array(["y"]), 1, 0, 1, 1, np.zeros((1, SIZE), np.uint8))
            with pytest.raises(ValueError, match="in the order of slot, household and round"):
                writer.write(pa.array(homes), slot, round, 1, 1, np.zeros((len(homes), SIZE), np.uint8))

    def test_any_reader(self, tmp_path):
        """Polars and pandas read the same rows."""
        path = write(tmp_path / "r.parquet")

        assert pl.read_parquet(path).to_dicts() == ROWS
        assert pd.read_parquet(path).to_dict("records") == ROWS


class TestForms:
    """Other programs may have rewritten the file with wider types."""

    @pytest.mark.parametrize("kind", [pa.large_binary(), pa.binary(SIZE), pa.binary_view()])
    def test_payloads(self, tmp_path, kind):
        """Payloads of any binary type are the same bytes."""
        payloads = pa.array([row["payload"] for row in ROWS], pa.binary()).cast(kind)

        assert read(saved(tmp_path / "r.parquet", payload=payloads)) == ROWS

    @pytest.mark.parametrize("kind", [pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())])
    def test_households(self, tmp_path, kind):
        """Households of any text type are the same names."""
        names = pa.array([row["household"] for row in ROWS])
        names = names.dictionary_encode() if pa.types.is_dictionary(kind) else names.cast(kind)

        assert read(saved(tmp_path / "r.parquet", household=names)) == ROWS

    def test_wider_integers(self, tmp_path):
        """Whole numbers of another width are read, unless they do not fit."""
        slots = [row["slot"] for row in ROWS]
        path = saved(tmp_path / "r.parquet", slot=pa.array(slots, pa.int64()), round=pa.array([0] * 9, pa.uint32()))

        assert read(path) == ROWS
        assert "column slot" in refused(saved(path, slot=pa.array([*slots[:-1], 2**40])))

    def test_payloads_are_not_copied(self, tmp_path):
        """The matrix of payloads is a view of what Arrow read."""
        batch = next(read_reports(PLAN, write(tmp_path / "r.parquet"), SIZE))

        assert batch.payloads.base is not None
        assert len(batch) == 9


class TestOrder:
    """Files in another order are read all the same, slot after slot, each report once."""

    @settings(max_examples=40)
    @given(rows=st.permutations([*ROWS, report("bob", 1, round=1)]), cut=st.integers(0, 10))
    def test_any_order_in_any_files(self, rows, cut):
        """The slots ascend and every report is there once, whatever the order and the files."""
        with tempfile.TemporaryDirectory() as folder:
            saved(Path(folder, "a.parquet"), rows[:cut])
            saved(Path(folder, "b.parquet"), rows[cut:])
            found = read(folder)

        assert [row["slot"] for row in found] == sorted(row["slot"] for row in rows)
        assert sorted(found, key=key) == sorted(rows, key=key)

    def test_slots_out_of_order_are_sorted(self, tmp_path):
        """When slots go back, all is sorted by slot, household and round."""
        assert read(saved(tmp_path / "r.parquet", ROWS[::-1])) == ROWS

    def test_files_out_of_order_are_sorted(self, tmp_path):
        """Files that are in order themselves, but not by their names, are sorted too."""
        saved(tmp_path / "a.parquet", ROWS[4:])
        saved(tmp_path / "b.parquet", ROWS[:4])

        assert read(tmp_path) == ROWS

    @given(
        again=st.lists(st.integers(0, 8), min_size=1, max_size=6),
        rows=st.permutations(ROWS),
        batch=st.sampled_from([1, 4, 100]),
        cut=st.integers(0, 15),
    )
    def test_twice_counts_once(self, again, rows, batch, cut):
        """The first of several, by file and row, is the one that stays; the others are told."""
        rows = [*rows, *(ROWS[place] | {"payload": bytes([255, 255, 255])} for place in again)]
        left_out = []
        with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
            patch.setattr(report_file, "BATCH_ROWS", batch)
            patch.setattr(report_file, "MIN_GROUP_ROWS", 3)
            patch.setattr(external_sort, "BUCKET_REPORTS", 2)
            saved(Path(folder, "a.parquet"), rows[:cut], row_group_size=2)
            saved(Path(folder, "b.parquet"), rows[cut:], row_group_size=2)
            found = read(folder, on_repeats=left_out.append)

        assert sorted(found, key=key) == ROWS
        assert [row["slot"] for row in found] == [row["slot"] for row in ROWS]
        assert sum(left_out) == len(again)

    def test_twice_in_order_streams(self, tmp_path, monkeypatch):
        """In a table that is in order otherwise, repeats are neighbours, also across batches and files."""
        monkeypatch.setattr(report_file, "BATCH_ROWS", 2)
        monkeypatch.setattr(reader, "spill_reports", None)
        later = [row | {"payload": b"not"} for row in ROWS]
        rows = [row for pair in zip(ROWS, later, later, strict=True) for row in pair]
        left_out = []
        saved(tmp_path / "a.parquet", rows[:10])
        saved(tmp_path / "b.parquet", rows[10:])

        assert read(tmp_path, on_repeats=left_out.append) == ROWS
        assert sum(left_out) == 18

    def test_rounds_are_apart(self, tmp_path):
        """A probe and a publication of one home in one slot are two reports."""
        rows = [report("ada", 0), report("ada", 0, round=1), report("bob", 0, round=1)]

        assert read(saved(tmp_path / "r.parquet", rows)) == rows


class TestFolders:
    """A folder of report files is one table."""

    def test_files_by_name(self, tmp_path):
        """Files are read in the order of their names, at any depth, hidden ones not at all."""
        (tmp_path / "z").mkdir()
        saved(tmp_path / "z" / "0.parquet", ROWS[6:])
        saved(tmp_path / "a.parquet", ROWS[:6], report_schema(PLAN, homes=9))
        (tmp_path / ".b.parquet").write_text("hidden")
        (tmp_path / "_temporary").mkdir()
        (tmp_path / "_temporary" / "b.parquet").write_text("half of a file")
        (tmp_path / "notes.txt").write_text("not reports")

        assert read(tmp_path) == ROWS
        assert homes_of(PLAN, tmp_path) == 9

    def test_nothing_there(self, tmp_path):
        """A path without reports is refused."""
        assert "no such file" in refused(tmp_path / "nowhere")
        assert "no Parquet file" in refused(tmp_path)

    def test_no_reports(self, tmp_path):
        """A table without rows has no batches, but it still tells its homes."""
        path = saved(tmp_path / "r.parquet", [])

        assert read(path) == []
        assert homes_of(PLAN, path) == 3


class TestRefused:
    """Whatever is wrong is said in one line, with the file and the row."""

    @pytest.mark.parametrize("name", REPORT_SCHEMA.names)
    def test_missing_column(self, tmp_path, name):
        """A missing column is named."""
        table = pq.read_table(saved(tmp_path / "r.parquet")).drop_columns(name)
        pq.write_table(table, tmp_path / "r.parquet")

        assert refused(tmp_path / "r.parquet").endswith(f"r.parquet, column {name}: not there")

    @pytest.mark.parametrize("name", REPORT_SCHEMA.names)
    def test_wrong_type(self, tmp_path, name):
        """A column of another kind is named, with both types."""
        path = saved(tmp_path / "r.parquet", **{name: pa.array([0.5] * 9)})

        assert refused(path).endswith(f"column {name}: double, not {REPORT_SCHEMA.field(name).type}")

    @pytest.mark.parametrize("name", REPORT_SCHEMA.names)
    @pytest.mark.parametrize("row", [0, 5])
    def test_null(self, tmp_path, name, row):
        """A null is refused with its row, also in a file out of order."""
        values = [ROWS[place][name] if place != row else None for place in range(9)]
        kind = REPORT_SCHEMA.field(name).type
        path = saved(tmp_path / "r.parquet", **{name: pa.array(values, kind)})

        assert refused(path).endswith(f"r.parquet, row {row + 1}: column {name} is missing")

    @pytest.mark.parametrize(
        "changed, said",
        [
            ({"slot": -1}, "the plan has slots 0 to 9"),
            ({"slot": 10}, "the plan has slots 0 to 9"),
            ({"round": 2}, "the round must be 0 or 1"),
            ({"round": -1}, "the round must be 0 or 1"),
            ({"spent": -1}, "spent and drawn cannot be negative"),
            ({"drawn": -1}, "spent and drawn cannot be negative"),
            ({"payload": b"ab"}, "the plan's payloads have 3 bytes, this one has not"),
            ({"payload": b""}, "the plan's payloads have 3 bytes, this one has not"),
            ({"payload": b"abcd"}, "the plan's payloads have 3 bytes, this one has not"),
        ],
    )
    def test_bad_row(self, tmp_path, monkeypatch, changed, said):
        """A value that no report can have is refused with its row, counted through the file."""
        monkeypatch.setattr(report_file, "BATCH_ROWS", 2)
        rows = [*ROWS[:6], ROWS[6] | changed, *ROWS[7:]]

        assert refused(saved(tmp_path / "r.parquet", rows)).endswith(f"r.parquet, row 7: {said}")

    def test_wrong_fixed_size(self, tmp_path):
        """Payloads of one wrong size are refused as well."""
        payloads = pa.array([b"ab"] * 9, pa.binary(2))

        assert "payloads have 3 bytes" in refused(saved(tmp_path / "r.parquet", payload=payloads))

    def test_another_plan(self, tmp_path):
        """Reports of another plan are refused, and so are those of none."""
        other = Plan.parse(KETTLES.replace("epsilon = 1", "epsilon = 2"))
        path = saved(tmp_path / "r.parquet")

        assert f"reports of the plan {PLAN.id[:12]}…, not of {other.id[:12]}…" in refused(path, other)
        with pytest.raises(ReportError, match="reports of the plan"):
            homes_of(other, path)

    @pytest.mark.parametrize(
        "told, said",
        [
            ({}, "whose plan it follows (no hushwatt.plan"),
            ({"hushwatt.plan": PLAN.id}, "how many homes take part (no hushwatt.homes"),
            ({"hushwatt.plan": PLAN.id, "hushwatt.homes": "-3"}, "how many homes take part"),
        ],
    )
    def test_a_file_that_does_not_say(self, tmp_path, told, said):
        """A file without its plan or its homes is refused."""
        assert said in refused(saved(tmp_path / "r.parquet", schema=REPORT_SCHEMA.with_metadata(told)))

    @pytest.mark.parametrize("kept", [0.0, 0.5, 0.99])
    def test_truncated(self, tmp_path, kept):
        """A file that was cut off, or never was one, is refused."""
        path = saved(tmp_path / "r.parquet")
        path.write_bytes(path.read_bytes()[: int(path.stat().st_size * kept)])

        assert "not a Parquet file, or not a complete one" in refused(path)

    def test_damaged(self, tmp_path):
        """A file whose pages are broken is refused."""
        path = saved(tmp_path / "r.parquet")
        whole = bytearray(path.read_bytes())
        place = pq.read_metadata(path).row_group(0).column(5).data_page_offset
        whole[place : place + 12] = b"\xff" * 12
        path.write_bytes(whole)

        assert refused(path).endswith("r.parquet, row group 1 of 1: column payload is damaged")

    @pytest.mark.parametrize("place, column", [(0, "payload"), (1, "household")])
    def test_a_single_bit(self, tmp_path, place, column, monkeypatch):
        """A page in which one bit turned over is refused, and its row group and column are named."""
        monkeypatch.setattr(report_writer, "GROUP_ROWS", 3)
        path = write(tmp_path / "r.parquet")
        chunk = pq.read_metadata(path).row_group(place).column(REPORT_SCHEMA.names.index(column))
        whole = bytearray(path.read_bytes())
        start = chunk.dictionary_page_offset or chunk.data_page_offset
        whole[start + chunk.total_compressed_size - 2] ^= 1
        path.write_bytes(whole)

        assert refused(path).endswith(f"r.parquet, row group {place + 1} of 3: column {column} is damaged")

    def test_slots_count_in_the_plan(self, tmp_path):
        """The last slot is the one that begins before the plan expires."""
        longer = Plan.parse(KETTLES.replace("2024-01-11", "2024-01-11T00:00:01Z"))

        assert longer.expires - PLAN.expires == timedelta(seconds=1)
        assert len(read(saved(tmp_path / "r.parquet", [report("ada", 10)], report_schema(longer, 1)), longer)) == 1
