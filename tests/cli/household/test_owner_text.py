"""What is agreed to: our lines begin at the edge, what others wrote stays inside its quotes."""

import re

from hushwatt.audit.harness.plan_home import proposal_of
from hushwatt.cli.household.owner_text import agreement, source_lines, status_lines

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
    assert list(status_lines([], [], {}, [], 0))[-1].startswith("sources: none")
