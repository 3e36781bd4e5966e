"""Totals on a terminal: kWh a day of a home and of all of them, and the hour in which it peaks."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hushwatt.cli.estimate_tables import headed_table, sureness
from hushwatt.provider.estimate.results import Estimates
from hushwatt.provider.estimate.totals.energy import Energy, EnergyTotals, Limited, unit_of
from hushwatt.provider.estimate.totals.peak import Peak, PeakPart

if TYPE_CHECKING:
    from rich.table import Table

MOST_NAMED = 4  # appliances of a peak


def totals_tables(estimates: Estimates) -> list["Table"]:
    """Every appliance and all together, of all customers; one table where their number was given."""
    totals = estimates.totals
    if totals is None or totals.customers is None or totals.customers.together is None:
        return []
    customers, together = totals.customers, totals.customers.together
    scale, unit = unit_of(together.a_day.value / len(customers.by_appliance))
    more = ["if all measured"] if customers.all_as_measured else []
    table = headed_table("appliance", "kWh a day a home", f"{unit} a day", "95 %", "share", *more)
    for name, energy in [*customers.by_appliance.items(), ("together", together)]:
        if energy is None:
            table.add_row(name, *["–"] * (4 + len(more)))
            continue
        table.add_row(
            name,
            f"{energy.a_day.value / customers.homes:,.2f}",
            f"{energy.a_day.value / scale:,.1f}",
            _limits(energy.a_day, scale),
            f"{100 * energy.a_day.value / together.a_day.value:.1f} %" if together.a_day.value > 0 else "–",
            *([_if_all(customers.all_as_measured, name, scale)] if customers.all_as_measured else []),
        )
    return [table]


def totals_remarks(estimates: Estimates) -> list[str]:
    """What the homes taking part used, of whom totals are, and what they leave out."""
    totals = estimates.totals
    if totals is None or (together := totals.taking_part.together) is None:
        return []
    lines = [f"{_homes(totals.fewest, totals.most)} {_used(together, totals.hours)}."]
    if totals.taking_part.all_as_measured:
        lines.append("Totals are of homes that measure an appliance; the others are not taken to use nothing.")
    if totals.customers is not None and totals.customers.together is not None:
        taken = "the homes of each kind" if totals.by_kind else "the homes taking part"
        lines.append(
            f"Of all {totals.customers.homes:,.0f} customers {taken} are taken for a random sample; people who "
            "volunteer may differ from those who do not."
        )
    if totals.borrowed:
        kinds = ", ".join(f"{kind} from {wider}" for kind, wider in totals.borrowed.items())
        lines.append(f"Without an answer of their own, and estimated from wider ones: {kinds}.")
    return lines + ([peak_line(estimates.peak)] if estimates.peak else [])


def peak_line(peak: Peak) -> str:
    """When all of it peaks, how surely, and what makes it."""
    parts = list(peak.by_appliance.items())[:MOST_NAMED]
    named = [f"{name} ({each.watts.value:,.0f} W, rank {_ranks(each)})" for name, each in parts]
    others = [key for key in peak.could_be if key != peak.key]
    sure = f"sure with {sureness(peak.sure)}" if not others else f"it could also be {listed(others)}"
    return (
        f"The peak is at {peak.key}, {peak.watts.value:,.0f} W a home ({peak.watts.low:,.0f} to "
        f"{peak.watts.high:,.0f} W), {sure}; most of it: {', '.join(named)}."
    )


def _ranks(part: PeakPart) -> str:
    return str(part.best) if part.best == part.worst else f"{part.best}–{part.worst}"


def listed(keys: Sequence[str], most: int = 6) -> str:
    """Some keys in words.

    >>> listed(["17", "19"]), listed([str(hour) for hour in range(9)])
    ('17 or 19', '0, 1, 2, 3, 4, 5 or 3 more')
    """
    if len(keys) > most:
        return f"{', '.join(keys[:most])} or {len(keys) - most} more"
    return " or ".join([", ".join(keys[:-1]), keys[-1]]) if len(keys) > 1 else keys[0]


def _used(energy: Energy, hours: float) -> str:
    scale, unit = unit_of(energy.total.value)
    day, day_unit = unit_of(energy.a_day.value)
    partly = f", of {energy.hours:,.0f} of {hours:,.0f} hours" if energy.hours < hours else ""
    return (
        f"used {energy.total.value / scale:,.1f} {unit} ({_limits(energy.total, scale)}){partly}: "
        f"{energy.a_day.value / day:,.1f} {day_unit} a day ({_limits(energy.a_day, day)})"
    )


def _homes(fewest: int, most: int) -> str:
    return f"The {most:,} homes taking part" if fewest == most else f"The {fewest:,} to {most:,} homes taking part"


def _limits(number: Limited, scale: float) -> str:
    return f"{number.low / scale:,.1f} to {number.high / scale:,.1f}"


def _if_all(totals: EnergyTotals | None, name: str, scale: float) -> str:
    if totals is None:
        return "–"
    energy = totals.together if name == "together" else totals.by_appliance[name]
    return "–" if energy is None else f"{energy.a_day.value / scale:,.1f} ({_limits(energy.a_day, scale)})"
