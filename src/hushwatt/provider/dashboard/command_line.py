"""The command line that gives the numbers of a page, from the plan's file and the reports."""

import shlex

from hushwatt.provider.dashboard.query import PageQuery
from hushwatt.provider.estimate.contrasts.side import Side

PLAN_FILE, REPORTS, LABELS = "plan.json", "reports", "labels.csv"


def estimate_command(query: PageQuery, *more: str) -> str:
    """`hushwatt estimate` for the times of an address."""
    times = [(f"--{name}", query.given[name]) for name in ("from", "to", "hours", "weekdays") if name in query.given]
    words = [word for option in times for word in option]
    return shlex.join(["hushwatt", "estimate", PLAN_FILE, REPORTS, *words, *more])


def slots_command(query: PageQuery) -> str:
    """The same, slot by slot."""
    return estimate_command(query, *["--smooth"] * query.smooth, "--output", "estimates.csv")


def compare_command(a: Side, b: Side) -> str:
    """`hushwatt compare` for two sides, which may be kinds of homes by their labels."""
    words = ["--labels", LABELS] if a.where or b.where else []
    return shlex.join(["hushwatt", "compare", PLAN_FILE, REPORTS, "--a", a.what, "--b", b.what, *words])
