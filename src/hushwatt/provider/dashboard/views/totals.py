"""kWh a day and over the range: of the homes taking part or of all customers, and when all of it peaks."""

from typing import Any

from hushwatt.errors import UsageError
from hushwatt.provider.dashboard import formatting
from hushwatt.provider.dashboard.charts.figure import PageChart
from hushwatt.provider.dashboard.charts.interval_charts import bar_chart
from hushwatt.provider.dashboard.command_line import estimate_command
from hushwatt.provider.dashboard.day_parts import key_words
from hushwatt.provider.dashboard.numbers_file import NumbersFile
from hushwatt.provider.dashboard.page_context import PageContext
from hushwatt.provider.dashboard.tables import Column, HtmlTable, number_columns
from hushwatt.provider.dashboard.views.top import FRAME_HEIGHT, ROW_HEIGHT, links
from hushwatt.provider.estimate.times.fold import fold_rows
from hushwatt.provider.estimate.totals.board import BoardAnswers
from hushwatt.provider.estimate.totals.energy import Energy, Limited, unit_of
from hushwatt.provider.estimate.totals.peak import Peak, peak_of
from hushwatt.provider.estimate.totals.totals import Totals

MOST_NAMED = 6  # other hours that may be the peak


def show(page: PageContext) -> dict[str, Any]:
    customers = page.query.counts.get("customers")
    shown: dict[str, Any] = {"customers": customers or ""}
    if not page.ranked:
        return shown
    totals = BoardAnswers.about(page.cells, customers, ()).totals(page.collected)
    energy = totals.customers or totals.taking_part
    if energy.together is None:
        return shown
    known = [(name, each) for name, each in energy.by_appliance.items() if each is not None]
    ordered = sorted(known, key=lambda each: -each[1].a_day.value)
    scale, unit = unit_of(ordered[0][1].a_day.value)
    figure = bar_chart(
        [formatting.title(name) for name, _ in ordered],
        [each.a_day.value / scale for _, each in ordered],
        [each.a_day.low / scale for _, each in ordered],
        [each.a_day.high / scale for _, each in ordered],
        unit,
    )
    whose = f"all {energy.homes:,.0f} customers" if totals.customers else "the homes taking part"
    label = f"Energy a day of {whose}, with 95 % intervals"
    peak = _peak(page)
    more = [*(["--customers", str(customers)] if customers else []), *(["--fold", "hour"] if peak else [])]
    return shown | {
        "lead": _lead(totals, energy.together),
        "peak": "" if peak is None else peak_sentence(peak),
        "chart": PageChart(figure, label, FRAME_HEIGHT + ROW_HEIGHT * len(ordered)),
        "table": _table(page, [*ordered, ("all together", energy.together)]),
        "numbers": _numbers([*ordered, ("together", energy.together)]),
        "command": estimate_command(page.query, *more, "--json"),
        "measured": energy.all_as_measured is not None,
        "heard": energy.together.hours < totals.hours,
    }


def _lead(totals: Totals, together: Energy) -> str:
    if totals.customers is not None:
        return f"All {totals.customers.homes:,.0f} customers together use {between(together.a_day)} a day."
    fewest, most = totals.fewest, totals.most
    homes = f"{most:,}" if fewest == most else f"{fewest:,} to {most:,}"
    return f"The {homes} homes taking part use {between(together.a_day)} a day together."


def between(energy: Limited) -> str:
    """The limits of kWh, in a unit that is easily read."""
    scale, unit = unit_of(energy.high)
    low, high = energy.low / scale, energy.high / scale
    digits = formatting.decimals((high - low) / 2)
    return f"{formatting.number(low, digits)} to {formatting.number(high, digits)}{formatting.THIN}{unit}"


def _peak(page: PageContext) -> Peak | None:
    """The hour of the day in which all appliances together use the most; None where hours cannot be told apart."""
    try:
        rows = fold_rows(page.plan, page.collected.timeline, "hour")
    except UsageError:
        return None
    if len(rows) < 2:
        return None
    return page.kept_answer("peak", lambda: peak_of({key: page.collected.only(mask) for key, mask in rows.items()}))


def peak_sentence(peak: Peak) -> str:
    """When all of it peaks, how surely, and what makes it."""
    others = [key for key in peak.could_be if key != peak.key]
    watts = formatting.watts_between(peak.watts.low, peak.watts.high)
    name, part = next(iter(peak.by_appliance.items()))
    most = f"The most of it is the {formatting.appliance_name(name)}'s"
    makes = f"{most}, for certain." if part.worst == 1 else "Which appliance makes the most of it cannot be told."
    at = f"{watts} in a home {key_words('hour', peak.key)}"
    if not others:
        return f"All appliances together use the most {at}; that it is this hour is certain. {makes}"
    hours = f"{', '.join(others[:MOST_NAMED])} h" if len(others) <= MOST_NAMED else f"{len(others)} other hours"
    return f"All appliances together seem to use the most {at}; it cannot be told apart from {hours}. {makes}"


def _table(page: PageContext, rows: list[tuple[str, Energy]]) -> HtmlTable:
    texts = [
        [formatting.title(name), _value(each.a_day), between(each.a_day), _value(each.total), between(each.total)]
        for name, each in rows
    ]
    headings = number_columns("A day", "95 % interval", "In the range", "95 % interval")
    return HtmlTable("Energy", [Column("Appliance"), *headings], texts, links=links(page))


def _value(energy: Limited) -> str:
    scale, unit = unit_of(energy.high)
    digits = formatting.decimals((energy.high - energy.low) / scale / 2)
    return f"{formatting.number(energy.value / scale, digits)}{formatting.THIN}{unit}"


def _numbers(rows: list[tuple[str, Energy]]) -> NumbersFile:
    columns = ("appliance", "kwh_a_day", "low", "high", "kwh", "kwh_low", "kwh_high", "hours")
    return NumbersFile("totals", columns, [(name, *each.a_day, *each.total, each.hours) for name, each in rows])
