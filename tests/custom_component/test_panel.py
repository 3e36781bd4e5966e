"""The owner's page inside Home Assistant: for administrators, and with the page's own rules."""

import re

import pytest
from homeassistant.setup import async_setup_component

from .flows import look, threads, value

PAGE = "/api/hushwatt/page/"


@pytest.fixture
async def shown(hass, entry, hass_client):
    """A browser in which an administrator is signed in."""
    hass.config.components.add("frontend")  # its page is not looked at here, only what it would fetch
    await hass.config_entries.async_reload(entry.entry_id)
    await hass.async_block_till_done(wait_background_tasks=True)
    assert await async_setup_component(hass, "http", {})
    return await hass_client()


async def test_an_administrator_looks_and_presses(hass, here, shown, entry):
    """The page comes as it is, a button needs the page's own key, and does what the switch does."""
    page = (await (await shown.get(PAGE)).json())["body"]
    key = re.search(r'name="key" value="([^"]+)"', page)[1]
    forged = await (await shown.post(PAGE + "pause", data={"key": "another"})).json()
    before = value(here, "SELECT paused FROM plans")
    pressed = await (await shown.post(PAGE + "pause", data={"key": key})).json()
    await look(hass, entry)
    missing = await (await shown.get(PAGE + "nothing")).json()
    script = await (await shown.get("/hushwatt_files/panel.js")).text()

    assert "Kettles" in page
    assert forged["status"] == 403
    assert before is None
    assert pressed["status"] == 303
    assert pressed["location"] is not None
    assert hass.states.get("switch.kettles_pause").state == "on"
    assert missing["status"] == 404
    assert "hushwatt-panel" in script
    assert hass.data["frontend_panels"]["hushwatt"].require_admin


async def test_nobody_else_looks(hass, shown, hass_client_no_auth, hass_admin_user):
    """Neither who is not signed in, nor who is no administrator."""
    stranger = await (await hass_client_no_auth()).get(PAGE)
    hass_admin_user.groups = []
    guest = await shown.get(PAGE)
    pressed = await shown.post(PAGE + "pause", data={"key": "any"})

    assert stranger.status == 401
    assert guest.status == pressed.status == 401


async def test_the_panel_goes_with_the_last_entry(hass, shown, entry):
    """And the page with the agent."""
    await hass.config_entries.async_unload(entry.entry_id)
    answer = await shown.get(PAGE)

    assert "hushwatt" not in hass.data["frontend_panels"]
    assert answer.status == 503
    assert threads() == []
