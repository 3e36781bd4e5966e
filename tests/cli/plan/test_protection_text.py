"""`hushwatt plan advise --within` and `--protect`: what is advised, the frontier, and refusals in one line."""

import json
from dataclasses import replace

import pytest

from hushwatt.cli.plan.protection_text import advised_lines, frontier_table, share_of, told_in_a_year
from hushwatt.errors import UsageError
from hushwatt.plan.plan import Plan
from hushwatt.plan.presets import preset
from hushwatt.privacy.advice.protection import ProtectionSearch
from hushwatt.privacy.long_run import long_run


def shared(plan):
    return plan.epsilon // len(plan.appliances)


@pytest.fixture
def advise(hushwatt):
    """Ask for advice about the preset `advised`."""
    hushwatt("plan", "new", "--preset", "advised", "-o", "plan.toml")

    def run(*words):
        return hushwatt("plan", "advise", "plan.toml", *words)

    return run


def test_within(advise, tmp_path):
    """The advised plan is written, and the frontier stands below what it promises."""
    answer = advise("--homes", 3_000_000, "--within", "10%", "-o", "year.toml")
    plan = Plan.load(tmp_path / "year.toml")

    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.startswith("Any 365 days of a home's life cost it at most ε ")
    for words in ("3 days", "a month", "a year", "the whole plan", "homes for 10 %", "expected error"):
        assert words in answer.stdout
    assert plan.window == 365
    assert plan.epsilon < 10_000_000
    assert f"wrote year.toml, plan {plan.id}" in answer.stderr


def test_protect(advise, tmp_path):
    """The window is fixed, and its price is said."""
    answer = advise("--homes", 120_000, "--protect", "365d", "-o", "year.toml", "--json")
    found, plan = json.loads(answer.stdout), Plan.load(tmp_path / "year.toml")

    assert (plan.window, plan.epsilon) == (365, 10_000_000)
    assert found["protect"] == "365d"
    assert found["best"]["plan"] == plan.id
    assert (found["best"]["window"], found["best"]["window_days"], found["best"]["slot"]) == (365, 365.0, "1d")
    assert 0.15 < found["best"]["expected_error"] < 0.3


def test_frontier_for_programs(advise):
    """Every length has its error, how often it is published, and the homes that it needs; null where none do."""
    found = json.loads(advise("--homes", 20_000, "--within", "10%", "--json").stdout)
    year, whole = (
        next(step for step in found["frontier"] if (step["protects"], step["slot"]) == (name, "1d"))
        for name in ("a year", "the whole plan")
    )

    assert found["within"] == 0.1
    assert (year["window"], year["publish"], year["too_few_homes"]) == (365, 7, False)
    assert year["homes_needed"] is None
    assert 0.5 < whole["told_after_a_year"]["owned"] < year["told_after_a_year"]["owned"] < 0.65
    assert year["homes_needed_with_new_levels"] > 1_000_000
    assert (whole["publish"], whole["too_few_homes"]) == (28, False)
    assert whole["expected_error"] > year["expected_error"]


@pytest.mark.parametrize(
    "words, line",
    [
        (("--homes", 1000, "--within", "0%"), "--within is 0%; write a share above 0 and below 100%, such as 10%"),
        (("--homes", 1000, "--within", "150%"), "--within is 150%; write a share above 0 and below 100%, such as 10%"),
        (("--homes", 1000, "--within", "ten"), "--within is ten; write a share above 0 and below 100%, such as 10%"),
        (
            ("--homes", 1000, "--within", "10%", "--protect", "365d"),
            "--within looks for the window and --protect fixes it; give one of them",
        ),
        (("--homes", 1000, "--protect", "a year"), "the window to protect is a year; write a time such as 365d"),
        (("--homes", 0, "--within", "10%"), "advice needs at least one home, not 0"),
        (
            ("--homes", 1000, "--within", "10%", "--slots", 7),
            "--within and --protect are about mean watts over 30 days",
        ),
        (("--homes", 1000, "--protect", "plan", "--goal", "ranking"), "--within and --protect are about mean watts"),
        (("--within", "10%"), ""),
    ],
)
def test_bad_input_is_one_line(advise, words, line, tmp_path):
    """Nothing is printed and nothing written; one line says what is wrong."""
    answer = advise(*words, "-o", "out.toml")

    assert (answer.returncode, answer.stdout) == (2, "")
    assert answer.stderr.startswith(f"hushwatt: {line}")
    assert answer.stderr.count("\n") == 1
    assert not (tmp_path / "out.toml").exists()


def test_homes_must_be_given(advise):
    """Without a number of homes there is no advice, and the line names it."""
    assert "--homes" in advise("--within", "10%").stderr


@pytest.mark.parametrize(
    "words, said",
    [
        (("--homes", 300, "--within", "1%"), "With 300 homes no window keeps the expected error"),
        (("--homes", 500, "--protect", "plan"), "With a window of plan, 500 homes are too few for an answer"),
    ],
)
def test_no_such_plan(advise, words, said, tmp_path):
    """Where there is none the answer is no: the frontier is printed, nothing is written."""
    answer = advise(*words, "-o", "out.toml")

    assert (answer.returncode, answer.stderr) == (1, "")
    assert answer.stdout.startswith(said)
    assert "a year" in answer.stdout
    assert not (tmp_path / "out.toml").exists()


def test_changes_are_said():
    """A slot that changes and a window that gets shorter are named."""
    plan = replace(preset("advised"), window=365)
    found = ProtectionSearch(plan, 120_000, 0.1, shared, {}).longest()
    said = advised_lines(found, plan, None)
    fixed = advised_lines(found, plan, "42d")

    assert any(line.startswith("THE SLOT CHANGES from 1 day to 7 days") for line in said)
    assert any(line.startswith("The window is shorter than the 365 days of the plan") for line in said)
    assert not any(line.startswith("The window is shorter") for line in fixed)
    assert any(
        line.startswith("Someone who watches all reports of a home for a year would tell right") for line in said
    )
    assert any("over 28 days is" in line for line in said)


def test_levels_that_do_not_reach_are_said():
    """Where no number of homes is enough with the levels of a line, it says so."""
    table = frontier_table(ProtectionSearch(preset("advised"), 20_000, 0.1, shared, {}).fixed("365d"))

    assert "not with these levels" in [*table.columns[5].cells]


@pytest.mark.parametrize("text", ["", "-5%", "nan", "1", "%", "10 percent", "1e-3"])
def test_shares_that_are_none(text):
    """Only a plain share between none and all."""
    with pytest.raises(UsageError, match="--within is"):
        share_of(text)


def test_the_larger_risk_is_in_the_frontier():
    """Where homes say what they do not measure, who does is told best."""
    plan = preset("everyday")
    told = told_in_a_year(plan)

    assert told["measured"] == max(each.ownership for each in long_run(plan).told.values()) > told["owned"]
    assert set(told_in_a_year(preset("advised"))) == {"owned", "constant"}
