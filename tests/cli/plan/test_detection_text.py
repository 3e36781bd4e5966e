"""`hushwatt plan advise --detect`: homes and weeks that show a difference."""

import json

import pytest


@pytest.fixture
def everyday(hushwatt):
    hushwatt("plan", "new", "--preset", "everyday", "-o", "plan.toml")
    return hushwatt


def advise(command, *options):
    return command("plan", "advise", "plan.toml", "--homes", 200_000, *options)


def test_a_table_for_the_plan_and_for_the_advised_one(everyday):
    """Both say from which difference on, how many homes, and how many weeks."""
    said = advise(everyday, "--detect", "10%").stdout

    assert said.count("groups: seen from") == 2
    assert said.count("fridge_freezer") == 2
    assert "To find 10 % less, with the plan as it is:" in said
    assert "two halves of the homes in the same 30 days" in " ".join(said.split())


def test_the_same_for_programs(everyday):
    """Keys for both plans, and a difference twice as large takes about a quarter of the homes."""
    small, large = (
        json.loads(advise(everyday, "--detect", each, "--json").stdout)["detect"] for each in ("10%", "20%")
    )
    kettles = [each["plan"]["appliances"]["kettle"] for each in (small, large)]

    assert (small["share"], small["power"], small["false_alarms"]) == (0.1, 0.8, 0.05)
    assert small["best"]["slots"] == 30
    assert set(kettles[0]) == {"mean_watts", "difference", "shown", "groups", "stretches"}
    assert set(kettles[0]["groups"]) == {"detectable", "homes_needed", "weeks"}
    assert kettles[0]["groups"]["homes_needed"] / kettles[1]["groups"]["homes_needed"] == pytest.approx(4, rel=0.1)
    assert kettles[0]["stretches"]["weeks"] > kettles[1]["stretches"]["weeks"]


def test_with_a_protection_it_is_told_of_the_plan_that_is_found(everyday):
    """Each side has 30 days, in the slots of the plan with that window."""
    found = json.loads(advise(everyday, "--protect", "30d", "--detect", "10%", "--json").stdout)

    assert found["detect"]["best"]["plan"] == found["best"]["plan"]
    assert found["detect"]["best"]["slots"] == 30


def test_sides_that_are_given(everyday):
    """One week against the Saturdays of all of the plan, as `compare` would be asked."""
    found = json.loads(
        advise(everyday, "--detect", "20%", "--between", "2024-01-22..2024-01-28", "weekdays=sat", "--json").stdout
    )["detect"]

    assert found["between"] == ["2024-01-22..2024-01-28", "weekdays=sat"]
    assert set(found["best"]["appliances"]["kettle"]["between"]) == {"detectable", "homes_needed"}


def test_homes_that_decide_are_not_foretold(hushwatt):
    """The paper's plan decides at home, so only the advised one is told."""
    hushwatt("plan", "new", "--preset", "paper", "-o", "plan.toml")
    said, told = (advise(hushwatt, "--detect", "0.1", *each).stdout for each in ([], ["--json"]))

    assert "what it finds cannot be foretold" in said.replace("\n", " ")
    assert json.loads(told)["detect"]["plan"] is None


@pytest.mark.parametrize(
    "options, what",
    [
        (["--detect", "0%"], "--detect is 0%"),
        (["--detect", "much"], "--detect is much"),
        (["--between", "2024-01-01", "2024-01-02"], "--between says what is compared"),
        (["--detect", "10%", "--between", "1999-01-01", "weekdays=sat"], "no slots in that time"),
        (["--detect", "10%", "--between", "tariff=A", "weekdays=sat"], "tariff"),
    ],
)
def test_bad_questions_are_one_line(everyday, options, what):
    answer = advise(everyday, *options)

    assert answer.returncode == 2
    assert what in answer.stderr
    assert answer.stderr.count("\n") == 1
