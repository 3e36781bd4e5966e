"""Real parts, started once and shared: a provider with short slots, and Home Assistants that someone moved into."""

import pytest
from tests.home_assistant.running import NEW, OLD, RunningHomeAssistant
from tests.home_assistant.street import HomeRecord, Street
from tests.household.serving import free_port


@pytest.fixture(scope="session")
def street(tmp_path_factory):
    """A provider whose slots are short."""
    street = Street.open(tmp_path_factory.mktemp("provider"))
    yield street
    street.provider.stop()


@pytest.fixture(scope="session")
def house(tmp_path_factory):
    """The newer Home Assistant with the integration's files in place, as on its owner's first day."""
    house = RunningHomeAssistant(NEW, tmp_path_factory.mktemp("house") / "config", free_port())
    house.install_component()
    yield from live_in(house)
    HomeRecord(house.folder / "hushwatt").forget_mark()


@pytest.fixture(scope="session")
def old_house(tmp_path_factory):
    """The older one."""
    yield from live_in(RunningHomeAssistant(OLD, tmp_path_factory.mktemp("old") / "config", free_port()))


def live_in(house):
    try:
        house.start()
        house.onboard()
        house.watts(kettle=1500, fridge=60, kettle_meter=1)
        house.energy_dashboard("sensor.kettle_energy")
        yield house
    finally:
        house.stop()
