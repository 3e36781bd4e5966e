"""`hushwatt audit` shows what it found, and leaves with 1 when the answer is no."""

import json
from math import inf

import pytest

from hushwatt.audit import suites
from hushwatt.audit.finding import Finding
from hushwatt.cli import audit as command
from hushwatt.cli.audit import app


def finding(passed, **numbers):
    return Finding("C1", "a law", "a figure", passed, numbers=numbers)


@pytest.fixture
def planted(monkeypatch):
    """Put findings in the place of the rounding audit."""

    def plant(*findings):
        audits = [lambda each=each: each for each in findings]
        monkeypatch.setitem(suites.SUITES, "rounding", suites.Suite(lambda quick: audits))

    return plant


def test_selftest(hushwatt):
    """The planted bugs are found, in JSON for programs."""
    answer = hushwatt("audit", "selftest", "--json")
    found = json.loads(answer.stdout)

    assert answer.returncode == 0
    assert (found["audit"], found["passed"], len(found["findings"])) == ("selftest", True, 8)
    assert set(found["findings"][0]) == {
        "claim",
        "subject",
        "figure",
        "passed",
        "seconds",
        "numbers",
        "stated",
    }


def test_table(hushwatt):
    """Without --json there is one table, and the sum below it."""
    answer = hushwatt("audit", "rounding", "--quick", COLUMNS="160")

    assert answer.returncode == 0
    assert all(
        word in answer.stdout for word in ("claim", "figure", "stated", "time", "pass", "oue, rounded")
    )
    assert answer.stdout.rstrip().endswith("3 of 3 passed")


@pytest.mark.parametrize("name", ["exact", "budget", "sampler", "rounding"])
def test_one_plan(hushwatt, tmp_path, name):
    """A plan of one's own is looked at alone."""
    hushwatt("plan", "new", "--preset", "paper", "-o", "plan.toml")

    answer = hushwatt("audit", name, "--plan", "plan.toml", "--json")

    assert answer.returncode == 0
    assert len(json.loads(answer.stdout)["findings"]) == 1


def test_missing_plan(hushwatt):
    """A plan that is not there is one line and exit code 2."""
    answer = hushwatt("audit", "budget", "--plan", "nowhere.toml")

    assert answer.returncode == 2
    assert answer.stderr.startswith("hushwatt: nowhere.toml: ")
    assert answer.stderr.count("\n") == 1


def test_no_is_exit_one(planted, capsys):
    """One finding that does not pass makes the answer no."""
    planted(finding(True), finding(False))

    with pytest.raises(SystemExit) as leaving:
        command.rounding()

    assert leaving.value.code == 1
    assert "1 of 2 passed: the answer is no" in capsys.readouterr().out


def test_infinite_is_a_word_in_json(planted, capsys):
    """JSON knows no infinity."""
    planted(finding(True, home=inf, cases=3))

    command.rounding(as_json=True)

    assert json.loads(capsys.readouterr().out)["findings"][0]["numbers"] == {"home": "infinite", "cases": 3}


def test_every_suite_has_a_command():
    """What can be audited can be asked for."""

    assert set(suites.SUITES) | {"chaos"} == {name for name in app if not name.startswith("-")}
