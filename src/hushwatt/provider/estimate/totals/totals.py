"""The totals of a period: how long it was, who took part, and what they and all customers used."""

from dataclasses import dataclass

from hushwatt.errors import UsageError
from hushwatt.provider.estimate.collected import CollectedSlots
from hushwatt.provider.estimate.totals.covered_time import CoveredTime
from hushwatt.provider.estimate.totals.energy import EnergyTotals, energy_of_customers, energy_of_homes


@dataclass(frozen=True)
class Totals:
    """kWh over the slots that were asked for."""

    hours: float  # of these slots
    days: float
    fewest: int  # homes taking part in a slot
    most: int
    taking_part: EnergyTotals
    customers: EnergyTotals | None = None  # where their number is given


def totals_of(collected: CollectedSlots, hours_a_day: float | None = None, customers: int | None = None) -> Totals:
    """The totals of these slots; days have so many hours where only some were asked for."""
    covered = CoveredTime.of(collected.plan, collected.timeline, hours_a_day)
    asked = collected.timeline.requested
    homes = collected.slot_homes[asked]
    fewest, most = (int(homes.min()), int(homes.max())) if len(homes) else (collected.homes, collected.homes)
    check_customers(customers, max(most, collected.homes))
    return Totals(
        float(covered.hours[asked].sum()),
        float(covered.days[asked].sum()),
        fewest,
        most,
        energy_of_homes(collected, covered),
        None if customers is None else energy_of_customers(collected, covered, customers),
    )


def check_customers(customers: int | None, homes: int) -> None:
    """Refuse fewer customers than homes that take part."""
    if customers is not None and customers < homes:
        raise UsageError(f"customers is {customers:,}, but {homes:,} homes take part; give the number of all customers")
