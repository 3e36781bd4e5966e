"""What the owner's caps say against a plan, and the settings that would allow it."""

from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction

import pytest
from tests.household.living import NO_CAPS, raised_for

from hushwatt.household.ledger.caps import AMOUNTS, Caps
from hushwatt.household.ledger.lasting import lasting
from hushwatt.household.ledger.objections import LifetimeSpent, Objection, earlier_terms, objections, raised
from hushwatt.plan import SlotLength
from hushwatt.plan.amounts import MICRO
from hushwatt.plan.presets import preset, presets

LONG_RUN = ("epsilon_per_year", "appliance_epsilon_per_year", "epsilon_lifetime", "appliance_epsilon_lifetime")
ROOMY = replace(Caps(), **{name: getattr(NO_CAPS, name) for name in LONG_RUN})


@pytest.fixture
def modest(plan_of):
    return plan_of(3, 3, 3, epsilon=3 * MICRO, minimum_homes=100)


def test_a_modest_plan_is_fine(modest):
    """What lies within all caps meets no objection."""

    assert objections(ROOMY, modest) == []
    assert objections(Caps(), replace(modest, window=366)) == []


@pytest.mark.parametrize(
    "change, words",
    [
        ({"epsilon": 1000 * MICRO}, "epsilon_per_window is 10"),
        (
            {"epsilon": 9 * MICRO},
            "it asks 4 ε in any 3 days on one appliance, your cap",
        ),
        ({"slot": SlotLength(1, "h")}, "it asks 25 ε in a day, your cap epsilon_per_day is 10"),
        ({"window": 1, "epsilon": 6 * MICRO}, "it asks 2196 ε in a year, your cap epsilon_per_year is 20"),
        ({"minimum_homes": 1}, "smallest_minimum_homes is 10"),
    ],
)
def test_a_greedy_plan_meets_its_cap(modest, change, words):
    """Each thing that is asked beyond a cap is named with the cap to change."""

    assert any(words in each.words for each in objections(Caps(), replace(modest, **change)))


@pytest.mark.parametrize("name", presets())
def test_a_preset_with_a_short_window_needs_raised_caps(name):
    """What repeats every few days asks more of a year than the caps give; the settings that are named allow it."""
    plan = preset(name)
    against = objections(Caps(), plan)
    settings = raised_for(plan)

    if plan.window * plan.slot.seconds < 300 * 86_400:
        assert [each.cap for each in against] == ["epsilon_per_year", "appliance_epsilon_per_year"]
    else:
        assert against == []
    assert objections(settings, plan) == []
    assert lasting(settings, plan).short == ()


@pytest.mark.parametrize("name", presets())
def test_the_settings_are_exact(name):
    """One millionth less than what is named is not enough."""
    plan = preset(name)
    settings = raised_for(plan)
    for cap in settings.named:
        below = replace(settings, **{cap: getattr(settings, cap) - 1})
        short = [*objections(below, plan), *lasting(below, plan).short]

        assert [each.cap for each in short] == [cap]


def test_a_window_of_a_year_joins_by_itself():
    """ε 10 in any 365 days, of which a year may touch two, is within the caps that a home comes with."""
    plan = replace(preset("advised"), window=365)

    assert objections(Caps(), plan) == []
    assert lasting(Caps(), plan).words.startswith("lasts about 10 years under your epsilon_lifetime; then")


def test_other_plans_are_counted(modest):
    """A plan that is fine alone is objected to when all together ask too much, of home or appliance."""
    other = replace(modest, name="another")
    home = replace(ROOMY, epsilon_per_day=3_999_999, epsilon_per_year=2 * 366 * MICRO - 1)
    caps = replace(home, appliance_epsilon=2_666_666, appliance_epsilon_per_year=243_999_999)

    assert objections(caps, modest) == []
    assert [each.words for each in objections(caps, modest, [other])] == [
        "it asks 4 ε in a day together with your other plans, your cap epsilon_per_day is 3.999999",
        "it asks 732 ε in a year together with your other plans, your cap epsilon_per_year is 731.999999",
        "it asks 2.666667 ε in any 3 days together with your other plans on appliance 0, "
        "your cap appliance_epsilon is 2.666666",
        "it asks 244 ε in any year together with your other plans on appliance 0, "
        "your cap appliance_epsilon_per_year is 243.999999",
    ]


def test_a_long_window_lengthens_the_stretch(modest):
    """A plan of a week's window makes the cap on one appliance look a week far, for other plans too."""
    weekly = replace(modest, name="weekly", window=7, epsilon=MICRO // 10)

    assert objections(ROOMY, modest) == objections(ROOMY, weekly) == []
    assert "in any 7 days together with your other plans" in objections(ROOMY, weekly, [modest])[0].words


def test_window_and_expiry_have_caps(modest):
    """A window too short and an end too far away are objected to."""
    caps = replace(ROOMY, smallest_window=7, latest_expiry=datetime(2024, 6, 1, tzinfo=UTC))

    assert [each.setting for each in objections(caps, modest)] == [
        "smallest_window=3",
        f"latest_expiry={modest.expires:%Y-%m-%d}T00:00:00Z",
    ]


def test_provider_decided_plans_are_refused(plan_of):
    """No home lets the provider decide when it speaks."""
    plan = plan_of(3, 3, method="lpa", decision="provider", minimum_homes=100)

    assert any("provider decide" in each.words and each.setting is None for each in objections(Caps(), plan))


def test_a_lifetime_that_is_used_up_is_an_objection(modest):
    """A home whose lifetime does not pay for a first window is told what would pay for all of the plan."""
    names = {name: Fraction(9 * MICRO + 89) for name in modest.names}
    room = LifetimeSpent(97 * MICRO, dict.fromkeys(modest.names, Fraction(9 * MICRO)))
    year = replace(modest, window=366)

    assert objections(Caps(), year, spent=room) == []
    assert [each.setting for each in objections(Caps(), year, spent=LifetimeSpent(97 * MICRO + 367, names))] == [
        "epsilon_lifetime=100.000103",
        "appliance_epsilon_lifetime=10.000001",
    ]


def test_no_setting_allows_everything(modest):
    """An amount that cannot be written as a cap has no setting."""

    assert Objection("much", "epsilon_per_year", 10**6 * MICRO).setting == "epsilon_per_year=1000000"
    assert Objection("too much", "epsilon_per_year", 10**6 * MICRO + 1).setting is None


def test_what_was_raised_is_said():
    """Caps above the defaults are named with both; lower ones are nobody's concern."""
    caps = Caps(epsilon_per_year=1_220 * MICRO, epsilon_per_day=1)

    assert raised(caps) == ("epsilon_per_year is 1220, not 20",)
    assert raised(Caps()) == ()
    assert len(raised(NO_CAPS)) == len(AMOUNTS)


def test_terms_of_earlier_homes():
    """They are told what goes on, until they write lower caps themselves."""
    named = {name: getattr(Caps(), name) // MICRO for name in LONG_RUN}

    assert "ε 2000 in a year, no limit for a lifetime" in earlier_terms(Caps())
    assert earlier_terms(Caps.of(named)) is None
    assert "in a year" not in earlier_terms(Caps.of({"epsilon_per_year": 20}))
