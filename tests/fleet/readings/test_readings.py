"""A table of readings becomes one matrix for every slot, whatever the order of its rows."""

import math
import tempfile
from collections import defaultdict
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import csv as arrow_csv
from tests.kettles import KETTLES

from hushwatt.errors import ReadingsError
from hushwatt.fleet.readings import bucket_sort, parquet_file, partitions, run_lengths
from hushwatt.fleet.readings.readings import read_slots
from hushwatt.plan.plan import Plan

START = datetime(2024, 1, 1, tzinfo=UTC)
PLAN = Plan.parse(f"""{KETTLES}
    [[appliance]]
    name = "fridge"
    edges = [10, 40]
""")
SLOTS = 10


def row(household, day, appliance="kettle", watts=1.0):
    """One row, `day` days after the plan's start."""
    return household, START + timedelta(days=day), appliance, watts


def parquet(rows, path, coded=True):
    """Write rows as a Parquet file, names as codes or in full."""
    columns = [list(column) for column in zip(*rows, strict=True)] or [[], [], [], []]
    types = (pa.string(), pa.timestamp("us", "UTC"), pa.string(), pa.float64())
    arrays = [pa.array(column, kind) for column, kind in zip(columns, types, strict=True)]
    pq.write_table(pa.table(arrays, names=["household", "time", "appliance", "watts"]), path, use_dictionary=coded)
    return path


def walked(readings):
    """Every matrix of a table, by its slot."""
    return {slot: watts.tolist() for slot, watts in readings.matrices()}


def expected(rows, known=()):
    """The same, worked out row by row."""
    cells, slots = defaultdict(list), set()
    for household, time, appliance, watts in rows:
        slot = (time - START) // timedelta(days=1)
        if 0 <= slot < SLOTS:
            slots.add(slot)
            cells[slot, household, appliance].append(max(0.0, watts))
    homes = sorted({household for household, *_ in rows} | set(known))

    def mean(slot, home, appliance):
        measured = cells[slot, home, appliance]
        return math.fsum(measured) / len(measured) if measured else 0.0

    span = range(min(slots), max(slots) + 1) if slots else ()
    return homes, {s: [[mean(s, home, name) for name in PLAN.names] for home in homes] for s in span}


TABLES = st.lists(
    st.builds(
        row,
        st.sampled_from(["ada", "bob", "cy", "Δora", "a" * 40]),
        st.floats(-2, 12, allow_nan=False).map(lambda day: round(day, 3)),
        st.sampled_from(["kettle", "fridge", "sauna"]),
        st.one_of(st.sampled_from([0.1, 0.2, 0.3, -5.0, 40.0]), st.floats(-1, 1e5).map(lambda w: round(w, 3))),
    ),
    max_size=60,
).map(lambda rows: [*rows, row("ada", 4)])  # one that counts


class TestAnyOrder:
    """ "any order (sorted by time then household streams best)"."""

    @settings(max_examples=50)
    @given(
        rows=TABLES,
        coded=st.booleans(),
        batch=st.sampled_from([7, 1000]),
        part=st.sampled_from([1, 2, 1000]),
        data=st.data(),
    )
    def test_matrices_are_what_the_rows_say(self, rows, coded, batch, part, data):
        """Shuffled or sorted, in one file or many, whole or in parts: the same matrices to the last bit."""
        shuffled = data.draw(st.permutations(rows))
        cuts = sorted(data.draw(st.lists(st.integers(0, len(rows)), max_size=3)))
        with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
            patch.setattr(parquet_file, "BATCH_ROWS", batch)
            patch.setattr(partitions, "MAX_CELLS", 1)
            patch.setattr(partitions, "MIN_HOMES", part)
            several = Path(folder, "several")
            several.mkdir()
            for number, (start, stop) in enumerate(zip([0, *cuts], [*cuts, len(rows)], strict=True)):
                parquet(shuffled[start:stop], several / f"{number}.parquet", coded)
            by_time = sorted(rows, key=lambda row: (row[1], row[0]))
            tables = [
                read_slots(PLAN, parquet(shuffled, Path(folder, "shuffled.parquet"), coded)),
                read_slots(PLAN, parquet(by_time, Path(folder, "sorted.parquet"), coded)),
                read_slots(PLAN, several),
            ]
            found = [(table.homes.to_pylist(), walked(table), table.counts) for table in tables]

        assert found[0][:2] == expected(rows)
        assert found[0] == found[1] == found[2]

    @pytest.mark.parametrize("homes", [1000, 5])  # in a part
    @pytest.mark.parametrize("by", ["household", "appliance", "time", "backwards"])
    def test_a_table_larger_than_memory(self, tmp_path, monkeypatch, by, homes):
        """With little memory rows and runs wait on disk, in any order, and the answer is the same."""
        monkeypatch.setattr(bucket_sort, "MEMORY_ROWS", 50)
        monkeypatch.setattr(bucket_sort.BucketSort.__init__, "__defaults__", (30, 50))
        monkeypatch.setattr(run_lengths.RunLengths.__init__, "__defaults__", (40,))
        monkeypatch.setattr(run_lengths, "BLOCK_RUNS", 7)
        monkeypatch.setattr(parquet_file, "BATCH_ROWS", 37)
        monkeypatch.setattr(partitions, "MAX_CELLS", 1)
        monkeypatch.setattr(partitions, "MIN_HOMES", homes)
        rows = [
            row(f"home {home}", day + hour / 24, name, home + day / 7 + hour)
            for day in range(9)
            for home in range(12)
            for hour in (3, 5, 20)
            for name in PLAN.names
        ]
        keys = {"household": 0, "time": 1, "appliance": 2}
        rows = rows[::-1] if by == "backwards" else sorted(rows, key=lambda r: r[keys[by]])
        table = read_slots(PLAN, parquet(rows, tmp_path / "readings.parquet"))

        assert (table.homes.to_pylist(), walked(table)) == expected(rows)
        assert walked(table) == walked(table)


class TestTakingPart:
    """ "every home in the input takes part in every slot from the first to the last in the input"."""

    def test_all_homes_in_all_slots(self, tmp_path):
        """A home is in slots it has no row in, and in slots where nobody has one, with 0 W."""
        table = read_slots(PLAN, parquet([row("bob", 1), row("ada", 4)], tmp_path / "r.parquet"))

        assert (table.first, table.last) == (1, 4)
        assert table.homes.to_pylist() == ["ada", "bob"]
        assert walked(table) == {1: [[0, 0], [1, 0]], 2: [[0, 0]] * 2, 3: [[0, 0]] * 2, 4: [[1, 0], [0, 0]]}

    def test_a_home_whose_rows_are_all_skipped(self, tmp_path):
        """A home takes part even if none of its rows counts: it is in the input."""
        rows = [row("ada", 1), row("early", -3), row("late", 30), row("sauna owner", 1, "sauna")]
        table = read_slots(PLAN, parquet(rows, tmp_path / "r.parquet"))

        assert table.homes.to_pylist() == ["ada", "early", "late", "sauna owner"]
        assert walked(table) == {1: [[1, 0], [0, 0], [0, 0], [0, 0]]}

    def test_known_homes_take_part(self, tmp_path):
        """Homes of an earlier file are united with those of this one, each once."""
        path = parquet([row("bob", 0), row("eve", 0, watts=2), row("bob", 1)], tmp_path / "r.parquet")
        table = read_slots(PLAN, path, known=pa.array(["ada", "bob", "dan"]))

        assert table.homes.to_pylist() == ["ada", "bob", "dan", "eve"]
        assert walked(table)[0] == [[0, 0], [1, 0], [0, 0], [2, 0]]
        assert walked(table)[1] == [[0, 0], [1, 0], [0, 0], [0, 0]]

    def test_no_row_counts(self, tmp_path):
        """Without a row in the plan's time there is no slot, but the homes are known."""
        table = read_slots(PLAN, parquet([row("ada", -1)], tmp_path / "r.parquet"))

        assert (table.first, table.last, walked(table)) == (None, None, {})
        assert table.homes.to_pylist() == ["ada"]

    def test_no_row_at_all(self, tmp_path):
        """An empty table has neither homes nor slots."""
        table = read_slots(PLAN, parquet([], tmp_path / "r.parquet"))

        assert (table.first, table.last, walked(table), len(table.homes)) == (None, None, {}, 0)
        assert table.counts.rows == 0

    @pytest.mark.parametrize("codes", [[2, 0], [2, 0, 2]])
    def test_names_of_a_dictionary_without_rows(self, tmp_path, codes):
        """A category that no row has is not a home."""
        coded = pa.DictionaryArray.from_arrays(pa.array(codes, pa.int8()), pa.array(["ada", "ghost", "bob"]))
        table = pa.table(
            {
                "household": coded,
                "time": pa.array([START] * len(codes), pa.timestamp("s", "UTC")),
                "appliance": ["kettle"] * len(codes),
                "watts": [1.0] * len(codes),
            }
        )
        pq.write_table(table, tmp_path / "r.parquet")

        assert read_slots(PLAN, tmp_path / "r.parquet").homes.to_pylist() == ["ada", "bob"]


class TestWatts:
    """ "Several rows in a slot are averaged"."""

    def test_mean_of_rows(self, tmp_path):
        """A cell is the plain mean of its rows in the slot, each home and appliance for itself."""
        rows = [row("ada", 0.1, watts=1), row("ada", 0.5, watts=2), row("ada", 0.9, watts=6)]
        rows += [row("ada", 0.2, "fridge", 80), row("bob", 0.2, watts=7)]
        table = read_slots(PLAN, parquet(rows, tmp_path / "r.parquet"))

        assert walked(table) == {0: [[3, 80], [7, 0]]}

    @settings(max_examples=50)
    @given(watts=st.lists(st.floats(0, 1e6), min_size=1, max_size=30), data=st.data())
    def test_the_mean_is_exact(self, watts, data):
        """The mean is that of the exact sum, so it is the same in every order."""
        shuffled = data.draw(st.permutations(watts))
        with tempfile.TemporaryDirectory() as folder:
            path = parquet([row("ada", 0, watts=w) for w in shuffled], Path(folder, "r.parquet"))
            found = walked(read_slots(PLAN, path))[0][0][0]

        exact = sum(map(Fraction, watts)) / len(watts)
        assert abs(Fraction(found) - exact) <= exact / 2**51 + Fraction(1, 2**60)  # type: ignore[operator]
        assert len(watts) > 1 or found == watts[0]

    def test_negative_watts(self, tmp_path):
        """Negative watts count as 0 and are counted; skipped rows are not counted twice."""
        rows = [row("ada", 0, watts=-4), row("ada", 0, watts=2), row("ada", -1, watts=-4)]
        table = read_slots(PLAN, parquet(rows, tmp_path / "r.parquet"))

        assert walked(table) == {0: [[1, 0]]}
        assert table.counts.negative == 1

    @pytest.mark.parametrize("kind", [pa.int16(), pa.uint64(), pa.float16(), pa.float32()])
    def test_number_types(self, tmp_path, kind):
        """Watts may be of any integer or floating type."""
        table = pq.read_table(parquet([row("ada", 0, watts=12)], tmp_path / "r.parquet"))
        pq.write_table(table.set_column(3, "watts", pa.array(np.array([12.0])).cast(kind)), tmp_path / "r.parquet")

        assert walked(read_slots(PLAN, tmp_path / "r.parquet")) == {0: [[12, 0]]}


class TestCounts:
    """ "Rows before `start` or after `expires`, and appliances outside the plan, are skipped and counted"."""

    def test_what_was_skipped(self, tmp_path):
        """Every row is counted once: by its time first, then by its appliance."""
        rows = [row("ada", 0), row("ada", -0.001), row("ada", -9, "sauna"), row("ada", 10), row("ada", 9.999)]
        rows += [row("ada", 3, "sauna"), row("ada", 3, "iron"), row("bob", 4, "sauna", -1.0)]
        table = read_slots(PLAN, parquet(rows, tmp_path / "r.parquet"))
        walked(table)

        assert table.counts.rows == 8
        assert (table.counts.before_start, table.counts.after_expires) == (2, 1)
        assert table.counts.outside == {"iron": 1, "sauna": 2}
        assert table.counts.negative == 0
        assert (table.first, table.last) == (0, 9)

    @pytest.mark.parametrize("others, said", [(2, "of other 0, other 1"), (7, "other 3, other 4 and 2 more")])
    def test_no_row_of_the_plan(self, tmp_path, others, said):
        """A table whose appliances all have other names is refused, not reported as 0 W."""
        rows = [row("ada", 0, f"other {number}") for number in range(others)]

        with pytest.raises(ReadingsError, match=said):
            walked(read_slots(PLAN, parquet(rows, tmp_path / "r.parquet")))

    def test_progress(self, tmp_path):
        """The fraction done never falls, and ends at 1."""
        told = []
        path = parquet([row("ada", 3), row("bob", 1), row("ada", 0)], tmp_path / "r.parquet")
        walked(read_slots(PLAN, path, progress=told.append))

        assert told == sorted(told)
        assert told[-1] == 1.0
        assert 0 < told[0] <= 0.5

    @pytest.mark.parametrize("days", [(0, 1, 2), (2, 0, 1)])
    def test_progress_waits_for_the_work(self, tmp_path, days):
        """Reading everything is not everything: what is done with a page counts, too, once it is done."""
        told = []
        path = parquet([row("ada", day) for day in days], tmp_path / "r.parquet")
        at_work = [told[-1] for _ in read_slots(PLAN, path, progress=told.append).pages()]

        assert at_work[0] < at_work[1] < at_work[2] < 0.95
        assert told[-1] == 1.0

    def test_readings_are_not_shown(self, tmp_path):
        """The table's own description has no reading in it."""
        table = read_slots(PLAN, parquet([row("ada", 0, watts=1234.5)], tmp_path / "r.parquet"))
        walked(table)

        assert "1234" not in repr(table)
        assert "1234" not in repr(table.counts)


@pytest.mark.parametrize("later", [1, 3])
def test_a_file_that_changes_meanwhile(tmp_path, later):
    """A file with more or fewer rows at the second look than at the first is refused."""
    path = parquet([row("ada", day) for day in range(2)], tmp_path / "r.parquet")
    table = read_slots(PLAN, path)
    parquet([row("ada", day) for day in range(later)], path)

    with pytest.raises(ReadingsError, match="changed while they were read"):
        walked(table)


@pytest.mark.parametrize("name", ["r.parquet", "r.csv"])
def test_a_file_that_vanishes_meanwhile(tmp_path, name):
    """A file that is not there at the second look is said to be gone, not to be damaged."""
    path = parquet([row("ada", day) for day in range(2)], tmp_path / "r.parquet")
    arrow_csv.write_csv(pq.read_table(path), tmp_path / "r.csv")
    path = tmp_path / name
    table = read_slots(PLAN, path)
    path.unlink()

    with pytest.raises(ReadingsError, match=f"{name}: it is not there any more"):
        walked(table)


ANSWERS = replace(PLAN, unmeasured="answer")
GAPS = [
    row("a", 0, "kettle", 0.0),
    row("a", 0, "fridge", None),
    row("a", 1, "kettle", 4.0),
    row("a", 1, "kettle", None),
    row("a", 1, "kettle", 2.0),
    row("b", 1, "fridge", None),
]


def csv_file(rows, path):
    """The same as CSV; what is missing is an empty cell."""
    arrow_csv.write_csv(pq.read_table(parquet(rows, path.with_suffix(".parquet"))), path)
    return path


class TestNotMeasured:
    """With the answer "not measured", no row and a null are NaN, and 0 is measured and off."""

    @pytest.mark.parametrize("kind", [parquet, csv_file])
    @pytest.mark.parametrize("order", [1, -1])
    def test_gaps(self, tmp_path, kind, order):
        """The mean is that of the rows that are there; a home of nulls alone takes part."""
        path = kind(GAPS[::order], tmp_path / ("r.csv" if kind is csv_file else "r.parquet"))

        table = read_slots(ANSWERS, path)

        assert table.homes.to_pylist() == ["a", "b"]
        assert str(walked(table)) == str(
            {0: [[0.0, math.nan], [math.nan, math.nan]], 1: [[3.0, math.nan], [math.nan, math.nan]]}
        )

    @pytest.mark.parametrize("kind", [pa.int32(), pa.uint64(), pa.float32(), pa.float64()])
    def test_number_types(self, tmp_path, kind):
        """A null is one in any type of numbers."""
        whole = [pa.array([each[place] for each in GAPS], pa.string()) for place in (0, 2)]
        times = pa.array([each[1] for each in GAPS], pa.timestamp("us", "UTC"))
        watts = pa.array([each[3] and int(each[3]) for each in GAPS], kind)
        table = pa.table([whole[0], times, whole[1], watts], names=["household", "time", "appliance", "watts"])

        assert str(walked(read_slots(ANSWERS, table))[1][0]) == "[3.0, nan]"

    def test_in_parts(self, tmp_path, monkeypatch):
        """It does not matter how the homes are cut."""
        monkeypatch.setattr(partitions, "MAX_CELLS", 1)
        monkeypatch.setattr(partitions, "MIN_HOMES", 1)

        assert str(walked(read_slots(ANSWERS, parquet(GAPS, tmp_path / "r.parquet")))[1][0]) == "[3.0, nan]"

    def test_other_plans_refuse_a_null(self, tmp_path):
        """Where what is missing counts as 0 W, a null stays an error that names its row."""
        with pytest.raises(ReadingsError, match="row 2, column watts: missing"):
            walked(read_slots(PLAN, parquet(GAPS, tmp_path / "r.parquet")))

    def test_nan_stays_an_error(self, tmp_path):
        """What is not a number is no way to say that nothing was measured."""
        with pytest.raises(ReadingsError, match="row 1, column watts: not a finite number"):
            walked(read_slots(ANSWERS, parquet([row("a", 0, watts=math.nan)], tmp_path / "r.parquet")))

    def test_a_missing_name_stays_an_error(self, tmp_path):
        """Only watts may be missing."""
        with pytest.raises(ReadingsError, match="row 1, column appliance: missing"):
            walked(read_slots(ANSWERS, parquet([row("a", 0, None)], tmp_path / "r.parquet")))

    def test_a_bad_cell_below_an_empty_one(self, tmp_path):
        """What is wrong with a CSV file is the bad cell, not the empty one."""
        path = tmp_path / "r.csv"
        path.write_text("household,time,appliance,watts\na,2024-01-01,kettle,\na,2024-01-01,kettle,much\n")

        with pytest.raises(ReadingsError, match=r"row 2 \(line 3\), column watts: not a number"):
            walked(read_slots(ANSWERS, path))
        with pytest.raises(ReadingsError, match=r"row 1 \(line 2\), column watts: missing"):
            walked(read_slots(PLAN, path))
