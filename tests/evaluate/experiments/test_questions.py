"""Whether an analyst's questions are answered as surely as is said: a short version of the long run."""

from dataclasses import replace

import numpy as np
import pytest

from hushwatt.errors import ReadingsError
from hushwatt.evaluate.experiments import experiment, question_homes, questions
from hushwatt.evaluate.experiments.experiment import Job
from hushwatt.evaluate.experiments.question_homes import DISHWASHER, EXCLUSIVE, LESS, LIVES, TIME, WEEK, campaign

EACH = experiment("questions")
RUNS = 4


def measured(label, repeats, seed=5):
    """All that is measured of one setting, by metric and column."""
    setting = next(each for each in EACH.settings if each.label == label)
    found = {}
    for repeat in repeats:
        for one in EACH.measure(Job("questions", 0, repeat, seed, True), setting):
            found.setdefault((one.metric, one.column), []).append(one.value)
    return {key: float(np.mean(values)) for key, values in found.items()}


@pytest.fixture
def few_homes(monkeypatch):
    """A tenth of the homes, for what need not be as sure."""
    for module in (question_homes, questions):
        monkeypatch.setattr(module, "ROWS", 100)
    campaign.cache_clear()
    yield
    campaign.cache_clear()


@pytest.mark.parametrize("life", LIVES)
def test_answers_hold_and_alarms_are_rare(life):
    """Folds and contrasts cover, and where nothing differs hardly anything is called different."""
    found = measured(life, range(1, 1 + RUNS))

    assert found[questions.COVERED.name, questions.FOLDS] > 90
    for kind in (*questions.KINDS, questions.GROUPS):
        assert found[questions.COVERED.name, kind] > 85
        assert found[questions.ALARMS.name, kind] <= 100 / RUNS


@pytest.mark.parametrize("life", LIVES)
def test_nothing_differs_in_homes_that_are_to_show_nothing(life):
    """Both weeks and all four times of the day have the same watts to the last digit; homes do not all do the same."""
    rng = np.random.default_rng(1)
    lived = question_homes.lived(life, rng)
    equal = question_homes.nothing_differs(lived, life, rng)
    totals = [equal[:, first : first + question_homes.LASTS].sum(axis=(0, 1, 2)) for first in (1, 5, 9, 17)]

    assert np.allclose(totals, totals[0])
    assert np.allclose(equal[:WEEK].sum(axis=(0, 1, 2)), equal[WEEK:].sum(axis=(0, 1, 2)))
    assert (equal[:WEEK] != equal[WEEK:]).any()


def test_who_runs_one_runs_no_other():
    """Homes of the one or the other have one appliance alone, in one half of the day alone."""
    used = question_homes.lived(EXCLUSIVE, np.random.default_rng(2)).max(axis=0) > 0

    assert (used.any(axis=0).sum(axis=1) <= 1).all()
    assert not (used[:12].any(axis=(0, 2)) & used[12:].any(axis=(0, 2))).any()


def test_ranks_hold_and_are_narrower():
    """Places that are left open hold the true ones, and are fewer than those of comparing all pairs."""
    found = measured(questions.RANKS, range(4))

    assert found[questions.COVERED.name, questions.TOGETHER] == 100
    assert found[questions.WIDTH.name, questions.ALONE] < found[questions.WIDTH.name, questions.TOGETHER] < 1


def test_a_campaign_is_foretold(few_homes):
    """Two evenings of five are left out in the last week alone, and more homes are asked for a smaller effect."""
    asked = campaign(5, None)
    less = asked.less(np.random.default_rng(3))
    place = asked.plan.names.index(DISHWASHER)
    before, after = (each[-WEEK:, TIME, :, place].sum() for each in (asked.watts, less))

    assert after / before == pytest.approx(1 - LESS, abs=0.1)
    assert (less[:-WEEK] == asked.watts[:-WEEK]).all()
    assert (less[..., place] <= asked.watts[..., place]).all()
    assert questions.foretold(asked) > questions.FEW
    noisier = replace(asked, plan=replace(asked.plan, epsilon=asked.plan.epsilon // 8))
    assert questions.foretold(noisier) > 2 * questions.foretold(asked)


def test_a_folder_without_dishwashers(tmp_path):
    """Measured homes take the place of invented ones where they have what is asked; else a line says what lacks."""
    rows = [f"home,2024-01-{day:02}T{hour:02}:00Z,kettle,{hour}" for day in range(1, 13) for hour in range(24)]
    (tmp_path / "homes.csv").write_text("household,time,appliance,watts\n" + "\n".join(rows) + "\n")

    with pytest.raises(ReadingsError, match="no dishwasher was measured by the hour"):
        campaign(5, tmp_path)


def test_homes_of_a_folder(tmp_path, few_homes):
    """A dishwasher that was measured by the hour is the campaign's."""
    rng = np.random.default_rng(4)
    rows = [
        f"home {home},2024-01-{day:02}T{hour:02}:00Z,{name},{900 * (rng.random() < 0.2):.0f}"
        for home in range(3)
        for name in ("dishwasher", "kettle")
        for day in range(1, 13)
        for hour in range(24)
    ]
    (tmp_path / "homes.csv").write_text("household,time,appliance,watts\n" + "\n".join(rows) + "\n")
    asked = campaign(5, tmp_path)

    assert asked.plan.names == ("dishwasher", "kettle")
    assert asked.watts.shape == (28, 24, 100, 2)
    assert asked.priors[0].mean == pytest.approx(180, rel=0.5)
