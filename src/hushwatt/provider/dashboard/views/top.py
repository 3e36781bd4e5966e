"""The appliances that use the most, with intervals; ranks that are open are ties."""

from math import ceil
from statistics import NormalDist
from typing import Any

from hushwatt.provider.dashboard import formatting
from hushwatt.provider.dashboard.charts.figure import PageChart
from hushwatt.provider.dashboard.charts.interval_charts import dot_plot
from hushwatt.provider.dashboard.command_line import estimate_command
from hushwatt.provider.dashboard.numbers_file import period_numbers
from hushwatt.provider.dashboard.page_context import PageContext
from hushwatt.provider.dashboard.tables import Column, HtmlTable, number_columns
from hushwatt.provider.estimate.caveats import hardly_measured, unmeasured_times, watts_caption
from hushwatt.provider.estimate.intervals import CONFIDENCE, Z95
from hushwatt.provider.estimate.results import PeriodEstimates

DEFAULT_COUNT = 10
ROW_HEIGHT, FRAME_HEIGHT = 30, 52  # pixels of a row, and of what is around the rows


def show(page: PageContext) -> dict[str, Any]:
    count = page.query.counts.get("k", DEFAULT_COUNT)
    ranked = page.ranked[:count]
    if not ranked:
        return {"k": count}
    tied = sum(period.rank_best != period.rank_worst for _, period in ranked)
    return {
        "k": count,
        "chart": chart(ranked),
        "table": table(ranked, page.estimates.swap_homes, links(page)),
        "numbers": period_numbers("top", ranked),
        "command": estimate_command(page.query),
        "about": f"{watts_caption(page.estimates)} {hardly_measured(page.estimates)}".rstrip(),
        "missed": unmeasured_times(page.estimates),
        "influence": formatting.number(page.estimates.influence or 0.0, 1),
        "tied": tied,
        "shown": len(ranked),
        "lead": lead(page.ranked),
    }


def lead(ranked: list[tuple[str, PeriodEstimates]]) -> str:
    """The answer in a sentence; as the numbers choose whom it is about, limits hold for all of them at once."""
    name, first = ranked[0]
    where = "a home" if first.measured is None else "a home that measures it"
    figure = f"{formatting.watts_between(*wider(first, len(ranked)))} on average in {where}"
    if first.rank_worst == 1:
        return f"{formatting.title(name)} uses the most: {figure}, with 95 % confidence for all of them at once."
    rivals = [formatting.appliance_name(other) for other, period in ranked if period.rank_best == 1]
    names = formatting.title(_listed(rivals))
    return f"{names} are tied for first place: the data cannot tell them apart yet."


def widening(count: int) -> float:
    """How much wider 95 % limits are that hold for `count` numbers at once (Bonferroni).

    >>> round(widening(1), 6), round(widening(15), 2)
    (1.0, 1.5)
    """
    return NormalDist().inv_cdf(1 - (1 - CONFIDENCE) / 2 / count) / Z95


def wider(period: PeriodEstimates, count: int) -> tuple[float, float]:
    """The 95 % limits of the watts made wide enough for `count` appliances at once."""
    times = widening(count)
    return period.watts - times * (period.watts - period.low), period.watts + times * (period.high - period.watts)


def chart(ranked: list[tuple[str, PeriodEstimates]]) -> PageChart:
    labels = [
        f"{formatting.title(name)}  {formatting.ranks(period.rank_best, period.rank_worst)}" for name, period in ranked
    ]
    figure = dot_plot(
        labels,
        [period.watts for _, period in ranked],
        [period.low for _, period in ranked],
        [period.high for _, period in ranked],
        "W",
    )
    label = "Mean watts of a home with 95 % intervals, the most first"
    return PageChart(figure, label, FRAME_HEIGHT + ROW_HEIGHT * len(ranked))


def links(page: PageContext) -> dict[str, str]:
    """Where each appliance is told in full."""
    return {formatting.title(name): page.query.link("/series", appliance=name) for name in page.plan.names}


def table(ranked: list[tuple[str, PeriodEstimates]], swaps: dict[str, float], linked: dict[str, str]) -> HtmlTable:
    rows = [
        [
            formatting.title(name),
            formatting.ranks(period.rank_best, period.rank_worst),
            formatting.watts(period.watts, period.low, period.high),
            formatting.watts_between(period.low, period.high),
            formatting.percent(period.share),
            formatting.percent_between(period.share_low, period.share_high),
            f"{max(ceil(swaps[name]), 1):,}" if name in swaps else formatting.NONE,
            *further(ranked, period),
        ]
        for name, period in ranked
    ]
    headings = ("Rank", "Mean of a home", "95 % interval", "Share", "95 % interval", "Forgers to swap")
    columns = number_columns(*headings, *further_headings(ranked))
    return HtmlTable("Appliances by mean watts", [Column("Appliance"), *columns], rows, links=linked)


def further_headings(ranked: list[tuple[str, PeriodEstimates]]) -> list[str]:
    """What stands beside the numbers: what of them may lie above the top level, and how many homes measure it."""
    real = any(not period.clipped for _, period in ranked)
    return ["Above the top"] * real + ["Homes that measure it"] * any(
        period.measured is not None for _, period in ranked
    )


def further(ranked: list[tuple[str, PeriodEstimates]], period: PeriodEstimates) -> list[str]:
    """The cells of these columns."""
    cells = {"Above the top": above_top(period), "Homes that measure it": measured(period) or formatting.NONE}
    return [cells[heading] for heading in further_headings(ranked)]


def above_top(period: PeriodEstimates) -> str:
    """By how much at most the upper limit allows for watts above the top level."""
    if period.clipped:
        return "clipped"
    return f"{formatting.number(period.above_top, formatting.decimals(period.above_top))}{formatting.THIN}W at most"


def measured(period: PeriodEstimates) -> str:
    """The part of homes that measures an appliance, if the plan asks."""
    if period.measured is None or period.measured_low is None or period.measured_high is None:
        return ""
    return formatting.percent_plus_minus(period.measured, period.measured_low, period.measured_high)


def _listed(names: list[str]) -> str:
    if len(names) > 4:
        names = [*names[:3], f"{len(names) - 3} others"]
    return f"{', '.join(names[:-1])} and {names[-1]}"
