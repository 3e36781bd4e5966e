"""Totals and the peak as JSON: kWh with their limits, the hours that they are of, and of whom."""

from typing import Any

from hushwatt.provider.estimate.totals.energy import Energy, EnergyTotals, Limited
from hushwatt.provider.estimate.totals.peak import Peak
from hushwatt.provider.estimate.totals.totals import Totals


def appliance_totals(totals: Totals | None, name: str) -> dict[str, Any]:
    """What one appliance uses: in the homes taking part, and by all customers."""
    if totals is None or (energy := totals.taking_part.by_appliance[name]) is None:
        return {}
    partly = {"hours": energy.hours} if energy.hours < totals.hours else {}
    return _of(totals.taking_part, name) | partly | _customers(totals, name)


def totals_document(totals: Totals | None) -> dict[str, Any]:
    """All appliances together, and what their totals are of."""
    if totals is None or totals.taking_part.together is None:
        return {}
    missing = [name for name, each in totals.taking_part.by_appliance.items() if each is None]
    whole = {
        "hours": totals.hours,
        "days": totals.days,
        "homes": [totals.fewest, totals.most],
        **({"of": "homes that measure"} if totals.taking_part.all_as_measured else {}),
        **_of(totals.taking_part, None),
        **({"without": missing} if missing else {}),
    }
    customers = _customers(totals, None)
    if customers and totals.borrowed:
        customers["customers"]["borrowed"] = dict(totals.borrowed)
    return {"totals": whole} | customers


def peak_document(peak: Peak | None) -> dict[str, Any]:
    """The key with the most watts, which others it could be, and its appliances, the most watts first."""
    if peak is None:
        return {}
    parts = {
        name: {
            "mean_watts": each.watts.value,
            "ci95": list(each.watts[1:]),
            "rank": each.rank,
            "rank_ci95": [each.best, each.worst],
        }
        for name, each in peak.by_appliance.items()
    }
    watts = {"mean_watts": peak.watts.value, "ci95": list(peak.watts[1:])}
    return {"peak": {"key": peak.key, "sure": peak.sure, "could_be": list(peak.could_be), **watts, "appliances": parts}}


def _customers(totals: Totals, name: str | None) -> dict[str, Any]:
    if totals.customers is None:
        return {}
    energy = _of(totals.customers, name)
    return {"customers": {"homes": round(totals.customers.homes), **energy}} if energy else {}


def _of(energy: EnergyTotals, name: str | None) -> dict[str, Any]:
    """One appliance or all; where some homes do not measure it, also as if they used as much as the others."""
    document = _energy(_pick(energy, name), "kwh")
    return (
        document
        if energy.all_as_measured is None
        else document | _energy(_pick(energy.all_as_measured, name), "kwh_if_all")
    )


def _pick(energy: EnergyTotals, name: str | None) -> Energy | None:
    return energy.together if name is None else energy.by_appliance[name]


def _energy(energy: Energy | None, key: str) -> dict[str, Any]:
    return {} if energy is None else _limited(energy.total, key) | _limited(energy.a_day, f"{key}_a_day")


def _limited(number: Limited, key: str) -> dict[str, Any]:
    return {key: number.value, f"{key}_ci95": [number.low, number.high]}
