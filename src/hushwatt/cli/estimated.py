"""Estimates as tables for people: bars, error bars, and what must be said beside them."""

from math import ceil
from typing import TYPE_CHECKING

from hushwatt.provider.measured import blind_spot, what_watts_are
from hushwatt.provider.results import Estimates, PeriodNumbers, SlotNumbers

if TYPE_CHECKING:
    from rich.table import Table

WIDTH = 24  # cells of a bar
LONGEST = 24  # cells of a pattern over time
HEIGHTS = "▁▂▃▄▅▆▇█"


def period_table(estimates: Estimates) -> "Table":
    """Every appliance in the plan's order: watts, share, and how the watts went from slot to slot."""
    table = headed_table("appliance", "watts", "95 %", "share", "95 %", "rank", "over time")
    for name, period in estimates.by_period.items():
        if period is None:
            table.add_row(name, *["–"] * 6)
        else:
            table.add_row(
                name,
                f"{period.watts:,.1f} ± {period.watts_se:,.1f}",
                f"{period.low:,.1f} to {period.high:,.1f}",
                percent(period.share),
                f"{percent(period.share_low)} to {percent(period.share_high)}",
                places(period),
                pattern(estimates.by_slot[name]),
            )
    return table


def top_table(estimates: Estimates, count: int) -> "Table":
    """The appliances with the most watts, best first, each with a bar that fades over its interval."""
    table = headed_table("rank", "appliance", "watts", "95 %", "share", "forgers", "")
    shown = [(name, estimates.by_period[name]) for name in estimates.top[:count]]
    most = max((period.high for _, period in shown if period), default=0.0)
    for name, period in shown:
        if period is not None:
            table.add_row(
                places(period),
                name,
                f"{period.watts:,.1f}",
                f"{period.low:,.1f} to {period.high:,.1f}",
                percent(period.share),
                forgers(estimates.swap_homes.get(name)),
                bar(period.low, period.watts, period.high, most),
            )
    return table


def print_tables(estimates: Estimates, table: "Table", lines: list[str]) -> None:
    """Print a headline, the table when there is an answer, and the remarks."""
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    console = Console(highlight=False, width=max(console.width, 120))
    with console.capture() as capture:
        console.print(Text(headline(estimates), style="bold"))
        if estimates.answered:
            console.print(table)
    for line in [*capture.get().rstrip().splitlines(), "", *lines]:
        print(line.rstrip())


def headline(estimates: Estimates) -> str:
    """Which plan, how many homes, how many slots."""
    slots = estimates.slots
    when = f", {slots[0].start:%Y-%m-%d %H:%M} to {slots[-1].start:%Y-%m-%d %H:%M} UTC" if slots else ""
    return f"{estimates.plan.name}: {estimates.homes:,} homes, {len(slots):,} slots{when}"


def remarks(estimates: Estimates) -> list[str]:
    """What has to be said beside the numbers."""
    plan, few = estimates.plan, [slot for slot in estimates.slots if not slot.enough]
    most = max((slot.reports for slot in estimates.slots), default=0)
    if not estimates.answered:
        return [
            f"too few homes: at most {most:,} reported in a slot, and the plan needs {plan.minimum_homes:,}"
        ]
    lines = [what_watts_are(estimates)]
    if (missed := blind_spot(estimates)) is not None:
        lines.append(f"These numbers do not stand for the whole time: {missed}.")
    if few:
        lines.append(
            f"{len(few):,} slots have too few homes and are left out; the plan needs {plan.minimum_homes:,}."
        )
    if estimates.smoothed:
        lines.append("Slots are smoothed: each also learns from those before it.")
    if most < estimates.homes or plan.appliances_per_report < len(plan.appliances):
        lines.append("Homes take turns, so the intervals of the whole period are on the safe side.")
    if estimates.influence is not None:
        lines.append(
            f"One home that forges its reports counts in these means as at most "
            f"{estimates.influence:.1f} homes."
        )
    return [*lines, "Ranks and intervals hold with 95 % confidence; all ranks together."]


def bar(low: float, middle: float, high: float, most: float) -> str:
    """A bar up to `middle`, with its interval drawn over it.

    >>> bar(20.0, 30.0, 40.0, most=40.0)
    '████████████▒▒▒▒▒▒░░░░░░'
    """
    if most <= 0:
        return ""
    cells = [round(WIDTH * min(max(limit, 0.0), most) / most) for limit in (low, middle, high)]
    return "█" * cells[0] + "▒" * (cells[1] - cells[0]) + "░" * (cells[2] - cells[1])


def pattern(numbers: SlotNumbers) -> str:
    """The mean watts from slot to slot as small columns; slots are averaged when there are many.

    >>> from types import SimpleNamespace
    >>> pattern(SimpleNamespace(known=[True, False, True], watts=[0.0, 9.0, 70.0]))
    '▁ █'
    """
    size = max(-(-len(numbers.known) // LONGEST), 1)
    slots = list(zip(numbers.known, numbers.watts, strict=True))
    parts = [[watts for known, watts in slots[at : at + size] if known] for at in range(0, len(slots), size)]
    means = [sum(part) / len(part) if part else None for part in parts]
    found = [mean for mean in means if mean is not None]
    low, reach = min(found, default=0.0), max(found, default=0.0) - min(found, default=0.0)
    steps = [None if mean is None else round(7 * (mean - low) / reach) if reach else 0 for mean in means]
    return "".join(" " if step is None else HEIGHTS[step] for step in steps)


def places(period: PeriodNumbers) -> str:
    """A rank, or the ranks it may be when that is open.

    >>> from types import SimpleNamespace
    >>> places(SimpleNamespace(rank_best=2, rank_worst=3))
    '2–3'
    """
    best, worst = period.rank_best, period.rank_worst
    return str(best) if best == worst else f"{best}–{worst}"


def forgers(homes: float | None) -> str:
    """How many forging homes it takes, at least, to swap an appliance with the next one.

    >>> forgers(12.2), forgers(0.0), forgers(None)
    ('13', '1', '–')
    """
    return "–" if homes is None else f"{max(ceil(homes), 1):,}"


def percent(share: float) -> str:
    """A share as a percentage.

    >>> percent(0.1234), percent(float("nan"))
    ('12.3 %', '–')
    """
    return "–" if share != share else f"{100 * share:.1f} %"


def headed_table(*headings: str) -> "Table":
    """An empty table with these headings; numbers stand to the right."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in headings:
        right = heading in ("watts", "95 %", "share", "rank", "truly", "forgers")
        table.add_column(heading, no_wrap=heading != "appliance", justify="right" if right else "left")
    return table
