"""`hushwatt estimate` and `hushwatt top`: what the reports of real runs say, on paper and as JSON."""

import json

import polars as pl
import pytest

from hushwatt.cli.estimate_tables import AVERAGING
from hushwatt.fleet.randomise import randomise_file
from hushwatt.plan.plan import Plan

PLAN = """
name = "Kitchens of Leeds"
description = "Which kitchen appliances use how much."
contact = "kitchens@example.org"
start = 2024-01-01
expires = 2024-02-01
timezone = "Europe/London"
slot = "1d"
epsilon = 60
window = 2
method = "{method}"
minimum_homes = {minimum}
[[appliance]]
name = "kettle"
edges = [50, 200]
[[appliance]]
name = "toaster"
edges = [100]
[[appliance]]
name = "oven"
values = [0, 500, 2000]
"""
WATTS = {"kettle": 120, "toaster": 0, "oven": 2000}
HOMES, SLOTS = 40, 6


@pytest.fixture(scope="module")
def readings(tmp_path_factory):
    """Homes that all use the same, always."""
    path = tmp_path_factory.mktemp("readings") / "readings.csv"
    rows = [
        f"home{home},2024-01-{slot + 1:02}T12:00:00Z,{name},{watts}"
        for slot in range(SLOTS)
        for home in range(HOMES)
        for name, watts in WATTS.items()
    ]
    path.write_text("\n".join(["household,time,appliance,watts", *rows]) + "\n")
    return path


@pytest.fixture
def reports(readings, tmp_path):
    """Make a plan and its reports; gives the two words that the commands are called with."""

    def make(method="lbu", minimum=10):
        (tmp_path / "plan.toml").write_text(PLAN.format(method=method, minimum=minimum))
        randomise_file(Plan.load(tmp_path / "plan.toml"), readings, tmp_path / "reports.parquet", seed=1)
        return "plan.toml", "reports.parquet"

    return make


@pytest.mark.parametrize("method", ["lbu", "lsp", "lbd", "lba", "lpu"])
def test_json_from_real_reports(hushwatt, reports, method):
    """With so large a budget the true levels come out, whatever the method."""
    answer = hushwatt("estimate", *reports(method), "--json", "--consistency", "none")
    told = json.loads(answer.stdout)

    assert (answer.returncode, answer.stderr) == (0, "")
    assert told["homes"] == HOMES
    assert [slot["slot"] for slot in told["slots"]] == list(range(SLOTS))
    assert told["top"] == ["oven", "kettle", "toaster"]
    assert told["appliances"]["oven"]["levels"] == pytest.approx([0, 0, HOMES], abs=HOMES / 3)
    assert told["appliances"]["oven"]["mean_watts"] == pytest.approx(2000, rel=0.25)


def test_repeats_are_told_by_as_of(hushwatt, reports):
    """Between the draws of lsp a slot says as of when it speaks."""
    told = json.loads(hushwatt("estimate", *reports("lsp"), "--json").stdout)

    assert [slot["as_of"] for slot in told["slots"]] == [0, 0, 2, 2, 4, 4]


def test_table_for_people(hushwatt, reports):
    """Every appliance with its watts, interval, share and rank, and what must be said beside it."""
    answer = hushwatt("estimate", *reports())
    lines = answer.stdout.splitlines()

    assert answer.returncode == 0
    assert lines[0] == "Kitchens of Leeds: 40 homes, 6 slots, 2024-01-01 00:00 to 2024-01-06 00:00 Europe/London"
    for name in WATTS:
        assert sum(line.strip().startswith(name) for line in lines) == 1
    assert all(word in answer.stdout for word in ("watts", "95 %", "share", "rank", "over time", " ± "))
    assert "Homes take turns" not in answer.stdout


def test_turns_are_on_the_safe_side(hushwatt, reports):
    """When homes take turns, the table says that its intervals are conservative."""

    assert "Homes take turns, so the intervals" in hushwatt("estimate", *reports("lpu", 1)).stdout


def test_some_slots(hushwatt, reports):
    """--from and --to choose slots by local dates, both included."""
    answer = hushwatt("estimate", *reports(), "--json", "--from", "2024-01-02", "--to", "2024-01-04")

    assert [slot["slot"] for slot in json.loads(answer.stdout)["slots"]] == [1, 2, 3]


@pytest.mark.parametrize("name", ["out.csv", "out.parquet", "out.json"])
def test_files(hushwatt, reports, tmp_path, name):
    """-o writes the table or everything, besides showing it."""
    answer = hushwatt("estimate", *reports(), "-o", name)
    path = tmp_path / name

    assert (answer.returncode, answer.stderr.splitlines()) == (0, [f"wrote {name}", AVERAGING])
    assert "Kitchens of Leeds" in answer.stdout
    if name == "out.json":
        assert json.loads(path.read_text()) == json.loads(
            hushwatt("estimate", "plan.toml", "reports.parquet", "--json").stdout
        )
    else:
        table = pl.read_csv(path) if name == "out.csv" else pl.read_parquet(path)
        assert table.shape == (SLOTS * 8, 14)


def test_levels_of_the_period(hushwatt, reports):
    """--levels adds the homes at each level, averaged before they are adjusted, and says so."""
    answer = hushwatt("estimate", *reports(), "--levels")
    without = hushwatt("estimate", "plan.toml", "reports.parquet")
    row = next(line for line in answer.stdout.splitlines() if "2000 W" in line.replace(",", ""))

    assert "averaged over the slots first" in answer.stdout
    assert "of all homes" in answer.stdout
    assert float(row.split("W")[1].split("±")[0]) == pytest.approx(HOMES, abs=HOMES / 4)
    assert "of all homes" not in without.stdout


@pytest.mark.parametrize("consistency", ["norm-sub", "none"])
def test_files_say_what_may_be_averaged(hushwatt, reports, tmp_path, consistency):
    """A table has the unbiased numbers beside the adjusted ones, and its writer is told which to average."""
    answer = hushwatt("estimate", *reports(), "-o", "slots.csv", "--consistency", consistency)
    table = pl.read_csv(tmp_path / "slots.csv")
    none = json.loads(hushwatt("estimate", "plan.toml", "reports.parquet", "--consistency", "none", "--json").stdout)
    oven = (
        table.filter(pl.col("appliance") == "oven").group_by("level").agg(pl.col("homes_unbiased").mean()).sort("level")
    )

    assert oven["homes_unbiased"].to_list() == pytest.approx(none["appliances"]["oven"]["levels"])
    assert ("homes_unbiased" in answer.stderr) == (consistency == "norm-sub")


def test_smooth(hushwatt, reports):
    """--smooth smooths the slots and says so."""
    told = json.loads(hushwatt("estimate", *reports(), "--json", "--smooth").stdout)

    assert told["smoothed"] is True
    assert "Slots are smoothed" in hushwatt("estimate", "plan.toml", "reports.parquet", "--smooth").stdout


def test_consistency(hushwatt, reports):
    """By default histograms have no negative counts and account for all homes; `none` leaves them."""
    shown, raw = (
        json.loads(hushwatt("estimate", *reports(), "--json", "--consistency", word).stdout)
        for word in ("norm-sub", "none")
    )
    default = json.loads(hushwatt("estimate", "plan.toml", "reports.parquet", "--json").stdout)
    levels = shown["slots"][0]["appliances"]["kettle"]["levels"]

    assert default == shown
    assert min(levels) >= 0
    assert sum(levels) == pytest.approx(HOMES)
    assert levels != raw["slots"][0]["appliances"]["kettle"]["levels"]


def test_too_few_homes(hushwatt, reports):
    """Below the plan's minimum there is no number, for people and programs."""
    shown = hushwatt("estimate", *reports(minimum=41))
    told = json.loads(hushwatt("top", "plan.toml", "reports.parquet", "--json").stdout)

    assert shown.returncode == 0
    assert "too few homes: at most 40 reported in a slot, and the plan needs 41" in shown.stdout
    assert "oven" not in shown.stdout
    assert (told["top"], told["too_few_homes"]) == ([], {"have": 40, "need": 41})


def test_top(hushwatt, reports):
    """The most watts first, with rank, interval, share and a bar."""
    lines = hushwatt("top", *reports(), "-k", "2").stdout.splitlines()
    rows = [line for line in lines if any(name in line for name in WATTS)]

    assert len(rows) == 2
    assert rows[0].split()[:2] == ["1", "oven"]
    assert "█" in rows[0]
    assert rows[1].split()[:2] == ["2", "kettle"]


def test_top_for_programs(hushwatt, reports):
    """The same as JSON, with the names in order."""
    told = json.loads(hushwatt("top", *reports(), "-k", "2", "--json").stdout)

    assert told["top"] == list(told["appliances"]) == ["oven", "kettle"]
    assert told["appliances"]["oven"]["rank_ci95"] == [1, 1]


@pytest.mark.parametrize(
    "words, line",
    [
        (["top", "-k", "0"], "hushwatt: -k is 0; it must be at least 1"),
        (["estimate", "--from", "soon"], "hushwatt: --from is 'soon'; write a date such as"),
        (["estimate", "--from", "2024-01-03", "--to", "2024-01-02"], "hushwatt: --from 2024-01-03 is after"),
        (["estimate", "-o", "out.xlsx"], "hushwatt: out.xlsx must end in one of .csv, .parquet, .json"),
        (["estimate", "--consistency", "clip"], "hushwatt: "),
        (["estimate", "--engine", "abacus"], "hushwatt: "),
    ],
)
def test_wrong_use_is_one_line(hushwatt, reports, tmp_path, words, line):
    """What cannot be done is said in one line, and nothing is written."""
    answer = hushwatt(words[0], *reports(), *words[1:])

    assert (answer.returncode, answer.stdout) == (2, "")
    assert answer.stderr.startswith(line)
    assert answer.stderr.count("\n") == 1
    assert not (tmp_path / "out.xlsx").exists()


def test_reports_of_another_plan(hushwatt, reports, tmp_path):
    """Reports made for another plan are refused."""
    reports()
    (tmp_path / "other.toml").write_text(PLAN.format(method="lbu", minimum=11))
    answer = hushwatt("estimate", "other.toml", "reports.parquet")

    assert answer.returncode == 2
    assert answer.stderr.count("\n") == 1


class TestPublishedTogether:
    """A plan that publishes two days at a time, and reports of six days."""

    @pytest.fixture
    def words(self, reports, tmp_path):
        plan, file = reports()
        text = (tmp_path / plan).read_text().replace("minimum_homes", "publish = {}\nminimum_homes")

        def make(publish):
            (tmp_path / plan).write_text(text.replace("{}", publish))
            agreed = Plan.load(tmp_path / plan)
            randomise_file(agreed, tmp_path / "readings.csv", tmp_path / file, seed=1)
            return plan, file

        return make

    @pytest.fixture(autouse=True)
    def _readings(self, readings, tmp_path):
        (tmp_path / "readings.csv").write_bytes(readings.read_bytes())

    def test_entries_and_tables(self, hushwatt, words):
        """JSON has one entry for each, and the table's headline counts them."""
        plan, file = words('"2d"')
        told = json.loads(hushwatt("estimate", plan, file, "--json").stdout)
        shown = hushwatt("estimate", plan, file).stdout

        assert [(slot["slot"], slot["slots"], slot["reports"]) for slot in told["slots"]] == [
            (0, 2, HOMES),
            (2, 2, HOMES),
            (4, 2, HOMES),
        ]
        assert f"{HOMES} homes, 3 periods of 2 days" in shown
        assert json.loads(hushwatt("top", plan, file, "--json").stdout)["top"] == told["top"]

    def test_what_is_not_whole_is_not_told(self, hushwatt, words):
        """Four days at a time: the last two days are waited for; seven: there is nothing to tell yet."""
        four = hushwatt("estimate", *words("4")).stdout
        seven = hushwatt("estimate", *words("7")).stdout

        assert "1 period of 4 days" in four
        assert "published once every 4 days: the last 2 slots with reports are no whole period yet" in four
        assert "once every 7 days: the last 6 slots with reports are no whole period yet" in seven
        assert "watts ±" not in seven

    @pytest.mark.parametrize("option, day, near", [("--from", "2024-01-02", "2024-01-01 or 2024-01-03")])
    def test_a_range_within_one_is_refused(self, hushwatt, words, option, day, near):
        """One line, and exit 2."""
        answer = hushwatt("estimate", *words("2"), option, day)

        assert (answer.returncode, answer.stdout) == (2, "")
        assert answer.stderr.strip().endswith(f"results are published once every 2 days; write {near}")


def test_fold_and_weekdays(hushwatt, reports):
    """--fold shows what is usual on each weekday; --weekdays leaves the other slots out, and both are one answer."""
    told = json.loads(hushwatt("estimate", *reports(), "--json", "--fold", "weekday").stdout)
    monday = json.loads(hushwatt("estimate", "plan.toml", "reports.parquet", "--json", "--weekdays", "mon").stdout)
    folds = {each["key"]: each for each in told["folds"]}

    assert [(each["key"], each["slots"]) for each in told["folds"]] == [
        (day, 1) for day in ("mon", "tue", "wed", "thu", "fri", "sat")
    ]
    assert [slot["slot"] for slot in monday["slots"]] == [0]
    assert folds["mon"]["appliances"]["oven"]["ci95"] == monday["appliances"]["oven"]["ci95"]
    shown = hushwatt("estimate", "plan.toml", "reports.parquet", "--fold", "weekday").stdout
    assert "mon … sat" in shown


@pytest.mark.parametrize(
    "option, says",
    [
        (("--fold", "hour"), "fold hour: a slot lasts 1 day, which cannot be told apart by that"),
        (("--hours", "17-21"), "hours 17-21: no slot lies in that whole; a slot lasts 1 day"),
        (("--hours", "evening"), "hours 'evening': write them as 17-21 (17:00 to 21:00)"),
        (("--weekdays", "workday"), "weekdays 'workday': write them as mon-fri or sat,sun"),
    ],
)
def test_times_that_cannot_be_told_apart(hushwatt, reports, option, says):
    answer = hushwatt("estimate", *reports(), *option)

    assert answer.returncode == 2
    assert says in answer.stderr
    assert answer.stdout == ""


def test_what_is_read_is_not_written_over(hushwatt, tmp_path):
    """An output that names the input, however it is typed, is one line, and the input stays as it was."""
    hushwatt("plan", "new", "--preset", "advised", "-o", "plan.toml")
    hushwatt("simulate", "ideal", "-o", "readings.parquet", "--homes", 20, "--slots", 1, "--plan", "plan.toml")
    hushwatt("randomise", "plan.toml", "readings.parquet", "-o", "reports.parquet")
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}

    runs = [
        hushwatt("randomise", "plan.toml", "readings.parquet", "-o", tmp_path / "readings.parquet"),
        hushwatt("estimate", "plan.toml", "reports.parquet", "-o", "./reports.parquet"),
    ]

    assert [run.returncode for run in runs] == [2, 2]
    assert all(run.stderr.endswith(" is what is read, and would be gone: write to another file\n") for run in runs)
    assert all(run.stderr.count("\n") == 1 for run in runs)
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before
