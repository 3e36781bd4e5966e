"""Plans for measured homes, and how their answers are judged against real watts."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from hushwatt.errors import ReadingsError, UsageError
from hushwatt.evaluate.experiments import experiment, experiments, real_homes, run
from hushwatt.evaluate.experiments.experiment import Job
from hushwatt.evaluate.experiments.measured_homes import DAILY, HOURLY, populations
from hushwatt.evaluate.experiments.real_homes import SIZES, judge, label_of, prior_of
from hushwatt.evaluate.experiments.real_plans import ASKED, CLIPPED, LEARNT, PAPER, PRIORS, REAL
from hushwatt.evaluate.reproduce import reproduce


def period(watts, low, high, **others):
    """An answer about one appliance."""
    told = {"share_low": 0.0, "share_high": 1.0, "rank_best": 1, "rank_worst": 9} | others
    return SimpleNamespace(watts=watts, low=low, high=high, **told)


def answered(by_period) -> Any:
    """As much of an estimate as is judged."""
    return SimpleNamespace(by_period=by_period)


def test_judged_against_the_real_mean():
    """A miss costs 40 times itself; numbers are in real means; shares and ranks are judged too."""
    answers = {
        "a": period(22.0, 18.0, 26.0, rank_best=2, rank_worst=2),
        "b": period(5.0, 4.0, 6.0, share_low=0.2, share_high=0.3, rank_best=1, rank_worst=1),
    }
    found = judge(answered(answers), np.array([20.0, 10.0]))

    assert found.covered.tolist() == [1, 0]
    assert found.score == pytest.approx([0.4, (2 + 40 * 4) / 10])
    assert found.error == pytest.approx([0.1, 0.5])
    assert found.share.tolist() == [1, 0]
    assert found.rank.tolist() == [0, 0]


def test_no_answer_is_no_answer():
    """What too few measure, and what nobody does, is neither held nor missed."""
    answers = {"a": None, "b": period(np.nan, 0.0, np.inf), "c": period(1.0, 0.0, 2.0), "d": period(10.0, 9.0, 11.0)}
    found = judge(answered(answers), np.array([20.0, 10.0, np.nan, 10.0]))

    assert np.isnan(found.covered).tolist() == [True, True, True, False]
    assert (found.share[3], found.rank[3]) == (1, 1)


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

    assert np.mean(found[real_homes.COVERED.name, CLIPPED]) < 50
    for column in (REAL, LEARNT):
        assert np.mean(found[real_homes.COVERED.name, column]) > 80
        assert np.mean(found[real_homes.AHEAD.name, column]) > 5
    assert {column for _, column in found} == {PAPER, CLIPPED, ASKED, REAL, LEARNT}


def test_few_repetitions_meet_all_knowledge():
    """Two repetitions of three sizes are six states of knowledge, each once."""
    met = [prior_of(Job("real-homes", 0, repeat, 3, True), homes) for repeat in (0, 1) for homes in SIZES]

    assert sorted(met) == sorted(PRIORS)


def test_every_appliance_has_several_intervals(folder):
    """In one repetition as many as fleets are drawn, for means, shares and ranks; what they beat is drawn once."""
    (job,) = jobs(folder, 10_000, 1)
    found = {}
    for one in run(job):
        found.setdefault((one.setting, one.metric, one.column), []).append(one.value)

    for metric in real_homes.EVERY_APPLIANCE:
        for column in (REAL, LEARNT):
            assert len(found[f"kettle, {DAILY}", metric.name, column]) == real_homes.DRAWS[DAILY]
    assert len(found[label_of(DAILY, 10_000), real_homes.COVERED.name, PAPER]) == 1
    assert len(found[label_of(DAILY, 10_000), real_homes.AHEAD.name, REAL]) == 1


def test_levels_are_learnt_earlier(folder, monkeypatch):
    """The first collection is from the earlier half of the recordings, all that is judged from the later one."""
    drawn = []
    fleet = real_homes._fleet

    def noted(job, recordings, kind, homes, *labels):
        drawn.append(("before" in labels, recordings["kettle"][0]))
        return fleet(job, recordings, kind, homes, *labels)

    monkeypatch.setattr(real_homes, "_fleet", noted)
    list(run(jobs(folder, 1_000, 1)[0]))
    whole = populations(folder)[DAILY]["kettle"][0]

    assert len(drawn) == 2 * real_homes.DRAWS[DAILY]
    for before, days in drawn:
        assert (days == (whole[:20] if before else whole[20:])).all()


def test_a_folder_without_such_homes_has_no_row(folder):
    """Hourly rows are left out where nothing hourly was measured."""
    labels = [setting.label for setting in experiment("real-homes").settings]

    assert list(run(Job("real-homes", labels.index(label_of(HOURLY, 1_000)), 0, 3, True, folder))) == []
