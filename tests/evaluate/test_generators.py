"""Invented homes follow the laws they state, repeat by seed, and say that they are invented."""

import json
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from scipy.stats import beta, kstest, truncnorm, uniform

from hushwatt.errors import UsageError
from hushwatt.evaluate.generators import GENERATORS, generate, simulate_file
from hushwatt.evaluate.generators.appliance_facts import (
    ApplianceFacts,
    course,
    facts_for,
    hours,
    household,
    known_facts,
    ownership_groups,
)
from hushwatt.evaluate.generators.home_generator import BLOCK_HOMES
from hushwatt.evaluate.generators.invented_homes import InventedHomes, household_names
from hushwatt.evaluate.generators.paper_homes import SHARES, paper_homes
from hushwatt.plan.appliance import Appliance
from hushwatt.plan.presets import preset
from hushwatt.plan.slot import SlotLength

PLAN = preset("paper")
LAWS = {
    "uniform": uniform(0, 3000),
    "normal": truncnorm(-3, 3, loc=1500, scale=500),
    "right-skewed": beta(2, 12, scale=3000),
    "left-skewed": beta(12, 2, scale=3000),
}
DOUBT = 1e-9  # both verdicts use it; the seed makes them repeatable


def readings(kind, homes=1_000, slots=1, plan=PLAN, seed=7):
    """All readings of a simulation: slots × homes × appliances."""
    return np.stack([watts for _, watts in generate(kind, plan, homes, slots, seed)])


def every(count, unit, timezone="UTC"):
    """The paper's plan with another slot length."""
    return replace(PLAN, slot=SlotLength(count, unit), timezone=timezone)


class TestTheFour:
    @pytest.mark.parametrize("kind, law", LAWS.items())
    def test_follows_its_law(self, kind, law):
        """Accepts the stated law and rejects the same law shifted by 1 % of the range."""
        watts = readings(kind, homes=10_000).ravel()

        assert kstest(watts, law.cdf).pvalue > DOUBT
        assert kstest(watts + 30, law.cdf).pvalue < DOUBT
        assert 0 < watts.min() < watts.max() < 3000  # nothing is pushed to the ends

    @pytest.mark.parametrize("kind", LAWS)
    def test_slots_homes_and_appliances_are_independent(self, kind):
        """Neither neighbouring slots nor neighbouring columns resemble each other."""
        first, second = readings(kind, homes=BLOCK_HOMES + 2_000, slots=2)

        assert abs(np.corrcoef(first.ravel(), second.ravel())[0, 1]) < 0.015
        assert abs(np.corrcoef(first[:, 0], first[:, 1])[0, 1]) < 0.05
        assert abs(np.corrcoef(first[:2_000, 0], first[BLOCK_HOMES:, 0])[0, 1]) < 0.1

    def test_skew_leaves_about_four_levels_empty(self):
        """Among 10,000 homes, three to five of the ten equal levels are empty under the skewed laws."""
        edges = np.linspace(0, 3000, 11)
        for kind in ("left-skewed", "right-skewed"):
            watts = readings(kind, homes=10_000)[0]
            empty = [10 - np.count_nonzero(np.histogram(column, edges)[0]) for column in watts.T]

            assert 3 <= np.mean(empty) <= 5


class TestIdeal:
    def test_ownership_is_that_of_the_study(self):
        """Over a month, as many homes use an appliance as own one in IDEAL."""
        ever = (readings("ideal", homes=4_000, slots=60) > 0).any(axis=0).mean(axis=0)
        owned = dict(zip(PLAN.names, ever, strict=True))

        assert owned["kettle"] == pytest.approx(245 / 255, abs=0.02)
        assert owned["microwave"] == pytest.approx(197 / 255, abs=0.03)
        assert owned["fridge_freezer"] == pytest.approx(179 / 255, abs=0.03)
        assert owned["tumble_drier"] == pytest.approx(46 / 255, abs=0.03)

    def test_who_has_no_fridge_freezer_has_a_fridge(self):
        """Cold appliances are owned in the study's patterns, not independently."""
        owned = dict(zip(PLAN.names, (readings("ideal", homes=4_000)[0] > 0).T, strict=True))

        assert owned["fridge"][~owned["fridge_freezer"]].mean() > 0.95
        assert owned["fridge"][owned["fridge_freezer"]].mean() < 0.15

    def test_means_are_those_of_the_facts(self):
        """Mean watts over all homes and weeks are ownership × an owner's mean, less the weeks away."""
        found = readings("ideal", homes=4_000, slots=28).mean(axis=(0, 1))
        facts = [facts_for(appliance) for appliance in PLAN.appliances]
        away = 1 - household().away
        expected = [
            each.owned * (each.cold + each.standby + (each.mean_watts - each.cold - each.standby) * away)
            for each in facts
        ]

        assert found == pytest.approx(expected, rel=0.12)
        assert found.max() < 50

    def test_measured_homes_lie_within_reach(self):
        """An owner's means are near those measured in British homes, kettles between 13 and 24 W."""

        assert 13 < known_facts("kettle").mean_watts < 24
        assert 8 < known_facts("washing_machine").mean_watts < 20
        assert 10 < known_facts("dishwasher").mean_watts < 56
        assert 2 < known_facts("microwave").mean_watts < 9

    def test_days_are_the_sum_of_their_minutes(self):
        """The same homes asked by day, hour or minute used the same energy."""
        day = readings("ideal", homes=200)[0]
        by_hour = readings("ideal", homes=200, slots=24, plan=every(1, "h"))
        by_minute = readings("ideal", homes=200, slots=1440, plan=every(1, "m"))

        assert by_hour.mean(axis=0) == pytest.approx(day, rel=0.05, abs=0.01)
        assert by_minute.mean(axis=0) == pytest.approx(day, rel=0.05, abs=0.01)
        assert by_minute.reshape(24, 60, 200, 15).mean(axis=1) == pytest.approx(by_hour, rel=1e-4, abs=0.1)

    def test_short_slots_show_appliances_at_work(self):
        """By the minute a kettle draws 2 to 4 kW while it boils, and a fridge-freezer cycles."""
        watts = readings("ideal", homes=300, slots=1440, plan=every(1, "m"))
        kettle, cold = watts[:, :, 1], watts[:, :, 5]

        assert 2_000 < np.percentile(kettle[kettle > 500], 90) < 3_500
        assert kettle.max() < 4_500
        assert 0.2 < (cold[:, cold.any(axis=0)] > 100).mean() < 0.45

    def test_the_hours_of_the_day_show(self):
        """Kettles boil in the morning and the afternoon rather than at night, by local time."""
        utc = readings("ideal", homes=2_000, slots=24, plan=every(1, "h"))[:, :, 1].mean(axis=1)
        tokyo = readings("ideal", homes=2_000, slots=24, plan=every(1, "h", "Asia/Tokyo"))[:, :, 1].mean(axis=1)

        assert utc[16] > 5 * utc[2]
        assert utc / utc.sum() == pytest.approx(hours("kettle"), abs=0.02)
        assert tokyo.argmax() == (16 - 9) % 24

    def test_larger_homes_use_more_of_everything(self):
        """Appliances of one home go together: daily uses of kettle and microwave correlate over homes."""
        month = np.log1p(readings("ideal", homes=4_000, slots=28).mean(axis=0))
        both = (month[:, 1] > 0.1) & (month[:, 2] > 0.1)

        assert 0.05 < np.corrcoef(month[both, 1], month[both, 2])[0, 1] < 0.6

    def test_some_weeks_nobody_is_at_home(self):
        """In about 3 % of weeks an owner's kettle stays cold all week, in none does the fridge."""
        weeks = readings("ideal", homes=4_000, slots=7)
        kettle = weeks[:, :, 1].any(axis=0).mean() / (245 / 255)

        assert 0.94 < kettle < 0.985
        assert weeks[0, :, 5].astype(bool).tolist() == weeks[:, :, 5].all(axis=0).tolist()

    def test_weekends_are_busier(self):
        """A weekend day costs 7 % more uses than a weekday, and a week averages to one."""
        factor = [household().on_day(day) for day in range(7)]  # day 0, 1970-01-01, was a Thursday

        assert factor[2] == factor[3] == pytest.approx(1.07 * factor[0])
        assert np.mean(factor) == pytest.approx(1)

    def test_clock_changes_long_slots_and_long_ago(self):
        """Days of 23 and 25 hours, slots of a week and a local day of 1969 give means in the same range."""
        past = replace(PLAN, start=datetime(1970, 1, 1, tzinfo=UTC), timezone="America/New_York")
        spring = replace(PLAN, start=datetime(2024, 3, 31, tzinfo=UTC), timezone="Europe/London")
        autumn = replace(PLAN, start=datetime(2024, 10, 26, 23, tzinfo=UTC), timezone="Europe/London")
        usual = readings("ideal", homes=2_000).sum(axis=2).mean()

        assert readings("ideal", homes=2_000, plan=past).sum(axis=2).mean() == pytest.approx(usual, rel=0.1)
        assert readings("ideal", homes=2_000, plan=spring).sum(axis=2).mean() == pytest.approx(usual, rel=0.1)
        assert readings("ideal", homes=2_000, plan=autumn).sum(axis=2).mean() == pytest.approx(usual, rel=0.1)
        assert readings("ideal", homes=2_000, plan=every(7, "d")).sum(axis=2).mean() == pytest.approx(usual, rel=0.1)


class TestFacts:
    def test_of_the_catalogue_alone(self):
        """An appliance that only the catalogue knows keeps its ownership, and its mean over all homes."""
        coffee = facts_for(Appliance.of("coffee_machine", edges=[10]))

        assert (known_facts("coffee_machine"), coffee.uses) == (None, 1.0)
        assert coffee.owned * coffee.mean_watts == pytest.approx(5, rel=1)

    def test_of_nobody(self):
        """What nobody knows has the mean that the plan calls typical, or else 10 W."""
        typical = facts_for(Appliance.of("flux capacitor", edges=[10], typical_mean=33))
        unknown = facts_for(Appliance.of("flux capacitor", edges=[10]))

        assert typical.owned * typical.mean_watts == pytest.approx(33)
        assert unknown.owned * unknown.mean_watts == pytest.approx(10)

    def test_what_never_stops(self):
        """An appliance whose mean is more than half its watts is on all the time."""
        always = facts_for(Appliance.of("flux capacitor", edges=[10], typical_mean=500))

        assert (always.uses, always.standby) == (0.0, pytest.approx(500 / 0.6))

    def test_every_entry_is_complete(self):
        """Every appliance of the table has a source, a known shape and course, and a plausible mean."""
        table = [known_facts(name) for name in (*PLAN.names, "tv", "hob", "electric_shower", "iron", "laptop")]

        assert all(isinstance(each, ApplianceFacts) and each.source for each in table)
        assert all(hours(each.shape).shape == (24,) and course(each.course).parts for each in table)
        assert all(1 < each.mean_watts < 60 for each in table)

    def test_courses_keep_the_mean(self):
        """The parts of a use fill its time, and their watts average to its own."""
        for name in ("steady", "washing", "dishwashing"):
            parts, multiples = np.array(course(name).parts), np.array(course(name).multiples)

            assert parts.sum() == pytest.approx(1)
            assert parts @ multiples == pytest.approx(1)

    def test_patterns_agree_with_ownership(self):
        """Owned together, an appliance is owned by as many homes as alone."""
        for group in ownership_groups():
            shares = np.diff(np.concatenate([[0.0], group.limits, [1.0]]))

            assert shares @ group.owns == pytest.approx([known_facts(name).owned for name in group.names])


class TestPaperHomes:
    def test_shares_are_the_printed_ones(self):
        """Totals over all homes and slots have exactly the shares that the paper prints."""
        totals = paper_homes(homes=500, slots=10, seed=7).sum(axis=(0, 1))
        printed = np.array([share for share, _ in SHARES.values()])

        assert totals / totals.sum() == pytest.approx(printed / printed.sum(), rel=1e-12)
        assert tuple(SHARES) == PLAN.names

    def test_owners_are_as_many_as_metered(self):
        """An appliance metered in 6 of 39 homes is in 6 of 39 of these, and at least in one."""
        owned = (paper_homes(homes=390, slots=1, seed=7)[0] > 0).sum(axis=0)

        assert owned.tolist() == [10 * metered for _, metered in SHARES.values()]
        assert (paper_homes(homes=2, slots=1, seed=7)[0] > 0).any(axis=0).all()

    def test_values_spread_over_all_ranges(self):
        """The washing machine's readings reach all ten ranges of the authors."""
        edges = [*PLAN.appliances[6].edges, np.inf]
        counts = np.histogram(paper_homes(homes=1_000, slots=30, seed=7)[:, :, 6], [0, *edges])[0]

        assert (counts > 1_000).all()

    def test_repeats_by_seed_alone(self):
        """The same seed gives the same homes, another one others."""
        one, again, other = (paper_homes(50, 2, seed) for seed in (1, 1, 2))

        assert (one == again).all()
        assert (one != other).any()

    def test_no_homes(self):
        """Asking for none is refused."""
        with pytest.raises(UsageError, match="asked for 0 homes and 3 slots"):
            paper_homes(0, 3)


class TestTable:
    @pytest.mark.parametrize("kind", GENERATORS)
    @pytest.mark.parametrize("homes, slots", [(1, 1), (700, 20), (BLOCK_HOMES + 5, 2)])
    def test_table_and_arrays_agree(self, tmp_path, kind, homes, slots):
        """The table has the arrays' numbers, sorted by time, household and the plan's appliances."""
        simulate_file(kind, PLAN, homes, slots, 7, tmp_path / "readings.parquet")
        table = pq.read_table(tmp_path / "readings.parquet")
        arrays = readings(kind, homes, slots)

        assert table["watts"].to_numpy().tolist() == arrays.ravel().tolist()
        assert table["appliance"].to_pylist() == list(PLAN.names) * (homes * slots)
        names = household_names(0, homes).to_numpy(zero_copy_only=False)
        assert (table["household"].to_numpy() == np.tile(np.repeat(names, 15), slots)).all()
        days = table["time"].to_numpy()
        assert (days == np.repeat(np.datetime64("2024-01-01") + np.arange(slots), homes * 15)).all()

    def test_columns(self, tmp_path):
        """Names are plain strings, times are in UTC, watts are doubles, and the label says synthetic."""
        simulate_file("normal", PLAN, 3, 2, 7, tmp_path / "readings.parquet")
        schema = pq.read_schema(tmp_path / "readings.parquet")

        assert [str(each) for each in schema.types] == ["string", "timestamp[us, tz=UTC]", "string", "double"]
        assert json.loads(schema.metadata[b"hushwatt.synthetic"]) == {"kind": "normal", "seed": 7}

    def test_csv(self, tmp_path):
        """A name that ends in .csv gets the same numbers as text."""
        simulate_file("ideal", PLAN, 20, 3, 7, tmp_path / "readings.csv")
        table = pyarrow.csv.read_csv(tmp_path / "readings.csv")

        assert table.column_names == ["household", "time", "appliance", "watts"]
        assert table["watts"].to_numpy().tolist() == readings("ideal", 20, 3).ravel().tolist()
        assert ",2024-01-01 00:00:00Z," in (tmp_path / "readings.csv").read_text()

    @pytest.mark.parametrize("kind", GENERATORS)
    def test_same_seed_same_bytes(self, tmp_path, kind):
        """A seed repeats the file byte for byte; without one every file is new."""
        for name, seed in (("a", 7), ("b", 7), ("c", None), ("d", None)):
            simulate_file(kind, PLAN, 40, 2, seed, tmp_path / name)
        a, b, c, d = ((tmp_path / name).read_bytes() for name in "abcd")

        assert a == b
        assert c != d

    def test_row_groups_are_of_a_handy_size(self, tmp_path):
        """Many slots of few homes share a row group, and few slots of many homes are split."""
        simulate_file("uniform", PLAN, 10, 500, 7, tmp_path / "long.parquet")
        simulate_file("uniform", PLAN, 3 * BLOCK_HOMES, 1, 7, tmp_path / "wide.parquet")

        assert pq.ParquetFile(tmp_path / "long.parquet").num_row_groups == 1
        assert pq.ParquetFile(tmp_path / "wide.parquet").num_row_groups == 3

    def test_names_sort_as_text(self):
        """The order of the names as text is the order of the homes, however many there are."""
        many = InventedHomes(PLAN, 123_456_789, 1, lambda *_: np.zeros((1, 15)), {})
        names = [many._names(first, 1)[0].as_py() for first in (0, 98, 9_999_999, 123_456_788)]

        assert names == sorted(names)
        assert (names[0], names[-1]) == ("home-000000001", "home-123456789")

    def test_a_plan_that_starts_at_noon(self, tmp_path):
        """No reading is dated before the plan's start, where it would be skipped."""
        noon = replace(PLAN, start=datetime(2024, 5, 1, 12, tzinfo=UTC))
        simulate_file("uniform", noon, 1, 2, 7, tmp_path / "readings.parquet")
        times = pq.read_table(tmp_path / "readings.parquet")["time"].unique().to_pylist()

        assert [each.isoformat() for each in times] == [
            "2024-05-01T12:00:00+00:00",
            "2024-05-02T00:00:00+00:00",
        ]

    def test_progress(self, tmp_path):
        """Whoever watches hears of every row."""
        heard = []
        simulate_file("uniform", PLAN, 10, 3, 7, tmp_path / "readings.parquet", heard.append)

        assert sum(heard) == 10 * 3 * 15

    @pytest.mark.parametrize(
        "asked, line",
        [
            (("gaussian", 1, 1, 7), "no kind of homes called gaussian; there are ideal, normal"),
            (("uniform", 0, 1, 7), "asked for 0 homes"),
            (("uniform", 1, -2, 7), "asked for -2 slots"),
            (("uniform", 1, 1, -1), "the seed is -1"),
        ],
    )
    def test_wrong_use(self, asked, line):
        """What cannot be done is said in one line."""
        kind, homes, slots, seed = asked
        with pytest.raises(UsageError, match=line):
            list(generate(kind, PLAN, homes, slots, seed))
