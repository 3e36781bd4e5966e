"""What `hushwatt plan advise` says beside its table."""

import json
from dataclasses import replace

import pytest

from hushwatt.cli.plan.advice_text import remarks, too_few
from hushwatt.plan.plan import Plan
from hushwatt.plan.presets import preset
from hushwatt.privacy.advice import advise

PAPER = preset("paper")
CAP = PAPER.epsilon // len(PAPER.appliances)


@pytest.mark.parametrize(
    "homes, cap, goal, told",
    [
        (1000, CAP, "ranking", None),
        (1000, None, "ranking", "Single slots will show no answer, only longer periods"),
        (1000, None, "histogram", None),
        (80, CAP, "ranking", "NO ANSWER WOULD BE SHOWN"),
    ],
)
def test_too_few_homes_are_told(homes, cap, goal, told):
    """Where an advised plan shows no answer is said beforehand, with both numbers."""
    found = too_few(advise(PAPER, homes=homes, goal=goal, cap=cap))

    assert found is None if told is None else found.startswith(told)
    assert told is None or "and the plan needs 100" in found


def test_a_larger_error_is_explained():
    """The best order may come with a larger error than the paper's plan has; then the line says so."""
    found = advise(PAPER, homes=1000, goal="ranking", cap=CAP)
    turned = replace(found, paper=replace(found.paper, variances=(0.0,) * 15, biases=(0.0,) * 15, losses=(0.0,) * 15))

    assert not any("orders appliances best" in line for line in remarks(found))
    assert any("orders appliances best" in line for line in remarks(turned))


@pytest.fixture
def learning(hushwatt, tmp_path):
    """A plan, the estimates that it had, and a table of readings."""
    hushwatt("plan", "new", "--preset", "advised", "-o", "plan.toml")
    hushwatt(
        *("simulate", "ideal", "-o", "r.parquet", "--homes", 400, "--slots", 6, "--seed", 1, "--plan", "plan.toml")
    )
    hushwatt("randomise", "plan.toml", "r.parquet", "-o", "reports.parquet", "--seed", 1)
    answer = hushwatt("estimate", "plan.toml", "reports.parquet", "--json")
    (tmp_path / "estimates.json").write_text(answer.stdout)
    return hushwatt


def test_learn_from_estimates(learning, tmp_path):
    """Prior knowledge comes from the collection's own estimates, and the advised plan succeeds its plan."""
    answer = learning(
        *("plan", "advise", "plan.toml", "--homes", 400, "--learn", "estimates.json", "-o", "next.toml", "--json")
    )
    found, advised = json.loads(answer.stdout), Plan.load(tmp_path / "next.toml")
    had = json.loads((tmp_path / "estimates.json").read_text())["appliances"]
    before = {each.name: each.typical_mean for each in Plan.load(tmp_path / "plan.toml").appliances}

    assert answer.returncode == 0, answer.stderr
    assert {each["prior"] for each in found["best"]["appliances"].values()} == {"estimates"}
    assert advised.replaces == Plan.load(tmp_path / "plan.toml").id
    for each in advised.appliances:
        between = sorted([had[each.name]["mean_watts"], before[each.name]])
        assert 0.99 * between[0] <= each.typical_mean <= 1.01 * between[1]


def test_learn_from_readings(learning):
    """A table of readings comes before plan and catalogue; the plan then succeeds none."""
    answer = learning(
        *("plan", "advise", "plan.toml", "--homes", 400, "--learn", "r.parquet", "-o", "next.toml", "--json")
    )

    assert answer.returncode == 0, answer.stderr
    assert {each["prior"] for each in json.loads(answer.stdout)["best"]["appliances"].values()} == {"readings"}


def test_learn_from_another_plans_estimates(learning, tmp_path):
    """Only means are learnt then, and that is said; what is no estimate is wrong use, by its name."""
    text = (tmp_path / "plan.toml").read_text()
    (tmp_path / "other.toml").write_text(text.replace("Which appliances", "Which other appliances"))
    other = learning("plan", "advise", "other.toml", "--homes", 400, "--learn", "estimates.json")
    (tmp_path / "wrong.json").write_text("{}")
    wrong = learning("plan", "advise", "plan.toml", "--homes", 400, "--learn", "wrong.json")

    assert "the estimates are of another plan" in other.stderr
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "wrong.json: holds no estimates" in wrong.stderr


def test_homes_that_levels_do_not_reach():
    """Where no number of homes is enough, that is said, and how many are with other levels."""
    found = advise(PAPER, homes=1000, cap=CAP)
    lines = remarks(found)

    assert any("Within ±5 %: not with these levels; with levels advised for so many, about " in line for line in lines)
    assert not any("not measure" in line for line in lines)


def test_cost_of_not_measured_is_said():
    """A plan in which homes may say so states what that costs."""
    found = advise(preset("everyday"), homes=5000, cap=625_000)

    assert any("multiplies the variance of a mean by 2." in line for line in remarks(found))


def test_longer_periods_are_proposed():
    """Where homes cannot take turns for want of homes in a period, a longer period is named; else nothing is said."""
    yearly = replace(PAPER, window=365)
    few, many = (remarks(advise(yearly, homes=homes, cap=CAP)) for homes in (20_000, 200_000))

    assert any(
        "Published once every 7 days (publish = 7) they could" in line and "--protect 365d" in line for line in few
    )
    assert not any("publish = " in line for line in many)
