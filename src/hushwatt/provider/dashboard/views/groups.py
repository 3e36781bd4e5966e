"""Kinds of homes by what the provider knows of them anyway: one appliance in each, beside the others."""

from collections.abc import Sequence
from html import escape
from typing import Any

from hushwatt.provider.dashboard import formatting
from hushwatt.provider.dashboard.charts.figure import PageChart
from hushwatt.provider.dashboard.charts.interval_charts import dot_plot
from hushwatt.provider.dashboard.command_line import LABELS, estimate_command
from hushwatt.provider.dashboard.compared import group_words
from hushwatt.provider.dashboard.differences import most_and_least
from hushwatt.provider.dashboard.numbers_file import NumbersFile
from hushwatt.provider.dashboard.page_context import TOO_FEW, PageContext
from hushwatt.provider.dashboard.tables import Column, HtmlTable, number_columns
from hushwatt.provider.dashboard.views.top import FRAME_HEIGHT, ROW_HEIGHT
from hushwatt.provider.estimate.collected import CollectedSlots
from hushwatt.provider.estimate.consistency import norm_sub
from hushwatt.provider.estimate.estimate import group_estimates
from hushwatt.provider.estimate.results import GroupEstimates, PeriodEstimates

WITHHELD = "would give a smaller group away"


def show(page: PageContext) -> dict[str, Any]:
    names, query = page.labels.names, page.query
    shown: dict[str, Any] = {"labels": [(each, query.here("/groups", by=each), (each,) == query.by) for each in names]}
    if not names or not page.ranked:
        return shown | {"choices": page.choices(page.appliances[:1])}
    by = query.by or names[:1]
    name = page.appliances[0]
    groups, told = page.kept_answer(("groups", *by, name, *query.appliances), lambda: _answered(page, by, name))
    return {
        "choices": page.choices([name]),
        "labels": [(each, query.here("/groups", by=each), (each,) == by) for each in names],
        "by": ", ".join(by),
        "name": name,
        "table": _table(groups, name),
        "numbers": _numbers(groups),
        "command": estimate_command(query, "--by", ",".join(by), "--labels", LABELS, "--json"),
        "compare": _comparison(page, groups),
        **told,
    }


def _answered(page: PageContext, by: Sequence[str], name: str) -> tuple[list[GroupEstimates], dict[str, Any]]:
    """The numbers of each kind of homes by these labels, and what is told of an appliance."""
    parts = [(labels, page.cells.only(labels)) for labels in page.cells.groups(by)]
    groups = [group_estimates(labels, part, norm_sub, {}) for labels, part in parts]
    return groups, _told(page, groups, [part for _, part in parts], name)


def _told(
    page: PageContext, groups: Sequence[GroupEstimates], parts: Sequence[CollectedSlots], name: str
) -> dict[str, Any]:
    """The chart and the sentence over it, where any group has an answer."""
    known = [(each, period) for each in groups if (period := each.by_period[name]) is not None]
    if not known:
        return {"lead": "Too few homes of any one group spoke for an answer."}
    figure = dot_plot(
        [escape(each.name, quote=False) for each, _ in known],
        [period.watts for _, period in known],
        [period.low for _, period in known],
        [period.high for _, period in known],
        "W",
    )
    label = f"Mean watts of a home's {formatting.appliance_name(name)} by group, with 95 % intervals"
    query = page.query
    sides = [(group_words(each.labels), part) for each, part in zip(groups, parts, strict=True) if each.by_period[name]]
    appliances = 1 if query.appliances else len(page.plan.names)
    told = most_and_least(sides, name, appliances)
    pairs = len(known) * (len(known) - 1) // 2 * appliances
    return {
        "lead": told[1] if told else "",
        "looked_at": f"{pairs:,} differences that could have stood here" if pairs > 1 else "",
        "chart": PageChart(figure, label, FRAME_HEIGHT + ROW_HEIGHT * len(known)),
    }


def _comparison(page: PageContext, groups: Sequence[GroupEstimates]) -> str:
    """Where the first two groups with an answer are compared over all appliances."""
    names = [each.name for each in groups if each.answered][:2]
    return page.query.link("/compare", a_group=names[0], b_group=names[1]) if len(names) == 2 else ""


def _table(groups: Sequence[GroupEstimates], name: str) -> HtmlTable:
    rows = [[each.name, f"{each.homes:,}", *_cells(each, each.by_period[name], name)] for each in groups]
    headings = number_columns("Homes", "Mean of a home", "95 % interval", "Rank in the group", "Share")
    caption = f"{formatting.title(name)} by group"
    return HtmlTable(caption, [Column("Group"), *headings], rows, frozenset((TOO_FEW, WITHHELD)))


def _cells(group: GroupEstimates, period: PeriodEstimates | None, name: str) -> list[str]:
    if period is None:
        why = WITHHELD if name in group.withheld_for_others else TOO_FEW
        return [why, *[formatting.NONE] * 3]
    return [
        formatting.watts(period.watts, period.low, period.high),
        formatting.watts_between(period.low, period.high),
        formatting.ranks(period.rank_best, period.rank_worst),
        formatting.percent(period.share),
    ]


def _numbers(groups: Sequence[GroupEstimates]) -> NumbersFile:
    """All appliances of all groups; empty where there is no answer."""
    fields = ("watts", "low", "high", "share", "share_low", "share_high", "rank_best", "rank_worst")
    rows = [
        (group.name, group.homes, name, *(getattr(period, field, None) for field in fields))
        for group in groups
        for name, period in group.by_period.items()
    ]
    return NumbersFile("groups", ("group", "homes", "appliance", *fields), rows)
