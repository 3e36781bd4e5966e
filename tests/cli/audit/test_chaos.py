"""`hushwatt audit chaos` shows how far it came, and how to see a failure again."""

import json

import pytest

from hushwatt.audit.harness.expect import Fault
from hushwatt.chaos import run as engine
from hushwatt.chaos import scenarios
from hushwatt.chaos.run import ScenarioResult, seed_of
from hushwatt.chaos.scenario import Scenario
from hushwatt.cli.audit.chaos import chaos
from hushwatt.errors import UsageError


@pytest.fixture
def planted(monkeypatch):
    """Put one scenario in the place of all; its first case of seed 1 fails."""

    def case(seed, folder):
        if seed == seed_of(1, "some-trouble", 0):
            raise Fault("it broke")

    one = Scenario("some-trouble", 7, "it holds", quick=2, full=4, case=case, unit="kills")
    monkeypatch.setattr(scenarios, "SCENARIOS", {one.name: one})
    return seed_of(1, "some-trouble", 0)


def test_a_run(hushwatt):
    """One table on stdout, the seed on stderr."""
    answer = hushwatt("audit", "chaos", "restored-ledger", "--cases", 3, "--seed", 5)

    assert answer.returncode == 0
    assert "3 cases" in answer.stdout
    assert answer.stdout.rstrip().endswith("1 of 1 hold")
    assert answer.stderr == "seed 5: the same cases again with --seed 5\n"


def test_a_failure_is_told_with_its_command(planted, capsys):
    """The answer is no, and the line below says how to see why."""
    with pytest.raises(SystemExit) as leaving:
        chaos(seed=1, jobs=1)
    told = capsys.readouterr().out

    assert leaving.value.code == 1
    assert f"✗ some-trouble: it broke\n  hushwatt audit chaos some-trouble --case {planted}\n" in told
    assert "4 kills" in told
    assert "0 of 1 hold: the answer is no" in told


def test_json(planted, capsys):
    """Programs read the same, with every failure."""
    with pytest.raises(SystemExit):
        chaos(seed=1, jobs=1, quick=True, as_json=True)
    told = json.loads(capsys.readouterr().out)

    assert (told["seed"], told["passed"]) == (1, False)
    (row,) = told["scenarios"]
    assert (row["scenario"], row["done"], row["asked"], row["full"], row["unit"]) == (
        "some-trouble",
        2,
        2,
        4,
        "kills",
    )
    assert row["failures"] == [
        {"seed": planted, "said": "it broke", "replay": f"hushwatt audit chaos some-trouble --case {planted}"}
    ]


def test_one_case_again(planted, capsys):
    """The command that was told shows the failure, and another case holds."""
    with pytest.raises(SystemExit) as leaving:
        chaos("some-trouble", case=planted)
    chaos("some-trouble", case=planted + 1)

    assert leaving.value.code == 1
    assert capsys.readouterr().out.splitlines() == [
        f"some-trouble, case {planted}: it broke",
        f"some-trouble, case {planted + 1}: holds",
    ]


def test_time_is_shared(planted, capsys):
    """With no time left every scenario has one case, and says so."""
    chaos(seed=2, jobs=1, minutes=0, as_json=True)
    (row,) = json.loads(capsys.readouterr().out)["scenarios"]

    assert (row["done"], row["asked"]) == (1, 4)


def test_ctrl_c_shows_the_table(planted, monkeypatch, capsys):
    """What was found so far is told before it leaves."""

    def interrupted(scenario, aim, *_):
        return ScenarioResult(scenario, aim, 1, 0.1, interrupted=True)

    monkeypatch.setattr(engine, "run", interrupted)

    with pytest.raises(KeyboardInterrupt):
        chaos(seed=2, jobs=1)

    assert "1 of 1 hold" in capsys.readouterr().out


def test_wrong_use(planted):
    """A name that is none, and a case of nobody knows what."""
    with pytest.raises(UsageError, match="no scenario called thunder; there are some-trouble"):
        chaos("thunder")
    with pytest.raises(UsageError, match="--case needs the name"):
        chaos("some-trouble", "some-trouble", case=1)


def test_no_cases_at_all():
    """Nothing to try is no trial."""
    with pytest.raises(UsageError, match="at least one"):
        chaos(cases=0)
