"""`hushwatt audit`: is it private, and does it hold?"""

import json
from dataclasses import asdict
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter

from hushwatt.cli.options import Json

if TYPE_CHECKING:
    from hushwatt.audit.finding import Finding

app = App(name="audit", help="Check that what is promised holds, by enumeration, search and attack.")
app.command("hushwatt.cli.chaos:chaos", name="chaos")

OfPlan = Annotated[Path | None, Parameter(name="--plan", help="Look at this plan only.")]
Quick = Annotated[bool, Parameter(name="--quick", help="Fewer cases, in seconds.", show_default=False)]


@app.command
def exact(*, plan: OfPlan = None, quick: Quick = False, as_json: Json = False) -> None:
    """Enumerate whole streams in exact fractions: no transcript tells more than ε.

    A plan is looked at in a shape small enough to enumerate: its choices and its ε, with two
    appliances of two levels and a window of two slots.  Exits with 1 when the answer is no.
    """
    _run("exact", plan, quick, as_json)


@app.command
def budget(*, plan: OfPlan = None, quick: Quick = False, as_json: Json = False) -> None:
    """Try every sequence of decisions: no window spends more than was promised.

    Exits with 1 when the answer is no.
    """
    _run("budget", plan, quick, as_json)


@app.command
def sampler(*, plan: OfPlan = None, quick: Quick = False, as_json: Json = False) -> None:
    """Draw millions of answers: they follow the declared laws, and a law 2 % off is noticed.

    Exits with 1 when the answer is no.
    """
    _run("sampler", plan, quick, as_json)


@app.command
def empirical(*, plan: OfPlan = None, quick: Quick = False, as_json: Json = False) -> None:
    """Attack the real bytes of a million homes: they never show more than ε.

    All attacks together are wrong with a chance of at most 1 %.  Exits with 1 when the answer is no.
    """
    _run("empirical", plan, quick, as_json)


@app.command
def rounding(*, plan: OfPlan = None, quick: Quick = False, as_json: Json = False) -> None:
    """Weigh ten thousand budgets: rounded probabilities never cost more than claimed.

    Exits with 1 when the answer is no.
    """
    _run("rounding", plan, quick, as_json)


@app.command
def selftest(*, as_json: Json = False) -> None:
    """Plant eight bugs and see that the audits find every one.

    Exits with 1 when one is missed.
    """
    _run("selftest", None, False, as_json)


def _run(name: str, plan: Path | None, quick: bool, as_json: bool) -> None:
    """Run the audits of one kind, show what they found, and say no by leaving with 1."""
    from hushwatt.audit.finding import timed
    from hushwatt.audit.suites import SUITES
    from hushwatt.cli.progress import progress
    from hushwatt.plan.plan import Plan

    suite = SUITES[name]
    audits = suite.all(quick) if plan is None or suite.of is None else [suite.of(Plan.load(plan))]
    with progress(f"audit {name}", total=len(audits)) as advance:
        findings = list(timed(audits, advance))
    passed = all(finding.passed for finding in findings)
    if as_json:
        print(_as_json(name, findings, passed))
    else:
        _print_table(findings, passed)
    if not passed:
        raise SystemExit(1)


def _as_json(name: str, findings: "list[Finding]", passed: bool) -> str:
    """The same for programs; what has no number in JSON is a word."""
    rows = [{**asdict(finding), "stated": finding.stated} for finding in findings]
    for row in rows:
        row["numbers"] = {key: value if value != inf else "infinite" for key, value in row["numbers"].items()}
    return json.dumps({"audit": name, "passed": passed, "findings": rows}, indent=2, allow_nan=False)


def _print_table(findings: "list[Finding]", passed: bool) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD)
    for heading in ("claim", "what", "figure", "stated"):
        table.add_column(heading)
    table.add_column("time", justify="right", no_wrap=True)
    table.add_column("pass", justify="center")
    for finding in findings:
        mark = "✓" if finding.passed else "✗"
        time = f"{finding.seconds:.1f} s"
        table.add_row(finding.claim, finding.subject, finding.figure, finding.stated, time, mark)
    Console().print(table)
    good = sum(finding.passed for finding in findings)
    print(f"{good} of {len(findings)} passed" + ("" if passed else ": the answer is no, see ✗"))
