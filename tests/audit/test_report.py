"""What an audit came to, claim by claim and for programs."""

import json
from math import inf

from hushwatt import __version__
from hushwatt.audit.finding import Finding
from hushwatt.audit.report import AuditReport, PlanReport, as_table, by_claim, versions
from hushwatt.plan.presets import preset


def test_everything_is_in_the_table():
    """Findings in general and about plans, the claims, the versions, and what has no number as a word."""
    plan = preset("paper")
    general = Finding("C1", "a law", "a figure", True, 2.0, {"home": inf})
    special = Finding("C2", plan.name, "a figure", False, 1.0)

    table = json.loads(json.dumps(as_table(AuditReport("all", True, [general], [PlanReport(plan, [special])]))))

    assert (table["audit"], table["passed"], table["quick"], table["seconds"]) == ("all", False, True, 3.0)
    assert [row["claim"] for row in table["claims"]] == ["C1", "C2"]
    assert [row["passed"] for row in table["claims"]] == [True, False]
    assert table["findings"][0]["numbers"] == {"home": "infinite"}
    assert len(table["findings"]) == 2
    assert table["plans"][0]["plan"] == plan.id
    assert table["versions"]["hushwatt"] == __version__


def test_versions_name_what_privacy_leans_on():
    """The page can be held against the machine it was made on."""

    assert {"hushwatt", "Python", "numpy", "cryptography", "apsw", "system", "cores"} <= versions().keys()


def finding(claim, subject, passed=True, seconds=1.0, **numbers):
    return Finding(claim, subject, f"figure of {subject}", passed, seconds, numbers)


def test_rows_are_in_the_order_of_the_claims():
    """Each claim that was looked at has a row; a finding about two claims counts for both."""
    rows = by_claim([finding("C10", "x"), finding("C2 C7", "y"), finding("C2", "z")])

    assert [(row.claim, row.good, row.all) for row in rows] == [("C2", 2, 2), ("C7", 1, 1), ("C10", 1, 1)]
    assert rows[0].says == "no window overspends"
    assert rows[0].stated.startswith("paper §2")


def test_times_add_up():
    """The seconds of a finding about several claims go to the first of them."""
    rows = by_claim([finding("C7 C8", "x", seconds=3.0), finding("C8", "y", seconds=2.0)])

    assert [row.seconds for row in rows] == [3.0, 2.0]


def test_the_figure_is_the_one_nearest_to_the_limit():
    """Of many findings the row tells the worst, and how many there were."""
    row = by_claim([finding("C2", "x", reached=0.2), finding("C2", "y", reached=0.9), finding("C2", "z")])[0]

    assert row.figure == "3 of 3 checks; y: figure of y"
    assert by_claim([finding("C2", "x")])[0].figure == "x: figure of x"


def test_cases_add_up():
    """Where cases were counted, the row tells how many there were in all."""
    row = by_claim([finding("C7", "x", cases=1_200), finding("C7", "y", cases=34), finding("C7", "z")])[0]

    assert row.figure.startswith("3 of 3 checks, 1,234 cases; ")


def test_a_failure_comes_first():
    """A finding that failed is told, whatever the others reached."""
    row = by_claim([finding("C2", "x", reached=0.9), finding("C2", "y", passed=False)])[0]

    assert not row.passed
    assert row.figure == "1 of 2 checks; y: figure of y"
