"""From a clean Home Assistant to an accepted report, in the browser's steps, with a real provider and ledger."""

from datetime import UTC, datetime

import pytest
from homeassistant.components.energy.data import async_get_manager
from homeassistant.config_entries import ConfigEntryState
from homeassistant.data_entry_flow import FlowResultType

from hushwatt.plan.plan import Plan

from .conftest import HOSTILE, KETTLE
from .flows import CANARY, POWER, accepted, choose, go_on, join, look, start, threads, to_consent, until, value


async def test_a_home_joins_and_its_reports_are_accepted(hass, here, provider, caplog):
    """The plan is shown, the caps refuse, they are raised, devices are guessed, consent is given, reports go out."""
    flow = await start(hass, provider.address)
    assert flow["step_id"] == "plan"
    flow = await choose(hass, flow, "Kettles")
    assert flow["step_id"] == "terms"
    assert "How many kettles boil" in flow["description_placeholders"]["terms"]
    flow = await go_on(hass, flow)
    assert flow["step_id"] == "caps"
    flow = await go_on(hass, flow, **{"raise": "whole"})
    assert flow["step_id"] == "devices"
    guesses = {str(key): key.description["suggested_value"] for key in flow["data_schema"].schema}
    assert guesses == {"Kettle": ["sensor.kettle_power"], "Fridge": [], "TV": []}
    flow = await go_on(hass, flow, **KETTLE)
    assert flow["step_id"] == "consent"
    flow = await go_on(hass, flow, agree=False)
    assert flow["errors"] == {"agree": "not_agreed"}
    assert not (here / "caps.toml").exists()
    assert value(here, "SELECT count(*) FROM plans") == 0
    flow = await go_on(hass, flow, agree=True)
    await hass.async_block_till_done(wait_background_tasks=True)
    entry = flow["result"]
    assert entry.state is ConfigEntryState.LOADED
    await until(lambda: accepted(here) >= 1)
    await look(hass, entry)

    assert int(hass.states.get("sensor.kettles_reports_sent").state) >= 1
    assert hass.states.get("sensor.kettles_taking_part").state == "taking_part"
    assert hass.states.get("switch.kettles_pause").state == "off"
    assert hass.states.get("sensor.kettles_next_report").state > hass.states.get("sensor.kettles_last_report").state
    assert 0 <= float(hass.states.get("sensor.kettles_privacy_budget_left").state) <= 0.001
    shown = [each.as_dict() for each in hass.states.async_all() if each.entity_id != "sensor.kettle_power"]
    assert len(shown) == 6
    assert CANARY not in str(shown)
    assert CANARY not in caplog.text.replace(f"sensor.kettle_power={CANARY}", "")
    for file in here.iterdir():
        assert CANARY.encode() not in file.read_bytes(), file
    assert {oct(file.stat().st_mode & 0o777) for file in here.iterdir()} == {"0o600"}
    again = await choose(hass, await start(hass, provider.address), "Kettles")
    assert again["reason"] == "already_configured"
    assert await hass.config_entries.async_unload(entry.entry_id)
    assert threads() == []


@pytest.mark.parametrize(
    "given, error",
    [
        ({"address": "127.0.0.1:1"}, "no_scheme"),
        ({"address": "ftp://127.0.0.1"}, "invalid_address"),
        ({"address": "http://energy.example.org"}, "invalid_address"),
        ({"address": "http://127.0.0.1:1"}, "cannot_connect"),
        ({"key": "00" * 32}, "wrong_provider"),
        ({"key": "what?"}, "invalid_key"),
    ],
)
async def test_what_is_wrong_with_the_first_form_is_said(hass, provider, given, error):
    """Each mistake has its own words, and what was typed stays in the form."""
    flow = await start(hass, **{"address": provider.address, **given})

    assert flow["errors"] == {"base": error}
    assert flow["description_placeholders"]["problem"]


async def test_one_who_keeps_the_caps_joins_nothing(hass, here, provider):
    """Nothing is written, and nobody was told anything."""
    flow = await choose(hass, await start(hass, provider.address), "Greedy")
    flow = await go_on(hass, flow)
    assert "epsilon&#95;per&#95;year is 20" in flow["description_placeholders"]["refusal"]
    kept = await go_on(hass, flow, **{"raise": "keep"})

    assert (kept["type"], kept["reason"]) == (FlowResultType.ABORT, "caps_kept")
    assert not (here / "caps.toml").exists()
    assert value(here, "SELECT count(*) FROM home WHERE name LIKE 'joining %'") == 0


async def test_a_plan_that_no_cap_allows_is_refused(hass, provider):
    """What is beyond anything that can be written is offered no choice."""
    flow = await go_on(hass, await choose(hass, await start(hass, provider.address), "Huge"))

    assert (flow["type"], flow["reason"]) == (FlowResultType.ABORT, "no_cap_allows")


async def test_a_plan_that_is_over_is_said_to_be(hass, provider):
    """Nobody is led through forms to a plan that has ended."""
    ended = Plan.load(provider.plans[-1]).expires
    await until(lambda: datetime.now(UTC) > ended)
    flow = await choose(hass, await start(hass, provider.address), "Brief")

    assert (flow["type"], flow["reason"]) == (FlowResultType.ABORT, "plan_over")


async def test_what_a_provider_writes_is_text(hass, provider):
    """A picture, a tag and a link in a description are shown as they were typed, and load nothing."""
    flow = await choose(hass, await start(hass, provider.address), "Hostile")
    terms = flow["description_placeholders"]["terms"]

    assert HOSTILE not in terms
    assert "![" not in terms
    assert "<img" not in terms
    assert "](" not in terms


async def test_what_would_be_counted_twice_is_refused(hass, provider):
    """One entity for two appliances is an error on the form."""
    flow = await go_on(hass, await choose(hass, await start(hass, provider.address), "Kettles"))
    flow = await go_on(hass, flow, **{"raise": "join"})
    flow = await go_on(hass, flow, Kettle=["sensor.kettle_power"], TV=["sensor.kettle_power"])

    assert flow["errors"] == {"base": "entity_twice"}


async def test_the_energy_dashboard_comes_first(hass, provider):
    """A device that the owner put on the dashboard is the guess, before anything that has a fitting name."""
    hass.config.components.add("energy")  # its preferences are all that matters; the rest needs a recorder
    energy = {"unit_of_measurement": "kWh", "device_class": "energy", "state_class": "total_increasing"}
    hass.states.async_set("sensor.plug_7_energy", "3.5", energy)
    hass.states.async_set("sensor.fridge_power", "80", POWER)
    device = {"stat_consumption": "sensor.plug_7_energy", "name": "Old kettle"}
    await (await async_get_manager(hass)).async_update({"device_consumption": [device]})
    flow = await go_on(hass, await choose(hass, await start(hass, provider.address), "Kettles"))
    flow = await go_on(hass, flow, **{"raise": "join"})
    guesses = {str(key): key.description["suggested_value"] for key in flow["data_schema"].schema}

    assert guesses == {"Kettle": ["sensor.plug_7_energy"], "Fridge": ["sensor.fridge_power"], "TV": []}
    assert "Old kettle" in flow["description_placeholders"]["dashboard"]


async def test_a_code_that_is_refused_can_be_typed_again(hass, here, other_provider):
    """The provider's words are shown, nothing stays, and the right code joins from the same form."""
    flow = await to_consent(hass, other_provider.address, code="wrong")
    refused = await go_on(hass, flow, agree=True)
    assert refused["errors"] == {"base": "refused"}
    assert "code" in refused["description_placeholders"]["problem"]
    assert value(here, "SELECT count(*) FROM plans") == 0
    joined = await go_on(hass, refused, agree=True, code=other_provider.code())
    await hass.async_block_till_done(wait_background_tasks=True)

    assert joined["type"] is FlowResultType.CREATE_ENTRY
    assert joined["data"].keys() == {"address", "home", "plan"}
    await hass.config_entries.async_unload(joined["result"].entry_id)


async def test_a_home_without_its_entry_is_taken_up_again(hass, here, provider, entry):
    """Where the ledger takes part and Home Assistant has forgotten it, nobody is enrolled a second time."""
    device = value(here, "SELECT device FROM plans")
    await hass.config_entries.async_unload(entry.entry_id)
    hass.config_entries._entries.pop(entry.entry_id)  # as after a restored .storage folder
    flow = await choose(hass, await start(hass, provider.address), "Kettles")
    assert flow["step_id"] == "devices"
    taken = await go_on(hass, flow, **KETTLE)
    await hass.async_block_till_done(wait_background_tasks=True)

    assert taken["type"] is FlowResultType.CREATE_ENTRY
    assert value(here, "SELECT device FROM plans") == device
    await hass.config_entries.async_unload(taken["result"].entry_id)


async def test_two_plans_do_not_meet(hass, here, provider, entry):
    """Each has entities of its own; one agent serves both, and goes on when one is unloaded."""
    other = await join(hass, provider.address, "Hostile", KETTLE)
    await look(hass, entry)
    names = {state.entity_id for state in hass.states.async_all("switch")}
    alive = threads()
    await hass.config_entries.async_unload(other.entry_id)

    assert names == {"switch.kettles_pause", "switch.hostile_kettles_pause"}
    assert alive == threads() == ["hushwatt-home", "hushwatt-upload"]


@pytest.mark.parametrize("late", [False, True])
async def test_a_home_sees_its_labels_before_it_agrees(hass, here, other_provider, late):
    """Once the caps allow the plan; a code that is typed at the very end leads back to what hangs on it."""
    code = other_provider.code("tariff=A", "region=north")
    flow = await start(hass, other_provider.address, **({} if late else {"code": code}))
    assert "files this home under" not in flow["description_placeholders"]["terms"]  # the caps refuse the plan still
    flow = await go_on(hass, flow)
    flow = await go_on(hass, flow, **{"raise": "whole"})
    if late:
        flow = await go_on(hass, flow, **KETTLE)
        flow = await go_on(hass, flow, agree=True)
        assert flow["errors"]["base"]
        flow = await go_on(hass, flow, agree=True, code=code)
    assert flow["step_id"] == "terms"
    assert (
        "The provider files this home under&#58; tariff A, region north&#46;"
        in flow["description_placeholders"]["terms"]
    )
    assert value(here, "SELECT count(*) FROM plans") == 0
    flow = await go_on(hass, await go_on(hass, flow), **KETTLE)
    joined = await go_on(hass, flow, agree=True)

    assert "tariff A, region north" in value(here, "SELECT words FROM consents")
    await hass.async_block_till_done(wait_background_tasks=True)
    assert await hass.config_entries.async_unload(joined["result"].entry_id)
