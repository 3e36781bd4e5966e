"""How finely time is told: the rule, and what the page says of it."""

import re

import numpy as np
import pytest
from tests.provider.collecting import histories, records
from tests.provider.shown import Shown

from hushwatt.plan import SlotLength
from hushwatt.provider.dashboard.page_context import SlotCell
from hushwatt.provider.dashboard.resolution import Precision

HOMES, DAYS = 25, 4


def cells(values, noise):
    return [SlotCell(place, 100, value, value - 9, value + 9, noise) for place, value in enumerate(values)]


@pytest.mark.parametrize(
    "values, noise, says",
    [
        ([100.0, 100.0], 12.0, True),  # ±23.5 of 100 W
        ([100.0, 100.0], 13.0, False),  # ±25.5
        ([-100.0, -100.0], 12.0, True),
        ([10.0, 90.0, 10.0, 90.0], 15.0, True),  # it goes up and down by ±37, the noise is ±29
        ([10.0, 90.0, 10.0, 90.0], 20.0, False),  # by ±34.6 beyond the noise, which is ±39
        ([0.0, 0.0], 0.1, False),
    ],
)
def test_numbers_say_something_by_their_noise(values, noise, says):
    """Where the noise is within a quarter of the mean, or below what the appliance itself goes up and down by."""

    assert Precision.of(cells(values, noise)).says is says


def test_what_is_missing_says_nothing():
    """Slots without an answer are no zeros; where all are, nothing is known."""
    hole = SlotCell(9, 0, missing="too few homes")

    assert Precision.of([*cells([100.0, 100.0], 12.0), hole]) == Precision.of(cells([100.0, 100.0], 12.0))
    assert Precision.of([hole]) is None


def test_noise_that_is_taken_for_ups_and_downs_says_nothing():
    """Numbers that scatter by their noise alone are not told slot by slot, however far they scatter."""
    chance = np.random.default_rng(1)
    found = [Precision.of(cells(chance.normal(1.0, 50.0, 40).tolist(), 50.0)).says for _ in range(200)]

    assert np.mean(found) < 0.01


@pytest.fixture(scope="module")
def plan(plan_of):
    return plan_of(2, minimum_homes=10, epsilon=1_500_000, slot=SlotLength(1, "h"), window=1)


@pytest.fixture
def talk(collecting, plan):
    """Few homes with much noise, by the hour."""
    talk = collecting(plan)
    key, name, devices = talk.gateway(HOMES)
    for sent in histories(plan, HOMES, 24 * DAYS):
        talk.at_slot(sent.slot)
        talk.send(key, name, records(devices, sent))
    talk.at_slot(24 * DAYS)
    return talk


def test_a_hedge_of_noise_is_told_by_the_day(talk):
    """The page says by what it tells and why, and raw slots are a click away; that choice is said too."""
    page = talk.client.get("/series").text
    raw = re.search(r'<a href="([^"]*per=slot[^"]*)">By the slot</a>', page)
    shown, slots = Shown(talk.client.get("/series")), Shown(talk.client.get(raw[1].replace("&amp;", "&")))
    (names, *rows) = shown.tables["Mean watts of a home, with 95 % intervals"]

    assert "Shown by the day, the finest measure at which the numbers say something" in shown.text
    assert re.search(r"within a quarter of its mean \([\d.]+\u202fW\)", shown.text)
    assert re.search(r"By the slot it would be ±[\d.]+\u202fW, which is mostly noise", shown.text)
    assert names[:2] == ["Day", "Slots"]
    assert [row[:2] for row in rows] == [[f"{day} Jan 2024", "24"] for day in range(1, DAYS + 1)]
    assert "Shown by the slot, as asked for" in slots.text
    assert "mostly noise" in slots.text
    assert len(slots.tables["Mean watts of a home, with 95 % intervals"]) == 1 + 24 * DAYS


def test_the_heat_map_begins_its_days_at_midnight(talk):
    """Marks on the axis of hours stand where days begin."""
    axis = Shown(talk.client.get("/times?per=slot")).charts["times"]["layout"]["xaxis"]

    assert axis["tickvals"] == [24 * day for day in range(DAYS)]
    assert axis["ticktext"] == [f"{day} Jan" for day in range(1, DAYS + 1)]
