"""A plan in words says everything a householder must know."""

import pytest

from hushwatt.plan.plan import Plan
from hushwatt.plan.summary import SHARED, facts, levels

KETTLE = '[[appliance]]\nname = "kettle"\n'


def _fact(text, label):
    return dict(facts(Plan.parse(text)))[label]


@pytest.mark.parametrize(
    "changes, label, sentence",
    [
        ({}, "who asks", "kettles@example.org"),
        ({}, "what for", "How many kettles boil, and when."),
        ({}, "when", "2024-01-01 00:00 to 2025-01-01 00:00, UTC: 366 slots"),
        ({"timezone": '"Asia/Tokyo"'}, "when", "2024-01-01 00:00 to 2025-01-01 00:00, Asia/Tokyo: 366 slots"),
        ({"slot": '"7d"'}, "each slot", "7 local days, beginning at midnight"),
        ({"slot": '"15m"'}, "each slot", "15 minutes, counted from 2024-01-01T00:00:00Z"),
        ({}, "promise", "ε 1 for the whole home over any 3 slots in a row (3 days)"),
        ({"window": "1"}, "promise", "ε 1 for the whole home over any slot (1 day)"),
        ({}, "one appliance", "no cap set; `hushwatt plan check` says what it comes to"),
        ({"slot": '"15m"', "window": '"7d"'}, "promise", "ε 1 for the whole home over any 672 slots in a row (7 days)"),
        ({"appliance_epsilon": "0.5"}, "one appliance", "ε 0.5 over any 3 slots in a row (3 days)"),
        ({"method": '"lba"'}, "decided by", "household: each home for itself"),
        ({}, "each report", "speaks of all 2 appliances"),
        ({"appliances_per_report": "1"}, "each report", "speaks of 1 of the 2 appliances, in random turns"),
        ({"publish": '"7d"'}, "results", "are published once every 7 days; nothing is shown of a shorter time"),
        ({"minimum_homes": "1000"}, "shown only", "where at least 1,000 homes reported"),
        ({"share_results": "true"}, "shown to", SHARED),
    ],
)
def test_facts(written, changes, label, sentence):
    """Each fact is one plain sentence."""

    assert _fact(written(**changes), label) == sentence


def test_one_appliance(written):
    """A plan of one appliance says so."""

    assert _fact(written(KETTLE + "edges = [5]\n"), "each report") == "speaks of the one appliance"


def test_nobody_decides(written):
    """Where nothing is decided, nobody is said to decide."""

    assert "decided by" not in dict(facts(Plan.parse(written())))


def test_the_id_is_a_fact(written):
    """The id is shown whole, to be compared."""

    assert _fact(written(), "id") == Plan.parse(written()).id


@pytest.mark.parametrize(
    "mapping, numbers, which",
    [
        ("range", "edges = [10, 40]", "0 to 10, to 40, above 40 W"),
        ("range", "edges = [0, 40]", "0, to 40, above 40 W"),
        ("dither", "values = [0, 2.5]", "0, 2.5 W"),
        ("dither", "edges = [10, 40]", "0, 10, 40 W"),
    ],
)
def test_levels(written, mapping, numbers, which):
    """Levels are told as the ranges, or as the watts between which one rounds."""
    plan = Plan.parse(written(f"{KETTLE}{numbers}\n", mapping=f'"{mapping}"'))

    assert levels(plan) == [("kettle", plan.width, which)]


def test_same_levels_are_told_once(written):
    """Appliances with the same levels share a line, in the plan's order."""
    plan = Plan.parse(
        written(
            *(f'[[appliance]]\nname = "{name}"\nedges = [{edge}]\n' for name, edge in [("a", 5), ("b", 6), ("c", 5)])
        )
    )

    assert levels(plan) == [("a, c", 2, "0 to 5, above 5 W"), ("b", 2, "0 to 6, above 6 W")]
