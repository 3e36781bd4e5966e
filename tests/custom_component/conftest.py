"""Real providers beside Home Assistant, and a configuration folder of its own for each test."""

import os
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import custom_components
import pytest
import pytest_socket

from hushwatt.household.ledger import high_water_mark
from tests.household import serving
from tests.household.serving import Provider, plan_text

from .flows import CANARY, POWER, join

serving.HUSHWATT[0] = os.environ["HUSHWATT_PYTHON"]  # a provider needs more than Home Assistant's environment has
custom_components.__path__ = [str(Path(__file__).parents[2] / "custom_components")]  # not the plugin's own
GENTLE = {"epsilon": "0.001", "window": "3", "minimum_homes": "10", "method": '"lbu"'}
KETTLE = {"Kettle": ["sensor.kettle_power"]}
HOSTILE = "![](http://127.0.0.1:9/x.png) <img src=x> [go](http://127.0.0.1:9)"


@pytest.fixture(autouse=True)
def here(hass, tmp_path, monkeypatch, enable_custom_integrations, socket_enabled):
    """The home's folder, not there yet; a kettle; and this machine's own network."""
    monkeypatch.setattr(high_water_mark, "SHARED_MEMORY", tmp_path)
    hass.config.config_dir = str(tmp_path / "config")
    hass.states.async_set("sensor.kettle_power", CANARY, POWER | {"friendly_name": "Kettle"})
    return tmp_path / "config" / "hushwatt"


def kettles(**fields):
    began = f'"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"'
    return plan_text(**{"slot": "1s", "name": "Kettles", "start": began, **GENTLE, **fields})


@pytest.fixture(scope="session")
def provider(tmp_path_factory):
    """Serves a plan with quick slots, and others: greedy, huge, hostile in its words, shared (two), and soon over."""
    pytest_socket.enable_socket()
    plans = [
        kettles(),
        kettles(name="Greedy kettles", slot="1h", epsilon="9"),
        kettles(name="Huge kettles", epsilon="1000"),
        kettles(name="Hostile kettles", slot="1h", description=f"'{HOSTILE}'"),
        kettles(name="Sharing kettles", slot="1h", share_results="true"),
        kettles(name="Quick kettles", slot="2s", share_results="true"),
        kettles(name="Brief kettles", expires=f'"{datetime.now(UTC) + timedelta(seconds=4):%Y-%m-%dT%H:%M:%SZ}"'),
    ]
    service = Provider(tmp_path_factory.mktemp("provider"), *plans)
    service.start()
    yield service
    service.stop()


@pytest.fixture(scope="session")
def other_provider(tmp_path_factory):
    """Asks for one-time codes; `code()` makes one."""
    pytest_socket.enable_socket()
    service = Guarded(tmp_path_factory.mktemp("other"), kettles(name="Guarded kettles"))
    service.start()
    yield service
    service.stop()


class Guarded(Provider):
    """A provider whose doors are closed."""

    options = ("--enrolment", "codes")

    def code(self, *labels):
        words = ["provider", "keys", "code", "--data", str(self.folder / "data")]
        words += [word for label in labels for word in ("--label", label)]
        return subprocess.run([*serving.HUSHWATT, *words], capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture
async def entry(hass, provider):
    """A home that takes part, and stops when the test is over."""
    joined = await join(hass, provider.address, devices=KETTLE)
    yield joined
    if hass.config_entries.async_get_entry(joined.entry_id):
        await hass.config_entries.async_unload(joined.entry_id)
