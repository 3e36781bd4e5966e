"""What is weaker in a plan than in the one it replaces is found, and nothing else."""

from dataclasses import replace

from tests.household.succeeding import old_plan, successor

from hushwatt.plan import Appliance, Plan, SlotLength
from hushwatt.privacy.successor import weaker


def test_an_appliance_must_not_cost_more():
    """Fewer appliances a report give each of them more."""
    old = old_plan(
        "lpu", appliances=(*old_plan(seed=2).appliances, Appliance.of("one more", [1, 2])), appliances_per_report=2
    )
    assert weaker(old, successor(old)) == []
    assert any("one appliance" in line for line in weaker(old, successor(old, appliances_per_report=1)))
    capped = replace(old, appliance_epsilon=1_500_000)
    assert weaker(capped, successor(capped, appliances_per_report=1)) == []
    assert any("on one appliance" in line for line in weaker(capped, successor(capped, appliance_epsilon=None)))


def test_every_part_of_a_plan_is_weighed_or_free():
    """A key that a plan gets later has to be thought about here."""
    free = {"name", "description", "contact", "start", "expires", "oracle", "mapping"}
    weighed = {"timezone", "slot", "epsilon", "window", "method", "decision", "appliances", "appliances_per_report"}
    weighed |= {"minimum_homes", "appliance_epsilon", "unmeasured", "replaces", "publish", "share_results"}
    assert set(Plan.__dataclass_fields__) == free | weighed


def test_results_must_not_appear_more_often():
    """A smaller period shows more closely when homes did what."""
    old = replace(old_plan(slot=SlotLength(1, "d")), publish=7)
    assert weaker(old, successor(old)) == weaker(old, successor(old, publish=30)) == []
    expected = "its results are published once every day, not once every 7 days: more closely"
    assert weaker(old, successor(old, publish=1)) == [expected]


def test_local_days_of_another_place_are_not_the_same_days():
    old = old_plan(slot=SlotLength(1, "d"), timezone="Europe/Paris")
    assert weaker(old, successor(old)) == []
    assert weaker(old, successor(old, timezone="America/New_York"))
    assert weaker(old, successor(old, slot=SlotLength(24, "h"), timezone="UTC"))


def test_results_must_not_be_shown_to_more():
    """A wider audience is for the owner to allow; a smaller one is no harm."""
    old = old_plan()
    shared = replace(old, share_results=True)
    expected = "it shows what is published to all homes, not to its provider alone"

    assert weaker(old, successor(old, share_results=True)) == [expected]
    assert weaker(shared, successor(shared)) == weaker(shared, successor(shared, share_results=False)) == []
