"""What could measure an appliance: in a good order, with a guess, and as words for sources.toml."""

import tomllib

from hushwatt.household.sources.candidate import SourceCandidate, best_of_each, in_order, plug_candidate
from hushwatt.household.sources.discover import DiscoveredPlug

APPLIANCES = ["kettle", "oven", "tv"]


def test_an_entity_in_toml():
    """The owner's file can have it as it is."""
    candidate = SourceCandidate("entity", "sensor.kettle_power", "Kettle", 12.0, "kettle")

    assert tomllib.loads(candidate.toml) == {"entity": [{"appliance": "kettle", "entity": "sensor.kettle_power"}]}


def test_a_plug_in_toml_whatever_its_topic():
    """A hostile topic stays in its quotes."""
    plug = DiscoveredPlug("custom", 'x"\n[[plug]]', (("path", "a.b"),), watts=5.0)

    assert tomllib.loads(plug_candidate(plug, APPLIANCES).toml) == {
        "plug": [{"appliance": "?", "preset": "custom", "topic": 'x"\n[[plug]]', "path": "a.b"}]
    }


def test_names_are_guessed_in_turn():
    """The first that speaks of one of the home's appliances counts."""
    candidate = SourceCandidate("entity", "sensor.plug_3_power", "Plug 3")

    assert candidate.guessed(APPLIANCES).appliance is None
    assert candidate.guessed(APPLIANCES, "", "Plug 3", "Water kettle").appliance == "kettle"
    assert plug_candidate(DiscoveredPlug("zigbee2mqtt", "living/tv"), APPLIANCES).appliance == "tv"


def test_the_energy_dashboard_is_first():
    """Then those with a guess, by name."""
    one = SourceCandidate("entity", "sensor.a", "A")
    two = SourceCandidate("entity", "sensor.b", "B", appliance="tv")
    three = SourceCandidate("entity", "sensor.c", "C", chosen_there=True)

    assert in_order([one, two, three]) == [three, two, one]


def test_one_for_each_appliance():
    """The first that tells watts now; a retained message of a plug that was given away is none."""
    silent = SourceCandidate("entity", "sensor.a_energy", "A", None, "tv", chosen_there=True)
    speaking = SourceCandidate("entity", "sensor.b_power", "B", 5.0, "tv")
    retained = SourceCandidate("tasmota", "c", "C", 5.0, "oven", fresh=False)
    nothing = SourceCandidate("entity", "sensor.d_power", "D", 5.0)

    assert best_of_each([silent, speaking, retained, nothing]) == [speaking]


def test_watts_are_in_no_repr():
    """They are for the table on the owner's terminal alone."""
    candidate = SourceCandidate("entity", "sensor.a", "A", 2345.6)

    assert "2345" not in repr(candidate)
    assert candidate.table["watts"] == 2345.6
    assert "2345" not in repr(DiscoveredPlug("tasmota", "a", watts=2345.6))


def test_a_meter_of_the_house_is_guessed_as_such():
    """Whatever its topic is, unless that speaks of an appliance; and two plugs of one device have two names."""
    meter = DiscoveredPlug("shelly", "shellypro3em-1", (("component", "em:0"),), whole_house=True)
    cellar = DiscoveredPlug("shelly", "heat-pump", (("component", "em:0"),), whole_house=True)

    assert plug_candidate(meter, [*APPLIANCES, "mains"]).appliance == "mains"
    assert plug_candidate(meter, ["kettle", "smart meter"]).appliance == "smart meter"
    assert plug_candidate(meter, ["kettle"]).appliance is None
    assert plug_candidate(cellar, ["heat pump", "mains"]).appliance == "heat pump"
    assert plug_candidate(DiscoveredPlug("tasmota", "strip", (("channel", "2"),)), ["tv"]).name == "strip 2"
