"""Removing an entry leaves the plan; moving on keeps it; what is shown to helpers tells nothing."""

import json

import pytest
from custom_components.hushwatt.diagnostics import async_get_config_entry_diagnostics
from homeassistant.helpers import entity_registry as er

from hushwatt.household.home_folder import HomeFolder
from hushwatt.plan.plan import Plan
from tests.household.serving import Provider

from .conftest import KETTLE, kettles
from .flows import CANARY, accepted, issues, join, look, start, threads, until, value


async def test_removing_the_entry_has_everything_erased(hass, here, provider, entry):
    """The keys are gone, the ledger stays with its spends, and nothing runs."""
    await until(lambda: accepted(here) >= 1)
    await hass.config_entries.async_remove(entry.entry_id)
    await hass.async_block_till_done()

    assert value(here, "SELECT left FROM plans") is not None
    assert value(here, "SELECT secret FROM plans") is None
    assert value(here, "SELECT sum(amount) FROM spends") > 0
    assert issues(hass) == set()
    assert threads() == []
    again = await join(hass, provider.address, devices=KETTLE)
    assert value(here, "SELECT count(*) FROM plans") == 1
    await hass.config_entries.async_unload(again.entry_id)


async def test_a_provider_out_of_reach_is_asked_again_to_erase(hass, here, tmp_path):
    """The home is silent at once; an issue says what was not done, until it is."""
    service = Provider(tmp_path, kettles(name="Distant kettles"))
    await hass.async_add_executor_job(service.start)
    entry = await join(hass, service.address, devices=KETTLE)
    await hass.async_add_executor_job(service.stop)
    await hass.config_entries.async_remove(entry.entry_id)
    await hass.async_block_till_done()
    left, kept = (value(here, f"SELECT {name} FROM plans") for name in ("left", "secret"))
    said = issues(hass)
    await hass.async_add_executor_job(service.start)
    await start(hass, service.address)
    await hass.async_block_till_done(wait_background_tasks=True)
    await hass.async_add_executor_job(service.stop)

    assert left is not None
    assert kept is not None
    assert said == {"not_erased"}
    assert value(here, "SELECT secret FROM plans") is None
    assert issues(hass) == set()


@pytest.fixture
async def replaced(hass, tmp_path):
    """A provider that replaces its plan when told to."""
    old = kettles(name="Old kettles")
    service = Provider(tmp_path, old)
    await hass.async_add_executor_job(service.start)
    plan = Plan.load(service.plans[0])
    entry = await join(hass, service.address, devices=KETTLE)

    def replace():
        service.stop()
        new = tmp_path / "new.toml"
        new.write_text(old.replace("Old kettles", "New kettles").replace("slot =", f'replaces = "{plan.id}"\nslot ='))
        service.plans.append(new)
        service.start()
        return Plan.load(new)

    yield plan, entry, replace
    await hass.config_entries.async_unload(entry.entry_id)
    await hass.async_add_executor_job(service.stop)


async def test_the_entry_follows_its_home_to_a_successor(hass, here, replaced):
    """Title, plan and ids are the new plan's; the entities are the old ones, under the names they had."""
    old, entry, replace = replaced
    registry = er.async_get(hass)
    registry.async_update_entity("switch.old_kettles_pause", name="Hush")
    before = {each.id for each in er.async_entries_for_config_entry(registry, entry.entry_id)}
    options = await hass.config_entries.options.async_init(entry.entry_id)
    form = await hass.config_entries.options.async_configure(options["flow_id"], {"next_step_id": "caps"})
    answers = {str(key): key.description["suggested_value"] for key in form["data_schema"].schema if key.description}
    await hass.config_entries.options.async_configure(
        options["flow_id"], {**answers, "smallest_minimum_homes": 10, "follow_successors": True}
    )
    new, agent = await hass.async_add_executor_job(replace), hass.data["hushwatt"].agent
    with HomeFolder(here).store() as store:
        store.write_value(f"look {old.id}", 1)  # the time that was drawn for the next look has come

    def moved():
        return value(here, "SELECT count(*) FROM plans WHERE plan = ? AND left IS NULL", new.id)

    await until(moved)
    await look(hass, entry)
    await hass.async_block_till_done(wait_background_tasks=True)
    after = er.async_entries_for_config_entry(registry, entry.entry_id)

    assert (entry.title, entry.unique_id, entry.data["plan"]) == ("New kettles", new.id, new.id)
    assert hass.data["hushwatt"].agent is agent
    assert {each.id for each in after} == before
    assert all(new.id in each.unique_id and old.id not in each.unique_id for each in after)
    assert registry.async_get("switch.old_kettles_pause").name == "Hush"
    assert hass.states.get("switch.old_kettles_pause").state == "off"


async def test_diagnostics_hold_no_secret(hass, here, entry):
    """Neither reading nor key, name of the home or of its device."""
    await until(lambda: accepted(here) >= 1)
    shown = json.dumps(await async_get_config_entry_diagnostics(hass, entry))
    secrets = [CANARY, value(here, "SELECT value FROM home WHERE name = 'home'"), "sensor.kettle_power"]
    secrets += [value(here, f"SELECT hex({name}) FROM plans").lower() for name in ("secret", "device", "provider")]

    assert not [each for each in secrets if each in shown.lower()]
    assert '"state": "taking part"' in shown
    assert '"entities": {"kettle": 1}' in shown
