"""The owner is asked again: another key, a provider that forgot the home, a provider that moved."""

import asyncio
import time

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from homeassistant.config_entries import SOURCE_RECONFIGURE
from homeassistant.data_entry_flow import FlowResultType

from hushwatt.household.home_folder import HomeFolder
from hushwatt.household.upload.provider_client import ProviderClient
from tests.household.serving import Provider

from .conftest import KETTLE, kettles
from .flows import accepted, go_on, issues, join, look, until, value


@pytest.fixture
async def moving(hass, tmp_path):
    """A provider of its own, and a home that takes part there."""
    service = Provider(tmp_path, kettles(name="Moving kettles"))
    await hass.async_add_executor_job(service.start)
    entry = await join(hass, service.address, devices=KETTLE)
    yield service, entry
    await hass.config_entries.async_unload(entry.entry_id)
    await hass.async_add_executor_job(service.stop)


async def test_another_key_is_never_believed_by_itself(hass, here, moving):
    """Out of reach is an issue; another key is one more, and a question; only the owner's word joins again."""
    service, entry = moving
    await until(lambda: accepted(here) >= 1)
    old = value(here, "SELECT provider FROM plans")
    await hass.async_add_executor_job(service.stop)
    await until_issue(hass, entry, "trouble_unreachable")
    await hass.async_add_executor_job(service.start, "other")
    with HomeFolder(here).store() as store, store.transaction() as disk:
        disk.execute("UPDATE reports SET due = 0 WHERE due IS NOT NULL")  # do not wait for the next try
    flow = await until_asked(hass, entry)
    said = issues(hass)
    shown = flow["description_placeholders"]
    before = value(here, "SELECT provider FROM plans")
    refused = await go_on(hass, flow, agree=False)
    unchanged = value(here, "SELECT provider FROM plans")
    done = await go_on(hass, refused, agree=True)
    await hass.async_block_till_done(wait_background_tasks=True)
    asked = hass.config_entries.flow.async_progress_by_handler("hushwatt")
    count = accepted(here)
    await until(lambda: accepted(here) > count)

    await look(hass, entry)

    assert asked == []
    assert "trouble_impostor" in said
    assert "trouble_impostor" not in issues(hass)
    assert shown["old_key"] == old.hex() == before.hex() == unchanged.hex()
    assert shown["new_key"] == value(here, "SELECT provider FROM plans").hex() != old.hex()
    assert refused["errors"] == {"agree": "not_agreed"}
    assert (done["type"], done["reason"]) == (FlowResultType.ABORT, "reauth_successful")


async def test_a_provider_that_forgot_the_home_takes_it_again(hass, here, provider, entry):
    """Its device is erased there; the owner is asked, and the home goes on with what it had spent."""
    await until(lambda: accepted(here) >= 1)
    with HomeFolder(here).store() as store:
        row = store.rows("SELECT * FROM plans")[0]
    key = Ed25519PrivateKey.from_private_bytes(row["secret"])

    def erase():
        with ProviderClient(provider.address).plan_session(row["plan"], row["provider"]) as session:
            session.erase(key, row["device"], time.time_ns() // 1_000_000_000)

    await hass.async_add_executor_job(erase)
    flow = await until_asked(hass, entry)
    spent = value(here, "SELECT sum(amount) FROM spends")
    done = await go_on(hass, flow, agree=True)
    await hass.async_block_till_done(wait_background_tasks=True)
    count = accepted(here)
    await until(lambda: accepted(here) > count)

    assert done["reason"] == "reauth_successful"
    assert value(here, "SELECT sum(amount) FROM spends") >= spent > 0
    assert value(here, "SELECT count(*) FROM plans") == 1


async def test_a_moved_provider_must_show_the_same_key(hass, here, provider, other_provider, entry):
    """An address where another provider answers is refused; the same one elsewhere is kept."""
    context, agent = {"source": SOURCE_RECONFIGURE, "entry_id": entry.entry_id}, hass.data["hushwatt"].agent
    flow = await hass.config_entries.flow.async_init("hushwatt", context=context)
    refused = await go_on(hass, flow, address=other_provider.address)
    nobody = await go_on(hass, refused, address="http://127.0.0.1:1")
    done = await go_on(hass, nobody, address=provider.address.replace("127.0.0.1", "localhost"))
    await hass.async_block_till_done(wait_background_tasks=True)

    assert refused["errors"] == {"base": "wrong_provider"}
    assert nobody["errors"] == {"base": "cannot_connect"}
    assert done["reason"] == "reconfigure_successful"
    assert hass.data["hushwatt"].agent is agent
    assert entry.data["address"] == value(here, "SELECT address FROM plans") == f"http://localhost:{provider.port}"


async def until_issue(hass, entry, key):
    async with asyncio.timeout(40):
        while key not in issues(hass):
            await look(hass, entry)
            await asyncio.sleep(0.1)


async def until_asked(hass, entry):
    """The question, once it is there."""
    async with asyncio.timeout(40):
        while True:
            await look(hass, entry)
            for flow in hass.config_entries.flow.async_progress_by_handler("hushwatt"):
                if flow["context"]["source"] == "reauth":
                    return await hass.config_entries.flow.async_configure(flow["flow_id"])
            await asyncio.sleep(0.1)
