"""What a plug's name tells of its appliance, in several languages, and what it does not."""

import tomllib
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushwatt.household.sources.guess import MAX_NAME, guess_appliance, near_miss
from hushwatt.plan.catalogue import entries

CATALOGUE = [each.name for each in entries()] + ["mains"]
GUESSED = [
    ("washing machine", "washing_machine"),
    ("Waschmaschine", "washing_machine"),
    ("sensor.wasmachine_power", "washing_machine"),
    ("sensor.washing_machine_energy_2", "washing_machine"),
    ("Steckdose Waschmaschine Keller", "washing_machine"),
    ("Waschmaschinensteckdose", "washing_machine"),
    ("sensor.kuhlschrank_leistung", "fridge"),
    ("Kuehlschrank", "fridge"),
    ("Kühlschrank", "fridge"),
    ("tele/dishwasher/SENSOR", "dishwasher"),
    ("dish_washer", "dishwasher"),
    ("KitchenDishWasher", "dishwasher"),
    ("sensor.lave_vaisselle_puissance", "dishwasher"),
    ("Lave-linge", "washing_machine"),
    ("Fridge freezer", "fridge_freezer"),
    ("garage freezer", "freezer"),
    ("washer-dryer", "washer_drier"),
    ("Tumble Dryer plug", "tumble_drier"),
    ("zigbee2mqtt/kitchen/kettle", "kettle"),
    ("Wasserkocher", "kettle"),
    ("waterkoker", "kettle"),
    ("Bouilloire", "kettle"),
    ("Kettle power monitor", "kettle"),
    ("kettle smart meter plug", "kettle"),
    ("sensor.tv1_power", "tv"),
    ("Wärmepumpe", "heat_pump"),
    ("waermepumpe", "heat_pump"),
    ("Lodówka", "fridge"),
    ("zmywarka", "dishwasher"),
    ("Tvättmaskin", "washing_machine"),
    ("sensor.p1_meter_active_power", "mains"),
    ("Stromzähler", "mains"),
    ("sensor.linky_power", "mains"),
    ("glow/4C11AEADE104/SENSOR/electricitymeter", "mains"),
    ("shellyplug-s-4C11AE", None),
    ("tele/plug/SENSOR", None),
    ("power strip four", None),
    ("sensor.inverter_ac_power", None),
    ("sensor.energy_monitor_power", None),
    ("kettle and toast toaster iron fridge", "toaster"),
    ("tv pc", None),
    ("environment", None),
    ("", None),
    ("0x00158d0001", None),
    ("$$$ 💡", None),
]


@pytest.mark.parametrize("name, expected", GUESSED)
def test_a_name_tells_its_appliance(name, expected):
    """A name in use gives the catalogue's appliance, or none where it tells of none or of two."""

    assert guess_appliance(name, CATALOGUE) == expected


def test_the_answer_is_the_plan_s_own_name():
    """However the plan calls an appliance, the guess is that name."""

    assert guess_appliance("sensor.wasmachine_power", ["Waschmaschine"]) == "Waschmaschine"
    assert guess_appliance("Waschmaschine", ["washing machine"]) == "washing machine"
    assert guess_appliance("sensor.aquarium_heater_power", ["aquarium heater", "heater"]) == "aquarium heater"
    assert guess_appliance("sensor.a7_power", ["A7", "kettle"]) == "A7"


def test_what_the_plan_does_not_ask_about_is_not_guessed():
    """A dish washer is no washer, where the plan asks only of washing machines."""

    assert guess_appliance("dish washer", ["washing_machine", "kettle"]) is None
    assert guess_appliance("fridge", []) is None


def test_a_fridge_stands_for_a_fridge_freezer_where_only_that_is_asked():
    """Where both are asked, each is itself."""

    assert guess_appliance("sensor.fridge_power", ["fridge_freezer"]) == "fridge_freezer"
    assert guess_appliance("sensor.fridge_power", ["fridge_freezer", "fridge"]) == "fridge"


@pytest.mark.parametrize(
    "name, expected",
    [
        ("washing machine", "washing_machine"),
        ("Washing-Machine", "washing_machine"),
        ("washingmachine", "washing_machine"),
        ("washing_machin", "washing_machine"),
        ("washer", "washing_machine"),
        ("Waschmaschine", "washing_machine"),
        ("tumble_dryer", "tumble_drier"),
        ("kettel", "kettle"),
        ("fridge", "fridge"),
        ("freezer", None),
        ("dishwasher", None),
        ("washing_machine", None),
        ("aquarium", None),
        ("", None),
    ],
)
def test_a_slip_is_told(name, expected):
    """A name that is none of the plan's, but near one, names that one; another appliance is no slip."""
    asked = ["washing_machine", "tumble_drier", "kettle", "fridge" if name != "fridge" else "Fridge"]

    assert near_miss(name, asked) == (expected if name != "fridge" else "Fridge")


def test_no_word_means_two_appliances():
    """Each word of the file stands once, and is no other appliance's in the catalogue."""
    words = tomllib.loads((files("hushwatt.household.sources") / "appliance_words.toml").read_text())["words"]
    called = [(kind, word) for kind, each in words.items() for word in each]

    assert words.keys() <= set(CATALOGUE)
    assert [(kind, word) for kind, word in called if guess_appliance(word, CATALOGUE) != kind] == []
    assert len({word for _, word in called}) == len(called)


@given(st.text(max_size=2 * MAX_NAME), st.lists(st.text(max_size=20), max_size=5))
def test_any_name_is_answered(name, appliances):
    """Whatever a plug or an appliance is called, the guess is one of the appliances or none."""

    assert guess_appliance(name, appliances) in [None, *appliances]
    assert near_miss(name, appliances) in [None, *appliances]


@given(st.sampled_from(CATALOGUE))
def test_every_appliance_s_own_name_is_guessed(name):
    """An entity that is called like an appliance is that appliance's."""

    assert guess_appliance(f"sensor.{name}_power", CATALOGUE) == name
    assert near_miss(name.replace("_", " ") + " ", CATALOGUE) == name
