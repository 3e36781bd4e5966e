"""`hushwatt audit`: is it private, and does it hold?"""

import json
import shlex
import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter

from hushwatt.cli.options import Json
from hushwatt.cli.terminal import verdict_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from hushwatt.audit.finding import Audit, Finding
    from hushwatt.audit.report import AuditReport, ClaimRow, PlanReport

app = App(name="audit", help="Check that what is promised holds, by enumeration, search and attack.")
app.command("hushwatt.cli.audit.chaos:chaos", name="chaos")

OfPlan = Annotated[Path | None, Parameter(name="--plan", help="Look at this plan only.")]
Quick = Annotated[bool, Parameter(name="--quick", help="Fewer cases, in seconds.", show_default=False)]
Page = Annotated[
    Path | None,
    Parameter(name=["--output", "-o"], help="Write a page to print or hand on, one HTML file; or FILE.json."),
]


@app.command(name="all")
def everything(
    *plans: Annotated[Path, Parameter(help="Plans to look at as well.")],
    quick: Quick = False,
    as_json: Json = False,
    output: Page = None,
) -> None:
    """Run every audit, and look at these PLANS: one table at the end, a row for each claim.

    With -o also a page for a data protection officer.  The full audit takes hours, a quick one minutes.
    Exits with 1 when the answer is no.
    """
    from hushwatt.audit.report import PlanReport
    from hushwatt.audit.suites import audits_of
    from hushwatt.audit.suites import everything as all_audits
    from hushwatt.plan.plan import Plan

    agreed = [Plan.load(plan) for plan in plans]
    with _page_file(output) as page_file:
        findings = _run_audits("audit all", all_audits(quick))
        plan_reports = [PlanReport(plan, _run_audits(f"audit {plan.name}", audits_of(plan))) for plan in agreed]
        report = _report("all", quick, findings, plan_reports, page_file)
    _show(report, as_json, _print_claims)


@app.command
def exact(*, plan: OfPlan = None, quick: Quick = False, as_json: Json = False, output: Page = None) -> None:
    """Enumerate whole streams in exact fractions: no transcript tells more than ε.

    A plan whose homes report by the clock, about all appliances, is gone through as it stands; another
    one in a shape small enough to enumerate: its choices and its ε, with two appliances of two levels and
    a window of two slots.  Exits with 1 when the answer is no.
    """
    _run("exact", plan, quick, as_json, output)


@app.command
def budget(*, plan: OfPlan = None, quick: Quick = False, as_json: Json = False, output: Page = None) -> None:
    """Try every sequence of decisions: no window spends more than was promised.

    Exits with 1 when the answer is no.
    """
    _run("budget", plan, quick, as_json, output)


@app.command
def sampler(*, plan: OfPlan = None, quick: Quick = False, as_json: Json = False, output: Page = None) -> None:
    """Draw millions of answers: they follow the declared laws, and a law 2 % off is noticed.

    Exits with 1 when the answer is no.
    """
    _run("sampler", plan, quick, as_json, output)


@app.command
def empirical(*, plan: OfPlan = None, quick: Quick = False, as_json: Json = False, output: Page = None) -> None:
    """Attack the real bytes of a million homes, and what real agents post: they never show more than ε.

    All attacks together are wrong with a chance of at most 1 %.  Exits with 1 when the answer is no.
    """
    _run("empirical", plan, quick, as_json, output)


@app.command
def rounding(*, plan: OfPlan = None, quick: Quick = False, as_json: Json = False, output: Page = None) -> None:
    """Weigh ten thousand budgets: rounded probabilities never cost more than claimed.

    Exits with 1 when the answer is no.
    """
    _run("rounding", plan, quick, as_json, output)


@app.command
def leaks(*, quick: Quick = False, as_json: Json = False, output: Page = None) -> None:
    """Search what homes with secret readings write, say and send: no reading is found anywhere.

    Also that nothing but the noise differs between homes with other readings, and that forked homes
    never make the same noise.  Exits with 1 when the answer is no.
    """
    _run("leaks", None, quick, as_json, output)


@app.command
def forged(*, plan: OfPlan = None, quick: Quick = False, as_json: Json = False, output: Page = None) -> None:
    """Work out what one forged report can do, and how often an honest one is refused.

    Exits with 1 when the answer is no.
    """
    _run("forged", plan, quick, as_json, output)


@app.command
def forgers(*, plan: OfPlan = None, quick: Quick = False, as_json: Json = False, output: Page = None) -> None:
    """Let homes forge their reports as badly as they can: none counts for more than is printed.

    160 random plans, the shipped tally and estimate.  Exits with 1 when the answer is no.
    """
    _run("forgers", plan, quick, as_json, output)


@app.command
def habit(*, plan: OfPlan = None, quick: Quick = False, as_json: Json = False, output: Page = None) -> None:
    """Attack years of real reports: is what `plan check` prints about the long run what they tell?

    Whether homes own an appliance, and levels that never change, after 30, 90, 365 and 1,825 days, under 21
    plans or PLAN.  Exits with 1 when the attacker is right more often or less often than is printed.
    """
    _run("habit", plan, quick, as_json, output)


@app.command
def selftest(*, as_json: Json = False, output: Page = None) -> None:
    """Plant twelve bugs and see that the audits find every one.

    Exits with 1 when one is missed.
    """
    _run("selftest", None, False, as_json, output)


def _run(name: str, plan: Path | None, quick: bool, as_json: bool, output: Path | None) -> None:
    """Run the audits of one kind, in general or of one plan."""
    from hushwatt.audit.report import PlanReport
    from hushwatt.audit.suites import SUITES
    from hushwatt.plan.plan import Plan

    suite, agreed = SUITES[name], Plan.load(plan) if plan else None
    with _page_file(output) as page_file:
        if agreed is None or suite.of is None:
            report = _report(name, quick, _run_audits(f"audit {name}", suite.all(quick)), [], page_file)
        else:
            findings = _run_audits(f"audit {name}", [suite.of(agreed)])
            report = _report(name, quick, [], [PlanReport(agreed, findings)], page_file)
    _show(report, as_json, _print_findings)


def _page_file(output: Path | None) -> AbstractContextManager[Path | None]:
    """The file for the page, where one is wanted; whether it can be written is known before hours of work."""
    from hushwatt.files import atomic_write

    return nullcontext() if output is None else atomic_write(output)


def _run_audits(title: str, audits: "list[Audit]") -> "list[Finding]":
    from hushwatt.audit.finding import timed
    from hushwatt.cli.progress import progress

    with progress(title, total=len(audits)) as advance:
        return list(timed(audits, advance))


def _report(
    name: str, quick: bool, findings: "list[Finding]", plans: "list[PlanReport]", page_file: Path | None
) -> "AuditReport":
    """What was found, also as a page where one is wanted."""
    from hushwatt.audit.report import AuditReport

    report = AuditReport(name, quick, findings, plans, command=shlex.join(["hushwatt", *sys.argv[1:]]))
    if page_file is not None:
        page_file.write_text(_as_file(report, page_file.suffix.lower()), encoding="utf-8")
    return report


def _as_file(report: "AuditReport", kind: str) -> str:
    """A page for people, or JSON where the file's name says so."""
    if kind == ".json":
        return _as_json(report) + "\n"
    from hushwatt.audit.page import page

    return page(report)


def _as_json(report: "AuditReport") -> str:
    from hushwatt.audit.report import as_table

    return json.dumps(as_table(report), indent=2, allow_nan=False)


def _show(report: "AuditReport", as_json: bool, tell: "Callable[[AuditReport], None]") -> None:
    """Print JSON or a table, and say no by leaving with 1."""
    if as_json:
        print(_as_json(report))
    else:
        tell(report)
    if not report.passed:
        raise SystemExit(1)


def _print_findings(report: "AuditReport") -> None:
    """One row for every check."""
    _print_table((each.subject, each) for each in report.everything)
    _print_sum(report)


def _print_claims(report: "AuditReport") -> None:
    """One row for every claim, and below it the checks that failed."""
    _print_table((row.says, row) for row in report.rows)
    for finding in report.everything:
        if not finding.passed:
            print(f"✗ {finding.claim} {finding.subject}: {finding.figure}")
    _print_sum(report)


def _print_table(rows: "Iterable[tuple[str, Finding | ClaimRow]]") -> None:
    from rich.console import Console

    table = verdict_table("claim", "what", "figure", "stated", numbers=("time",))
    for what, row in rows:
        mark = "✓" if row.passed else "✗"
        table.add_row(row.claim, what, row.figure, row.stated, f"{row.seconds:.1f} s", mark)
    Console().print(table)


def _print_sum(report: "AuditReport") -> None:
    good, checks = sum(finding.passed for finding in report.everything), len(report.everything)
    cases = sum(finding.cases for finding in report.everything)
    counted = f", {cases:,} cases" if cases else ""
    print(f"{good} of {checks} passed{counted}" + ("" if report.passed else ": the answer is no, see ✗"))
