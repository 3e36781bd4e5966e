"""Every preset is a plan, and the paper's are the paper's."""

import pytest

from hushwatt.errors import PlanError
from hushwatt.plan.amounts import MICRO
from hushwatt.plan.presets import preset, preset_text, presets

CODES = [  # A1 to A15
    *("vacuum_cleaner", "kettle", "microwave", "dishwasher", "tumble_drier", "fridge_freezer"),
    *("washing_machine", "freezer", "fridge", "dehumidifier", "other", "grill", "toaster"),
    *("electric_oven", "electric_heater"),
]


@pytest.mark.parametrize("name", presets())
def test_every_preset_is_a_plan(name):
    """A preset reads, says honestly who asks, and explains itself in comments."""
    plan = preset(name)

    assert plan.calendar.slots > 365
    assert "example" not in plan.contact
    assert preset_text(name).startswith("#")


def test_the_papers_presets_are_there():
    """Both settings of the paper can be repeated by name."""

    assert {"paper", "paper-synthetic"} <= set(presets())


def test_paper():
    """ε 10, any 3 days, LBA with OUE, 15 appliances and the authors' ten ranges."""
    plan = preset("paper")

    assert (plan.epsilon, plan.window, plan.method, plan.decision) == (10 * MICRO, 3, "lba", "household")
    assert (plan.oracle, plan.mapping, plan.appliances_per_report) == ("oue", "range", 15)
    assert list(plan.names) == CODES
    assert {each.edges for each in plan.appliances} == {(250, 500, 750, 1000, 1250, 1500, 1750, 2000, 2500)}
    assert (plan.width, plan.minimum_homes) == (150, 100)


def test_paper_synthetic():
    """ε 2, any 2 slots, ten equal ranges of 0 to 3000 W."""
    plan = preset("paper-synthetic")

    assert (plan.epsilon, plan.window, plan.method) == (2 * MICRO, 2, "lba")
    assert list(plan.names) == CODES
    assert {each.edges for each in plan.appliances} == {tuple(range(300, 3000, 300))}
    assert plan.appliances[0].values == tuple(range(150, 3000, 300))


def test_no_such_preset():
    """A misspelt preset is answered with the nearest, or with all."""
    with pytest.raises(PlanError, match="there is no preset 'papers'; did you mean 'paper'"):
        preset("papers")
    with pytest.raises(PlanError, match=r"there is no preset '\.\./x'; there are .*paper, paper-synthetic"):
        preset_text("../x")
