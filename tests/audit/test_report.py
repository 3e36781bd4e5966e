"""What an audit came to, for programs."""

import json
from math import inf

from hushwatt import __version__
from hushwatt.audit.finding import Finding
from hushwatt.audit.report import AuditReport, PlanReport, as_table, versions
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
