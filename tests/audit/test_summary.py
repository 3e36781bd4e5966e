"""One row for every claim."""

from hushwatt.audit.finding import Finding
from hushwatt.audit.summary import by_claim


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
