"""What an owner changes later: caps and the comparison."""

from homeassistant.helpers import entity_registry as er

from hushwatt.household.ledger.caps import Caps
from hushwatt.plan.amounts import MICRO

from .conftest import KETTLE
from .flows import POWER, accepted, join, until, value


async def open_form(hass, entry, step):
    flow = await hass.config_entries.options.async_init(entry.entry_id)
    return await hass.config_entries.options.async_configure(flow["flow_id"], {"next_step_id": step})


async def submit(hass, flow, **answers):
    done = await hass.config_entries.options.async_configure(flow["flow_id"], answers)
    await hass.async_block_till_done(wait_background_tasks=True)
    return done


async def test_only_caps_that_change_are_written(hass, here, entry):
    """The form shows what holds; what is lowered is in the file, exact to the millionth, and nothing else is named."""
    before = Caps.load(here / "caps.toml")
    flow = await open_form(hass, entry, "caps")
    shown = {str(key): key.description["suggested_value"] for key in flow["data_schema"].schema if key.description}
    assert shown["epsilon_per_window"] == 10.0
    assert "times in 100" in flow["description_placeholders"]["meaning"]
    others = {"smallest_minimum_homes": 10, "follow_successors": False}
    await submit(hass, flow, **{**shown, "epsilon_per_window": 0.1}, **others)
    after = Caps.load(here / "caps.toml")

    assert after.epsilon_per_window == MICRO // 10
    assert after.named == before.named | {"epsilon_per_window"}
    assert (here / "caps.toml").stat().st_mode & 0o077 == 0


async def test_caps_that_cannot_be_kept_are_refused(hass, here, entry):
    """What is beyond anything is an error on the form, and the file stays as it was."""
    before = (here / "caps.toml").read_text()
    flow = await open_form(hass, entry, "caps")
    answers = {"epsilon_per_year": 1e12, "smallest_minimum_homes": 10, "follow_successors": False}
    refused = await submit(hass, flow, **answers)

    assert refused["errors"] == {"base": "caps_refused"}
    assert (here / "caps.toml").read_text() == before


async def test_other_devices_are_checked_like_the_first(hass, here, entry):
    """One entity for two appliances is refused here too."""
    flow = await open_form(hass, entry, "devices")
    refused = await submit(hass, flow, Kettle=["sensor.kettle_power"], Fridge=["sensor.kettle_power"])

    assert refused["errors"] == {"base": "entity_twice"}


async def test_the_power_and_the_energy_of_one_plug_are_not_added(hass, here, entry, device_registry):
    """Two channels of one device may be; watts beside a counter of the same would count twice."""
    plug = device_registry.async_get_or_create(config_entry_id=entry.entry_id, identifiers={("test", "plug")})
    registry = er.async_get(hass)
    for name, kind, unit in (("a", "power", "W"), ("b", "power", "W"), ("c", "energy", "kWh")):
        registry.async_get_or_create("sensor", "test", name, suggested_object_id=name, device_id=plug.id)
        hass.states.async_set(f"sensor.{name}", "1", {**POWER, "device_class": kind, "unit_of_measurement": unit})
    refused = await submit(hass, await open_form(hass, entry, "devices"), Kettle=["sensor.a", "sensor.c"])
    done = await submit(hass, refused, Kettle=["sensor.a", "sensor.b"])

    assert refused["errors"] == {"base": "power_and_energy"}
    assert done["type"] == "create_entry"


async def test_comparing_is_the_owners_choice(hass, here, provider):
    """Where a plan shares its results, entities that compare are there from on to off, and own means likewise."""
    entry = await join(hass, provider.address, "Sharing", KETTLE)
    menu = await hass.config_entries.options.async_init(entry.entry_id)
    names = []
    for on in (True, False):
        names.append([each.entity_id for each in hass.states.async_all("sensor") if "compared" in each.entity_id])
        await submit(hass, await open_form(hass, entry, "compare"), compare=on)
        names.append([each.entity_id for each in hass.states.async_all("sensor") if "compared" in each.entity_id])
    kept = er.async_entries_for_config_entry(er.async_get(hass), entry.entry_id)

    assert menu["menu_options"] == ["devices", "caps", "compare"]
    assert [len(each) for each in names] == [0, 3, 3, 0]
    assert not [each for each in kept if "compare" in each.unique_id]
    assert value(here, "SELECT count(*) FROM plans") == 1
    await hass.config_entries.async_unload(entry.entry_id)


async def test_nothing_to_compare_is_not_offered(hass, entry):
    """A plan that shares nothing has no such form."""
    menu = await hass.config_entries.options.async_init(entry.entry_id)

    assert menu["menu_options"] == ["devices", "caps"]


async def test_no_option_costs_a_slot(hass, here, provider):
    """Devices, caps, successors and the comparison change while the agent lives on; every slot is reported."""
    entry = await join(hass, provider.address, "Quick", KETTLE)
    await until(lambda: accepted(here) >= 1)
    first = value(here, "SELECT max(slot) FROM reports")
    agent = hass.data["hushwatt"].agent
    for on in (True, False):
        await submit(hass, await open_form(hass, entry, "compare"), compare=on)
    await submit(hass, await open_form(hass, entry, "devices"), **KETTLE)
    flow = await open_form(hass, entry, "caps")
    shown = {str(key): key.description["suggested_value"] for key in flow["data_schema"].schema if key.description}
    await submit(hass, flow, **{**shown, "epsilon_per_window": 0.1}, smallest_minimum_homes=10, follow_successors=False)
    await until(lambda: value(here, "SELECT max(slot) FROM reports") >= first + 3)
    last = value(here, "SELECT max(slot) FROM reports")

    assert hass.data["hushwatt"].agent is agent
    assert value(here, "SELECT count(*) FROM silences WHERE last >= ?", first) == 0
    assert value(here, "SELECT count(*) FROM reports WHERE slot BETWEEN ? AND ?", first, last) == last - first + 1
    await hass.config_entries.async_unload(entry.entry_id)
