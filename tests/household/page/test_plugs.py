"""Where watts come from: fresh, silent since when, of no plan, or of nobody."""

import pytest
from tests.household.page.looking import source

MINUTE = 60 * 10**9


def test_a_plug_that_measures(owner):
    """With the time it was last heard."""
    owner.health = [source("appliance 0", "Tasmota 1", owner.home.clock.wall)]

    assert "appliance 0 Tasmota 1 measuring , last heard Saturday 6 January 2024, 00:00" in owner.text()


def test_a_plug_that_is_silent(owner):
    """Since when, and why where that is known."""
    heard = owner.home.clock.wall - 90 * MINUTE
    owner.health = [
        source("appliance 0", "p", heard, fresh=False),
        source("appliance 1", "q", fresh=False, trouble="no"),
    ]
    text = owner.text()

    assert "silent since Friday 5 January 2024, 22:30" in text
    assert "nothing heard since hushwatt started (no)" in text


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Appliance-0", "No plan asks about “Appliance-0”: you may mean “appliance 0”."),
        ("aquarium", "No plan asks about it; nothing about it is sent."),
    ],
)
def test_a_name_that_no_plan_knows(owner, name, words):
    """A slip is not taken for a plug that measures what is asked."""
    owner.health = [source(name, "p", owner.home.clock.wall)]

    assert words in owner.text()


def test_what_nobody_measures_is_shown_as_such(owner):
    """Each appliance of a plan without a plug, and what the home reports of it."""
    owner.health = [source("appliance 1", "p", owner.home.clock.wall)]
    text = owner.text()

    assert "appliance 0 none nobody measures it: your home reports 0 W, changed" in text
    owner.health = []
    assert "appliance 0, appliance 1 none nobody measures them: your home reports 0 W for each" in owner.text()


def test_a_table_may_measure_all(owner):
    """Of a home with a table, nothing is said to be measured by nobody."""
    owner.health = [source("table", "readings.csv", owner.home.clock.wall)]

    assert "nobody measures it" not in owner.text()


def test_no_plugs_at_all(owner):
    """A home that takes part in nothing and has none is told how to begin."""
    with owner.home.store.transaction() as disk:
        disk.execute("UPDATE plans SET left = 1")

    assert "None yet: name your plugs in sources.toml." in owner.text()


def test_names_from_outside_are_escaped(owner):
    """Topics and names may be anyone's."""
    owner.health = [source("<script>", "<script>x</script>", owner.home.clock.wall, trouble="<b>")]

    assert "<script>" not in owner.get().body
