"""How many homes are at each level of one appliance."""

from typing import Any

from hushwatt.provider.dashboard import formatting
from hushwatt.provider.dashboard.charts.figure import PageChart
from hushwatt.provider.dashboard.charts.interval_charts import column_chart
from hushwatt.provider.dashboard.command_line import estimate_command
from hushwatt.provider.dashboard.numbers_file import NumbersFile
from hushwatt.provider.dashboard.page_context import PageContext
from hushwatt.provider.dashboard.tables import Column, HtmlTable, number_columns
from hushwatt.provider.dashboard.views.top import above_top, measured
from hushwatt.provider.estimate.results import PeriodEstimates

HEIGHT = 380


def show(page: PageContext) -> dict[str, Any]:
    name = (page.appliances or page.plan.names)[0]
    shown: dict[str, Any] = {
        "choices": page.choices([name]),
        "name": formatting.appliance_name(name),
        "few": name in page.estimates.withheld,
        "hardly": _hardly(page, name),
    }
    period = dict(page.ranked).get(name)
    return shown | (_shown(page, name, period) if period else {})


def _hardly(page: PageContext, name: str) -> str:
    """The part of homes that measures an appliance, where it is too small for levels and a mean."""
    part = page.estimates.too_few_measure.get(name)
    return "" if part is None else formatting.percent_plus_minus(max(part.part, 0.0), max(part.low, 0.0), part.high)


def _shown(page: PageContext, name: str, period: PeriodEstimates) -> dict[str, Any]:
    homes, labels = page.estimates.homes, formatting.level_names(page.plan, page.plan.names.index(name))
    low, high = period.level_limits(homes)
    figure = column_chart(labels, period.levels.tolist(), low.tolist(), high.tolist(), "homes")
    rows = [
        [
            label,
            formatting.number(value, digits := formatting.decimals((top - bottom) / 2)),
            f"{formatting.number(bottom, digits)} to {formatting.number(top, digits)}",
            formatting.percent(value / homes),
            formatting.percent_between(bottom / homes, top / homes),
        ]
        for label, value, bottom, top in zip(labels, period.levels, low, high, strict=True)
    ]
    headings = number_columns("Homes", "95 % interval", "Of all homes", "95 % interval")
    return {
        "chart": PageChart(figure, f"Homes at each level, of {homes:,}, with 95 % intervals", HEIGHT),
        "table": HtmlTable(
            f"Homes at each level of {formatting.appliance_name(name)}", [Column("Level"), *headings], rows
        ),
        "numbers": NumbersFile(
            "levels",
            ("appliance", "level", "homes", "low", "high", "homes_unbiased"),
            [
                (name, *row)
                for row in zip(
                    labels, period.levels.tolist(), low.tolist(), high.tolist(), period.unbiased, strict=True
                )
            ],
        ),
        "command": estimate_command(page.query, "--levels"),
        "dithered": page.plan.mapping == "dither",
        "mean": formatting.watts(period.watts, period.low, period.high),
        "mean_between": formatting.watts_between(period.low, period.high),
        "measured": measured(period),
        "above_top": "" if period.clipped else above_top(period),
    }
