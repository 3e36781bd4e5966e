"""Cases are seeded and bounded, and no failure is hidden."""

import os
import signal
import time

import pytest

from hushwatt.audit.harness.expect import Fault
from hushwatt.chaos import run as engine
from hushwatt.chaos.run import run, seed_of, try_case
from hushwatt.chaos.scenario import Scenario


def scenario(case, **fields):
    return Scenario("some-trouble", 1, "it holds", quick=1, full=10, case=case, **fields)


def odd_ones_fail(seed, folder):
    if seed % 2:
        raise Fault("an odd one")


@pytest.mark.parametrize("jobs", [1, 2])
def test_every_failure_is_told(jobs):
    """Each failing case is in the outcome, with the command that shows it again."""
    outcome = run(scenario(odd_ones_fail), 20, seed=1, jobs=jobs)
    seeds = [seed_of(1, "some-trouble", case) for case in range(20)]

    assert outcome.done == 20
    assert not outcome.passed
    assert {failure.seed for failure in outcome.failures} == {seed for seed in seeds if seed % 2}
    assert all(
        failure.replay == f"hushwatt audit chaos some-trouble --case {failure.seed}" for failure in outcome.failures
    )


def test_surprises_are_failures():
    """A case that ends in any other error has failed, and says where."""

    def case(seed, folder):
        raise ValueError("not foreseen")

    said = try_case(scenario(case), 1).said

    assert said.startswith("ValueError at test_run.py:")
    assert said.endswith("not foreseen")


def test_a_dead_worker_is_a_failure():
    """A case that takes its process along has failed, and the others go on."""

    def case(seed, folder):
        if seed == seed_of(1, "some-trouble", 3):
            os.kill(os.getpid(), signal.SIGKILL)

    outcome = run(scenario(case), 6, seed=1, jobs=2)

    assert outcome.done == 6
    assert [failure.seed for failure in outcome.failures] == [seed_of(1, "some-trouble", 3)]


def test_a_case_that_hangs_is_a_failure(monkeypatch):
    """A case that does not end is given up, and the others go on."""
    monkeypatch.setattr(engine, "PATIENCE", 2)

    def case(seed, folder):
        if seed == seed_of(1, "some-trouble", 0):
            time.sleep(100)

    outcome = run(scenario(case), 4, seed=1, jobs=2)

    assert outcome.done == 4
    assert [failure.said for failure in outcome.failures] == ["the case did not end in 2 seconds"]


@pytest.mark.parametrize("how", ["killed", "hung"])
def test_a_lost_worker_leaves_no_folder(tmp_path, monkeypatch, how):
    """What lay in the folder of a case whose process ended in the middle is gone."""
    monkeypatch.setattr(engine, "MEMORY", tmp_path)
    monkeypatch.setattr(engine, "PATIENCE", 1 if how == "hung" else 900)

    def case(seed, folder):
        (folder / "ledger").mkdir()
        if how == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(100)

    outcome = run(scenario(case), 2, seed=1, jobs=2)

    assert len(outcome.failures) == 2
    assert list(tmp_path.iterdir()) == []


def test_time_is_bounded():
    """No case is begun when the time is over, but one always is."""

    assert run(scenario(lambda seed, folder: None), 10, seed=1, minutes=0).done == 1


def test_ctrl_c_keeps_what_was_found():
    """Interrupted, a run still tells of every case it went through."""
    seen = []

    def case(seed, folder):
        seen.append(seed)
        if len(seen) == 3:
            raise KeyboardInterrupt
        raise Fault("it broke")

    outcome = run(scenario(case), 10, seed=1)

    assert (outcome.interrupted, outcome.done, len(outcome.failures)) == (True, 2, 2)


def test_figures_count_units():
    """A case that makes up several of its unit counts for as many."""
    outcome = run(scenario(lambda seed, folder: None, each=4, unit="kills"), 10, seed=1)

    assert (outcome.asked, outcome.done) == (10, 12)


def test_no_cases_is_no_pass():
    """Having looked at nothing is not having seen it hold."""

    assert not run(scenario(odd_ones_fail), 0, seed=1).passed


def test_folders_are_empty_and_go():
    """Each case has a folder of its own, which goes with it."""
    seen = []

    def case(seed, folder):
        assert list(folder.iterdir()) == []
        (folder / "file").touch()
        seen.append(folder)

    outcome = run(scenario(case), 3, seed=1)

    assert outcome.passed
    assert len(set(seen)) == 3
    assert not any(folder.exists() for folder in seen)
