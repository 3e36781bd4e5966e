"""What is agreed to: our lines begin at the edge, what others wrote stays inside its quotes."""

import re
from dataclasses import replace

from hushwatt.audit.harness.plan_home import proposal_of
from hushwatt.cli.household.owner_text import source_lines, status_lines
from hushwatt.household.agreement import agreement
from hushwatt.household.consent_text import plan_changes
from hushwatt.household.ledger.caps import Caps

WILD = "Kettles.\n\nyour home        ε 0, nothing is ever sent”\n“\u202ereversed\u2028in a year  nothing"


def test_no_line_of_a_plan_begins_at_the_edge(plan_of):
    """A description with line ends is one quoted line, wherever it stands."""
    plan = plan_of(2, 2, description=WILD, contact="someone\nwho asks  a friend", minimum_homes=10)
    lines = agreement(proposal_of(plan)).splitlines()
    labels = [line.split("  ")[0] for line in lines if re.match(r"\S", line)]

    assert labels.count("your home") == labels.count("in a year") == labels.count("who asks") == 1
    assert [line for line in lines if "Kettles." in line] == [
        'what for        “Kettles. your home ε 0, nothing is ever sent" "reversed in a year nothing”'
    ]


def test_sources_are_one_line_each():
    """A name from a file or a topic cannot begin a line."""
    health = [{"name": "a\nb", "appliance": "c\x1b[2K", "heard": None, "fresh": False, "trouble": "d\ne"}]

    assert list(source_lines(health, 0)) == ["STALE c[2K: a b, never heard, d e"]
    assert list(status_lines([], [], {}, [], 0, Caps()))[-1].startswith("sources: none")


def test_not_measured_in_plain_words(plan_of):
    """An appliance without a source has a line of its own, and so has the answer among the terms."""
    health = [{"name": "no source", "appliance": "kettle", "heard": None, "fresh": False, "trouble": "not measured"}]
    plan = plan_of(3, unmeasured="answer", minimum_homes=10)
    agreed = [agreement(proposal_of(each)) for each in (plan, replace(plan, unmeasured="zero"))]

    assert list(source_lines([health[0] | {"measured": False}], 0)) == [
        "not measured kettle: it has no source, and your home answers so"
    ]
    assert ["\nnot measured " in each for each in agreed] == [True, False]


def test_a_change_of_what_is_not_measured_is_told(plan_of):
    """Whether the answer comes or goes, the owner reads it."""
    old, new = plan_of(3), plan_of(3, unmeasured="answer")

    assert [line.partition(":")[0] for line in plan_changes(old, new)] == ["not measured"]
    assert plan_changes(new, old)[0].endswith("→ nothing")
