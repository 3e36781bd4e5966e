"""From a data frame of readings to a table of estimates in five lines."""

from dataclasses import replace

import numpy as np
import pandas
import polars
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hushwatt

KINDS = {"pyarrow": pa.Table, "pandas": pandas.DataFrame, "polars": polars.DataFrame}
FORMS = {
    "pyarrow": lambda table: table,
    "pandas": lambda table: table.to_pandas(),
    "polars": polars.from_arrow,
}


@pytest.fixture(scope="module")
def plan():
    return hushwatt.preset("advised")


@pytest.fixture(scope="module")
def readings(plan):
    return hushwatt.simulate("ideal", plan, homes=400, slots=6, seed=1)


@pytest.fixture(scope="module")
def reports(plan, readings):
    return hushwatt.randomise(plan, readings, seed=2)


@pytest.mark.parametrize("form", FORMS)
def test_readings_of_every_kind(plan, readings, reports, form):
    """The same readings as a pandas, polars or pyarrow table give the same reports, as the same kind."""
    made = hushwatt.randomise(plan, FORMS[form](readings), seed=2)

    assert isinstance(made, KINDS[form])
    assert pa.table(made).to_pylist() == reports.to_pylist()


@pytest.mark.parametrize("form", FORMS)
def test_what_is_not_measured(plan, readings, form):
    """Where a plan has that answer, a null says the same as no row, in every kind of frame."""
    answers, gone = replace(plan, unmeasured="answer"), np.arange(readings.num_rows) % 5 == 1
    watts = pa.array(readings["watts"].to_numpy(), mask=gone)
    nulls = readings.set_column(3, "watts", watts)

    one, other = (hushwatt.randomise(answers, FORMS[form](each), seed=2) for each in (nulls, readings.filter(~gone)))

    assert pa.table(one).to_pylist() == pa.table(other).to_pylist()
    assert pa.table(one).to_pylist() != pa.table(hushwatt.randomise(answers, readings, seed=2)).to_pylist()


@pytest.mark.parametrize("form", FORMS)
def test_reports_of_every_kind(plan, reports, form):
    """The same reports give the same answer, whose tables are frames of that kind."""
    answer = hushwatt.estimate(plan, FORMS[form](reports))

    assert answer.json == hushwatt.estimate(plan, reports).json
    assert isinstance(answer.period, KINDS[form])
    assert isinstance(answer.slots, KINDS[form])


def shuffled(frame):
    return frame.sample(frac=1, random_state=1)


ODD = {
    "rows in another order, with an odd index": lambda table: shuffled(table.to_pandas()),
    "columns in the index": lambda table: table.to_pandas().set_index(["household", "time"]),
    "categories": lambda table: table.to_pandas().astype({"appliance": "category", "household": "category"}),
    "categories of times": lambda table: table.to_pandas().astype({"time": "category"}),
    "another time zone": lambda table: table.to_pandas().assign(
        time=lambda frame: frame.time.dt.tz_convert("Asia/Tokyo")
    ),
    "one column more": lambda table: table.to_pandas().assign(note="hello"),
    "a lazy frame": lambda table: polars.DataFrame(table).lazy(),
    "polars' categories": lambda table: polars.DataFrame(table).with_columns(
        polars.col("appliance").cast(polars.Categorical)
    ),
    "a stream of batches": lambda table: table.to_reader(),
    "columns in a dictionary": lambda table: {name: table[name] for name in table.column_names},
}


@pytest.mark.parametrize("odd", ODD)
def test_odd_frames(plan, readings, reports, odd):
    """However a frame holds its rows, the reports are the same."""
    made = hushwatt.randomise(plan, ODD[odd](readings), seed=2)

    assert pa.table(made).to_pylist() == reports.to_pylist()


def test_tables_of_an_answer(plan, reports):
    """The period has a row for each appliance, the slots one for each level, both with limits."""
    answer = hushwatt.estimate(plan, reports)
    period = answer.period.to_pylist()

    assert [row["appliance"] for row in period] == list(plan.names)
    assert all(row["watts_low"] <= row["mean_watts"] <= row["watts_high"] for row in period)
    assert sorted(row["rank"] for row in period) == list(range(1, 16))
    assert answer.slots.num_rows == 6 * plan.width
    assert set(answer.top) == set(plan.names)
    assert repr(answer) == f"<Result: 400 homes, 6 slots, most watts: {', '.join(answer.top[:3])}>"


def test_how_many_homes_take_part(plan, readings):
    """Two of three slots hear two of three homes; pandas remembers them all, polars is told."""
    whole = hushwatt.randomise(plan, readings.to_pandas(), seed=2)
    part = whole[whole.slot < 2]
    told = polars.from_pandas(part)

    assert part.household.nunique() < 300
    assert hushwatt.estimate(plan, part).json["homes"] == 400
    assert hushwatt.estimate(plan, told).json["homes"] == part.household.nunique()
    assert hushwatt.estimate(plan, told, homes=400).json["homes"] == 400
    with pytest.raises(hushwatt.HushwattError, match=r"homes is 5, but 2.. homes sent reports"):
        hushwatt.estimate(plan, told, homes=5)


def test_paths_are_frames_too(plan, readings, reports, tmp_path):
    """A path stands for the file or the folder there, and gives pyarrow tables."""
    pq.write_table(readings, tmp_path / "readings.parquet")
    pq.write_table(reports, tmp_path / "reports.parquet")
    answer = hushwatt.estimate(plan, str(tmp_path / "reports.parquet"))

    assert hushwatt.randomise(plan, tmp_path / "readings.parquet", seed=2).equals(reports)
    assert isinstance(answer.period, pa.Table)
    with pytest.raises(hushwatt.HushwattError, match="a file of reports says itself how many homes"):
        hushwatt.estimate(plan, tmp_path / "reports.parquet", homes=500)


def test_skipped_rows_are_told(plan, readings):
    """What the plan does not ask for is skipped, and a warning counts it."""
    frame = readings.to_pandas()
    frame.loc[frame.appliance == "kettle", "appliance"] = "samovar"

    with pytest.warns(UserWarning, match="skipped 2,400 rows of samovar, which is not in the plan"):
        hushwatt.randomise(plan, frame, seed=2)


WRONG = {
    "a set": (lambda frame: {1, 2}, "a set is no table; give a pyarrow table"),
    "a series": (lambda frame: frame.watts, "a Series is no table"),
    "no watts": (lambda frame: frame.drop(columns="watts"), "readings, column watts: not there"),
    "times as text": (
        lambda frame: frame.assign(time=frame.time.astype(str)),
        "readings, column time: .*, not a timestamp",
    ),
    "a missing value": (lambda frame: frame.assign(watts=float("nan")), "readings, row 1, column watts"),
    "a missing category": (
        lambda frame: frame.assign(household=frame.household.where(frame.index != 7).astype("category")),
        "readings, row 8, column household: missing",
    ),
    "no rows": (lambda frame: frame.iloc[:0], "no reading falls into the plan's time"),
    "no file": (lambda frame: "/no/such/file.parquet", "there is no such file"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_frames(plan, readings, wrong):
    """What cannot be used is refused in one line that names no file of ours."""
    make, words = WRONG[wrong]

    with pytest.raises(hushwatt.HushwattError, match=words) as refused:
        hushwatt.randomise(plan, make(readings.to_pandas()))
    assert "\n" not in str(refused.value)
    assert "/tmp" not in str(refused.value)


def test_wrong_reports(plan, readings, reports):
    """Readings are no reports, other plans' reports are not ours, and a path is no plan."""
    with pytest.raises(hushwatt.HushwattError, match=r"^reports, column slot: not there"):
        hushwatt.estimate(plan, readings)
    with pytest.raises(hushwatt.HushwattError, match=r"^reports: reports of the plan"):
        hushwatt.estimate(hushwatt.preset("paper"), reports)
    with pytest.raises(hushwatt.HushwattError, match=r"the plan is a str; hushwatt.Plan.load"):
        hushwatt.estimate("plan.toml", reports)  # type: ignore[call-overload]


def test_public_names():
    """Every public name is there, and no other."""
    assert all(getattr(hushwatt, name) for name in hushwatt.NAMES)
    assert set(hushwatt.__all__) == {*hushwatt.NAMES, "__version__"}
    assert dir(hushwatt) == hushwatt.__all__
    with pytest.raises(AttributeError, match="hushwatt has no guess"):
        hushwatt.guess  # type: ignore[attr-defined]  # noqa: B018
