"""The totals of a period: how long it was, who took part, and what they and all customers used."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from hushwatt.errors import UsageError
from hushwatt.provider.estimate.collected import CollectedSlots
from hushwatt.provider.estimate.measuring_mean import MeasuringMean
from hushwatt.provider.estimate.totals.covered_time import CoveredTime
from hushwatt.provider.estimate.totals.customers import Customers
from hushwatt.provider.estimate.totals.energy import EnergyTotals, energy_of_customers, energy_of_homes
from hushwatt.provider.estimate.totals.strata import KindOf, Strata


@dataclass(frozen=True)
class Totals:
    """kWh over the slots that were asked for."""

    hours: float  # of these slots
    days: float
    fewest: int  # homes taking part in a slot
    most: int
    taking_part: EnergyTotals
    customers: EnergyTotals | None = None  # where their number is given
    by_kind: bool = False  # whether each kind of homes stands for the customers of its kind
    borrowed: Mapping[str, str] = field(default_factory=dict)  # kinds of customers without an answer: from whom


def totals_of(
    collected: CollectedSlots,
    covered: CoveredTime,
    customers: Customers | None = None,
    kind_of: KindOf | None = None,
) -> Totals:
    """The totals of these slots; `kind_of` gives the homes with some labels, where customers have these."""
    asked = collected.timeline.requested
    homes = collected.slot_homes[asked]
    fewest, most = (int(homes.min()), int(homes.max())) if len(homes) else (collected.homes, collected.homes)
    totals = Totals(
        float(covered.hours[asked].sum()),
        float(covered.days[asked].sum()),
        fewest,
        most,
        energy_of_homes(collected, covered),
    )
    if customers is None:
        return totals
    check_customers(customers.homes, max(most, collected.homes))
    kind_of = kind_of or (lambda labels: collected)
    strata = Strata(collected, kind_of, customers, covered.hours, MeasuringMean.of)
    energy = energy_of_customers(collected, covered, customers, kind_of)
    return replace(totals, customers=energy, by_kind=bool(customers.kinds), borrowed=strata.borrowed())


def check_customers(customers: int, homes: int) -> None:
    """Refuse fewer customers than homes that take part."""
    if customers < homes:
        raise UsageError(f"customers is {customers:,}, but {homes:,} homes take part; give the number of all customers")
