"""Foreign Parquet files: what a few kilobytes may not do to the memory, and what honest files may."""

import io
import struct
from contextlib import suppress
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushwatt.errors import ReportError
from hushwatt.wire.payload import Layout
from hushwatt.wire.reports import parquet_bounds
from hushwatt.wire.reports.parquet_bounds import DamagedColumn, UnsafeParquet, check_footer, check_pages
from hushwatt.wire.reports.report_file import BATCH_ROWS, ReportFile
from hushwatt.wire.reports.schema import HOMES, PLAN
from hushwatt.wire.reports.thrift import CompactReader

POOLS = []  # what was taken from a pool must be given back to it, so none of them ends


def saved(path, plan, rows=300, names=None, payload=None, homes=b"300", **options):
    """A file of reports by another writer."""
    size = Layout.of(plan).size
    columns = {
        "household": names if names is not None else [f"home {row:06d}" for row in range(rows)],
        "slot": pa.array(np.zeros(rows), pa.int32()),
        "round": pa.array(np.zeros(rows), pa.int8()),
        "spent": pa.array(np.ones(rows), pa.int64()),
        "drawn": pa.array(np.ones(rows), pa.int64()),
        "payload": payload if payload is not None else pa.array([bytes(size)] * rows, pa.binary()),
    }
    table = pa.table(columns).replace_schema_metadata({PLAN: plan.id.encode(), HOMES: homes})
    pq.write_table(table, path, **options)
    return path


def read(plan, path):
    """The names of all homes in a file."""
    file = ReportFile(plan, path)
    return [name for batch in file.batches(Layout.of(plan).size) for name in batch.households.to_pylist()]


def refusal(plan, path):
    usual = pa.default_memory_pool()
    counted = pa.proxy_memory_pool(usual)
    POOLS.append(counted)
    pa.set_memory_pool(counted)
    try:
        with pytest.raises(ReportError) as caught:
            read(plan, path)
    finally:
        pa.set_memory_pool(usual)

    assert counted.max_memory() < 1 << 27
    return str(caught.value)


@pytest.fixture
def plan(plan_of):
    return plan_of(3, 4, 2)


FORMS: dict[str, dict[str, Any]] = {
    "dictionary": {},
    "plain": {"use_dictionary": False},
    "delta": {"use_dictionary": False, "column_encoding": {"household": "DELTA_BYTE_ARRAY"}},
    "lengths": {"use_dictionary": False, "column_encoding": {"household": "DELTA_LENGTH_BYTE_ARRAY"}},
    "second version of pages": {"data_page_version": "2.0"},
    "zstd": {"compression": "zstd", "data_page_size": 1 << 12},
    "small groups": {"row_group_size": 7},
    "no statistics": {"write_statistics": False},
    "page index": {"write_page_index": True, "write_page_checksum": True},
}


@pytest.mark.parametrize("form", FORMS)
def test_honest_files_are_read_however_they_were_written(tmp_path, plan, form):
    """Every way of Parquet to store names is understood, and gives the same names."""
    path = saved(tmp_path / "r.parquet", plan, **FORMS[form])

    assert read(plan, path) == [f"home {row:06d}" for row in range(300)]


@pytest.mark.parametrize("form", ["dictionary", "delta", "zstd", "second version of pages"])
def test_one_long_name_repeated(tmp_path, plan, form):
    """A name of 50 kB in 4,000 rows, 200 MB unpacked, is refused by its row, and not unpacked."""
    path = saved(tmp_path / "r.parquet", plan, 4_000, pa.array(["h" * 50_000] * 4_000), **FORMS[form])

    assert path.stat().st_size < 500_000
    assert refusal(plan, path).endswith("r.parquet, row 1: the name of a home has at most 128 bytes")


@pytest.mark.parametrize("length, good", [(128, True), (129, False)])
def test_how_long_a_name_may_be(tmp_path, plan, length, good):
    """128 bytes, not letters."""
    names = ["a" * 10, "ä" * (length // 2) + "x" * (length % 2)]
    path = saved(tmp_path / "r.parquet", plan, 2, names)
    if good:
        assert read(plan, path) == names
    else:
        assert "row 2: the name of a home has at most 128 bytes" in refusal(plan, path)


@pytest.mark.parametrize("form", ["dictionary", "delta"])
def test_one_long_payload_repeated(tmp_path, plan, form):
    """The same for answers: they have the plan's size, and are not unpacked to see that they have not."""
    rows = 4_000
    options = {"use_dictionary": False, "column_encoding": {"payload": "DELTA_BYTE_ARRAY"}}
    options = options if form == "delta" else FORMS[form]
    path = saved(tmp_path / "r.parquet", plan, rows, payload=pa.array([b"p" * 50_000] * rows), **options)

    assert "row 1: the plan's payloads have 2 bytes, this one has not" in refusal(plan, path)


def test_wide_payloads_of_one_size(tmp_path, plan):
    """A column of a fixed width is read in as many rows as fit."""
    path = saved(tmp_path / "r.parquet", plan, 5_000, payload=pa.array([bytes(20_000)] * 5_000, pa.binary(20_000)))

    assert "payloads have 2 bytes" in refusal(plan, path)


def test_a_page_that_unpacks_to_too_much(tmp_path, plan):
    """A page is not unpacked when its head says that it becomes too large."""
    names = ["h" * 40_000] * 1_000
    path = saved(
        tmp_path / "r.parquet",
        plan,
        1_000,
        names,
        compression="zstd",
        use_dictionary=False,
        data_page_size=1 << 30,
    )

    assert "a page of column household unpacks to 40," in refusal(plan, path)


def test_the_number_of_rows_read_together(tmp_path, plan, plan_of):
    """As many as fit a bounded memory: fewer where answers are large, or texts build on each other."""
    wide = plan_of(*[8_000, 8_000], oracle="oue")
    plain, large = (
        ReportFile(plan, saved(tmp_path / "a", plan)),
        ReportFile(wide, saved(tmp_path / "b", wide)),
    )
    built = ReportFile(plan, saved(tmp_path / "c", plan, **FORMS["delta"]))

    assert plain._together == BATCH_ROWS
    assert large._together * Layout.of(wide).size < 1 << 26
    assert built._together * built._pages.largest <= 1 << 26


def test_names_that_are_no_text(tmp_path, plan):
    """A name that is not UTF-8 is told by its row, coded or not."""
    for coded in (True, False):
        names = pa.array([b"ada", b"\xff\xfe", b"bob"], pa.binary()).view(pa.string())
        path = saved(tmp_path / "r.parquet", plan, 3, names, use_dictionary=coded)

        assert "row 2: the name of the home is not UTF-8" in refusal(plan, path)


@pytest.mark.parametrize("homes", [b"9" * 23, b"9" * 5000, str(2**31).encode()])
def test_a_number_of_homes_that_is_none(tmp_path, plan, homes):
    """More homes than there are on earth is no number of homes."""
    assert "hushwatt.homes is more than 2,147,483,647" in refusal(
        plan, saved(tmp_path / "r.parquet", plan, homes=homes)
    )


class TestFooter:
    """The notes at a file's end, which Arrow unpacks to hundreds of times their size."""

    def opened(self, footer, length=None):
        whole = b"PAR1" + footer + struct.pack("<I", len(footer) if length is None else length) + b"PAR1"
        return lambda: io.BytesIO(whole)

    def refused(self, opened):
        with pytest.raises(UnsafeParquet) as caught:
            check_footer(opened)
        return str(caught.value)

    @pytest.mark.parametrize("whole", [b"", b"PAR1", b"PAR1PAR1", b"x" * 100])
    def test_no_parquet(self, whole):
        """Files that are none, or were cut off."""
        assert "not a Parquet file" in self.refused(lambda: io.BytesIO(whole))

    def test_longer_than_the_file(self):
        """A length that cannot be."""
        assert "not a Parquet file" in self.refused(self.opened(b"\0", 1000))

    def test_too_many_notes(self, monkeypatch):
        """Only so many bytes of notes are read at all."""
        monkeypatch.setattr(parquet_bounds, "MAX_FOOTER", 10)

        assert "take 11 bytes; at most 10" in self.refused(self.opened(bytes(11)))

    def test_nested_columns(self):
        """A schema nested a hundred thousand deep would end the process; it is not shown to Arrow."""
        element = bytes([0x55, 0x02, 0x00])  # one field, number 5: one child
        footer = bytes([0x29, 0xFC, 0xC0, 0x3E]) + element * 8000
        assert "nested more than 32 deep" in self.refused(self.opened(footer))

    def test_very_many_columns(self):
        """Neither is one with a million columns."""
        footer = bytes([0x29, 0xFC, 0xC0, 0x84, 0x3D]) + bytes(1_000_000)

        assert "it has 1,000,000 columns; at most 10,000" in self.refused(self.opened(footer))

    def test_very_many_parts(self, monkeypatch):
        """Row groups without end are counted where the notes are long."""
        monkeypatch.setattr(parquet_bounds, "SMALL_FOOTER", 0)
        monkeypatch.setattr(parquet_bounds, "MAX_COLUMN_CHUNKS", 20)
        table = pa.table({"a": range(40)})
        file = io.BytesIO()
        pq.write_table(table, file, row_group_size=1)

        assert "more than 20 parts" in self.refused(lambda: io.BytesIO(file.getvalue()))

    @given(st.binary(max_size=200))
    def test_any_bytes(self, footer):
        """Whatever stands there is refused in one line, or left to Arrow."""
        with suppress(UnsafeParquet):
            check_footer(self.opened(footer))


@given(st.binary(max_size=300))
def test_any_bytes_are_passed_over_or_refused(data):
    """The notes' form is read by its own rules: an end is always found, or an error."""
    compact = CompactReader(data)
    try:
        for _, kind in compact.fields():
            compact.value(kind)
    except ValueError:
        return

    assert compact.position <= len(data)


def test_heads_that_lead_nowhere(tmp_path, plan):
    """Pages that do not follow each other are damage, told by row group and column."""
    path = saved(tmp_path / "r.parquet", plan, row_group_size=100, use_dictionary=False)
    footer = pq.read_metadata(path)
    place = footer.row_group(1).column(5).data_page_offset
    whole = bytearray(path.read_bytes())
    whole[place : place + 20] = b"\xff" * 20
    path.write_bytes(whole)

    with pytest.raises(DamagedColumn) as caught:
        check_pages(lambda: path, footer, ["slot", "payload"])
    assert (caught.value.group, caught.value.column) == (1, "payload")
    assert "row group 2 of 3: column payload is damaged" in refusal(plan, path)


def test_pages_are_counted(tmp_path, plan, monkeypatch):
    """A file of very many pages is not looked through to its end."""
    monkeypatch.setattr(parquet_bounds, "MAX_PAGES", 10)

    assert "more than 10 pages" in refusal(plan, saved(tmp_path / "r.parquet", plan, row_group_size=5))


@pytest.mark.parametrize("field", ["unpacked", "stored"])
def test_a_page_of_a_size_below_zero(plan_of, tmp_path, field):
    """Reading on from before its beginning would never end: the column is damaged."""
    path = saved(tmp_path / "r.parquet", plan_of(3), use_dictionary=False, compression="none")
    metadata = pq.read_metadata(path)
    data = bytearray(path.read_bytes())
    place = metadata.row_group(0).column(0).data_page_offset + 3  # its kind comes first, then both sizes
    if field == "stored":
        place += next(step for step in range(9) if data[place + step] < 128) + 2
    data[place] |= 1  # the lowest bit of a number is its sign
    path.write_bytes(data)

    with pytest.raises(DamagedColumn):
        check_pages(lambda: path, metadata, ["household"])
