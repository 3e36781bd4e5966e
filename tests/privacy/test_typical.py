"""What an appliance is thought to use on average: who says so comes first."""

from dataclasses import replace

import pytest

from hushwatt.plan.appliance import Appliance
from hushwatt.plan.catalogue import entry
from hushwatt.plan.presets import preset
from hushwatt.privacy.advice import prior_of
from hushwatt.privacy.typical import last_edge, typical_mean

KETTLE = Appliance.of("kettle", edges=[30, 90])
UNKNOWN = Appliance.of("perpetual motion machine", edges=[30, 90])


@pytest.mark.parametrize(
    ("appliance", "mean"),
    [
        (replace(KETTLE, typical_mean=12.5), 12.5),
        (KETTLE, entry("kettle").typical_mean),
        (replace(KETTLE, typical_high=3.0), 3.0),
        (UNKNOWN, 9.0),
        (replace(UNKNOWN, typical_high=40.0), 9.0),
        (Appliance.of("perpetual motion machine", values=[0, 50], mapping="dither"), 5.0),
        (replace(UNKNOWN, typical_mean=0.0), 9e-5),
    ],
)
def test_the_plan_then_the_catalogue_then_the_edges(plan_of, appliance, mean):
    """And advice thinks the same."""
    plan = plan_of(3)

    assert typical_mean(plan, appliance) == pytest.approx(mean)
    assert prior_of(plan, appliance).mean == typical_mean(plan, appliance)


def test_among_homes_that_measure_it():
    """Where "not measured" is an answer, the catalogue's mean over all homes is that of fewer homes."""
    plan, known = preset("everyday"), entry("tumble_drier")
    drier = Appliance.of("tumble_drier", edges=[30, 90])

    assert typical_mean(plan, drier) == pytest.approx(known.typical_mean / known.ownership)
    assert typical_mean(replace(plan, unmeasured="zero"), drier) == known.typical_mean


def test_last_edge():
    assert (last_edge(KETTLE), last_edge(Appliance.of("kettle", values=[0, 50], mapping="dither"))) == (90, 50)
