"""Names of entities change, their numbers in the registry do not."""

import pytest

from hushwatt.household.sources.home_assistant.registry import RegistryNames


def entry(number, name, **more):
    return {"id": number, "entity_id": name, "disabled_by": None, **more}


def renamed(old, new):
    return {"data": {"action": "update", "old_entity_id": old, "entity_id": new}}


def test_a_new_name_is_followed():
    """And again, and back; what the owner's file calls it stays."""
    names = RegistryNames()

    assert names.rename(renamed("sensor.a", "sensor.b"), ["sensor.a"]) == ("sensor.a", "sensor.b")
    assert (names.current("sensor.a"), names.chosen("sensor.b")) == ("sensor.b", "sensor.a")
    assert names.rename(renamed("sensor.b", "sensor.c"), ["sensor.a"]) == ("sensor.a", "sensor.c")
    assert names.rename(renamed("sensor.c", "sensor.a"), ["sensor.a"]) == ("sensor.a", "sensor.a")
    assert names.present == {}


@pytest.mark.parametrize(
    "event",
    [
        None,
        {"data": 3},
        renamed("sensor.x", "sensor.y"),
        renamed("sensor.a", "sensor.a"),
        renamed("sensor.a", None),
        {"data": {"action": "update", "entity_id": "sensor.a", "changes": {"name": "x"}}},
        {"data": {"action": "remove", "entity_id": "sensor.a"}},
    ],
)
def test_other_events_are_none(event):
    """Of other entities, of other changes, of no sense."""
    names = RegistryNames()

    assert names.rename(event, ["sensor.a"]) is None
    assert names.present == {}


def test_a_new_name_is_found_after_a_restart(folder):
    """The entity's number was kept."""
    first = RegistryNames.load(folder / "entities.json")
    first.learn([entry("1", "sensor.a"), entry("2", "sensor.x")], ["sensor.a"])
    again = RegistryNames.load(folder / "entities.json")

    assert again.learn([entry("1", "sensor.b"), entry("2", "sensor.x")], ["sensor.a"]) == [("sensor.a", "sensor.b")]
    assert again.current("sensor.a") == "sensor.b"
    assert again.learn([entry("1", "sensor.b")], ["sensor.a"]) == []
    assert again.learn([entry("1", "sensor.a")], ["sensor.a"]) == []
    assert again.current("sensor.a") == "sensor.a"


def test_another_entity_of_the_old_name_is_what_the_file_says(folder):
    """After a restart the owner's file counts: a new device that was given the old one's name."""
    RegistryNames.load(folder / "entities.json").learn([entry("1", "sensor.a")], ["sensor.a"])
    again = RegistryNames.load(folder / "entities.json")

    assert again.learn([entry("1", "sensor.a_old"), entry("7", "sensor.a")], ["sensor.a"]) == []
    assert again.current("sensor.a") == "sensor.a"


@pytest.mark.parametrize("entries", [None, 3, [None, 3, {}], [{"id": 3, "entity_id": []}], [entry("", "")]])
def test_a_strange_registry_is_an_empty_one(entries):
    """Nothing is learnt from it, and nothing forgotten."""
    names = RegistryNames(numbers={"sensor.a": "1"})

    assert names.learn(entries, ["sensor.a"]) == []
    assert names.numbers == {"sensor.a": "1"}


@pytest.mark.parametrize("content", [b"", b"[]", b'{"sensor.a": 3}', b"\xff"])
def test_a_damaged_file_is_none(folder, content):
    """And is written anew."""
    (folder / "entities.json").write_bytes(content)
    names = RegistryNames.load(folder / "entities.json")
    names.learn([entry("1", "sensor.a")], ["sensor.a"])

    assert RegistryNames.load(folder / "entities.json").numbers == {"sensor.a": "1"}


def test_a_file_that_cannot_be_written_is_done_without(folder):
    """What is known stays known until the agent stops."""
    names = RegistryNames.load(folder / "not there" / "entities.json")
    names.learn([entry("1", "sensor.a")], ["sensor.a"])

    assert names.numbers == {"sensor.a": "1"}


def test_why_one_is_missing():
    """Disabled, or not there."""
    names = RegistryNames()
    names.learn([entry("1", "sensor.a", disabled_by="user")], [])

    assert names.missing_words("sensor.a") == "sensor.a is disabled in Home Assistant"
    assert "Home Assistant has no sensor.b" in names.missing_words("sensor.b")
