"""Plans for measured homes, and how their answers are judged against real watts."""

from types import SimpleNamespace

import numpy as np
import pytest

from hushwatt.errors import ReadingsError, UsageError
from hushwatt.evaluate.experiments import experiment, experiments, real_homes, run
from hushwatt.evaluate.experiments.experiment import Job
from hushwatt.evaluate.experiments.measured_homes import DAILY, HOURLY, Typical
from hushwatt.evaluate.experiments.real_homes import (
    LEARNT,
    NEW,
    PAPER,
    TODAY,
    judge,
    label_of,
)
from hushwatt.evaluate.reproduce import reproduce
from hushwatt.plan.amounts import MICRO
from hushwatt.privacy.promise import promise

TYPICAL = {"kettle": Typical(20.0, 60.0), "rice cooker": Typical(10.0, 50.0)}


def period(watts, low, high, **others):
    """An answer about one appliance."""
    told = {"share_low": 0.0, "share_high": 1.0, "rank_best": 1, "rank_worst": 9} | others
    return SimpleNamespace(watts=watts, low=low, high=high, **told)


def test_judged_against_the_real_mean():
    """A miss costs 40 times itself; numbers are in real means; shares and ranks are judged too."""
    answers = {
        "a": period(22.0, 18.0, 26.0, rank_best=2, rank_worst=2),
        "b": period(5.0, 4.0, 6.0, share_low=0.2, share_high=0.3, rank_best=1, rank_worst=1),
    }
    found = judge(SimpleNamespace(by_period=answers), np.array([20.0, 10.0]))

    assert found.covered.tolist() == [1, 0]
    assert found.score == pytest.approx([0.4, (2 + 40 * 4) / 10])
    assert found.error == pytest.approx([0.1, 0.5])
    assert found.share.tolist() == [1, 0]
    assert found.rank.tolist() == [0, 0]


def test_no_answer_is_no_answer():
    """What too few measure, and what nobody does, is neither held nor missed."""
    answers = {"a": None, "b": period(np.nan, 0.0, np.inf), "c": period(1.0, 0.0, 2.0), "d": period(10.0, 9.0, 11.0)}
    found = judge(SimpleNamespace(by_period=answers), np.array([20.0, 10.0, np.nan, 10.0]))

    assert np.isnan(found.covered).tolist() == [True, True, True, False]
    assert (found.share[3], found.rank[3]) == (1, 1)


@pytest.mark.parametrize("prior", real_homes.PRIORS)
def test_knowledge_is_off_as_it_says(prior):
    """Means of all homes where unmeasured is 0 W, of measuring ones where it is an answer; the catalogue last."""
    zero = real_homes._zero_plan(DAILY, TYPICAL, prior).appliances
    answer = real_homes._answer_plan(DAILY, TYPICAL, prior).appliances
    factors = real_homes.PRIORS[prior]

    if factors is None:
        assert (zero[0].typical_mean, zero[0].typical_high) == (17.9, 45)
        assert (answer[0].typical_mean, answer[0].typical_high) == (None, None)
    mean, high = factors or (1.0, 1.0)
    assert (answer[1].typical_mean, answer[1].typical_high) == (min(10 * mean, 50 * high), 50 * high)
    assert (zero[1].typical_mean, zero[1].typical_high) == (0.6 * min(10 * mean, 50 * high), 50 * high)


def test_hourly_catalogue_sees_it_run():
    """A high of an hour is at most what the appliance is rated for."""
    high = real_homes._zero_plan(HOURLY, TYPICAL, real_homes.CATALOGUE).appliances[0].typical_high

    assert high == 24 * 45


@pytest.mark.parametrize("kind, window", [(DAILY, 3), (HOURLY, 72)])
def test_all_plans_protect_alike(kind, window):
    """ε 1 an appliance in any three days, whatever the slot, and no more for the paper's."""
    plan = real_homes._paper_plan(kind, TYPICAL, "right")
    asked = real_homes._answer_plan(kind, TYPICAL, "right")

    assert (plan.window, plan.epsilon, plan.unmeasured) == (window, 2 * MICRO, "zero")
    assert (asked.window, asked.epsilon, asked.unmeasured) == (window, 2 * MICRO, "answer")
    assert promise(plan).appliance_dearest <= MICRO
    assert plan.appliances[0].edges[-1] == 60.0


def test_it_runs_only_when_named():
    """Nobody who reproduces the paper is asked for data; who names it without is told where to get it."""
    unnamed = [each.name for each in experiments().values() if each.needs_data]

    assert unnamed == ["real-homes"]
    with pytest.raises(UsageError, match=r"real-homes needs measured homes.*hushwatt data list"):
        reproduce(["real-homes"], 1, quick=True)


def test_unfit_data_is_refused_before_work(tmp_path):
    """A folder without tables is one line."""
    with pytest.raises(ReadingsError, match="no table"):
        reproduce(["real-homes"], 1, quick=True, data=tmp_path)


@pytest.fixture
def folder(tmp_path):
    """Daily homes with a tail: most days little, some days much."""
    rows, stream = ["household,day,appliance,watts"], np.random.default_rng(5)
    for home in range(6):
        for appliance, scale in (("kettle", 10), ("dishwasher", 30)):
            watts = scale * stream.lognormal(0, 0.7, 40) * (stream.random(40) < 0.8)
            rows += [
                f"h{home},2024-{1 + day // 28:02d}-{1 + day % 28:02d},{appliance},{one:.2f}"
                for day, one in enumerate(watts)
            ]
    (tmp_path / "mine.csv").write_text("\n".join(rows))
    return tmp_path


def jobs(folder, homes, repeats):
    """Repetitions of one size of daily homes."""
    each = experiment("real-homes")
    place = [setting.label for setting in each.settings].index(label_of(DAILY, homes))
    return [Job("real-homes", place, repeat, 3, True, folder) for repeat in range(repeats)]


def test_intervals_hold_on_invented_homes(folder):
    """Not measured as 0 W misses; asked for, with the tail in the interval, the real mean is held."""
    found = {}
    for one in (one for job in jobs(folder, 10_000, 4) for one in run(job)):
        found.setdefault((one.metric, one.column), []).append(one.value)

    assert np.mean(found[real_homes.COVERED.name, TODAY]) < 50
    for column in (NEW, LEARNT):
        assert np.mean(found[real_homes.COVERED.name, column]) > 80
        assert np.mean(found[real_homes.AHEAD.name, column]) > 5
    assert {column for _, column in found} == {PAPER, TODAY, NEW, LEARNT}


def test_a_folder_without_such_homes_has_no_row(folder):
    """Hourly rows are left out where nothing hourly was measured."""
    labels = [setting.label for setting in experiment("real-homes").settings]

    assert list(run(Job("real-homes", labels.index(label_of(HOURLY, 1_000)), 0, 3, True, folder))) == []
