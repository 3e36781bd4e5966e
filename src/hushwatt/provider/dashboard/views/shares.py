"""Each appliance's part of all the watts."""

from typing import Any

from hushwatt.provider.dashboard import words
from hushwatt.provider.dashboard.charts.figure import Chart
from hushwatt.provider.dashboard.charts.intervals import bars
from hushwatt.provider.dashboard.page_context import PageContext
from hushwatt.provider.dashboard.tables import Column, Table, numbers
from hushwatt.provider.dashboard.views.top import FRAME, ROW


def show(scene: PageContext) -> dict[str, Any]:
    ranked = [(name, period) for name, period in scene.ranked if period.share == period.share]
    if not ranked:
        return {}
    figure = bars(
        [words.title(name) for name, _ in ranked],
        [100 * period.share for _, period in ranked],
        [100 * period.share_low for _, period in ranked],
        [100 * period.share_high for _, period in ranked],
        "%",
    )
    rows = [
        [
            words.title(name),
            words.percent(period.share),
            words.percent_between(period.share_low, period.share_high),
            words.watts(period.watts, period.low, period.high),
            words.watts_between(period.low, period.high),
        ]
        for name, period in ranked
    ]
    headings = numbers("Share", "95 % interval", "Mean of a home", "95 % interval")
    return {
        "chart": Chart(figure, "Shares of all watts with 95 % intervals", FRAME + ROW * len(ranked)),
        "table": Table("Shares of all watts", [Column("Appliance"), *headings], rows),
        "negative": any(period.share < 0 for _, period in ranked),
    }
