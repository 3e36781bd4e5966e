"""How many homes are at each level of one appliance."""

from typing import Any

from hushwatt.provider.dashboard import words
from hushwatt.provider.dashboard.charts.figure import Chart
from hushwatt.provider.dashboard.charts.intervals import columns
from hushwatt.provider.dashboard.page_context import PageContext
from hushwatt.provider.dashboard.tables import Column, Table, numbers
from hushwatt.provider.estimate.results import PeriodEstimates

HEIGHT = 380


def show(scene: PageContext) -> dict[str, Any]:
    names = scene.asked.appliances or tuple(name for name, _ in scene.ranked[:1])
    name = names[0] if names else scene.plan.names[0]
    found: dict[str, Any] = {
        "choices": [(each, words.title(each), each == name) for each in scene.plan.names],
        "name": words.spoken(name),
        "few": name in scene.found.withheld,
    }
    period = dict(scene.ranked).get(name)
    return found | (_shown(scene, name, period) if period else {})


def _shown(scene: PageContext, name: str, period: PeriodEstimates) -> dict[str, Any]:
    homes, labels = scene.found.homes, words.level_names(scene.plan, scene.plan.names.index(name))
    low, high = period.level_limits(homes)
    figure = columns(labels, period.levels.tolist(), low.tolist(), high.tolist(), "homes")
    rows = [
        [
            label,
            words.number(value, digits := words.decimals((top - bottom) / 2)),
            f"{words.number(bottom, digits)} to {words.number(top, digits)}",
            words.percent(value / homes),
            words.percent_between(bottom / homes, top / homes),
        ]
        for label, value, bottom, top in zip(labels, period.levels, low, high, strict=True)
    ]
    headings = numbers("Homes", "95 % interval", "Of all homes", "95 % interval")
    return {
        "chart": Chart(figure, f"Homes at each level, of {homes:,}, with 95 % intervals", HEIGHT),
        "table": Table(f"Homes at each level of {words.spoken(name)}", [Column("Level"), *headings], rows),
        "dithered": scene.plan.mapping == "dither",
        "mean": words.watts(period.watts, period.low, period.high),
        "mean_between": words.watts_between(period.low, period.high),
    }
