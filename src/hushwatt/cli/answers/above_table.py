"""Shares of homes on a terminal: how many are above so many watts, or use an appliance, and what would tell it."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from hushwatt.cli.estimate_tables import headed_table, percent, percents
from hushwatt.plan.appliance import show_watts
from hushwatt.provider.estimate.homes_above.homes_above import ApplianceAbove, HomesAbove, ShareAbove
from hushwatt.provider.estimate.results import Estimates

if TYPE_CHECKING:
    from rich.table import Table

MOST_LINES = 3  # for appliances whose share is only bounded


def above_tables(estimates: Estimates) -> list["Table"]:
    """One table for each number of watts: over the period, at its most and its least, and at some time of a day."""
    folded = bool(estimates.folds)
    return [_table(each, folded and _any_told(each)) for each in estimates.above]


def _any_told(homes: HomesAbove) -> bool:
    return any(not each.needs for each in homes.by_appliance.values())


def _table(homes: HomesAbove, folded: bool) -> "Table":
    daily = any(each.in_a_day for each in homes.by_appliance.values())
    headings = ["appliance", "above", "homes", "95 %"]
    headings += ["most", "homes ", "95 % ", "least", "homes  ", "95 %  "] * folded + ["some time a day"] * daily
    table = headed_table(*headings)
    for name, each in homes.by_appliance.items():
        ends = [cell for pick in (max, min) for cell in _extreme(each, pick)] if folded else []
        day = [_between(each.in_a_day) if each.in_a_day else "–"] if daily else []
        table.add_row(name, f"{show_watts(each.watts)} W", *_cells(each.period), *ends, *day)
    return table


def above_remarks(estimates: Estimates) -> list[str]:
    """What a share is of, and which levels would tell those that are only bounded."""
    if not estimates.above:
        return []
    home = "homes that measure the appliance" if estimates.plan.answers_unmeasured else "homes"
    lines = [f"Shares are of {home} whose mean over a slot is above so many watts, on average over the slots."]
    if any(each.in_a_day for homes in estimates.above for each in homes.by_appliance.values()):
        lines.append("At some time of a day: bounds, as slots do not say whether it is the same homes in each.")
    return lines + [line for homes in estimates.above for line in _needs(homes.by_appliance)]


def _needs(by_appliance: Mapping[str, ApplianceAbove]) -> list[str]:
    """Which levels would tell the shares that are only bounded; many of them in one line."""
    bounded = {name: each for name, each in by_appliance.items() if each.needs}
    if len(bounded) > MOST_LINES:
        plans = "; ".join(f"{name}: {each.needs}" for name, each in bounded.items())
        return [f"Where there is a ? only bounds are known. Such plans would tell more: {plans}."]
    return [
        f"Homes above {show_watts(each.watts)} W of {name}: bounds only; a plan with {each.needs} would tell them."
        for name, each in bounded.items()
    ]


def _cells(share: ShareAbove | None) -> list[str]:
    if share is None:
        return ["–", "–"]
    if share.share is None:
        return ["?", _between(share)]
    return [percent(max(share.share, 0.0)), percents(max(share.low, 0.0), share.high)]


def _between(share: ShareAbove) -> str:
    return percents(share.low, share.high)


def _extreme(each: ApplianceAbove, pick: Callable[..., str]) -> list[str]:
    """The key with the most homes, or the fewest."""
    known = {key: share for key, share in each.by_fold.items() if share is not None}
    if not known:
        return ["–"] * 3
    key = pick(known, key=lambda each: known[each].low if known[each].share is None else known[each].share)
    return [key, *_cells(known[key])]
