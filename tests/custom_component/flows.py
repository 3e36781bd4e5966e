"""Walking through the forms as a person does, and waiting for what a real agent does in real time."""

import asyncio
import threading

from homeassistant.config_entries import SOURCE_USER
from homeassistant.helpers import issue_registry as ir

from hushwatt.household.home_folder import HomeFolder

DOMAIN = "hushwatt"
CANARY = "1234.5678"
POWER = {"unit_of_measurement": "W", "device_class": "power"}


async def start(hass, address, **more):
    """The first form, filled in."""
    flow = await hass.config_entries.flow.async_init(DOMAIN, context={"source": SOURCE_USER})
    assert flow["step_id"] == "user"
    return await go_on(hass, flow, address=address, **more)


async def go_on(hass, flow, **answers):
    return await hass.config_entries.flow.async_configure(flow["flow_id"], answers)


async def choose(hass, flow, name):
    """The plan of a name, where there are several."""
    if flow["step_id"] != "plan":
        return flow
    field = next(iter(flow["data_schema"].schema.values()))
    plan = next(each["value"] for each in field.config["options"] if each["label"].startswith(name))
    return await go_on(hass, flow, plan=plan)


async def to_consent(hass, address, name="Kettles", devices=None, **first):
    """All of it, up to the last form."""
    flow = await choose(hass, await start(hass, address, **first), name)
    assert flow["step_id"] == "terms", flow
    flow = await go_on(hass, flow)
    if flow["step_id"] == "caps":
        flow = await go_on(hass, flow, **{"raise": "whole"})
    return await go_on(hass, flow, **(devices or {}))


async def join(hass, address, name="Kettles", devices=None, **first):
    """An entry, set up."""
    flow = await go_on(hass, await to_consent(hass, address, name, devices, **first), agree=True)
    await hass.async_block_till_done(wait_background_tasks=True)
    return flow["result"]


async def until(condition, seconds=40):
    """Wait for something."""
    for _ in range(seconds * 20):
        if found := condition():
            return found
        await asyncio.sleep(0.05)
    raise AssertionError("it did not happen")


async def look(hass, entry):
    """Have the entities show what is so now."""
    await entry.runtime_data.async_refresh()
    await hass.async_block_till_done()


def value(here, query, *values):
    with HomeFolder(here).store() as store:
        return store.value(query, values)


def accepted(here):
    return value(here, "SELECT count(*) FROM reports WHERE answer = 'accepted'")


def issues(hass):
    """The keys of the issues that are shown."""
    return {
        each.translation_key
        for (domain, _), each in ir.async_get(hass).issues.items()
        if domain == DOMAIN and each.active
    }


def threads():
    return sorted(each.name for each in threading.enumerate() if each.name.startswith("hushwatt"))
