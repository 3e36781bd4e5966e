"""The appliances that use the most, with intervals; ranks that are open are ties."""

from math import ceil
from typing import Any

from hushwatt.provider.dashboard import words
from hushwatt.provider.dashboard.charts.figure import Chart
from hushwatt.provider.dashboard.charts.intervals import whiskers
from hushwatt.provider.dashboard.page_context import PageContext
from hushwatt.provider.dashboard.tables import Column, Table, numbers
from hushwatt.provider.estimate.caveats import unmeasured_times, watts_caption
from hushwatt.provider.estimate.results import PeriodEstimates

USUAL = 10
ROW, FRAME = 30, 52  # pixels of a row, and of what is around the rows


def show(scene: PageContext) -> dict[str, Any]:
    count = scene.asked.counts.get("k", USUAL)
    ranked = scene.ranked[:count]
    if not ranked:
        return {"k": count}
    tied = sum(period.rank_best != period.rank_worst for _, period in ranked)
    return {
        "k": count,
        "chart": chart(ranked),
        "table": table(ranked, scene.found.swap_homes),
        "about": watts_caption(scene.found),
        "missed": unmeasured_times(scene.found),
        "influence": words.number(scene.found.influence or 0.0, 1),
        "tied": tied,
        "shown": len(ranked),
        "lead": lead(ranked),
    }


def lead(ranked: list[tuple[str, PeriodEstimates]]) -> str:
    """The answer in a sentence."""
    name, first = ranked[0]
    figure = f"{words.watts_between(first.low, first.high)} on average in a home"
    if first.rank_worst == 1:
        return f"{words.title(name)} uses the most: {figure}, with 95 % confidence."
    rivals = [words.spoken(other) for other, period in ranked if period.rank_best == 1]
    return f"{words.title(_listed(rivals))} are tied for first place: the data cannot tell them apart yet."


def chart(ranked: list[tuple[str, PeriodEstimates]]) -> Chart:
    labels = [
        f"{words.title(name)}  {words.ranks(period.rank_best, period.rank_worst)}" for name, period in ranked
    ]
    figure = whiskers(
        labels,
        [period.watts for _, period in ranked],
        [period.low for _, period in ranked],
        [period.high for _, period in ranked],
        "W",
    )
    return Chart(
        figure, "Mean watts of a home with 95 % intervals, the most first", FRAME + ROW * len(ranked)
    )


def table(ranked: list[tuple[str, PeriodEstimates]], swaps: dict[str, float]) -> Table:
    rows = [
        [
            words.title(name),
            words.ranks(period.rank_best, period.rank_worst),
            words.watts(period.watts, period.low, period.high),
            words.watts_between(period.low, period.high),
            words.percent(period.share),
            words.percent_between(period.share_low, period.share_high),
            f"{max(ceil(swaps[name]), 1):,}" if name in swaps else words.NONE,
        ]
        for name, period in ranked
    ]
    headings = numbers("Rank", "Mean of a home", "95 % interval", "Share", "95 % interval", "Forgers to swap")
    return Table("Appliances by mean watts", [Column("Appliance"), *headings], rows)


def _listed(names: list[str]) -> str:
    if len(names) > 4:
        names = [*names[:3], f"{len(names) - 3} others"]
    return f"{', '.join(names[:-1])} and {names[-1]}"
