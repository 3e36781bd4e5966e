"""What is foretold of differences is what `compare` says when the reports are there."""

from dataclasses import replace

import numpy as np
import pytest
from tests.provider.simulated import plan_of

from hushwatt.errors import UsageError
from hushwatt.fleet.aggregate import aggregate
from hushwatt.plan.appliance import Appliance
from hushwatt.plan.presets import preset
from hushwatt.privacy.advice import prior_of
from hushwatt.privacy.advice.compared_slots import ComparedSlots
from hushwatt.privacy.advice.detect import DetectionSearch
from hushwatt.privacy.entropy import Simulation
from hushwatt.provider.estimate.collected import CollectedSlots
from hushwatt.provider.estimate.contrasts.contrast import contrasts

HOMES, MANY, SLOTS = 6000, 40_000, 12
LEVELS = [[0.0, 60.0, 150.0], [0.0, 300.0], [0.0, 40.0]]
TYPICAL = [(50.0, 140.0), (40.0, 400.0), (20.0, 35.0)]


def known(plan, typical):
    """The plan with other words about what is typical: of clipped watts where there are none in it."""
    priors = []
    for each, (mean, high) in zip(plan.appliances, typical, strict=True):
        priors.append(replace(prior_of(plan, each), mean=mean, high=high))
    return tuple(priors)


def as_thought(priors, homes, slots, rng):
    """Homes that are as the prior knowledge has it, each slot anew."""
    laws = [prior._law for prior in priors]
    return [np.stack([rng.choice(law[0], homes, p=law[1]) for law in laws], 1) for _ in range(slots)]


def reported(plan, priors, homes, slots, rng, first=0):
    watts = as_thought(priors, homes, slots, rng)
    return aggregate(plan, watts, homes, Simulation(int(rng.integers(1 << 40)), plan.id), first)


def said(plan, priors, compared, rng):
    """What `compare` calls detectable for each appliance, on reports of that size."""
    if compared.groups:
        sides = [CollectedSlots.of(plan, reported(plan, priors, HOMES // 2, SLOTS, rng)) for _ in range(2)]
        found = contrasts(sides, same_homes=False)
    else:
        tallies = reported(plan, priors, HOMES, 2 * SLOTS, rng)
        sides = [CollectedSlots.of(plan, tallies, 0, SLOTS - 1), CollectedSlots.of(plan, tallies, SLOTS)]
        found = contrasts(sides)
    return [each.detectable for each in found.by_appliance.values()]


MECHANISMS = [
    {"mapping": "dither", "oracle": "grr", "method": "lpu", "window": 3},
    {"mapping": "dither", "oracle": "grr", "method": "lpu", "window": 100},
    {"mapping": "dither", "oracle": "oue", "method": "lpu", "window": 4, "appliances_per_report": 1},
    {"mapping": "dither", "oracle": "sue", "method": "lbu", "window": 2},
    {"mapping": "dither", "oracle": "grr", "method": "lsp", "window": 3},
    {"oracle": "grr", "method": "lpu", "window": 6, "epsilon": "24"},
    {"oracle": "grr", "method": "lpu", "window": 12, "epsilon": "24", "appliances_per_report": 1},
]


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda each: "-".join(map(str, each.values())))
@pytest.mark.parametrize("groups", [True, False])
def test_foretold_is_what_compare_says(mechanism, groups):
    """Within 5 %, on reports of such homes; a law that is 10 % off would be told apart."""
    plan = plan_of(LEVELS, **({"epsilon": "6"} | mechanism))
    priors, rng = known(plan, TYPICAL), np.random.default_rng(1)
    compared = ComparedSlots.of_groups(SLOTS) if groups else ComparedSlots.of_stretches(SLOTS)
    found = DetectionSearch(plan, priors, HOMES, SLOTS, 0.1).found().appliances.values()
    foretold = [(each.groups if groups else each.stretches).detectable for each in found]
    later = np.mean([said(plan, priors, compared, rng) for _ in range(4)], axis=0)

    assert foretold == pytest.approx(later, rel=0.05)
    assert np.multiply(foretold, 1.1) != pytest.approx(later, rel=0.05)


def test_real_watts():
    """With tails to be guessed, what is foretold is near what is said."""
    plan = preset("everyday")
    priors, rng = tuple(prior_of(plan, each) for each in plan.appliances), np.random.default_rng(2)
    homes = 20_000
    found = DetectionSearch(plan, priors, homes, SLOTS, 0.1).found().appliances
    foretold = [each.stretches.detectable for each in found.values()]
    watts = as_thought(priors, homes, 2 * SLOTS, rng)
    plugs = rng.random((homes, len(priors))) < [prior.measured for prior in priors]
    tallies = aggregate(plan, [np.where(plugs, now, np.nan) for now in watts], homes, Simulation(3, plan.id))
    sides = [CollectedSlots.of(plan, tallies, 0, SLOTS - 1), CollectedSlots.of(plan, tallies, SLOTS)]
    ratios = np.array([each.detectable for each in contrasts(sides).by_appliance.values()]) / foretold

    assert np.median(ratios) == pytest.approx(1, abs=0.2)
    assert (ratios > 0.6).all()
    assert (ratios < 1.6).all()


@pytest.mark.parametrize("mechanism", [MECHANISMS[0], MECHANISMS[4]], ids=["lpu", "lsp"])
def test_so_many_homes_and_weeks_show_it(mechanism):
    """At the number of homes it takes the difference is just seen; a week less than it takes is not enough."""
    plan = replace(plan_of(LEVELS, **({"epsilon": "6", "slot": "1d"} | mechanism)), minimum_homes=20)
    priors = known(plan, TYPICAL)
    found = DetectionSearch(plan, priors, MANY, 30, 0.2).found()
    for name, each in found.appliances.items():
        again = DetectionSearch(plan, priors, each.groups.homes, 30, 0.2).found().appliances[name]
        assert again.groups.detectable == pytest.approx(each.shown, rel=1e-2)
        assert each.stretches.homes < each.groups.homes
        long = DetectionSearch(plan, priors, MANY, 7 * each.groups.weeks, 0.2).found().appliances[name]
        assert long.groups.detectable <= each.shown
        if each.groups.weeks > 1:
            short = DetectionSearch(plan, priors, MANY, 7 * (each.groups.weeks - 1), 0.2).found().appliances[name]
            assert short.groups.detectable > each.shown


def test_what_levels_and_homes_never_show():
    """A range that holds every reading shows no change; two hundred homes show no tenth within a year."""
    plan = plan_of([[0.0, 300.0]], method="lpu", window=30, slot="1d", epsilon="2", mapping="dither", minimum_homes=5)
    few = DetectionSearch(plan, known(plan, TYPICAL[1:2]), 200, 30, 0.1).found().appliances["appliance 0"]
    ranges = replace(plan, mapping="range", appliances=(Appliance.of("appliance 0", edges=[5000.0]),))
    hidden = DetectionSearch(ranges, known(plan, TYPICAL[1:2]), 200, 30, 0.1).found().appliances["appliance 0"]

    assert (few.groups.weeks, few.groups.homes is None) == (None, False)
    assert hidden.shown == pytest.approx(0, abs=1e-6)
    assert (hidden.groups.homes, hidden.stretches.weeks) == (None, None)


def test_the_minimum_of_homes_holds_on_each_side():
    """However large the difference, two groups need the plan's minimum twice."""
    plan = plan_of([[0.0, 300.0]], method="lbu", epsilon="100", minimum_homes=500, mapping="dither")
    each = DetectionSearch(plan, known(plan, TYPICAL[1:2]), 5000, 4000, 0.9).found().appliances["appliance 0"]

    assert (each.groups.homes, each.stretches.homes) == (1000, 500)


def test_homes_that_decide_cannot_be_foretold():
    with pytest.raises(UsageError, match="lba decides"):
        DetectionSearch(preset("paper"), (), 1000, 30, 0.1)
