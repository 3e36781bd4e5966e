"""Results are published as often as enough homes speak in between."""

from dataclasses import replace

import pytest

from hushwatt.plan.presets import preset
from hushwatt.plan.slot import SlotLength
from hushwatt.privacy.advice.publishing import publish_choices, published

YEARLY = replace(preset("advised"), window=365)


@pytest.mark.parametrize(
    "slot, publish, choices",
    [("1d", 1, [1, 7, 28]), ("1d", 2, [2, 7, 28]), ("15m", 1, [1, 4, 96, 672, 2688]), ("7d", 1, [1, 4])],
)
def test_periods_that_people_ask_for(slot, publish, choices):
    """What the plan has, then hours, days, weeks and four weeks of whole slots."""
    assert list(publish_choices(replace(YEARLY, slot=SlotLength.parse(slot), publish=publish))) == choices


def test_never_more_often_than_the_plan():
    """A plan that publishes by the week goes on doing so, however many homes there are."""
    assert published(replace(YEARLY, publish=7), 10**6).publish == 7


def test_appliances_count_one_by_one():
    """With one of fifteen appliances in a report, an appliance has a fifteenth of the homes."""
    one = replace(YEARLY, appliances_per_report=1)

    assert (published(YEARLY, 100_000).publish, published(one, 100_000).publish) == (1, 28)


def test_not_enough_homes():
    """Where four weeks are not enough, nothing could be shown."""
    assert published(YEARLY, 1_300) is None
