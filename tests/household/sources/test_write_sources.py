"""Sources are added to the owner's file: what stood there stays, and a file that cannot take more is left alone."""

import pytest

from hushwatt.errors import UsageError
from hushwatt.household.sources.candidate import SourceCandidate
from hushwatt.household.sources.home_assistant_login import HomeAssistantLogin
from hushwatt.household.sources.sources_file import Broker, SourcesFile
from hushwatt.household.sources.write_sources import write_sources

KETTLE = SourceCandidate("entity", "sensor.kettle_power", "Kettle", 1.0, "kettle")
OVEN = SourceCandidate("tasmota", "oven", "oven", 1.0, "oven", (("channel", "2"),))
LOGIN = HomeAssistantLogin("http://ha:8123", token_file="/etc/token")


def test_a_new_file(folder):
    """With where they are found, for its owner alone."""
    path = folder / "sources.toml"
    count = write_sources(path, [KETTLE, OVEN], LOGIN, Broker("192.168.1.2"))
    sources = SourcesFile.load(path)

    assert count == 2
    assert sources.home_assistant == LOGIN
    assert sources.broker == Broker("192.168.1.2")
    assert sources.appliances == {"kettle", "oven"}
    assert path.stat().st_mode & 0o777 == 0o600


def test_what_stands_there_stays(folder):
    """Comments and all; what is there already is not added again, under whatever appliance."""
    path = folder / "sources.toml"
    before = (
        '# mine\n[home_assistant]\nurl = "http://other:8123"\ntoken_file = "t"\n\n[[entity]]\nappliance = "my kettle"\n'
    )
    before += 'entity = "sensor.kettle_power"  # the old one\n'
    path.write_text(before)
    count = write_sources(path, [KETTLE, OVEN], LOGIN, Broker())

    assert count == 1
    assert path.read_text().startswith(before)
    assert SourcesFile.load(path).home_assistant.url == "http://other:8123"
    assert SourcesFile.load(path).appliances == {"my kettle", "oven"}
    assert write_sources(path, [KETTLE, OVEN], LOGIN, Broker()) == 0


def test_a_file_that_cannot_take_more_is_left_alone(folder):
    """A list written in one line, which TOML does not let grow."""
    path = folder / "sources.toml"
    before = 'plug = [{ appliance = "tv", preset = "tasmota", topic = "tv" }]\n'
    path.write_text(before)

    with pytest.raises(UsageError, match="is left as it was"):
        write_sources(path, [OVEN], None, Broker())
    assert path.read_text() == before
    assert [each.name for each in folder.iterdir() if "sources" in each.name] == ["sources.toml"]


def test_nothing_chosen_writes_nothing(folder):
    """Not even an empty file."""
    assert write_sources(folder / "sources.toml", [], LOGIN, Broker()) == 0
    assert not (folder / "sources.toml").exists()
