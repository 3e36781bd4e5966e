"""A real provider beside Home Assistant, and a configuration folder of its own for each test."""

import os
from datetime import UTC, datetime
from pathlib import Path

import custom_components
import pytest
import pytest_socket

from hushwatt.household.ledger import high_water_mark
from tests.household import serving
from tests.household.serving import Provider, plan_text

serving.HUSHWATT[0] = os.environ["HUSHWATT_PYTHON"]  # the provider needs more than Home Assistant's environment has
custom_components.__path__ = [str(Path(__file__).parents[2] / "custom_components")]  # not the plugin's own
CANARY = "1234.5678"
GENTLE = {"epsilon": "0.001", "window": "3", "minimum_homes": "10", "method": '"lbu"'}


@pytest.fixture(autouse=True)
def here(hass, tmp_path, monkeypatch, enable_custom_integrations, socket_enabled):
    """The integration is known, its folder is empty, and the network of this machine is open."""
    monkeypatch.setattr(high_water_mark, "SHARED_MEMORY", tmp_path)
    hass.config.config_dir = str(tmp_path / "config")
    return tmp_path / "config" / "hushwatt"


@pytest.fixture(scope="session")
def provider(tmp_path_factory):
    """Serves two plans with quick slots, one that the usual caps allow for years and one that they refuse."""
    pytest_socket.enable_socket()
    began = f'"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"'
    plans = [
        plan_text(slot="2s", name="Kettles", start=began, **GENTLE),
        plan_text(slot="1h", name="Greedy kettles", epsilon="9", window="3"),
    ]
    service = Provider(tmp_path_factory.mktemp("provider"), *plans)
    service.start()
    yield service
    service.stop()
