"""Further questions about a result: folds, groups, totals, shares and comparisons as frames of the kind given."""

import pandas
import polars
import pyarrow as pa
import pytest
from tests.provider.estimate.homes_above.test_threshold import PLAN

import hushwatt
from hushwatt.fleet.result import Result

KINDS = {"pyarrow": pa.Table, "pandas": pandas.DataFrame, "polars": polars.DataFrame}
FORMS = {"pyarrow": lambda table: table, "pandas": lambda table: table.to_pandas(), "polars": polars.from_arrow}
EDGES = PLAN.format(levels="edges = [100, 500]", mapping="range").replace("epsilon = 1", "epsilon = 6")


@pytest.fixture(scope="module")
def plan():
    return hushwatt.Plan.parse(EDGES)


@pytest.fixture(scope="module")
def reports(plan):
    return hushwatt.randomise(plan, hushwatt.simulate("ideal", plan, homes=400, slots=48, seed=1), seed=2)


@pytest.fixture(scope="module")
def labels(reports):
    homes = sorted(set(reports["household"].to_pylist()))
    return pa.table({"household": homes, "tariff": ["AB"[number % 2] for number in range(len(homes))]})


@pytest.fixture(scope="module", params=FORMS)
def asked(request, plan, reports, labels):
    form = FORMS[request.param]
    return request.param, hushwatt.estimate(plan, form(reports), labels=form(labels))


def columns(frame):
    return list(frame.column_names if isinstance(frame, pa.Table) else frame.columns)


def rows(frame):
    if isinstance(frame, pa.Table):
        return frame.to_pylist()
    return frame.to_dicts() if isinstance(frame, polars.DataFrame) else frame.to_dict("records")


def test_frames_of_the_kind_that_was_given(asked):
    """Every question gives a frame of the library that the reports came in, with limits beside every number."""
    kind, found = asked
    a, b = found.only("tariff=A"), found.only("tariff=B,hours=0-24")
    frames = [
        found.fold("hour"),
        found.by("tariff"),
        found.totals(),
        found.totals(customers=10_000),
        found.above(500),
        found.using("hour"),
        a.period,
        hushwatt.compare(a, b),
        hushwatt.compare(a, b, found.only("hours=0-6"), found.only("hours=6-12")),
    ]

    assert all(isinstance(frame, KINDS[kind]) for frame in frames)
    assert all(any(name.endswith("_low") for name in columns(frame)) for frame in frames)
    assert len(rows(found.fold("hour"))) == 24


def test_numbers_are_those_of_the_command_line(asked):
    """What the frames hold is what the JSON says."""
    _, found = asked
    told = found.json["appliances"]["oven"]
    (oven, together) = rows(found.totals())
    (all_customers, _) = rows(found.totals(customers=4_000))

    assert (oven["kwh"], [oven["kwh_low"], oven["kwh_high"]]) == (told["kwh"], told["kwh_ci95"])
    assert together["appliance"] == "together"
    assert all_customers["kwh_a_day"] == pytest.approx(10 * oven["kwh_a_day"])
    assert [each["group"] for each in rows(found.by("tariff"))] == ["tariff=A", "tariff=B"]
    assert found.peak()["appliances"]["oven"]["rank"] == 1


def test_customers_as_a_frame(asked):
    """A table of kinds may be a frame too, or a file."""
    kind, found = asked
    table = FORMS[kind](pa.table({"tariff": ["A", "B"], "customers": [900, 3100]}))
    total = rows(found.totals(customers=table))[0]["kwh"]
    hours = 48 / 1000
    means = [rows(found.only(f"tariff={tariff}").period)[0]["mean_watts"] for tariff in "AB"]

    assert total == pytest.approx((900 * means[0] + 3100 * means[1]) * hours)


def test_files(plan, reports, labels, tmp_path):
    """Reports, labels and customers may be files."""
    import pyarrow.csv
    import pyarrow.parquet

    pyarrow.parquet.write_table(reports, tmp_path / "reports.parquet")
    pyarrow.csv.write_csv(labels, tmp_path / "labels.csv")
    (tmp_path / "customers.csv").write_text("tariff,customers\nA,900\nB,3100\n")
    found = hushwatt.estimate(plan, tmp_path / "reports.parquet", labels=tmp_path / "labels.csv")

    assert found.totals(tmp_path / "customers.csv").num_rows == 2


def test_a_share_that_levels_do_not_tell(asked):
    """The share is empty, its limits are bounds, and the levels that would tell it are named."""
    _, found = asked
    (told,), (bounded,) = rows(found.above(500)), rows(found.above(300))

    assert 0 <= told["share"] <= 1
    assert bounded["share"] is None or bounded["share"] != bounded["share"]
    assert bounded["needs"] == "edges = [100, 300, 500]"
    assert bounded["share_low"] <= bounded["share_high"]


def test_a_selection_says_what_it_is(asked):
    _, found = asked

    assert repr(found.only("tariff=A,hours=6-12")) == "<Selection: tariff=A,hours=6-12, 200 homes, 12 slots>"


def test_refusals(plan, reports, asked):
    """What cannot be asked is one line."""
    _, found = asked
    other = hushwatt.Plan.parse(EDGES.replace("500", "600"))
    elsewhere = hushwatt.estimate(other, hushwatt.randomise(other, hushwatt.simulate("ideal", other, 200, 3), seed=1))

    for ask, refusal in (
        (lambda: Result(found.estimates).fold("hour"), "these are estimates alone"),
        (lambda: found.totals(customers=3), "400 homes take part"),
        (lambda: found.totals(customers="nowhere.txt"), "write a number as"),
        (lambda: found.by("region"), "there is no label"),
        (lambda: found.only("region=north"), "there is no region"),
        (lambda: found.above(-1), "above is -1"),
        (lambda: found.fold("decade"), "fold is 'decade'"),
        (lambda: hushwatt.compare(found.only("hours=0-6"), elsewhere.only("hours=0-6")), "of different plans"),
    ):
        with pytest.raises(hushwatt.HushwattError, match=refusal):
            ask()


def test_no_peak_without_answers(plan, reports):
    """Where no appliance has an answer at every key there is no peak."""
    few = hushwatt.estimate(plan, reports.slice(0, 0))

    with pytest.raises(hushwatt.HushwattError, match="no appliance has an answer for every hour"):
        few.peak()
