"""The engine on this machine: every report once, however the files look; a clear line for bad ones."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.provider.reported import (
    HOMES,
    KINDS,
    damaged_files,
    one_by_one,
    part,
    plainly,
    reported,
    saved,
    twice,
)

from hushwatt.errors import ReportError, UsageError
from hushwatt.provider.tally.engines import engine
from hushwatt.provider.tally.engines.embedded import tally_piece
from hushwatt.provider.tally.label_table import LabelTable
from hushwatt.provider.tally.tally import Tallies
from hushwatt.wire.reports import external_sort, report_file
from hushwatt.wire.reports.refused_files import RefusedFile
from hushwatt.wire.reports.report_file import ReportFile
from hushwatt.wire.reports.schema import ReportBatch

EMBEDDED = engine("embedded")
COLUMNS = ("slot", "round", "spent", "drawn", "payloads")


@st.composite
def arrangements(draw, count):
    """Rows of twice as many reports: all of the first half, some of the second; in order, or not."""
    again = draw(st.lists(st.integers(0, count - 1), unique=True, max_size=9))
    rows = [*range(count), *(count + row for row in again)]
    kind = draw(st.sampled_from(["appended", "sorted", "shuffled"]))
    if kind == "sorted":
        rows.sort(key=lambda row: (row % count, row))
    elif kind == "shuffled":
        rows = np.random.default_rng(draw(st.integers(0, 99))).permutation(rows).tolist()
        seen = set()
        for place, row in enumerate(rows):  # of two, the one that must count comes first
            rows[place] = row % count + (count if row % count in seen else 0)
            seen.add(row % count)
    return rows


class TestOnce:
    """Every report is counted once: the first, by file and row."""

    @pytest.mark.parametrize("kind", KINDS, ids=str)
    @settings(max_examples=5)
    @given(data=st.data())
    def test_repeats_anywhere(self, table, kind, data, tmp_path_factory):
        """In one file or two, in order or not, in row groups and buckets of any size."""
        plan, batch = table(*kind)
        both = twice(batch)
        rows, cut = data.draw(arrangements(len(batch))), data.draw(st.integers(0, len(batch)))
        folder = tmp_path_factory.mktemp("reports")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(report_file, "BATCH_ROWS", data.draw(st.sampled_from([7, 64, 1000])))
            patch.setattr(report_file, "MIN_GROUP_ROWS", data.draw(st.sampled_from([60, 1000])))
            patch.setattr(external_sort, "BUCKET_REPORTS", 30)
            saved(plan, folder / "a.parquet", both, rows[:cut], group=23)
            saved(plan, folder / "b.parquet", both, rows[cut:], group=40)
            tallies = EMBEDDED.tallies(plan, folder)

        assert plainly(tallies.groups) == plainly(one_by_one(plan, batch))
        assert tallies.repeats == len(rows) - len(batch)
        assert tallies.homes == HOMES

    def test_regions_side_by_side_stream(self, table, tmp_path, monkeypatch):
        """Files that each hold some homes in all slots share no report, so nothing waits on disk."""
        monkeypatch.setattr("hushwatt.provider.tally.engines.embedded.spill_reports", None)
        plan, batch = table("lbu", None, 8)
        early = np.array([home < "home 10" for home in batch.households.to_pylist()])
        for name, rows in (("a", early), ("b", ~early)):
            saved(plan, tmp_path / f"{name}.parquet", batch, np.flatnonzero(rows))

        assert plainly(EMBEDDED.tallies(plan, tmp_path).groups) == plainly(one_by_one(plan, batch))


@pytest.mark.parametrize("ordered", [True, False])
def test_what_a_piece_in_no_order_adds_up_to_is_not_kept(table, tmp_path, monkeypatch, ordered):
    """It is counted once it is in order, and would take a tally for every slot of every piece meanwhile."""
    monkeypatch.setattr(report_file, "BATCH_ROWS", 20)
    plan, batch = table("lbu", None, 8)
    rows = np.arange(len(batch))
    rows = rows if ordered else np.append(rows[:-40], rows[:-41:-1])  # the first batches are in order
    (piece,) = ReportFile(plan, saved(plan, tmp_path / "a.parquet", batch, rows)).row_groups()
    tallied = tally_piece(plan, piece)

    assert (tallied.ordered, bool(tallied.tallies.groups), bool(tallied.spans)) == (ordered, ordered, True)


class TestRefused:
    """Bad files cost one clear line that names the file, and the row group or row."""

    def test_bad_files(self, table, tmp_path):
        """Damage, other plans, older tables, cut files, empty folders."""
        plan, batch = table("lbu", None, 8)
        for name, (path, said) in damaged_files(plan, batch, tmp_path).items():
            with pytest.raises(ReportError) as caught:
                EMBEDDED.tallies(plan, path)

            assert str(caught.value).startswith(str(path)), name
            assert said in str(caught.value), name

    @pytest.mark.parametrize(
        "kind, column, value",
        [
            (("lbu", None, 2), "payloads", 255),
            (("lbu", None, 2), "drawn", 0),
            (("lba", "household", 8), "drawn", 0),
            (("lba", "household", 8), "spent", 3),
        ],
        ids=str,
    )
    def test_a_wrong_row(self, table, tmp_path, kind, column, value):
        """A report that no home sends is named by file and row, in a file in any order."""
        plan, batch = table(*kind)
        wrong = batch.taken(np.arange(len(batch))[::-1])
        getattr(wrong, column)[30] = value

        with pytest.raises(ReportError, match=r"a.parquet, row 31: "):
            EMBEDDED.tallies(plan, saved(plan, tmp_path / "a.parquet", wrong, group=13))

    def test_the_door(self):
        """An engine that there is not, and options that are not its own, are wrong use."""
        with pytest.raises(UsageError, match="there is no engine abacus; there are embedded, spark"):
            engine("abacus")
        with pytest.raises(UsageError, match="for the engine spark"):
            engine("embedded", master="spark://127.0.0.1:7077")

    def test_unknown_kinds_of_address(self, table):
        """An address of a kind that is not read here is no path of this machine."""
        with pytest.raises(UsageError, match="https:// is not read here; s3://, gs:// and hdfs:// are"):
            EMBEDDED.tallies(table("lbu", None, 8)[0], "https://meters/reports")


def test_the_command_counts_once(table, tmp_path, hushwatt):
    """Repeats change nothing but a word on stderr."""
    plan, batch = table("lbu", None, 8)
    both = twice(batch)
    (tmp_path / "plan.toml").write_text(plan.toml())
    saved(plan, tmp_path / "once.parquet", batch)
    saved(plan, tmp_path / "twice.parquet", both)
    once, again = (hushwatt("estimate", "plan.toml", f"{name}.parquet", "--json") for name in ("once", "twice"))

    assert once.returncode == again.returncode == 0
    assert once.stdout == again.stdout
    assert once.stderr == ""
    assert again.stderr == (
        f"{len(batch)} reports repeat an earlier one of the same household, slot and round; each is counted once\n"
    )


@pytest.mark.parametrize("command", ["estimate", "top"])
def test_the_command_says_what_it_refuses(command, plan_of, tmp_path, hushwatt):
    """Reports out of turn change nothing but a line on stderr."""
    plan, batch = reported(plan_of, "lpu", None, 8)
    late = part(batch, np.arange(4))
    columns = [np.concatenate([getattr(batch, name), getattr(late, name)]) for name in COLUMNS]
    columns[0][len(batch) :] += 1
    forged = ReportBatch(pa.concat_arrays([batch.households, late.households]), *columns)
    (tmp_path / "plan.toml").write_text(plan.toml())
    saved(plan, tmp_path / "clean.parquet", batch)
    saved(plan, tmp_path / "forged.parquet", forged)

    clean, other = (hushwatt(command, "plan.toml", f"{name}.parquet", "--json") for name in ("clean", "forged"))

    assert clean.returncode == other.returncode == 0
    assert clean.stdout == other.stdout
    assert clean.stderr == ""
    assert other.stderr == "4 reports are refused and not counted: 4 out_of_turn\n"


def test_refused_reports_do_not_replace_reports(table, tmp_path, hushwatt):
    """Whoever names the file of reports for them is told, and keeps it."""
    plan, batch = table("lbu", None, 8)
    (tmp_path / "plan.toml").write_text(plan.toml())
    saved(plan, tmp_path / "a.parquet", batch)
    before = (tmp_path / "a.parquet").read_bytes()

    told = hushwatt("estimate", "plan.toml", "a.parquet", "--rejected", "a.parquet")

    assert (told.returncode, told.stdout) == (2, "")
    assert told.stderr == "hushwatt: a.parquet is among the reports of a.parquet: keep what is refused elsewhere\n"
    assert (tmp_path / "a.parquet").read_bytes() == before


def test_spark_conf_is_a_name_and_a_value(hushwatt, tmp_path, table):
    """Anything else is wrong use."""
    (tmp_path / "plan.toml").write_text(table("lbu", None, 8)[0].toml())
    done = hushwatt("top", "plan.toml", "r.parquet", "--engine", "spark", "--spark-conf", "spark.cores")

    assert done.returncode == 2
    assert done.stderr == "hushwatt: --spark-conf wants NAME=VALUE\n"


class TestLabels:
    """Every kind of home is added up by itself, and together they are what they are without labels."""

    @pytest.mark.parametrize("kind", KINDS, ids=str)
    def test_each_cell(self, table, kind, tmp_path):
        """In order or out of order, for every method."""
        plan, batch = table(*kind)
        labels, cells = labelled(batch)
        rows = np.random.default_rng(2).permutation(len(batch))
        for number, each in enumerate((rows, None)):
            saved(plan, tmp_path / f"{number}.parquet", batch, each, group=31)
            tallies = EMBEDDED.tallies(plan, tmp_path / f"{number}.parquet", labels)
            whole = Tallies(0, {})
            whole.add_all((key._replace(cell=0), tally) for key, tally in tallies.groups.items())

            assert plainly(whole.groups) == plainly(one_by_one(plan, batch))
            assert plainly(tallies.groups) == expected_by_cell(plan, batch, cells)
            assert tallies.cells == labels.cells
            assert tallies.cell_homes == {1: 9, 2: 8}

    def test_a_table_of_all_customers(self, table, tmp_path):
        """Where it names homes that do not take part, those that do are divided as those that were heard are."""
        plan, batch = table("lbu", None, 8)
        homes = [f"home {home:02}" for home in range(12)] + [f"other {home}" for home in range(99)]
        labels = LabelTable.of(pa.table({"household": homes, "tariff": ["A"] * 9 + ["B"] * 102}))
        saved(plan, tmp_path / "a.parquet", batch)

        assert EMBEDDED.tallies(plan, tmp_path / "a.parquet", labels).cell_homes == {1: 9, 2: 3}


def labelled(batch):
    """Nine homes of tariff A, eight of B, and three of none; and the cell of every report."""
    tariffs = {f"home {home:02}": "A" if home % 2 else "B" for home in range(15)} | {"home 16": "A", "home 17": "A"}
    labels = LabelTable.of(pa.table({"household": list(tariffs), "tariff": list(tariffs.values())}))
    numbers = {"A": 1, "B": 2}
    return labels, np.array([numbers.get(tariffs.get(home), 0) for home in batch.households.to_pylist()])


def expected_by_cell(plan, batch, cells):
    groups = {}
    for cell in (0, 1, 2):
        found = one_by_one(plan, part(batch, cells == cell))
        groups |= {key._replace(cell=cell): tally for key, tally in found.items()}
    return plainly(groups)


def test_damaged_files_are_left_out_where_their_names_are_kept(table, tmp_path):
    """Every kind of damaged file beside a good one: the good one counts, and why the others do not is told."""
    plan, batch = table("lbu", None, 8)
    folder, told = tmp_path / "all", {}
    folder.mkdir()
    good = saved(plan, tmp_path / "good.parquet", batch)
    for name, (path, said) in damaged_files(plan, batch, tmp_path).items():
        if path.is_file():
            path.rename(folder / f"{name}.parquet")
            told[str(folder / f"{name}.parquet")] = said
    expected = EMBEDDED.tallies(plan, good)
    good.rename(folder / "good.parquet")
    kept = []

    with pytest.raises(ReportError):
        EMBEDDED.tallies(plan, folder)
    found = EMBEDDED.tallies(plan, folder, keep=lambda homes, refused: kept.append((homes, list(refused))))

    assert (plainly(found.groups), found.homes, found.repeats) == (plainly(expected.groups), expected.homes, 0)
    assert len(told) >= 7
    ((homes, refused),) = kept
    files = {file.name: file.problem for file in refused if isinstance(file, RefusedFile)}
    assert homes == expected.homes
    assert len(files) == len(refused)
    assert sorted(files) == sorted(told)
    assert all(said in files[name] for name, said in told.items())
