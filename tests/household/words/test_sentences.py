"""The sentence at the top of an owner's page: right for each plan, never a comfort that is not true."""

import re
from datetime import UTC
from zoneinfo import ZoneInfo

import pytest
from tests.household.living import fresh_store
from tests.household.words.test_told_so_far import having_sent, lived

from hushwatt.household.words.sentences import NOTHING_YET, home_sentence
from hushwatt.household.words.told_so_far import told_so_far
from hushwatt.plan.presets import preset


def test_nothing_sent_is_said_first():
    """Before anything has left, nothing is claimed about it."""
    with fresh_store() as store:
        assert home_sentence(store, 0, UTC) == NOTHING_YET


def test_one_report_of_a_plan_for_a_year():
    """The best guess from a single answer of ε 2/3 is right 66 times in 100, and that is said."""
    with fresh_store() as store:
        now = having_sent(store, preset("year"), [40])
        told = home_sentence(store, now, UTC, measured=["kettle"])

    assert told == (
        "1 report this month. Someone who saw them all could guess whether, on any one day, your kettle was on, and be "
        "right about 2 times in 3, where a coin toss is right 1 time in 2."
    )


def test_what_stays_the_same_is_not_kept_quiet(folder):
    """Ten reports about each appliance tell more of a habit than of a day, and that is said too."""
    with lived(folder / "ledger.sqlite", preset("advised"), 30) as home:
        told, every = home_sentence(home.store, home.clock.wall, UTC), told_so_far(home.store)

    assert max(each.constant for each in every) == pytest.approx(0.846, abs=0.001)
    assert "could not tell" not in told
    assert "right about 2 times in 3, where a coin toss is right 1 time in 2. What stays the same" in told
    assert "shows more: they could guess" in told
    assert "right about 17 times in 20, where a coin toss is right 1 time in 2." in told


def test_near_certainty_is_called_that():
    """After a year of an answer every three days, ownership is no secret."""
    with fresh_store() as store:
        told = home_sentence(store, having_sent(store, preset("everyday"), range(2, 500, 3)), UTC)

    assert "they could tell almost for sure whether you own and measure a" in told


def test_could_not_tell_is_said_only_where_it_is_so(folder):
    """With little ε a day's use is hardly told; the number stands beside the claim."""
    with lived(folder / "ledger.sqlite", preset("paper-synthetic"), 3) as home:
        told, on = home_sentence(home.store, home.clock.wall, UTC), told_so_far(home.store)[0].on

    assert on <= 0.55
    assert "could not tell whether, on any one day, your vacuum cleaner was on: their guess would be right " in told
    assert re.search(r"right at most 5\d(\.\d)? times in 100, where a coin toss is right 50 times", told)


def test_a_month_is_that_of_the_homes_own_calendar():
    """Reports are counted in the month in which their slot ends, by the clock on the wall."""
    with fresh_store() as store:
        now = having_sent(store, preset("advised"), [28, 29, 30, 31, 32])  # 30 is 31 January, and ends in February
        told = home_sentence(store, now, ZoneInfo("Europe/Berlin"))

    assert told.startswith("3 reports this month, 5 in all. ")
