"""The owner's caps, their file, and what they say against a plan."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from hushwatt.errors import UsageError
from hushwatt.household.ledger.caps import AMOUNTS, Caps, write_caps
from hushwatt.plan import SlotLength
from hushwatt.plan.amounts import MICRO
from hushwatt.plan.presets import preset, presets


@pytest.fixture
def modest(plan_of):
    return plan_of(3, 3, 3, epsilon=3 * MICRO, minimum_homes=100)


def test_a_modest_plan_is_fine(modest):
    """What lies within all caps meets no objection."""

    assert Caps().objections(modest) == []


@pytest.mark.parametrize(
    "change, words",
    [
        ({"epsilon": 1000 * MICRO}, "epsilon_per_window is 10"),
        (
            {"epsilon": 9 * MICRO},
            "it asks 4 ε in any 3 days on one appliance, your cap",
        ),
        ({"slot": SlotLength(1, "h")}, "it asks 25 ε in a day, your cap epsilon_per_day is 10"),
        ({"window": 1, "epsilon": 6 * MICRO}, "epsilon_per_year is 2000"),
        ({"minimum_homes": 1}, "smallest_minimum_homes is 10"),
    ],
)
def test_a_greedy_plan_meets_its_cap(modest, change, words):
    """Each thing that is asked beyond a cap is named with the cap to change."""

    assert any(words in line for line in Caps().objections(replace(modest, **change)))


def test_the_presets_meet_no_objection():
    """A home with the caps it comes with can join what hushwatt itself proposes."""

    assert {name: Caps().objections(preset(name)) for name in presets()} == {name: [] for name in presets()}


def test_other_plans_are_counted(modest):
    """A plan that is fine alone is objected to when all together ask too much, of home or appliance."""
    other = replace(modest, name="another")
    caps = Caps(epsilon_per_day=3_999_999, epsilon_per_year=2 * 366 * MICRO - 1, appliance_epsilon=2_666_666)

    assert caps.objections(modest) == []
    assert caps.objections(modest, [other]) == [
        "it asks 4 ε in a day together with your other plans, your cap epsilon_per_day is 3.999999",
        "it asks 732 ε in a year together with your other plans, your cap epsilon_per_year is 731.999999",
        "it asks 2.666667 ε in any 3 days together with your other plans on appliance 0, "
        "your cap appliance_epsilon is 2.666666",
    ]


def test_a_long_window_lengthens_the_stretch(modest):
    """A plan of a week's window makes the cap on one appliance look a week far, for other plans too."""
    weekly = replace(modest, name="weekly", window=7, epsilon=MICRO // 10)

    assert Caps().objections(modest) == Caps().objections(weekly) == []
    assert "in any 7 days together with your other plans" in Caps().objections(weekly, [modest])[0]


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


def test_window_and_expiry_have_caps(modest):
    """A window too short and an end too far away are objected to."""
    caps = Caps(smallest_window=7, latest_expiry=datetime(2024, 6, 1, tzinfo=UTC))

    assert len(caps.objections(modest)) == 2


def test_provider_decided_plans_are_refused(plan_of):
    """No home lets the provider decide when it speaks."""
    plan = plan_of(3, 3, method="lpa", decision="provider", minimum_homes=100)

    assert any("provider decide" in line for line in Caps().objections(plan))


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

    assert Caps.load(path) == Caps(epsilon_per_year=500_250_000, smallest_window=3)


@pytest.mark.parametrize("setting", ["nonsense", "epsilon_per_year=", "epsilon_per_year=much", "other=3"])
def test_a_wrong_setting_changes_nothing(folder, setting):
    """What is no cap is refused, and the file stays away."""
    with pytest.raises(UsageError):
        write_caps(folder / "caps.toml", [setting])

    assert not (folder / "caps.toml").exists()
