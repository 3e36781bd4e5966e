"""From a data frame of readings to a table of estimates in five lines."""

import pandas
import polars
import pyarrow as pa
import pytest

import hushwatt

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
    """The same readings as a pandas, polars or pyarrow table give the same reports."""
    assert hushwatt.randomise(plan, FORMS[form](readings), seed=2).equals(reports)


@pytest.mark.parametrize("form", FORMS)
def test_reports_of_every_kind(plan, reports, form):
    """The same reports give the same answer, though a data frame forgets the table's labels."""
    assert hushwatt.estimate(plan, FORMS[form](reports)).json == hushwatt.estimate(plan, reports).json


def test_tables_of_an_answer(plan, reports):
    """The period has a row for each appliance, the slots one for each level, both with limits."""
    answer = hushwatt.estimate(plan, reports)
    period = answer.period.to_pylist()

    assert [row["appliance"] for row in period] == list(plan.names)
    assert all(row["watts_low"] <= row["mean_watts"] <= row["watts_high"] for row in period)
    assert sorted(row["rank"] for row in period) == list(range(1, 16))
    assert answer.slots.num_rows == 6 * plan.width
    assert set(answer.top) == set(plan.names)
    assert isinstance(pandas.DataFrame(answer.period.to_pandas()), pandas.DataFrame)


def test_paths_are_frames_too(plan, readings, reports, tmp_path):
    """A path stands for the file or the folder there."""
    pa.parquet.write_table(readings, tmp_path / "readings.parquet")
    pa.parquet.write_table(reports, tmp_path / "reports.parquet")

    assert hushwatt.randomise(plan, tmp_path / "readings.parquet", seed=2).equals(reports)
    assert hushwatt.estimate(plan, str(tmp_path / "reports.parquet")).top


def test_no_table():
    """What Arrow cannot take is refused in one line."""
    with pytest.raises(hushwatt.HushwattError, match="a set is no table"):
        hushwatt.estimate(hushwatt.preset("paper"), {1, 2})


def test_public_names():
    """Every public name is there, and no other."""
    assert all(getattr(hushwatt, name) for name in hushwatt.NAMES)
    assert set(hushwatt.__all__) == {*hushwatt.NAMES, "__version__"}
    assert dir(hushwatt) == hushwatt.__all__
    with pytest.raises(AttributeError, match="hushwatt has no guess"):
        hushwatt.guess  # noqa: B018
