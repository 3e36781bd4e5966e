"""Hours, weekdays and months on a terminal: each appliance with its most and its least."""

import numpy as np
from tests.provider.estimate.times.test_fold import NAME, VALUES, living_homes, spoken_by_turns
from tests.provider.simulated import plan_of

from hushwatt.cli.fold_table import fold_tables
from hushwatt.provider.estimate.estimate import estimate


def test_the_most_and_the_least_are_those_of_the_folds():
    plan, rng = plan_of([VALUES], oracle="grr", epsilon="6", window=8, method="lpu"), np.random.default_rng(1)
    found = estimate(plan, spoken_by_turns(rng, plan, living_homes(rng)), fold="hour")
    (table,) = fold_tables(found)
    name, line, most, watts, limits, least, *_ = (str(next(iter(column.cells))) for column in table.columns)
    periods = {each.key: each.by_period[NAME] for each in found.folds}
    high = max(periods, key=lambda key: periods[key].watts)

    assert (name, len(line), most) == (NAME, 24, high)
    assert watts == f"{periods[high].watts:,.1f}"
    assert limits == f"{periods[high].low:,.1f} to {periods[high].high:,.1f}"
    assert least == min(periods, key=lambda key: periods[key].watts)


def test_no_fold_no_table():
    plan, rng = plan_of([VALUES], oracle="grr", epsilon="6", window=8, method="lpu"), np.random.default_rng(1)

    assert fold_tables(estimate(plan, spoken_by_turns(rng, plan, living_homes(rng)))) == []


def test_an_appliance_without_an_answer():
    """Dashes, where too few homes spoke of it at any hour."""
    plan = plan_of([VALUES], oracle="grr", epsilon="6", window=8, method="lpu", minimum_homes=5000)
    rng = np.random.default_rng(1)
    found = estimate(plan, spoken_by_turns(rng, plan, living_homes(rng)), fold="weekday")

    assert [next(iter(column.cells)) for column in fold_tables(found)[0].columns][2:] == ["–"] * 6
