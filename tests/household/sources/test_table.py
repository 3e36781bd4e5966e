"""Tables that grow and tables that are played again."""

import pytest

from hushwatt.errors import ReadingsError
from hushwatt.household.clock import SECOND
from hushwatt.household.sources.csv_tail import follow_csv
from hushwatt.household.sources.hub import Hub
from hushwatt.household.sources.sources_file import SourcesFile, TableEntry
from hushwatt.household.sources.table import TableSource, parse_time, row_readings

START = parse_time("2024-01-01T00:00:00Z", "")
HOUR = 3600 * SECOND
TIDY = "time,appliance,watts\n2024-01-01T00:10:00Z,kettle,100\n2024-01-01T00:20:00,kettle,300\n"


def table(folder, text, **entry):
    path = folder / "readings.csv"
    path.write_text(text)
    source = TableSource(TableEntry(path, **entry), follow_csv)
    source.open("plan", ["kettle", "fridge"], START, START + HOUR)
    return source


def test_rows_of_a_slot_are_averaged(folder):
    """As in bulk: several rows in a slot are averaged, and none is 0 W."""
    source = table(folder, TIDY)
    source.poll(START + HOUR)

    assert source.take_mean("plan", "kettle") == 200
    assert source.take_mean("plan", "fridge") == 0
    assert source.heard == START + 20 * 60 * SECOND


def test_a_file_that_grows_is_followed(folder):
    """Rows appended later are read; a line without its end waits."""
    source = table(folder, TIDY)
    source.poll(START + HOUR)
    with (folder / "readings.csv").open("a") as file:
        file.write("2024-01-01T00:30:00Z,kettle,500\n2024-01-01T00:40:00Z,kettle,9")
    source.poll(START + HOUR)

    assert source.take_mean("plan", "kettle") == 300


def test_rows_wait_for_their_time(folder):
    """A row of the future is not read before."""
    source = table(folder, TIDY)
    source.poll(START + 15 * 60 * SECOND)

    assert source.take_mean("plan", "kettle") == 100


def test_an_archive_is_played_from_now_on(folder):
    """In replay the first row is now, and the others follow at their distance."""
    source = table(folder, TIDY.replace("2024", "2011"), mode="replay")
    source.poll(START)
    source.poll(START + 10 * 60 * SECOND)

    assert source.take_mean("plan", "kettle") == 200


def test_wide_tables_of_disaggregated_mains(folder):
    """A column per appliance, its name translated where the plan has another."""
    text = "timestamp,kettle,fridge freezer\n2024-01-01 00:10:00,1000,80\n2024-01-01 00:20:00,,40\n"
    source = table(folder, text, appliances={"fridge freezer": "fridge"})
    source.poll(START + HOUR)

    assert source.take_mean("plan", "kettle") == 1000
    assert source.take_mean("plan", "fridge") == 60


def test_only_the_rows_of_this_home(folder):
    """A table of many homes gives those of the one that is named."""
    text = "household,time,appliance,watts\na,2024-01-01T00:10,kettle,100\nb,2024-01-01T00:10,kettle,900\n"
    source = table(folder, text, household="a")
    source.poll(START + HOUR)

    assert source.take_mean("plan", "kettle") == 100


@pytest.mark.parametrize(
    "text, words",
    [
        ("time,appliance,watts\nsoon,kettle,1\n", "readings.csv, row 1, column time: not a time"),
        ("time,appliance,watts\n2024-01-01,kettle,4711x\n", "column kettle: not a number"),
        ("time,appliance,watts\n2024-01-01,kettle,nan\n", "column kettle: not a number"),
        ("day,appliance,watts\n2024-01-01,kettle,1\n", "there is no column time"),
    ],
)
def test_a_wrong_table_is_one_line(folder, text, words):
    """What is wrong is named by file, row and column, never by its content; the agent goes on."""
    source = table(folder, text)
    source.poll(START + HOUR)

    assert words in source.trouble
    assert "4711" not in source.trouble
    assert source.take_mean("plan", "kettle") == 0


def test_a_missing_file_is_waited_for(folder):
    """A table that is not there yet is trouble, and read as soon as it is."""
    source = table(folder, TIDY)
    (folder / "readings.csv").rename(folder / "other.csv")
    source.poll(START + HOUR)
    trouble = source.trouble
    (folder / "other.csv").rename(folder / "readings.csv")
    source.poll(START + HOUR)

    assert trouble == "readings.csv cannot be read"
    assert source.take_mean("plan", "kettle") == 200


def test_bytes_that_are_no_text(folder):
    """A file that is not UTF-8 is refused."""
    (folder / "x.csv").write_bytes(b"time,\xff\xfe\n")

    with pytest.raises(ReadingsError, match="not UTF-8"):
        next(follow_csv(folder / "x.csv"))


def test_a_header_that_is_no_row(folder):
    """Without a header nothing can be read; it is looked at again."""
    source = table(folder, "time,\r2\n2024-01-01T00:10:00Z,1\n")
    source.poll(START + HOUR)
    trouble = source.trouble
    (folder / "readings.csv").write_text(TIDY)
    source.poll(START + HOUR)

    assert trouble == "readings.csv: a line is not a row of a table"
    assert source.take_mean("plan", "kettle") == 200


def test_a_time_far_away_is_none():
    """A time beyond the calendar is not a time."""
    with pytest.raises(ReadingsError, match="not a time"):
        list(row_readings({"time": "99999-01-01", "kettle": "1"}, {}, "row 1"))


@pytest.mark.parametrize("change", ["cut", "replaced"])
def test_a_table_that_changes_under_the_reader(folder, change):
    """A file that was cut short or replaced is said, and read from its start at the next look."""
    source = table(folder, TIDY)
    source.poll(START + HOUR)
    later = TIDY.splitlines()[0] + "\n2024-01-01T00:50:00Z,kettle,900\n"
    if change == "cut":
        (folder / "readings.csv").write_text(later)
    else:
        (folder / "other.csv").write_text(later)
        (folder / "other.csv").replace(folder / "readings.csv")
    source.poll(START + HOUR)
    trouble = source.trouble
    source.poll(START + HOUR)

    assert "read from its start" in trouble
    assert source.heard == START + 50 * 60 * SECOND


@pytest.mark.parametrize(
    "line",
    [
        "2024-01-01T00:30:00Z,kettle,\u0661\u0662",
        "2024-01-01T00:30:00Z,kettle,1_000",
        "2024-01-01T00:30:00Z,kettle,1e999",
        "2024-01-01T00:30:00Z,kettle," + "1" * 200_000,
        "2024-01-01T00:30:00Z,kettle,\0",
        "9" * 5_000 + ",kettle,1",
        "10000-01-01,kettle,1",
    ],
    ids=range(7),
)
def test_odd_rows_are_one_line(folder, line):
    """A row that cannot be read is trouble that names the table, never the value."""
    source = table(folder, TIDY + line + "\n")
    source.poll(START + HOUR)

    assert source.trouble.startswith("readings.csv")
    assert len(source.trouble) < 100


BAD = {
    "time": (b"soon,kettle,1", "row 2, column time: not a time"),
    "number": (b"2024-01-01T00:15:00Z,kettle,4711x", "row 2, column kettle: not a number"),
    "text": (b"2024-01-01T00:15:00Z,kettle,\xff\xfe", "row 2: not UTF-8 text"),
    "cell": (b"2024-01-01T00:15:00Z,kettle,1\r2", "row 2: a line is not a row of a table"),
    "long": (b"2024-01-01T00:15:00Z,kettle," + b"1" * 500_000, "row 2: a line is longer than"),
}


@pytest.mark.parametrize("kind", BAD)
def test_reading_goes_on_after_a_bad_row(folder, kind):
    """A bad row is said once; the file is not read again, and every good row counts once."""
    line, words = BAD[kind]
    opened, said = [], []
    path = folder / "readings.csv"
    header, first, second = TIDY.encode().splitlines(keepends=True)
    path.write_bytes(header + first + line + b"\n" + second)
    hub = Hub.of(SourcesFile(tables=(TableEntry(path),)), said.append)
    hub.tables[0].rows = lambda path: opened.append(path) or follow_csv(path)
    hub.tables[0].open("plan", ["kettle"], START, START + HOUR)
    for _ in range(3):
        hub.poll(START + HOUR, START)
    with path.open("ab") as file:
        file.write(line + b"\n2024-01-01T00:30:00Z,kettle,800\n")
    for _ in range(3):
        hub.poll(START + HOUR, START)

    assert hub.tables[0].take_mean("plan", "kettle") == 400
    assert hub.tables[0].trouble is None
    assert len(opened) == 1
    assert len(said) == 1
    assert words in said[0]
    assert "4711" not in said[0]


def test_a_bad_row_that_the_end_of_a_slot_finds_is_said(folder, plan_of):
    """Also what is read only to end a slot is said, at the next look."""
    said = []
    (folder / "readings.csv").write_text("time,appliance,watts\nsoon,kettle,1\n")
    hub = Hub.of(SourcesFile(tables=(TableEntry(folder / "readings.csv"),)), said.append)
    plan = plan_of(2)
    hub.open(plan, 0)
    hub.means(plan, 0)
    hub.poll(START, START)

    assert said == ["table readings.csv: readings.csv, row 1, column time: not a time"]


def test_a_long_line_is_skipped_while_it_is_written(folder):
    """A line that is too long and has no end yet is skipped to its end, however late that comes."""
    source = table(folder, TIDY + "x" * 300_000)
    source.poll(START + HOUR)
    with (folder / "readings.csv").open("a") as file:
        file.write("x,kettle,1\n2024-01-01T00:30:00Z,kettle,800\n")
    source.poll(START + HOUR)

    assert source.take_mean("plan", "kettle") == 400


def test_rows_are_counted_without_the_looks(folder):
    """The row that is named is the row of the file, however often the end was looked at before."""
    source = table(folder, TIDY)
    for _ in range(5):
        source.poll(START + HOUR)
    with (folder / "readings.csv").open("a") as file:
        file.write("soon,kettle,1\n")
    source.poll(START + HOUR)

    assert source.trouble == "readings.csv, row 3, column time: not a time"
