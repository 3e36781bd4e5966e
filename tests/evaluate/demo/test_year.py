"""A million homes for a year, drawn at once: beside the truth, and one report of each home."""

import pytest

from hushwatt.evaluate.demo.rehearsal import SEED, WATTS_DIVISOR, demo_plan
from hushwatt.evaluate.demo.year import DAYS, LIKE, MONTH, observed, rehearse_year, year_plan
from hushwatt.evaluate.generators.paper_homes import paper_homes
from hushwatt.plan.presets import preset
from hushwatt.privacy.long_run import long_run


@pytest.fixture(scope="module")
def year():
    """A smaller million, with the same noise in every run."""
    return rehearse_year(homes=300_000, noise=5)


def test_a_year_beside_the_truth(year):
    """All days for the year, the first 30 for the month, each against the real means of its own days."""
    watts = paper_homes(LIKE, DAYS, SEED) / WATTS_DIVISOR

    assert year.truth == pytest.approx(watts.mean(axis=(0, 1)))
    assert year.month.truth == pytest.approx(watts[:MONTH].mean(axis=(0, 1)))
    assert [len(one.answer["slots"]) for one in (year, year.month)] == [DAYS, MONTH]
    assert year.hits >= 8
    assert year.share_error < year.month.share_error
    assert year.within >= 13


def test_every_home_of_the_million_speaks_once(year):
    """A year of reports is one report of each home, so it costs no more than ε 1."""
    heard = sum(slot["reports"] for slot in year.answer["slots"])

    assert heard == year.homes == 300_000
    assert long_run(year_plan()).epsilon == 1_000_000


def test_days_are_told_as_they_pass():
    """One by one, for a bar."""
    told = []
    rehearse_year(homes=LIKE, advance=told.append)

    assert told == [1] * DAYS


def test_the_plan_is_the_papers_for_a_year():
    """The same appliances, each home once in 365 days, ε 1 for all of it."""
    plan = year_plan()

    assert plan.names == preset("paper").names
    assert plan.slot.lasting(plan.window) == "365 days"


def test_who_speaks_of_how_many():
    """The plan at hand says how often a home speaks, and about how many appliances."""
    (_, once), *_ = observed(year_plan(), demo_plan())
    (_, often), *_ = observed(demo_plan(), year_plan())

    assert once.startswith("It speaks once in 365 days, about 1 of 15 appliances. Someone who watches")
    assert often.startswith("It speaks once in 3 days, about all appliances. Someone who watches")
