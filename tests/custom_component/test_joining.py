"""From a clean Home Assistant to an accepted report, in the browser's steps, with a real provider and ledger."""

import asyncio

from homeassistant.config_entries import ConfigEntryState

from hushwatt.household.home_folder import HomeFolder

from .conftest import CANARY
from .flows import choose, go_on, start


async def until(hass, condition, seconds=30):
    """Wait for something that a real agent does in real time."""
    for _ in range(seconds * 10):
        if condition():
            return
        await asyncio.sleep(0.1)
    raise AssertionError("it did not happen")


def accepted(here):
    with HomeFolder(here).store() as store:
        return store.value("SELECT count(*) FROM reports WHERE answer = 'accepted'") or 0


async def test_a_home_joins_and_its_reports_are_accepted(hass, here, provider, caplog):
    """The plan is shown, the caps refuse, they are raised, devices are guessed, consent is given, reports go out."""
    hass.states.async_set(
        "sensor.kettle_power", CANARY, {"unit_of_measurement": "W", "device_class": "power", "friendly_name": "Kettle"}
    )
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
    assert guesses == {"Kettle": ["sensor.kettle_power"], "Fridge": [], "Tv": []}
    flow = await go_on(hass, flow, Kettle=["sensor.kettle_power"])
    assert flow["step_id"] == "consent"
    flow = await go_on(hass, flow, agree=False)
    assert flow["errors"] == {"agree": "not_agreed"}
    assert not (here / "caps.toml").exists()
    flow = await go_on(hass, flow, agree=True)
    await hass.async_block_till_done()
    entry = flow["result"]
    assert entry.state is ConfigEntryState.LOADED
    await until(hass, lambda: accepted(here) >= 1)
    await entry.runtime_data.async_refresh()
    await hass.async_block_till_done()

    assert int(hass.states.get("sensor.kettles_reports_sent").state) >= 1
    assert hass.states.get("sensor.kettles_taking_part").state == "taking_part"
    assert hass.states.get("switch.kettles_pause").state == "off"
    assert hass.states.get("sensor.kettles_next_report").state > hass.states.get("sensor.kettles_last_report").state
    assert CANARY not in caplog.text
    for file in here.iterdir():
        assert CANARY.encode() not in file.read_bytes(), file
    assert await hass.config_entries.async_unload(entry.entry_id)
