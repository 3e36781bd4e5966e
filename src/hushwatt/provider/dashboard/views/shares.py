"""Each appliance's part of all the watts."""

from typing import Any

from hushwatt.provider.dashboard import formatting
from hushwatt.provider.dashboard.charts.figure import PageChart
from hushwatt.provider.dashboard.charts.interval_charts import bar_chart
from hushwatt.provider.dashboard.command_line import estimate_command
from hushwatt.provider.dashboard.numbers_file import period_numbers
from hushwatt.provider.dashboard.page_context import PageContext
from hushwatt.provider.dashboard.tables import Column, HtmlTable, number_columns
from hushwatt.provider.dashboard.views.top import FRAME_HEIGHT, ROW_HEIGHT, lead, widening
from hushwatt.provider.estimate.results import PeriodEstimates


def show(page: PageContext) -> dict[str, Any]:
    ranked = [(name, period) for name, period in page.ranked if period.share == period.share]
    if not ranked:
        return {}
    figure = bar_chart(
        [formatting.title(name) for name, _ in ranked],
        [100 * period.share for _, period in ranked],
        [100 * period.share_low for _, period in ranked],
        [100 * period.share_high for _, period in ranked],
        "%",
    )
    rows = [
        [
            formatting.title(name),
            formatting.percent(period.share),
            formatting.percent_between(period.share_low, period.share_high),
            formatting.watts(period.watts, period.low, period.high),
            formatting.watts_between(period.low, period.high),
        ]
        for name, period in ranked
    ]
    headings = number_columns("Share", "95 % interval", "Mean of a home", "95 % interval")
    return {
        "chart": PageChart(figure, "Shares of all watts with 95 % intervals", FRAME_HEIGHT + ROW_HEIGHT * len(ranked)),
        "table": HtmlTable("Shares of all watts", [Column("Appliance"), *headings], rows),
        "numbers": period_numbers("shares", ranked),
        "command": estimate_command(page.query),
        "lead": _lead(ranked),
        "negative": any(period.share < 0 for _, period in ranked),
    }


def _lead(ranked: list[tuple[str, PeriodEstimates]]) -> str:
    """The largest part in a sentence; as the numbers choose it, its limits hold for all at once."""
    name, first = ranked[0]
    if first.rank_worst != 1:
        return lead(ranked)
    times = widening(len(ranked))
    low, high = (first.share + times * (end - first.share) for end in (first.share_low, first.share_high))
    return f"{formatting.title(name)} has the largest part: {formatting.percent_between(low, high)} of all watts."
