"""Walking through the config flow as a person does."""

from homeassistant.config_entries import SOURCE_USER

DOMAIN = "hushwatt"


async def start(hass, address, **more):
    """The first form, filled in."""
    flow = await hass.config_entries.flow.async_init(DOMAIN, context={"source": SOURCE_USER})
    assert flow["step_id"] == "user"
    return await go_on(hass, flow, address=address, **more)


async def go_on(hass, flow, **answers):
    return await hass.config_entries.flow.async_configure(flow["flow_id"], answers)


async def choose(hass, flow, name):
    """The plan of a name, among several."""
    field = next(iter(flow["data_schema"].schema.values()))
    plan = next(each["value"] for each in field.config["options"] if each["label"].startswith(name))
    return await go_on(hass, flow, plan=plan)


async def join(hass, address, name="Kettles", **devices):
    """All of it, up to the entry."""
    flow = await choose(hass, await start(hass, address), name)
    assert flow["step_id"] == "terms", flow
    flow = await go_on(hass, flow)
    if flow["step_id"] == "caps":
        flow = await go_on(hass, flow, **{"raise": "whole"})
    flow = await go_on(hass, flow, **devices)
    flow = await go_on(hass, flow, agree=True)
    await hass.async_block_till_done()
    return hass.config_entries.async_entry_for_domain_unique_id(DOMAIN, flow["result"].unique_id)
