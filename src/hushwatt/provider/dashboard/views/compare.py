"""Two times against each other: by how much each appliance differs, how surely, and what could have been seen."""

from typing import Any

from hushwatt.errors import UsageError
from hushwatt.plan.plan import Plan
from hushwatt.privacy.tails import is_real
from hushwatt.provider.dashboard import formatting
from hushwatt.provider.dashboard.charts.figure import PageChart
from hushwatt.provider.dashboard.charts.interval_charts import dot_plot
from hushwatt.provider.dashboard.command_line import compare_command
from hushwatt.provider.dashboard.compared import ComparedSide, asks_for_sides, compared_sides, suggested
from hushwatt.provider.dashboard.differences import Difference
from hushwatt.provider.dashboard.numbers_file import NumbersFile
from hushwatt.provider.dashboard.page_context import PageContext
from hushwatt.provider.dashboard.query import SIDES
from hushwatt.provider.dashboard.tables import Column, HtmlTable, number_columns, text_columns
from hushwatt.provider.dashboard.views.top import FRAME_HEIGHT, ROW_HEIGHT
from hushwatt.provider.estimate.contrasts.contrast import Contrast, contrasts
from hushwatt.provider.tally.labels import group_name

SURE = 0.05  # a difference is certain below this, adjusted for all appliances
MOST_TOLD = 3  # differences in the sentence


def show(page: PageContext) -> dict[str, Any]:
    ideas = suggested(page)
    asked: list[dict[str, str]] = [{}] if asks_for_sides(page) else [*ideas.values()] or [{}]
    tries = (_compared(page, parts) for parts in asked)
    shown = next((each for each in tries if "chart" in each), None) or _compared(page, asked[0])
    return shown | {"ideas": _ideas(page, ideas)}


def _compared(page: PageContext, more: dict[str, str]) -> dict[str, Any]:
    """The answer for the sides of the address, or for a suggestion."""
    sides = compared_sides(page, more)
    shown: dict[str, Any] = {"sides": sides, "nothing": "", "groups": _choices(page, sides)}
    if not page.ranked:
        return shown
    try:
        tallies = page.tallies if page.query.last is None else page.reader.tallies(page.plan)
        found = contrasts([each.side.collected(page.plan, tallies) for each in sides])
    except UsageError as wrong:
        return shown | {"nothing": str(wrong)}
    known = {name: each for name, each in found.by_appliance.items() if each is not None}
    counts = [formatting.count(side.slots, page.plan.periods.word) for side in found.sides]
    if not known:
        return shown | {"nothing": "too few homes spoke in one of these times"}
    return shown | _answer(page.plan, sides, known, counts)


def _choices(page: PageContext, sides: list[ComparedSide]) -> list[str]:
    """The kinds of homes to choose from: each label's, and what the address asks for."""
    every = [group_name(each) for name in page.labels.names for each in page.labels.groups([name])]
    return list(dict.fromkeys([*every, *(each.group for each in sides if each.group)]))


def _ideas(page: PageContext, ideas: dict[str, dict[str, str]]) -> list[tuple[str, str, bool]]:
    """Links to what may be compared."""
    own = {name: value for name, value in page.query.given.items() if name in SIDES}
    return [(name, page.query.link("/compare", **parts), parts == own) for name, parts in ideas.items()]


def _answer(plan: Plan, sides: list[ComparedSide], known: dict[str, Contrast], counts: list[str]) -> dict[str, Any]:
    ordered = sorted(known.items(), key=lambda each: -abs(each[1].difference))
    figure = dot_plot(
        [formatting.title(name) for name, _ in ordered],
        [each.difference for _, each in ordered],
        [each.low for _, each in ordered],
        [each.high for _, each in ordered],
        "W",
    )
    figure["layout"]["xaxis"]["zeroline"] = True
    label = f"A minus B, mean watts of a home with 95 % intervals. A: {sides[0].words}. B: {sides[1].words}"
    return {
        "lead": lead(ordered, sides[0].words, sides[1].words),
        "chart": PageChart(figure, label, FRAME_HEIGHT + ROW_HEIGHT * len(ordered)),
        "table": _table(ordered),
        "numbers": _numbers(ordered),
        "command": compare_command(*(each.side for each in sides)),
        "counts": counts,
        "compared": len(known),
        "real": any(is_real(plan, number) for number in range(len(plan.appliances))),
    }


def lead(ordered: list[tuple[str, Contrast]], here: str, there: str) -> str:
    """What is certain, allowing for all appliances; and what is not."""
    sure = [(name, each) for name, each in ordered if each.p_adjusted < SURE]
    told = [_sentence(name, each, here, there) for name, each in sure[:MOST_TOLD]]
    more = len(sure) - len(told)
    told += [f"{formatting.count(more, 'more appliance')} differ for certain."] if more > 1 else []
    told += [f"{formatting.title(sure[-1][0])} differs for certain too."] if more == 1 else []
    rest = [formatting.appliance_name(name) for name, each in ordered if each.p_adjusted >= SURE]
    if rest and sure:
        told.append(f"{_listed(rest)} cannot be told apart.")
    elif rest:
        most = max(each.detectable for _, each in ordered)
        told.append(
            f"No appliance can be told apart {here} and {there}. Differences from {most:,.3g}{formatting.THIN}W on "
            "would have been seen in four of five cases; smaller ones may be there."
        )
    return " ".join(told)


def _listed(rest: list[str]) -> str:
    return f"The other {len(rest)}" if len(rest) > 1 else rest[0].capitalize()


def _sentence(name: str, each: Contrast, here: str, there: str) -> str:
    """One that is certain, with limits that hold for all appliances together where they settle it too."""
    together = Difference(name, each.low_together, each.high_together)
    if together.certain:
        return together.sentence(here, there)
    way, most = ("more", each.high_together) if each.difference > 0 else ("less", -each.low_together)
    up_to = f"{formatting.number(most, formatting.decimals(most))}{formatting.THIN}W"
    who = f"A home's {formatting.appliance_name(name)}"
    return f"{who} uses {way} {here} than {there}, by up to {up_to}; that it differs is certain."


def _table(ordered: list[tuple[str, Contrast]]) -> HtmlTable:
    rows = [
        [
            formatting.title(name),
            *(formatting.watts(mean, each.low, each.high) for mean in each.means),
            formatting.signed_watts(each.difference, each.low, each.high),
            formatting.watts_between(each.low, each.high),
            _percent(each),
            "certain" if each.p_adjusted < SURE else "not certain",
            f"{each.p_adjusted:.2g}" if each.p_adjusted >= 0.001 else "< 0.001",
            formatting.watts(each.detectable, each.low, each.high),
        ]
        for name, each in ordered
    ]
    numbers = number_columns("A", "B", "A − B", "95 % interval", "In % of B")
    columns = [Column("Appliance"), *numbers, *text_columns("Verdict"), *number_columns("p, adjusted", "Seen from")]
    return HtmlTable("A against B", columns, rows)


def _percent(each: Contrast) -> str:
    if each.percent is None or each.percent_low is None or each.percent_high is None:
        return formatting.NONE
    low, high = formatting.number(each.percent_low), formatting.number(each.percent_high)
    sign = "+" * (each.percent >= 0.5)
    return f"{sign}{formatting.percent(each.percent / 100, 0)} ({low} to {high})"


def _numbers(ordered: list[tuple[str, Contrast]]) -> NumbersFile:
    fields = ("difference", "low", "high", "p", "p_adjusted", "percent", "percent_low", "percent_high", "detectable")
    rows = [(name, *each.means, *(getattr(each, field) for field in fields)) for name, each in ordered]
    return NumbersFile("compare", ("appliance", "a", "b", *fields), rows)
