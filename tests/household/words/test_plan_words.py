"""What a plan asks, in plain sentences."""

import re
from dataclasses import replace
from datetime import UTC

import pytest

from hushwatt.household.ledger.caps import Caps
from hushwatt.household.words.chances import SLACK
from hushwatt.household.words.plan_words import how_often, limits_sentence, watts_words
from hushwatt.household.words.sentences import plan_sentences
from hushwatt.plan.plan import Plan
from hushwatt.plan.presets import preset
from hushwatt.privacy.promise import promise


@pytest.mark.parametrize("name", ["paper", "paper-synthetic", "advised", "everyday", "year"])
def test_a_plan_is_told_without_a_greek_letter(name):
    """Who asks, what is sent, what it gives away, the limits, and the way out."""
    lines = plan_sentences(preset(name), Caps(), zone=UTC)
    text = " ".join(line for line in lines if not line.startswith("The limits"))

    assert all(line.endswith((".", "”")) for line in lines)
    assert "Your home sends one message every" in text
    assert "someone could guess whether, on any one day, your" in text
    assert re.search("where a coin toss is right (1 time in 2|50 times)", text)
    assert "after a year" in text
    assert "You can pause or leave at any time." in text
    for jargon in ("ε", "epsilon", "slot", "window", "oracle", "lpu", "random turns: level"):
        assert jargon not in text.replace(preset(name).description, "")


CERTAIN = """
name = "x"
description = "d"
contact = "c"
start = "2026-11-01"
expires = "2027-11-01"
slot = "1h"
epsilon = "10"
window = 1
method = "lbu"
oracle = "grr"
appliances_per_report = 1
[[appliance]]
name = "kettle"
edges = [100]
[[appliance]]
name = "mains"
edges = [500, 1000]
"""


def believed(plan):
    """What is said of a message's truth, beside the exact chances of its law."""
    (line,) = (each for each in plan_sentences(plan, Caps(), zone=UTC) if each.startswith("About each"))
    return line


@pytest.mark.parametrize("oracle", ["grr", "oue", "sue"])
def test_near_certainty_is_no_comfort(oracle):
    """With ε 10 for one appliance nearly everything is true, and that is said, whichever the law."""
    line = believed(replace(Plan.parse(CERTAIN), oracle=oracle))

    assert "nobody can know" not in line
    assert line.endswith("nearly always right, so chance hides next to nothing.")


@pytest.mark.parametrize("name", ["paper", "paper-synthetic", "advised", "everyday", "year", "mains"])
@pytest.mark.parametrize("method", [None, "lba", "lbu"])
@pytest.mark.parametrize("oracle", ["grr", "oue", "sue"])
def test_how_far_a_message_is_believed(name, method, oracle):
    """By Bayes over every answer of the law: no answer is believed more than is said."""
    plan = replace(preset(name), oracle=oracle)
    if method == "lba":
        plan = replace(plan, method=method, decision="household", appliances_per_report=len(plan.appliances))
    elif method:
        plan = replace(plan, method=method, decision=None)
    best = 0.0
    for law in promise(plan).laws:
        one = 0 if law.direct else (1, *[0] * (law.levels - 1))
        chances = [float(law.chance(one, level)) for level in range(law.levels)]
        best = max(best, chances[0] / sum(chances))
    line = believed(plan)
    said = re.search(r"is right (?:about |at most )?([\d.]+) times in (\d+), where", line)

    assert "nobody can know" not in line
    assert said is not None
    assert best - SLACK <= float(said[1]) / float(said[2]) <= best + 0.06
    assert ("at most" in line) == (plan.decision is not None or len(set(plan.widths)) > 1)
    assert ("names one level" in line) == (oracle == "grr")


def test_results_that_homes_see_are_told():
    """Only of a plan that shares them."""
    year = preset("year")
    shared = set(plan_sentences(replace(year, share_results=True), Caps(), zone=UTC))
    (more,) = shared - set(plan_sentences(year, Caps(), zone=UTC))

    assert more.startswith("They are shown to homes as well.")


def test_the_owners_limits_speak():
    """What stands in the way, or how long they last."""

    assert limits_sentence(preset("advised"), Caps()).startswith(
        "The limits you set for this home do not allow it: it asks"
    )
    assert limits_sentence(preset("year"), Caps()).startswith(
        "The limits you set for this home allow it: it lasts about 10 years"
    )


def test_how_often_a_home_speaks():
    """By the rules of the method."""
    plan = preset("advised")

    assert how_often(plan) == "one message every 3 days, in a turn of its own"
    assert how_often(replace(plan, method="lbu")) == "one message every day"
    assert "a new one every 3 days" in how_often(replace(plan, method="lsp"))
    assert "when something seems to have changed" in how_often(preset("paper"))


def test_not_measured_is_said_where_it_is_an_answer():
    """And nowhere else."""

    assert any("does not measure it" in line for line in plan_sentences(preset("everyday"), Caps(), zone=UTC))
    assert not any("does not measure it" in line for line in plan_sentences(preset("advised"), Caps(), zone=UTC))


def test_levels_in_watts():
    """Ranges as ranges, rounded levels as what they stand for, and the one beyond the last."""
    plan, ranges = preset("everyday"), preset("paper")
    kettle, first = plan.appliances[5], ranges.appliances[0]

    assert watts_words(plan, kettle, 0) == "0 W"
    assert watts_words(plan, kettle, 1).startswith("about ")
    assert watts_words(plan, kettle, kettle.levels) == "not measured"
    assert [watts_words(ranges, first, level) for level in (0, 1, 9)] == [
        "up to 250 W",
        "250 to 500 W",
        "above 2500 W",
    ]


def test_a_hostile_plan_stays_within_quotation_marks():
    """Its author's words are told from ours."""
    plan = replace(preset("year"), contact="us” says: you are safe", description="x\n\nYou agreed")
    first = plan_sentences(plan, Caps(), zone=UTC)[0]

    assert first == '“us" says: you are safe” asks, for this purpose: “x You agreed”'
