"""Time that repeats, on a terminal: each appliance over the hours, weekdays or months, with its most and its least."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from hushwatt.cli.estimate_tables import headed_table
from hushwatt.cli.text_charts import sparkline
from hushwatt.provider.estimate.results import Estimates, GroupEstimates, PeriodEstimates

if TYPE_CHECKING:
    from rich.table import Table


def fold_tables(estimates: Estimates | GroupEstimates) -> list["Table"]:
    """One table where a fold was asked for: its keys from left to right in the order of the clock."""
    if not estimates.folds:
        return []
    first, last = estimates.folds[0].key, estimates.folds[-1].key
    table = headed_table("appliance", f"{first} … {last}", "most", "watts", "95 %", "least", "watts", "95 %")
    table.columns[1].justify = "left"
    for name in estimates.by_period:
        known = {each.key: each.by_period[name] for each in estimates.folds}
        periods = {key: period for key, period in known.items() if period is not None}
        line = sparkline([None if period is None else period.watts for period in known.values()])
        ends = [end for pick in (max, min) for end in _extreme(periods, pick)] if periods else ["–"] * 6
        table.add_row(name, line, *ends)
    return [table]


def _extreme(periods: dict[str, PeriodEstimates], pick: Callable[..., str]) -> list[str]:
    key = pick(periods, key=lambda each: periods[each].watts)
    period = periods[key]
    return [key, f"{period.watts:,.1f}", f"{period.low:,.1f} to {period.high:,.1f}"]
