"""Files of readings in every form, and everything that can be wrong with one."""

from datetime import UTC, date, datetime

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.kettles import KETTLES

from hushwatt.errors import ReadingsError
from hushwatt.fleet.readings import csv_file, household_index, parquet_file
from hushwatt.fleet.readings.readings import read_slots
from hushwatt.plan.plan import Plan
from hushwatt.wire.reports import parquet_bounds

NOON = datetime(2024, 1, 2, 12, tzinfo=UTC)
SECRET = 4321.25  # a reading that must not be seen in an error
PLAN = Plan.parse(KETTLES)


def table(**columns):
    """A table of two rows, with the columns that a test changes."""
    usual = {
        "household": ["ada", "bob"],
        "time": pa.array([NOON, NOON], pa.timestamp("us", "UTC")),
        "appliance": ["kettle", "kettle"],
        "watts": [SECRET, 2.0],
    }
    return pa.table({**usual, **columns})


def saved(tmp_path, **columns):
    """The same as a Parquet file."""
    pq.write_table(table(**columns), tmp_path / "r.parquet")
    return tmp_path / "r.parquet"


def csv_of(tmp_path, *lines, header="household,time,appliance,watts", end="\n"):
    """A CSV file of these lines."""
    (tmp_path / "r.csv").write_bytes("".join(line + end for line in [header, *lines]).encode())
    return tmp_path / "r.csv"


def walked(path):
    """The homes and the matrices of a path."""
    readings = read_slots(PLAN, path)
    return readings.homes.to_pylist(), {slot: watts[:, 0].tolist() for slot, watts in readings.matrices()}


def refused(path):
    """What the error says; it must be one line, and never a reading."""
    with pytest.raises(ReadingsError) as caught:
        walked(path)
    said = str(caught.value)

    assert "\n" not in said
    assert "4321" not in said.replace(str(path), "")
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    return said


BOTH = (["ada", "bob"], {1: [SECRET, 2.0]})


class TestHouseholds:
    """`household` is text or a whole number, however it is stored."""

    @pytest.mark.parametrize(
        "kind", [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())]
    )
    def test_text(self, tmp_path, kind):
        """Every way to store text is the same household."""
        names = pa.array(["ada", "bob"])
        names = names.dictionary_encode().cast(kind) if pa.types.is_dictionary(kind) else names.cast(kind)

        assert walked(saved(tmp_path, household=names)) == BOTH

    @pytest.mark.parametrize("kind", [pa.int64(), pa.uint8()])
    def test_whole_numbers(self, tmp_path, kind):
        """A number is its decimal text, and sorted as text."""
        path = saved(tmp_path, household=pa.array([9, 10], kind))

        assert walked(path) == (["10", "9"], {1: [2.0, SECRET]})

    def test_numbers_and_texts_meet(self, tmp_path):
        """The home 7 of one file is the home "7" of another."""
        pq.write_table(table(household=[7, 8]), tmp_path / "a.parquet")
        pq.write_table(table(household=["7", "9"]), tmp_path / "b.parquet")

        assert walked(tmp_path) == (["7", "8", "9"], {1: [SECRET, 2.0, 2.0]})


class TestTimes:
    """`time` is a timestamp of any unit, with or without a zone, or a date."""

    @pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
    @pytest.mark.parametrize("zone", [None, "UTC", "Asia/Kolkata"])
    def test_units_and_zones(self, tmp_path, unit, zone):
        """A zone is only a way to show a moment; without one it is UTC."""
        moments = pa.array([NOON.replace(tzinfo=None)] * 2).cast(pa.timestamp(unit, zone))

        assert walked(saved(tmp_path, time=moments)) == BOTH

    @pytest.mark.parametrize("kind", [pa.date32(), pa.date64()])
    def test_dates(self, tmp_path, kind):
        """A date is its midnight, UTC."""
        assert walked(saved(tmp_path, time=pa.array([date(2024, 1, 2)] * 2, kind))) == BOTH

    @pytest.mark.parametrize("seconds, slot", [(-(10**10), "before_start"), (10**10, "after_expires")])
    def test_moments_beyond_nanoseconds(self, tmp_path, seconds, slot):
        """A moment too far off for nanoseconds is still before the start or after the end."""
        readings = read_slots(PLAN, saved(tmp_path, time=pa.array([seconds] * 2, pa.timestamp("s"))))

        assert getattr(readings.counts, slot) == 2

    @pytest.mark.parametrize(
        "text",
        [
            "2024-01-02",
            "2024-01-02 12:00:00",
            "2024-01-02T12:00:00Z",
            "2024-01-02 12:00:00.123456789",
            "2024-01-01T23:30:00-01:00",
            "2024-01-03 00:30:00+01:00",
            "2024-01-02T12:00+0530",
        ],
    )
    def test_iso_texts_in_csv(self, tmp_path, text):
        """In CSV a time is an ISO text, its zone respected."""
        assert walked(csv_of(tmp_path, f"ada,{text},kettle,{SECRET}", f"bob,{text},kettle,2")) == BOTH

    def test_texts_with_and_without_zone(self, tmp_path):
        """Both may stand in one file."""
        lines = [f"ada,2024-01-03 00:30:00+01:00,kettle,{SECRET}", "bob,2024-01-02,kettle,2"]

        assert walked(csv_of(tmp_path, *lines)) == BOTH


class TestCsv:
    """A CSV file is the same table."""

    @pytest.mark.parametrize("end", ["\n", "\r\n"])
    def test_plain(self, tmp_path, end):
        """Lines end either way, columns stand in any order, others are ignored, empty lines too."""
        header = "\ufeffwatts,note,household,appliance,time"
        lines = [f'{SECRET},"a, b",ada,kettle,2024-01-02', "", "2.0,,bob,kettle,2024-01-02T12:00"]

        assert walked(csv_of(tmp_path, *lines, header=header, end=end)) == BOTH

    def test_quoted_names(self, tmp_path):
        """A quoted name may hold commas, quotes and line breaks."""
        homes, _ = walked(csv_of(tmp_path, '"a ""b"", c\nd",2024-01-02,kettle,1'))

        assert homes == ['a "b", c\nd']

    def test_many_blocks(self, tmp_path, monkeypatch):
        """A file of many blocks is one table, even if most of its line breaks are within names."""
        monkeypatch.setattr(csv_file, "BLOCK_BYTES", 1000)
        breaks = "\n" * 20
        lines = [f'"h{breaks}{home:03}",2024-01-0{day},kettle,{home + day}' for home in range(200) for day in (2, 3)]
        homes, matrices = walked(csv_of(tmp_path, *lines))

        assert len(homes) == 200
        assert matrices == {1: [home + 2.0 for home in range(200)], 2: [home + 3.0 for home in range(200)]}

    def test_a_block_of_empty_lines(self, tmp_path, monkeypatch):
        """Empty lines are no rows, also when a block has nothing else and homes come in no order."""
        monkeypatch.setattr(csv_file, "BLOCK_BYTES", 1000)
        lines = ["bob,2024-01-02,kettle,2", f"ada,2024-01-02,kettle,{SECRET}", *[""] * 3000, "bob,2024-01-02,kettle,2"]

        assert walked(csv_of(tmp_path, *lines)) == walked(csv_of(tmp_path, *filter(None, lines)))

    def test_header_only(self, tmp_path):
        """A CSV file without rows is an empty table."""
        assert walked(csv_of(tmp_path)) == ([], {})


class TestFolders:
    """ "Parquet, CSV, or a folder of them"."""

    def test_a_mixed_tree(self, tmp_path):
        """Files of both kinds are found at any depth; hidden and other ones are ignored."""
        (tmp_path / "deep" / "er").mkdir(parents=True)
        (tmp_path / ".hidden").mkdir()
        csv_of(tmp_path / "deep", f"ada,2024-01-02,kettle,{SECRET}")
        pq.write_table(table(household=["bob", "bob"], watts=[1.0, 3.0]), tmp_path / "deep" / "er" / "x.PARQUET")
        for ignored in (".r.csv", ".hidden/r.csv", "notes.txt", "_SUCCESS"):
            (tmp_path / ignored).write_text("not readings")

        assert walked(tmp_path) == BOTH

    def test_a_name_that_does_not_tell(self, tmp_path):
        """A file without a telling name is known by its first bytes."""
        saved(tmp_path).rename(tmp_path / "readings")

        assert walked(tmp_path / "readings") == BOTH

    def test_nothing_there(self, tmp_path):
        """A path that does not exist, and a folder without readings, are errors."""
        assert "no such file" in refused(tmp_path / "nowhere.csv")
        assert "no Parquet or CSV file" in refused(tmp_path)


class TestRefused:
    """ "an error that names file, row and column, and nothing is written"."""

    @pytest.mark.parametrize("column", ["household", "time", "appliance", "watts"])
    def test_null(self, tmp_path, column):
        """A null is refused in each of the four columns."""
        whole = table().column(column).to_pylist()
        nulls = pa.array([whole[0], None], table().column(column).type)

        assert refused(saved(tmp_path, **{column: nulls})).endswith(f"r.parquet, row 2, column {column}: missing")

    def test_null_beside_a_dictionary(self, tmp_path):
        """A missing category is refused as well."""
        coded = pa.DictionaryArray.from_arrays(pa.array([0, None]), pa.array(["ada"]))

        assert refused(saved(tmp_path, household=coded)).endswith("row 2, column household: missing")

    @pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
    @pytest.mark.parametrize("kind", [pa.float64(), pa.float32(), pa.float16()])
    def test_not_finite(self, tmp_path, bad, kind):
        """NaN and infinity are refused, in rows that would be skipped too."""
        early = pa.array([datetime(1999, 1, 1)] * 2)
        path = saved(tmp_path, watts=pa.array(np.array([1.0, bad])).cast(kind), time=early)

        assert refused(path).endswith("r.parquet, row 2, column watts: not a finite number")

    def test_row_of_a_large_file(self, tmp_path):
        """Rows are counted through the whole file, not through a batch."""
        count = 600_000
        watts = np.ones(count)
        watts[599_998] = np.nan
        columns = {name: pa.repeat(table().column(name)[0], count) for name in ("household", "time", "appliance")}

        assert "row 599999, column watts" in refused(saved(tmp_path, watts=watts, **columns))

    def test_row_of_a_time(self, tmp_path, monkeypatch):
        """At the first look as well."""
        monkeypatch.setattr(parquet_file, "BATCH_ROWS", 2)
        times = pa.array([NOON] * 4 + [None], pa.timestamp("us", "UTC"))
        path = saved(tmp_path, household=["a"] * 5, time=times, appliance=["kettle"] * 5, watts=[1.0] * 5)

        assert "row 5, column time: missing" in refused(path)

    @pytest.mark.parametrize(
        "column, values",
        [
            ("household", [1.5, 2.5]),
            ("household", [b"ada", b"bob"]),
            ("household", [True, False]),
            ("time", [1704067200, 1704067200]),
            ("time", ["2024-01-02", "2024-01-02"]),
            ("appliance", [1, 2]),
            ("watts", ["1", "2"]),
            ("watts", [True, False]),
        ],
    )
    def test_wrong_type(self, tmp_path, column, values):
        """A column of another type is refused by its name."""
        assert f"r.parquet, column {column}: " in refused(saved(tmp_path, **{column: values}))

    @pytest.mark.parametrize("column", ["household", "time", "appliance", "watts"])
    def test_missing_column(self, tmp_path, column):
        """A missing column is named, in Parquet and in CSV."""
        pq.write_table(table().drop_columns(column), tmp_path / "r.parquet")
        header = "household,time,appliance,watts".replace(column, "other")

        assert refused(tmp_path / "r.parquet").endswith(f"column {column}: not there")
        assert refused(csv_of(tmp_path, header=header)).endswith(f"r.csv, line 1, column {column}: not there")

    def test_a_column_twice(self, tmp_path):
        """Two columns of one name are refused: nobody could say which one counts."""
        double = table().append_column("watts", pa.array([1.0, 1.0]))
        pq.write_table(double, tmp_path / "r.parquet")

        assert "column watts: there twice" in refused(tmp_path / "r.parquet")
        assert "column time: there twice" in refused(csv_of(tmp_path, header="household,time,time,appliance,watts"))

    def test_not_utf8(self, tmp_path):
        """Text that is no text is refused."""
        broken = pa.Array.from_buffers(pa.string(), 2, pa.array([b"ada", b"\xff\xfe"]).buffers())
        (tmp_path / "r.csv").write_bytes(b"household,time,appliance,watts\nada,2024-01-02,kettle,1\n\xff,x,y,2\n")

        assert refused(saved(tmp_path, household=broken)).endswith("row 2, column household: not UTF-8")
        assert refused(tmp_path / "r.csv").endswith("row 2 (line 3), column household: not UTF-8")

    @pytest.mark.parametrize("kept", [0.0, 0.5, 0.99])
    def test_truncated_parquet(self, tmp_path, kept):
        """A Parquet file that was cut off is refused."""
        path = saved(tmp_path)
        path.write_bytes(path.read_bytes()[: int(path.stat().st_size * kept)])

        assert "not a complete one" in refused(path)

    def test_damaged_parquet(self, tmp_path):
        """A Parquet file whose pages are broken is refused with the row it was read to."""
        path = saved(tmp_path)
        whole = bytearray(path.read_bytes())
        place = pq.read_metadata(path).row_group(0).column(3).data_page_offset
        whole[place : place + 12] = b"\xff" * 12
        path.write_bytes(whole)

        assert "r.parquet, after row 0, column appliance, watts: damaged" in refused(path)

    @pytest.mark.parametrize(
        "line, said",
        [
            ("ada,2024-01-02,kettle", "column watts: 3 fields where the header has 4"),
            ("ada,2024-01-02,kettle,1,4321.25", "column watts: 5 fields where the header has 4"),
            (",2024-01-02,kettle,4321.25", "column household: missing"),
            ("ada,,kettle,4321.25", "column time: missing"),
            ("ada,2024-01-02,,4321.25", "column appliance: missing"),
            ("ada,2024-01-02,kettle,", "column watts: missing"),
            ("ada,2024-01-02,kettle,4321.25W", "column watts: not a number"),
            ("ada,2024-01-02,kettle,nan", "column watts: not a finite number"),
            ("ada,2024-01-02,kettle,-inf", "column watts: not a finite number"),
            ("ada,2024-02-30,kettle,4321.25", "column time: not a time"),
            ("ada,1704067200,kettle,4321.25", "column time: not a time"),
            ("ada,20240102,kettle,4321.25", "column time: not a time"),
            ("ada,noon,kettle,4321.25", "column time: not a time"),
        ],
    )
    def test_bad_line(self, tmp_path, line, said):
        """A CSV row that cannot be read is named by its row, its line and its column."""
        path = csv_of(tmp_path, f'"a\nb",2024-01-02,kettle,{SECRET}', "", line)

        assert refused(path).endswith(f"r.csv, row 2 (line 5), {said}")

    def test_open_quote(self, tmp_path):
        """A CSV file that ends within a quoted cell is refused."""
        said = refused(csv_of(tmp_path, "ada,2024-01-02,kettle,1", 'bob,2024-01-02,"kettle,4321.25'))

        assert "r.csv, row 2 (after line 2): not a line of CSV" in said

    def test_empty_csv(self, tmp_path):
        """A file without even a header has no columns."""
        (tmp_path / "r.csv").write_bytes(b"")

        assert "column household: not there" in refused(tmp_path / "r.csv")

    def test_not_readings_at_all(self, tmp_path):
        """Bytes that are neither Parquet nor CSV are refused."""
        (tmp_path / "r.csv").write_bytes(bytes(range(256)) * 4)
        (tmp_path / "r.parquet").write_text("household,time,appliance,watts\n")

        assert "r.csv" in refused(tmp_path / "r.csv")
        assert "not a Parquet file" in refused(tmp_path / "r.parquet")


class TestTooMuch:
    """A small file that would take gigabytes is refused in one line, in a bounded memory."""

    @pytest.mark.parametrize("column", ["household", "appliance"])
    @pytest.mark.parametrize("coded", [True, False])
    def test_long_names(self, tmp_path, column, coded):
        """Names have at most 128 bytes, whether a dictionary repeats them or not."""
        names = pa.array(["ada", "a" * 129] * 1000)
        rows = table().take(pa.array([0, 1] * 1000))
        rows = rows.set_column(rows.schema.get_field_index(column), column, names)
        pq.write_table(rows, tmp_path / "r.parquet", use_dictionary=coded)
        lines = ["ada,2024-01-02,kettle,1", "ada,2024-01-02,kettle,1".replace("ada", "a" * 129)]

        assert refused(tmp_path / "r.parquet").endswith(f"r.parquet, row 2, column {column}: longer than 128 bytes")
        assert "row 2 (line 3), column household: longer than 128 bytes" in refused(csv_of(tmp_path, *lines))

    def test_a_page_that_unpacks_to_too_much(self, tmp_path, monkeypatch):
        """The heads of pages are looked at first."""
        monkeypatch.setattr(parquet_bounds, "MAX_PAGE", 10)

        assert "a page of column household unpacks to" in refused(saved(tmp_path))

    def test_notes_that_take_too_much(self, tmp_path, monkeypatch):
        """And so are the notes at the end of the file."""
        monkeypatch.setattr(parquet_bounds, "MAX_COLUMNS", 4)

        assert "r.parquet: it has 5 columns; at most 4 are read" in refused(saved(tmp_path))

    def test_one_endless_line(self, tmp_path):
        """A line of many megabytes is not held to say that it is none."""
        line = f"ada,2024-01-02,{'k' * (9 << 20)},1"

        assert "not a line of CSV" in refused(csv_of(tmp_path, "ada,2024-01-02,kettle,1", line))
        assert "line 1: not a line of CSV" in refused(csv_of(tmp_path, header="h" * (2 << 20)))

    def test_very_many_columns(self, tmp_path):
        """A table has a few columns, not ten thousand."""
        header = "household,time,appliance,watts" + ",x" * 10_000

        assert "line 1: 10,004 columns; at most 10,000 are read" in refused(csv_of(tmp_path, header=header))

    def test_names_of_very_many_homes(self, tmp_path, monkeypatch):
        """All names stay in memory, so together they have a bound as well."""
        monkeypatch.setattr(household_index, "MAX_NAME_BYTES", 10)

        assert "the names of the homes take more than 10 bytes" in refused(saved(tmp_path))
