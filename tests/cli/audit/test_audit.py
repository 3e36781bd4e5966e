"""`hushwatt audit` shows what it found, and leaves with 1 when the answer is no."""

import json
from functools import partial
from math import inf

import pytest

from hushwatt.audit import suites
from hushwatt.audit.finding import Audit, Finding
from hushwatt.cli.audit import audit as command
from hushwatt.cli.audit.audit import app
from hushwatt.errors import UsageError
from hushwatt.plan.presets import preset, preset_text


def finding(passed, **numbers):
    return Finding("C1", "a law", "a figure", passed, numbers=numbers)


@pytest.fixture
def planted(monkeypatch):
    """Put findings in the place of the rounding audit."""

    def plant(*findings):
        audits: list[Audit] = [partial(lambda finding: finding, each) for each in findings]
        monkeypatch.setitem(suites.SUITES, "rounding", suites.Suite(lambda quick: audits))

    return plant


def test_json_in_a_file(planted, tmp_path, capsys):
    """With a name that ends in .json, -o keeps what --json prints."""
    planted(finding(True, reached=0.5))
    app(["rounding", "-o", str(tmp_path / "audit.json"), "--json"], result_action="return_value")

    assert (
        json.loads((tmp_path / "audit.json").read_text())["findings"] == json.loads(capsys.readouterr().out)["findings"]
    )


def test_selftest(hushwatt):
    """The planted bugs are found, in JSON for programs."""
    answer = hushwatt("audit", "selftest", "--json")
    found = json.loads(answer.stdout)

    assert answer.returncode == 0
    assert (found["audit"], found["passed"], len(found["findings"])) == ("selftest", True, 12)
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
    assert all(word in answer.stdout for word in ("claim", "figure", "stated", "time", "pass", "oue, rounded"))
    assert answer.stdout.rstrip().endswith("3 of 3 passed")


@pytest.mark.parametrize("name", ["exact", "budget", "sampler", "rounding", "forged"])
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

    assert set(suites.SUITES) | {"chaos", "all"} == {name for name in app if not name.startswith("-")}


def test_all_of_them(monkeypatch, capsys, tmp_path):
    """Every kind of audit runs, in general and for each plan, with a row for each claim and a page."""
    few = {
        "budget": suites.Suite(
            lambda quick: [lambda: finding(True), lambda: finding(True)],
            lambda plan: lambda: Finding("C2", plan.name, "a figure", True),
        ),
        "selftest": suites.Suite(lambda quick: [lambda: Finding("C14", "a bug", "found", True)]),
    }
    monkeypatch.setattr(suites, "SUITES", few)
    plans = [tmp_path / "one.toml", tmp_path / "two.toml"]
    for path, name in zip(plans, ("paper", "advised"), strict=True):
        path.write_text(preset_text(name))

    command.everything(*plans, output=tmp_path / "page.html")
    said, page = capsys.readouterr().out, (tmp_path / "page.html").read_text()

    assert said.rstrip().endswith("5 of 5 passed")
    assert all(f" {claim} " in said for claim in ("C1", "C2", "C14"))
    assert "All 5 checks passed" in page
    assert all(preset(name).id in page for name in ("paper", "advised"))


def test_failures_are_listed(monkeypatch, capsys):
    """Below the table of claims every check that failed is named."""
    few = {"budget": suites.Suite(lambda quick: [lambda: finding(True), lambda: finding(False)])}
    monkeypatch.setattr(suites, "SUITES", few)

    with pytest.raises(SystemExit):
        command.everything()

    assert "✗ C1 a law: a figure" in capsys.readouterr().out


def test_a_page_of_one_audit(hushwatt, tmp_path):
    """Every audit can leave a page, and JSON on the way."""
    answer = hushwatt("audit", "rounding", "--quick", "--json", "-o", "page.html")

    assert answer.returncode == 0
    assert [row["claim"] for row in json.loads(answer.stdout)["claims"]] == ["C1"]
    assert "hushwatt audit rounding --quick --json -o page.html" in (tmp_path / "page.html").read_text()


def test_a_page_that_cannot_be_written(monkeypatch, tmp_path):
    """A folder that is not there is told before the work begins, not after hours of it."""
    worked = []
    monkeypatch.setitem(suites.SUITES, "rounding", suites.Suite(lambda quick: worked.append(quick) or []))

    with pytest.raises(UsageError, match="there is no folder"):
        command.rounding(output=tmp_path / "nowhere" / "page.html")

    assert worked == []
