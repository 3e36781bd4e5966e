"""Ranks of a month at an ε that holds for a year, and what a year of reports tells."""

from dataclasses import replace

import pytest

from hushwatt.evaluate.experiments import experiment, run, year
from hushwatt.evaluate.experiments.columns import NO_CAP
from hushwatt.evaluate.experiments.experiment import PRINTED, Job
from hushwatt.evaluate.experiments.top import HITS
from hushwatt.evaluate.experiments.year import FIRST, ORDER, SETTINGS, SHORT, SHOWER, WATTS, advised_for, chances
from hushwatt.privacy.long_run import long_run
from hushwatt.privacy.promise import promise

SEED = 3


@pytest.fixture(autouse=True, scope="module")
def quick_advice():
    """Advice for watts in both columns: it takes a tenth of the time."""
    patch = pytest.MonkeyPatch()
    patch.setattr(year, "GOALS", {ORDER: "watts", WATTS: "watts"})
    advised_for.cache_clear()
    yield
    patch.undo()
    advised_for.cache_clear()


@pytest.mark.parametrize("label", SETTINGS)
def test_promises_are_kept_for_the_time_they_say(label):
    """ε for the home in any such stretch, three days or a year, and ε/15 for an appliance where there is a cap."""
    asked, plan = SETTINGS[label], advised_for(label, ORDER, SEED, None)
    found = promise(plan)

    assert plan.window == asked.window == (3 if label == SHORT else 365)
    assert found.dearest <= asked.epsilon * 10**6
    if asked.cap != NO_CAP:
        assert found.appliance_dearest <= asked.epsilon * 10**6 / 15


def test_homes_speak_once_in_a_year():
    """So a year of reports costs what one of them does; three days' ε costs 122 times as much."""
    run_of = {label: long_run(advised_for(label, ORDER, SEED, None)) for label in (SHORT, FIRST)}

    assert run_of[FIRST].epsilon <= 10_000_000
    assert run_of[SHORT].epsilon > 1_000_000_000


def test_what_is_told_is_of_the_appliance_told_best():
    """Chances lie between guessing and the worst case, and a longer window tells less."""
    short, first = (chances(label, ORDER, SEED, None) for label in (SHORT, FIRST))
    told = long_run(advised_for(FIRST, ORDER, SEED, None)).told.values()

    assert first[year.OWNED.name] == max(each.owned for each in told) > min(each.owned for each in told)
    assert first[year.CONSTANT.name] == max(each.constant for each in told)
    for metric, guess in ((year.CONSTANT, 1 / 3), (year.OWNED, 0.5), (year.OWNS_SHOWER, 0.5)):
        assert guess < first[metric.name] <= first[year.AT_WORST.name] < 0.67
        assert first[metric.name] < short[metric.name]


def test_the_shower_is_asked_in_place_of_another():
    """With the catalogue's knowledge of it; the other appliances and the promise stay."""
    plan, other = (advised_for(FIRST, ORDER, SEED, None, *more) for more in ((), (SHOWER,)))

    assert other.names == (*plan.names[:-1], SHOWER)
    assert (other.epsilon, other.window) == (plan.epsilon, plan.window)


def test_one_repetition():
    """Every metric in both columns; the same seed gives the same numbers, another repetition others."""
    place = list(SETTINGS).index(FIRST)
    job = Job("year", place, 0, SEED, True)
    found = {(one.metric, one.column): one.value for one in run(job)}
    again = {(one.metric, one.column): one.value for one in run(job)}
    other = {(one.metric, one.column): one.value for one in run(replace(job, repeat=1))}

    assert found == again
    assert found != other
    assert {metric for metric, _ in found} == {metric.name for metric in experiment("year").metrics}
    for column in (ORDER, WATTS):
        assert 4 <= found[HITS.name, column] <= 10
        assert found[year.COVERED.name, column] > 80
        assert found[year.ERROR.name, column] < 40


def test_the_papers_number_stands_beside():
    """5.7 hits, at ε = 10 for three days."""
    (printed,) = experiment("year").printed

    assert (printed.setting, printed.column, printed.value) == (SHORT, PRINTED, 5.7)
