"""The owner's caps, their file, and what they say against a plan."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from hushwatt.errors import UsageError
from hushwatt.household.ledger.caps import AMOUNTS, Caps, write_caps


def test_the_tightest_of_two():
    """Amounts and dates as low, and smallest numbers as high, as either has them."""
    one = Caps(epsilon_per_day=1, smallest_window=5, latest_expiry=datetime(2030, 1, 1, tzinfo=UTC))
    two = Caps(epsilon_per_day=2, appliance_epsilon=1, smallest_minimum_homes=99)

    assert one.tightest(two) == two.tightest(one)
    assert one.tightest(two) == replace(one, appliance_epsilon=1, smallest_minimum_homes=99)
    assert {name for name in AMOUNTS if getattr(one.tightest(two), name) > getattr(Caps(), name)} == set()


def test_a_file_that_cannot_be_read_is_one_line(folder):
    """A folder in its place, or a file that nobody may read, is said with its name."""
    (folder / "caps.toml").mkdir()

    with pytest.raises(UsageError, match=r"caps.toml: cannot be read"):
        Caps.load(folder / "caps.toml")


def test_the_file_is_read(folder):
    """Amounts are decimals, and a date is a date."""
    (folder / "caps.toml").write_text("epsilon_per_year = 500.5\nlatest_expiry = 2030-01-01\nsmallest_window = 3\n")

    caps = Caps.load(folder / "caps.toml")

    assert caps.epsilon_per_year == 500_500_000
    assert caps.latest_expiry == datetime(2030, 1, 1, tzinfo=UTC)
    assert caps.smallest_window == 3


@pytest.mark.parametrize("text, hour", [("06:00:00", 6), ("06:00:00Z", 6), ("06:00:00+02:00", 4)])
def test_an_expiry_without_a_zone_is_in_utc(tmp_path, text, hour):
    """Whatever the machine's own zone is."""
    (tmp_path / "caps.toml").write_text(f"latest_expiry = 2030-01-01T{text}\n")

    assert Caps.load(tmp_path / "caps.toml").latest_expiry == datetime(2030, 1, 1, hour, tzinfo=UTC)


@pytest.mark.parametrize(
    "text, words",
    [
        ("epsilon = 3", "no cap called epsilon"),
        ("epsilon_per_year = -3", "epsilon_per_year"),
        ("smallest_window = 0", "at least 1"),
        ("latest_expiry = 3", "a date"),
        ("nonsense", "caps.toml"),
    ],
)
def test_a_wrong_file_is_one_line(folder, text, words):
    """What is wrong in the file is said with its name."""
    (folder / "caps.toml").write_text(text)

    with pytest.raises(UsageError, match=words):
        Caps.load(folder / "caps.toml")


def test_caps_are_set_one_by_one(folder):
    """Setting one cap keeps the others."""
    path = folder / "caps.toml"
    write_caps(path, ["epsilon_per_year=500.25"])
    write_caps(path, ["smallest_window = 3"])

    assert Caps.load(path) == Caps.of({"epsilon_per_year": "500.25", "smallest_window": 3})


@pytest.mark.parametrize("setting", ["nonsense", "epsilon_per_year=", "epsilon_per_year=much", "other=3"])
def test_a_wrong_setting_changes_nothing(folder, setting):
    """What is no cap is refused, and the file stays away."""
    with pytest.raises(UsageError):
        write_caps(folder / "caps.toml", [setting])

    assert not (folder / "caps.toml").exists()
