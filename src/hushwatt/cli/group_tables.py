"""Kinds of homes on a terminal: one table for each group, and why one is not answered."""

from typing import TYPE_CHECKING

from hushwatt.cli.estimate_tables import headed_table, percent, percents, places
from hushwatt.cli.fold_table import fold_tables
from hushwatt.provider.estimate.results import Estimates, GroupEstimates

if TYPE_CHECKING:
    from rich.table import Table


def group_tables(estimates: Estimates) -> list["Table"]:
    """One table for each group that is answered, and another one where a fold was asked for."""
    answered = [group for group in estimates.groups if group.answered]
    return [table for group in answered for table in (_table(group), *fold_tables(group))]


def group_remarks(estimates: Estimates) -> list[str]:
    """Why some groups, or appliances in them, are not answered."""
    lines = []
    for group in estimates.groups:
        others = group.withheld_for_others
        if group.too_few and not others:
            have, need = group.too_few
            lines.append(f"{group.name}: too few homes: at most {have:,} spoke at once, and the plan needs {need:,}.")
        elif group.too_few:
            lines.append(f"{group.name}: not shown, as the answer would give away a group of too few homes.")
        elif others:
            lines.append(f"{group.name}: without {', '.join(others)}, which would give away a group of too few homes.")
    return lines


def _table(group: GroupEstimates) -> "Table":
    from rich.text import Text

    table = headed_table("appliance", "watts ± se", "95 %", "share", "95 %", "rank")
    table.title, table.title_justify = Text(f"{group.name}: {group.homes:,} homes", style="bold"), "left"
    for name, period in group.by_period.items():
        if period is None:
            table.add_row(name, "too few homes" if group.heard[name] else "–", *["–"] * 4)
            continue
        table.add_row(
            name,
            f"{period.watts:,.1f} ± {period.watts_se:,.1f}",
            f"{period.low:,.1f} to {period.high:,.1f}",
            percent(period.share),
            percents(period.share_low, period.share_high),
            places(period),
        )
    return table
