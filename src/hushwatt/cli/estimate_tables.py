"""Estimates as tables for people: bars, error bars, and what must be said beside them."""

from collections.abc import Sequence
from math import ceil
from typing import TYPE_CHECKING, Literal

from hushwatt.cli.terminal import fitted, terminal_width, wrapped
from hushwatt.cli.text_charts import bar, pattern
from hushwatt.plan.periods import how_often
from hushwatt.plan.times import zone
from hushwatt.provider.estimate.caveats import hardly_measured, unmeasured_times, watts_caption
from hushwatt.provider.estimate.results import Estimates, PeriodEstimates

if TYPE_CHECKING:
    from rich.table import Table

PERIOD_SPARE, TOP_SPARE = ((6,), (3, 4)), ((7,), (5,))  # what narrow terminals lack: the drawing, then the share
DEFAULT_COLUMNS = 120  # columns, where there is no terminal
AVERAGING = (
    "The histograms of slots are adjusted one by one (norm-sub), so averaging them over slots is biased: "
    "average homes_unbiased (.csv, .parquet), or take the whole period's levels (estimate --levels, JSON)."
)


def period_table(estimates: Estimates) -> "Table":
    """Every appliance in the plan's order: watts, share, and how the watts went from slot to slot."""
    more = further_headings(estimates)
    table = headed_table("appliance", "watts ± se", "95 %", "share", "95 %", "rank", "over time", *more)
    for name, period in estimates.by_period.items():
        if period is None:
            table.add_row(name, why_missing(estimates, name), *["–"] * 5, *missing_further(estimates, name))
        else:
            table.add_row(
                name,
                f"{period.watts:,.1f} ± {period.watts_se:,.1f}",
                f"{period.low:,.1f} to {period.high:,.1f}",
                percent(period.share),
                percents(period.share_low, period.share_high),
                places(period),
                pattern(estimates.by_slot[name]),
                *further(estimates, period),
            )
    return table


def why_missing(estimates: Estimates, name: str) -> str:
    """What stands where the watts of an appliance would be."""
    if name in estimates.too_few_measure:
        return "too few measure it"
    return "too few homes" if name in estimates.withheld else "–"


def further_headings(estimates: Estimates) -> list[str]:
    """What is shown beside the watts: what may lie above the top level, and how many homes measure them."""
    real = any(period and not period.clipped for period in estimates.by_period.values())
    return ["above top"] * real + ["measured"] * estimates.plan.answers_unmeasured


def further(estimates: Estimates, period: PeriodEstimates) -> list[str]:
    """The cells of these columns."""
    above = "clipped" if period.clipped else f"≤ {period.above_top:,.1f}"
    cells = {"above top": above, "measured": measured(period.measured, period.measured_low, period.measured_high)}
    return [cells[heading] for heading in further_headings(estimates)]


def missing_further(estimates: Estimates, name: str) -> list[str]:
    """The same for an appliance without an answer."""
    part = estimates.too_few_measure.get(name)
    cells = {"measured": measured(part.part, part.low, part.high)} if part else {}
    return [cells.get(heading, "–") for heading in further_headings(estimates)]


def measured(part: float | None, low: float | None, high: float | None) -> str:
    """The part of homes that measure an appliance.

    >>> measured(0.38, 0.35, 0.41), measured(None, None, None)
    ('38 ± 3 %', '–')
    """
    if part is None or low is None or high is None:
        return "–"
    reach = 50 * (high - low)
    digits = 0 if reach >= 1 else 1
    return f"{max(100 * part, 0.0):.{digits}f} ± {reach:.{digits}f} %"


def levels_table(estimates: Estimates) -> "Table":
    """How many homes are at each level of every appliance, on average over the slots."""
    table = headed_table("appliance", "level", "homes", "95 %", "of all homes")
    for appliance in estimates.plan.appliances:
        period = estimates.by_period[appliance.name]
        if period is None:
            continue
        low, high = period.level_limits(estimates.homes)
        for level in range(appliance.levels):
            table.add_row(
                "" if level else appliance.name,
                f"{appliance.values[level]:,.10g} W",
                f"{period.levels[level]:,.1f} ± {period.levels_se[level]:,.1f}",
                f"{low[level]:,.1f} to {high[level]:,.1f}",
                percent(period.levels[level] / estimates.homes),
            )
    return table


def top_table(estimates: Estimates, count: int) -> "Table":
    """The appliances with the most watts, best first, each with a bar that fades over its interval."""
    top = f"in top {count}"
    table = headed_table(
        "rank", "appliance", "watts", "95 %", "share", top, "forgers", "", *further_headings(estimates)
    )
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
                sureness(period.sure_in_top(count)),
                forgers(estimates.swap_homes.get(name)),
                bar(period.low, period.watts, period.high, most),
                *further(estimates, period),
            )
    return table


def print_tables(
    estimates: Estimates, tables: list["Table"], lines: list[str], spare: Sequence[Sequence[int]] = ()
) -> None:
    """Print a headline, the tables when there is an answer, and the remarks.

    Where the terminal is too narrow, the first table does without its `spare` columns.
    """
    from rich.console import Console
    from rich.text import Text

    width = terminal_width(DEFAULT_COLUMNS)
    console = Console(highlight=False, width=width)
    with console.capture() as capture:
        console.print(Text(headline(estimates), style="bold"))
        for table in [fitted(tables[0], width, spare), *tables[1:]] if estimates.answered else []:
            console.print(table)
    lines = wrapped(lines, width) if console.is_terminal else lines
    for line in [*capture.get().rstrip().splitlines(), "", *lines]:
        print(line.rstrip())


def headline(estimates: Estimates) -> str:
    """Which plan, how many homes, how many slots, and when they began by the plan's clocks."""
    plan, slots = estimates.plan, estimates.slots
    told = "slots" if plan.publish == 1 else f"period{'s' * (len(slots) != 1)} of {plan.slot.lasting(plan.publish)}"
    line = f"{plan.name}: {estimates.homes:,} homes, {len(slots):,} {told}"
    if not slots:
        return line
    first, last = (slot.start.astimezone(zone(plan.timezone)) for slot in (slots[0], slots[-1]))
    return f"{line}, {first:%Y-%m-%d %H:%M} to {last:%Y-%m-%d %H:%M} {plan.timezone}"


def remarks(estimates: Estimates, *, levels: bool = False) -> list[str]:
    """What has to be said beside the numbers, and the levels when they are shown."""
    plan, few = estimates.plan, [slot for slot in estimates.slots if not slot.enough]
    some, one = plan.appliances_per_report < len(plan.appliances), plan.periods.word
    if not estimates.answered and estimates.unpublished and not estimates.slots:
        return [_unpublished(estimates)]
    if not estimates.answered:
        did = "spoke of one appliance" if some else "reported"
        return [
            f"too few homes: at most {estimates.heard:,} {did} in a {one}, and the plan needs {plan.minimum_homes:,}"
        ]
    lines = [watts_caption(estimates)]
    if estimates.unpublished:
        lines.append(_unpublished(estimates))
    if (missed := unmeasured_times(estimates)) is not None:
        lines.append(f"The collection does not stand for the whole time: {missed}.")
    if few:
        lines.append(f"{len(few):,} {one}s have too few homes and are left out; the plan needs {plan.minimum_homes:,}.")
    if some:
        lines += _left_out(estimates)
    if hardly := hardly_measured(estimates):
        lines.append(hardly)
    if estimates.smoothed:
        lines.append(smoothing(estimates))
    if levels:
        lines.append(f"Levels are averaged over the {one}s first, from unbiased numbers, and then made ready to show.")
    if some or all(slot.reports < slot.homes for slot in estimates.slots):
        lines.append("Homes take turns, so the intervals of the whole period are on the safe side.")
    if estimates.influence is not None:
        lines.append(
            f"One home that forges its reports counts in these means as at most {estimates.influence:.1f} homes."
        )
    return [*lines, "Ranks and intervals hold with 95 % confidence; all ranks together."]


def _unpublished(estimates: Estimates) -> str:
    """What is not told yet of slots that are published together."""
    plan, count = estimates.plan, estimates.unpublished
    return (
        f"Results are published {how_often(plan.publish, plan.slot)}: the last {count:,} slot{'s' * (count != 1)} "
        "with reports are no whole period yet, and nothing is told of them."
    )


def _left_out(estimates: Estimates) -> list[str]:
    """What is not shown of appliances that only some homes speak of in a slot."""
    need, one, lines = estimates.plan.minimum_homes, estimates.plan.periods.word, []
    if estimates.withheld:
        lines.append(f"Too few homes spoke of {', '.join(estimates.withheld)}: no answer and no rank below {need:,}.")
    if estimates.left_out:
        lines.append(
            f"{one.title()}s in which fewer than {need:,} homes spoke of an appliance count together or not at all: "
            f"up to {max(estimates.left_out.values()):,} are left out."
        )
    return lines


def smoothing(estimates: Estimates) -> str:
    """How slots were smoothed, and for how many that was not possible."""
    one = estimates.plan.periods.word
    known = sum(int(each.known.sum()) for each in estimates.by_slot.values())
    alone = sum(int((each.known & ~each.smoothed).sum()) for each in estimates.by_slot.values())
    return (
        f"{one.title()}s are smoothed: each also learns from those before it, but for "
        f"{alone:,} of {known:,} ({one} and appliance) that have no past or break with it."
    )


def places(period: PeriodEstimates) -> str:
    """A rank, or the ranks it may be when that is open.

    >>> from types import SimpleNamespace
    >>> places(SimpleNamespace(rank_best=2, rank_worst=3))
    '2–3'
    """
    best, worst = period.rank_best, period.rank_worst
    return str(best) if best == worst else f"{best}–{worst}"


def sureness(confidence: float) -> str:
    """With which confidence something holds; nothing where that is no more than a guess.

    >>> sureness(0.9987), sureness(0.97), sureness(0.4)
    ('> 99 %', '97 %', '?')
    """
    if confidence <= 0.5:
        return "?"
    return "> 99 %" if confidence > 0.99 else f"{100 * confidence:.0f} %"


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


def percents(low: float, high: float) -> str:
    """The limits of a share.

    >>> percents(0.024, 0.04)
    '2.4 to 4.0 %'
    """
    return f"{100 * low:.1f} to {percent(high)}"


def headed_table(*headings: str) -> "Table":
    """An empty table with these headings; numbers stand to the right."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in headings:
        justify: Literal["left", "right"] = "left" if heading in ("appliance", "over time", "") else "right"
        table.add_column(heading, no_wrap=heading != "appliance", justify=justify)
    return table
