"""`hushwatt demo`: a thousand invented homes report for a month, and the provider answers."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from hushwatt.cli.progress import progress

if TYPE_CHECKING:
    from hushwatt.evaluate.demo import Rehearsal


def demo(
    *,
    homes: int = 1000,
    days: int = 30,
    output: Annotated[Path, Parameter(name=["--output", "-o"])] = Path("hushwatt-demo"),
    port: int = 0,
    leave: Annotated[bool, Parameter(name="--exit")] = False,
) -> None:
    """Let invented homes report over real HTTP, and show what can be learnt.

    A provider with its embedded store is started on this machine, homes join it and report day by day.
    The dashboard stays up until Ctrl-C.

    Parameters
    ----------
    homes
        How many homes; the plan answers nothing below 300, as a third of them report each day.
    days
        For how many days.
    output
        The folder for the plan, the store and the report page; an earlier rehearsal there is replaced.
    port
        Where to listen; 0 is any free port.
    leave
        Leave when the summary is printed.
    """
    from hushwatt.evaluate.demo import rehearse
    from hushwatt.evaluate.demo.folder import fresh_folder
    from hushwatt.evaluate.demo.page import page

    folder = fresh_folder(output, homes, days)
    with (
        progress("homes report", total=homes + homes * days // 3) as advance,
        rehearse(folder, homes, days, port, advance=advance) as done,
    ):
        (folder / "report.html").write_text(page(done), encoding="utf-8")
        print_summary(done)
        print(f"\nreport page  {folder / 'report.html'}\ndashboard    {done.address}/")
        if not leave:
            wait_for_the_end()


def wait_for_the_end() -> None:
    """Until Ctrl-C."""
    import threading

    print("stop with Ctrl-C", file=sys.stderr, flush=True)
    sys.stdout.flush()
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        print(file=sys.stderr)


def print_summary(done: "Rehearsal") -> None:
    """The ten appliances with the most watts beside the truth, and what it cost."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    found, true = done.answer["appliances"], done.true_order
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for head in ("rank", "appliance", "watts, 95 %", "", "truth", "all watts", "their rank"):
        table.add_column(head, justify="left" if head in ("appliance", "") else "right", no_wrap=True)
    largest = max(found[name]["ci95"][1] for name in done.answer["top"][:10])
    for name in done.answer["top"][:10]:
        one, place = found[name], true.index(name) + 1
        number = done.plan.names.index(name)
        truth = float(done.counted[number])
        best, worst = one["rank_ci95"]
        table.add_row(
            f"{best}–{worst}" if best != worst else str(best),
            name.replace("_", " "),
            f"{one['mean_watts']:.1f} ± {1.96 * one['mean_watts_se']:.1f}",
            interval(
                one["ci95"][0] / largest,
                one["mean_watts"] / largest,
                one["ci95"][1] / largest,
                truth / largest,
            ),
            f"{truth:.1f}",
            f"{done.truth[number]:.1f}",
            f"{place} {'✓' if place == one['rank'] else ' '}",
        )
    console = Console(highlight=False, width=max(Console().width, 118))
    console.print(f"{done.homes:,} invented homes, {done.slots} days, {done.reports:,} reports over HTTP")
    console.print(table)
    for line in remarks(done):
        console.print(line)


def interval(low: float, middle: float, high: float, truth: float, width: int = 30) -> str:
    """A line from low to high with a dot, and a mark where the truth is.

    >>> interval(0.2, 0.5, 0.8, 0.6, width=10)
    '  ───●┃─  '
    """
    cells = [" "] * width

    def cell(share: float) -> int:
        return min(max(int(share * width), 0), width - 1)

    for place in range(cell(low), cell(high)):
        cells[place] = "─"
    cells[cell(middle)] = "●"
    cells[cell(truth)] = "┃" if cell(truth) != cell(middle) else "◉"
    return "".join(cells)


def remarks(done: "Rehearsal") -> list[str]:
    """Hits, one report, the budget, and the paper on the same homes."""
    promised = done.promise
    bits = " ".join(f"{byte:08b}" for byte in done.example.payload)
    epsilon, single = promised.dearest / 1e6, float(promised.appliance_dearest) / 1e6
    return [
        f"Shares are off by {done.share_error:.1f} points on average, "
        f"and {done.hits} of 10 stand at exactly their true rank;",
        f"the paper's mechanism, same homes and ε: {done.paper_share_error:.1f} points, "
        f"and {done.paper_hits} of 10.",
        f"One report, all of it: {bits} ({len(done.example.payload)} bytes, every {done.plan.window} days).",
        f"Spent: ε {epsilon:.4g} for a home in any {done.plan.window} days (odds {promised.odds}), "
        f"ε {single:.3g} for one appliance (odds {promised.appliance_odds}).",
        "● estimate  ─ 95 % interval  ┃ truth as the plan counts: a reading above an appliance's last level",
        "counts as that level. Ranks that cannot be told apart are given as a range.",
    ]
