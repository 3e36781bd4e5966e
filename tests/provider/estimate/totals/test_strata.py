"""Post-stratified totals: kinds that take part more often than others do not count more than their customers."""

from dataclasses import replace

import numpy as np
import pytest
from tests.provider.living import asked_by_turns
from tests.provider.simulated import plan_of

from hushwatt.errors import UsageError
from hushwatt.provider.estimate.document import document
from hushwatt.provider.estimate.estimate import estimate
from hushwatt.provider.estimate.totals.customers import Customers
from hushwatt.provider.tally.labels import Cells
from hushwatt.provider.tally.tally import Tallies

VALUES, SLOTS = np.array([0.0, 1000.0]), 24
CELLS = Cells(("tariff", "region"), (("A", "north"), ("A", "south"), ("B", "north"), ("B", "south")))
TOWN = [3000, 2400, 1500, 600]  # customers of each cell
TAKING = [200, 300, 400, 500]  # of them, those taking part: volunteers differ from customers
USE = [0.1, 0.2, 0.5, 0.7]


def plan(**changes):
    keys = {"oracle": "grr", "epsilon": "8", "window": 4, "method": "lpu", "minimum_homes": 20} | changes
    return plan_of([VALUES, VALUES], **keys)


def labelled(rng, agreed, taking):
    """Tallies of every cell by itself, and what all customers used."""
    parts, used = [], np.zeros(2)
    for customers, homes, use in zip(TOWN, taking, USE, strict=True):
        habit = rng.beta(4 * use, 4 - 4 * use, size=customers)
        levels = [(rng.random((SLOTS, customers)) < habit).astype(int), (rng.random((SLOTS, customers)) < 0.3) * 1]
        used += [each.sum() for each in levels]
        parts.append(asked_by_turns(rng, agreed, [each[:, :homes] for each in levels]) if homes else Tallies(0, {}))
    groups = {
        key._replace(cell=cell): tally for cell, part in enumerate(parts, 1) for key, tally in part.groups.items()
    }
    counted = dict(enumerate(taking, 1))
    return Tallies(sum(taking), groups, cells=CELLS, cell_homes=counted), used


def customers(kinds=TOWN):
    rows = [dict(zip(CELLS.names, values, strict=True)) for values in CELLS.values]
    return Customers(sum(kinds), tuple(zip(rows, kinds, strict=True)))


def coverage(seeds, told, taking=TAKING, **changes):
    inside = []
    for seed in range(seeds):
        tallies, used = labelled(np.random.default_rng(seed), plan(**changes), taking)
        found = estimate(plan(**changes), tallies, customers=told).totals.customers
        energy = [each.total for each in (*found.by_appliance.values(), found.together)]
        inside += [each.low <= kwh <= each.high for each, kwh in zip(energy, [*used, used.sum()], strict=True)]
    return np.mean(inside)


@pytest.mark.parametrize("oracle", ["grr", "oue"])
def test_kinds_cover(oracle):
    """Totals cover where each kind stands for its customers."""
    assert coverage(25, customers(), oracle=oracle) >= 0.93


def test_a_plain_number_does_not():
    """Taken for a random sample of all, volunteers of another mixture miss."""
    assert coverage(8, Customers(sum(TOWN))) < 0.5


def test_wrong_numbers_of_customers_do_not():
    """Kinds that stand for the customers of others miss."""
    assert coverage(8, customers(TOWN[::-1])) < 0.5


def test_a_kind_that_is_too_small_borrows():
    """Customers of a kind without an answer are estimated from the wider one, which is said; nothing else is told."""
    taking = [200, 300, 400, 5]
    tallies, _ = labelled(np.random.default_rng(1), plan(), taking)
    told = document(estimate(plan(), tallies, customers=customers(), by=["tariff", "region"]))
    hidden = [name for name, each in told["groups"].items() if "appliances" not in each]

    assert "tariff=B,region=south" in hidden
    assert set(told["customers"]["borrowed"]) == set(hidden) - {"tariff=(none),region=(none)"}
    assert told["customers"]["borrowed"]["tariff=B,region=south"] in ("tariff=B", "all homes")


def test_borrowing_is_from_what_is_published():
    """The total is the published means, each times the customers that it stands for."""
    tallies, _ = labelled(np.random.default_rng(1), plan(), [200, 300, 400, 5])
    found = estimate(plan(), tallies, customers=customers(), by=["tariff", "region"])
    margin = estimate(plan(), tallies, by=["tariff"])
    means = {each.name: each.by_period["appliance 0"] for each in (*found.groups, *margin.groups)}
    means["all homes"] = found.by_period["appliance 0"]
    total = 0.0
    for labels, count in customers().kinds:
        name = ",".join(f"{label}={value}" for label, value in labels.items())
        total += count * means[found.totals.borrowed.get(name, name)].watts * SLOTS / 1000

    assert found.totals.customers.by_appliance["appliance 0"].total.value == pytest.approx(total)


def test_borrowing_covers_a_kind_like_its_neighbours(monkeypatch):
    """Where the small kind is like the wider one, totals cover; taking the two for independent may not be narrower."""
    monkeypatch.setattr("tests.provider.estimate.totals.test_strata.USE", [0.3, 0.3, 0.5, 0.5])

    assert coverage(20, customers(), taking=[200, 300, 600, 5]) >= 0.93


def test_real_watts_and_homes_that_do_not_measure():
    """Kinds are put together before the tail is judged and before parts are taken: one kind for all is no kind."""
    clipped = plan_of([[0.0, 500.0, 1000.0]], mapping="dither", oracle="oue", epsilon="4", unmeasured="answer")
    real = replace(clipped, appliances=tuple(replace(each, typical_high=900.0) for each in clipped.appliances))
    rng = np.random.default_rng(1)
    from tests.provider.simulated import repeated_slots

    tallies = repeated_slots(rng, real, [np.array([400, 200, 100, 300])], 6)
    groups = {key._replace(cell=1): tally for key, tally in tallies.groups.items()}
    one = replace(tallies, groups=groups, cells=Cells(("tariff",), (("A",),)), cell_homes={1: tallies.homes})
    found = [
        estimate(real, one, customers=told).totals.customers
        for told in (Customers(5000), Customers(5000, (({"tariff": "A"}, 5000),)))
    ]

    for plain, kinds in ((each.all_as_measured, other.all_as_measured) for each, other in [found]):
        assert kinds.together.total == pytest.approx(plain.together.total, rel=1e-3)
    assert found[1].together.total == pytest.approx(found[0].together.total, rel=1e-3)


def test_fewer_customers_of_a_kind_than_homes():
    tallies, _ = labelled(np.random.default_rng(1), plan(), TAKING)

    with pytest.raises(UsageError, match="customers with tariff=B,region=south are 499, but 500 homes take part"):
        estimate(plan(), tallies, customers=customers([3000, 2400, 1500, 499]))


def test_kinds_in_hours():
    """The hours' totals add up to the day's for kinds too."""
    tallies, _ = labelled(np.random.default_rng(1), plan(), TAKING)
    found = estimate(plan(), tallies, customers=customers(), fold="hour")
    hours = [each.totals.customers.by_appliance["appliance 0"].total.value for each in found.folds]

    assert sum(hours) == pytest.approx(found.totals.customers.by_appliance["appliance 0"].total.value)
