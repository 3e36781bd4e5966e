"""The catalogue knows common appliances by any spelling, and where each number comes from."""

import pytest

from hushwatt.plan.appliance import Appliance
from hushwatt.plan.catalogue import entries, entry, spelling
from hushwatt.plan.presets import preset

SOURCES = ("CREST", "HES", "IDEAL", "REFIT", "UK-DALE", "ECO", "OPSD", "tracebase", "assumed")


@pytest.mark.parametrize("known", entries(), ids=lambda known: known.name)
def test_every_entry_is_sound(known):
    """Levels rise from 0 to a high day, the mean is below it, running draws more, and sources are named."""

    assert Appliance.of(known.name, values=known.values).levels >= 3
    assert known.values[0] == 0
    assert known.values[-1] == known.typical_high
    assert 0 < known.typical_mean < known.typical_high
    assert 0 < known.ownership <= 1
    assert known.rated >= known.typical_mean
    assert any(source in known.source for source in SOURCES)


@pytest.mark.parametrize("known", entries(), ids=lambda known: known.name)
def test_names_and_aliases_find_their_entry(known):
    """No two entries claim the same word."""

    assert all(entry(word) is known for word in (known.name, *known.aliases))


def test_the_papers_appliances_are_known():
    """All fifteen of the paper have an entry, under the names of its preset."""

    assert [entry(name).name for name in preset("paper").names] == list(preset("paper").names)


def test_there_are_many():
    """Some forty appliances are known, in the order of the file."""

    assert len(entries()) >= 35
    assert [known.name for known in entries()[:2]] == ["vacuum_cleaner", "kettle"]


@pytest.mark.parametrize(
    "spelt, name",
    [
        ("Washing Machine", "washing_machine"),
        ("WASHING-MACHINE", "washing_machine"),
        ("tumble  dryer", "tumble_drier"),
        ("washer-dryer", "washer_drier"),
        ("FridgeFreezer", "fridge_freezer"),
        (" EV charger ", "ev_charger"),
        ("Television", "tv"),
    ],
)
def test_spellings(spelt, name):
    """Case, spaces, underscores and hyphens do not matter."""

    assert entry(spelt).name == name


def test_unknown():
    """What is not in the catalogue is None, not the nearest guess."""

    assert entry("kettles") is None
    assert entry("") is None
    assert spelling("A_b-C d") == "abcd"
