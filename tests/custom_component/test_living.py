"""A home that lives in Home Assistant: paused, renamed, restarted, refused, and never left running."""

from custom_components.hushwatt.backup import async_post_backup, async_pre_backup
from homeassistant.config_entries import ConfigEntryState
from homeassistant.const import EVENT_HOMEASSISTANT_STOP, STATE_UNAVAILABLE
from homeassistant.helpers import entity_registry as er

from hushwatt.household.clock import SystemHomeClock
from hushwatt.household.home_folder import HomeFolder
from hushwatt.household.home_thread import HomeThread
from hushwatt.household.run import Runner
from hushwatt.household.sources.hub import Hub
from hushwatt.household.sources.sources_file import SourcesFile

from .conftest import KETTLE
from .flows import CANARY, POWER, issues, join, look, threads, until, value


async def press(hass, service):
    await hass.services.async_call("switch", service, {"entity_id": "switch.kettles_pause"}, blocking=True)


def heard(hass):
    """What the agent listens to, and whether it is fresh."""
    hub = hass.data["hushwatt"]._thread.runner.hub
    return {each["name"]: each["fresh"] for each in hub.health(SystemHomeClock().look().wall)}


async def test_a_person_pauses_and_resumes(hass, here, entry):
    """The switch holds at once, on the disk too; whoever may press it may also end the pause."""
    await press(hass, "turn_on")
    paused = hass.states.get("switch.kettles_pause").state, value(here, "SELECT paused FROM plans")
    taking_part = hass.states.get("sensor.kettles_taking_part").state
    await press(hass, "turn_off")

    assert paused[0] == "on"
    assert paused[1] is not None
    assert taking_part == "paused"
    assert hass.states.get("switch.kettles_pause").state == "off"
    assert value(here, "SELECT paused FROM plans") is None


async def test_a_renamed_entity_is_followed_and_a_removed_one_is_said(hass, here, provider):
    """The agent hears the kettle under its new name; when it is gone, an issue says so until another is chosen."""
    registry = er.async_get(hass)
    registry.async_get_or_create("sensor", "test", "plug-1", suggested_object_id="kettle_plug", original_name="Kettle")
    hass.states.async_set("sensor.kettle_plug", CANARY, POWER)
    entry = await join(hass, provider.address, devices={"Kettle": ["sensor.kettle_plug"]})
    await until(lambda: heard(hass) == {"sensor.kettle_plug": True})
    registry.async_update_entity("sensor.kettle_plug", new_entity_id="sensor.boiler")
    hass.states.async_remove("sensor.kettle_plug")
    hass.states.async_set("sensor.boiler", CANARY, POWER)
    await hass.async_block_till_done()
    await until(lambda: heard(hass) == {"sensor.boiler": True})
    registry.async_remove("sensor.boiler")
    hass.states.async_remove("sensor.boiler")
    await hass.async_block_till_done()
    await until(lambda: heard(hass) == {"sensor.boiler": False})
    during = issues(hass)
    options = await hass.config_entries.options.async_init(entry.entry_id)
    form = await hass.config_entries.options.async_configure(options["flow_id"], {"next_step_id": "devices"})
    shown = {str(key): key.description["suggested_value"] for key in form["data_schema"].schema}
    await hass.config_entries.options.async_configure(options["flow_id"], KETTLE)
    await until(lambda: heard(hass) == {"sensor.kettle_power": True})

    assert "entity_gone" in during
    assert shown["Kettle"] == []
    assert "entity_gone" not in issues(hass)
    await hass.config_entries.async_unload(entry.entry_id)


async def test_states_that_change_reach_the_agent(hass, here, entry):
    """A kettle that is unavailable is not fresh, and is when it comes back, in its own unit."""
    hass.states.async_set("sensor.kettle_power", STATE_UNAVAILABLE, POWER)
    await hass.async_block_till_done()
    await until(lambda: heard(hass) == {"sensor.kettle_power": False})
    hass.states.async_set("sensor.kettle_power", "1.5", POWER | {"unit_of_measurement": "kW"})
    await hass.async_block_till_done()

    await until(lambda: heard(hass) == {"sensor.kettle_power": True})


async def test_a_second_agent_on_the_ledger_is_said(hass, here, entry):
    """Where another one holds the ledger, nothing starts, an issue says why, and it starts when the other has gone."""
    await hass.config_entries.async_unload(entry.entry_id)
    folder, say = HomeFolder(here), lambda line: None
    other = HomeThread(Runner(folder, SourcesFile(), Hub.of(SourcesFile(), say), SystemHomeClock(), say))
    await hass.async_add_executor_job(other.start)
    await hass.config_entries.async_setup(entry.entry_id)
    refused, why, said = entry.state, entry.reason, issues(hass)
    await hass.async_add_executor_job(other.stop)
    await hass.config_entries.async_reload(entry.entry_id)
    await hass.async_block_till_done(wait_background_tasks=True)

    assert refused is ConfigEntryState.SETUP_RETRY
    assert "another agent is running on this ledger" in why
    assert "not_running" in said
    assert entry.state is ConfigEntryState.LOADED
    assert "not_running" not in issues(hass)


async def test_entities_are_unavailable_when_the_agent_is_not_there(hass, here, entry):
    """One that ended by itself is started again at the next look."""
    home = hass.data["hushwatt"]
    await hass.async_add_executor_job(home._thread.stop)
    entry.runtime_data.async_update_listeners()
    ended = hass.states.get("switch.kettles_pause").state
    await look(hass, entry)

    assert ended == STATE_UNAVAILABLE
    assert hass.states.get("switch.kettles_pause").state == "off"
    assert threads() == ["hushwatt-home", "hushwatt-upload"]


async def test_a_ledger_that_is_gone_is_unavailable_and_not_made_anew(hass, here, entry):
    """Nobody begins a fresh ledger in the place of one with spends in it."""
    await hass.config_entries.async_unload(entry.entry_id)
    (here / "ledger.sqlite").rename(here.parent / "away")
    await hass.config_entries.async_setup(entry.entry_id)
    state, there = entry.state, (here / "ledger.sqlite").exists()
    (here.parent / "away").rename(here / "ledger.sqlite")

    assert state is ConfigEntryState.SETUP_RETRY
    assert not there


async def test_nothing_runs_after_a_stop_of_home_assistant(hass, here, entry):
    """Its own stop ends the agent; entries are not unloaded then."""
    hass.bus.async_fire(EVENT_HOMEASSISTANT_STOP)
    await hass.async_block_till_done()
    await until(lambda: threads() == [])


async def test_a_backup_finds_a_ledger_that_stands_still(hass, here, entry):
    """While a backup is made, nothing is folded into the ledger's file, however much is written; afterwards it is."""
    await hass.async_add_executor_job(fold, here)
    await async_pre_backup(hass)
    during = [await hass.async_add_executor_job(fold, here) for _ in range(20)]
    await async_post_backup(hass)

    assert during == [True] * 20
    await until(lambda: not fold(here))


def fold(here):
    """Write something, and have SQLite fold its log into the ledger; whether someone was in the way."""
    with HomeFolder(here).store() as store:
        store.write_value("written", 1)
        store.disk.set_busy_timeout(0)
        return bool(store.disk.execute("PRAGMA wal_checkpoint(truncate)").fetchone()[0])


async def test_a_wrong_file_of_the_owner_is_said(hass, here, entry):
    """Caps that cannot be read at the start are named in an issue, and nothing runs."""
    await hass.config_entries.async_unload(entry.entry_id)
    caps = (here / "caps.toml").read_text()
    (here / "caps.toml").write_text("epsilon_per_year = many\n")
    await hass.config_entries.async_setup(entry.entry_id)
    said = issues(hass)
    (here / "caps.toml").write_text(caps)

    assert "not_running" in said
    assert threads() == []
