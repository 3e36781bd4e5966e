"""`hushwatt demo`: a thousand invented homes report for a month, and a million are rehearsed for a year."""

import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from hushwatt.cli.progress import progress

if TYPE_CHECKING:
    from rich.console import Console

    from hushwatt.evaluate.demo import Rehearsal
    from hushwatt.evaluate.demo.year import YearRehearsal

PORT = 8040  # as `hushwatt provider serve`
BESIDE = 72  # letters of a row that are not the drawn interval


def demo(
    *,
    homes: int = 1000,
    days: int = 30,
    output: Annotated[Path, Parameter(name=["--output", "-o"])] = Path("hushwatt-demo"),
    port: int = PORT,
    leave: Annotated[bool, Parameter(name="--exit")] = False,
) -> None:
    """Let invented homes report over real HTTP, and show what can be learnt.

    A provider with its embedded store is started on this machine, homes join it and report day by day.
    Then a million such homes are rehearsed for a year, at an ε that holds for the year, with what someone
    who sees all reports of one of them could tell. The dashboard stays up until Ctrl-C.

    Parameters
    ----------
    homes
        How many homes; the plan answers nothing below 300, as a third of them report each day.
    days
        For how many days.
    output
        The folder for the plan, the store and the report page; an earlier demo there is replaced when it
        is over.
    port
        Where to listen, or on the next port that is free; 0 is any.
    leave
        Leave when the summary is printed.
    """
    from hushwatt.evaluate.demo import rehearse
    from hushwatt.evaluate.demo.folder import fresh_folder
    from hushwatt.evaluate.demo.page import page
    from hushwatt.evaluate.demo.year import DAYS, rehearse_year
    from hushwatt.files import atomic_write

    with ExitStack() as running:
        folder = running.enter_context(fresh_folder(output, homes, days))
        with progress("homes report", total=homes + homes * days // 3) as advance:
            done = running.enter_context(rehearse(folder, homes, days, port, advance=advance))
        with progress("a million for a year", total=DAYS) as advance:
            year = rehearse_year(advance=advance)
        with atomic_write(folder / "report.html") as temporary:
            temporary.write_text(page(done, year), encoding="utf-8")
        print_summary(done)
        print_year(done, year)
        print(f"\nreport page  {folder / 'report.html'}\ndashboard    {done.address}/")
        if not leave:
            wait_for_the_end()


def wait_for_the_end() -> None:
    """Until Ctrl-C."""
    import threading

    try:
        sys.stdout.flush()
        print("stop with Ctrl-C", file=sys.stderr, flush=True)
        threading.Event().wait()
    except KeyboardInterrupt:
        print(file=sys.stderr)


def print_summary(done: "Rehearsal") -> None:
    """The ten appliances with the most watts beside the truth, and what it cost."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    wide = min(max(console.width - BESIDE, 8), 40)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for head in ("rank", "appliance", "watts, 95 %", "", "truth", "true rank"):
        table.add_column(head, justify="left" if head in ("appliance", "") else "right", no_wrap=True)
    for row in rows(done, wide):
        table.add_row(*row)
    console.print(f"[bold]{done.homes:,} invented homes, {done.slots} days, {done.reports:,} reports over HTTP[/bold]")
    console.print(table)
    print_facts(console, remarks(done))


def print_year(done: "Rehearsal", year: "YearRehearsal") -> None:
    """What a million homes would show at an ε that holds for a year."""
    from rich.console import Console

    console, epsilon = Console(highlight=False), year.plan.epsilon / 1e6
    length = year.plan.slot.lasting(year.plan.window)
    console.print(
        f"\n[bold]{year.homes:,} such homes for a year, ε {epsilon:.4g} for the whole home in any {length}[/bold]"
    )
    console.print("[dim]Rehearsed: what the provider would count is drawn at once from its exact law.[/dim]\n")
    print_facts(console, year_remarks(done, year))


def print_facts(console: "Console", facts: list[tuple[str, str]]) -> None:
    """Labels and sentences."""
    from rich.table import Table

    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="dim", no_wrap=True)
    table.add_column()
    for label, sentence in facts:
        table.add_row(label, sentence)
    console.print(table)


def rows(done: "Rehearsal", wide: int) -> Iterator[tuple[str, ...]]:
    """A row for each of the ten first, with its interval drawn `wide` letters wide."""
    appliances, true = done.answer["appliances"], done.true_order
    largest = max(appliances[name]["ci95"][1] for name in done.answer["top"][:10])
    for name in done.answer["top"][:10]:
        one, true_rank = appliances[name], true.index(name) + 1
        truth = float(done.truth[done.plan.names.index(name)])
        (best, worst), (low, high) = one["rank_ci95"], one["ci95"]
        yield (
            f"{best}–{worst}" if best != worst else str(best),
            name.replace("_", " "),
            f"{one['mean_watts']:.1f} ({low:.1f} to {high:.1f})",
            interval(low / largest, one["mean_watts"] / largest, high / largest, truth / largest, wide),
            f"{truth:.1f}",
            f"{true_rank} [green]✓[/green]" if true_rank == one["rank"] else f"{true_rank}  ",
        )


def interval(low: float, middle: float, high: float, truth: float, width: int = 30) -> str:
    """A line from low to high with a dot, and a mark where the truth is.

    >>> interval(0.2, 0.5, 0.8, 0.6, width=10)
    '  ───●┃─  '
    """
    cells = [" "] * width

    def cell(share: float) -> int:
        return min(max(int(share * width), 0), width - 1)

    for number in range(cell(low), cell(high)):
        cells[number] = "─"
    cells[cell(middle)] = "●"
    cells[cell(truth)] = "┃" if cell(truth) != cell(middle) else "◉"
    return "".join(cells)


def remarks(done: "Rehearsal") -> list[tuple[str, str]]:
    """Hits, one report, the budget, and the paper on the same homes."""
    promised = done.promise
    bits = " ".join(f"{byte:08b}" for byte in done.example.payload)
    epsilon, single = promised.dearest / 1e6, float(promised.appliance_dearest) / 1e6
    return [
        (
            "accurate",
            f"{done.hits} of 10 stand at exactly their true rank; shares are off by "
            f"{done.share_error:.1f} points on average. The paper's mechanism, same homes and same ε: "
            f"{done.paper_hits} of 10, and {done.paper_share_error:.1f} points.",
        ),
        (
            "private",
            f"A home gave away ε {epsilon:.4g} in any {done.plan.window} days (odds {promised.odds}), "
            f"ε {single:.3g} about one appliance (odds {promised.appliance_odds}).",
        ),
        ("one report", f"{bits}: {len(done.example.payload)} bytes, once in {done.plan.window} days. That is all."),
        (
            "to read it",
            "● estimate  ─ 95 % interval  ┃ truth, all watts: what lies above an appliance's last level is part "
            "of the estimate. Ranks that cannot be told apart are given as a range.",
        ),
    ]


def year_remarks(done: "Rehearsal", year: "YearRehearsal") -> list[tuple[str, str]]:
    """Hits and limits, what is told of one home after a year, and what the thousand homes' plan would tell."""
    from hushwatt.evaluate.demo.year import observed

    month = year.month
    return [
        (
            "accurate",
            f"{year.hits} of 10 stand at exactly their true rank after the year, {month.hits} of 10 after the first "
            f"{month.slots} days; shares are off by {year.share_error:.1f} points on average. "
            f"{year.within} of {len(year.truth)} real means lie within their limits.",
        ),
        *observed(year.plan, done.plan),
    ]
