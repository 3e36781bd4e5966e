"""Many cases of a scenario: seeded, within a time, on several processes, no failure hidden."""

import hashlib
import multiprocessing
import os
import shutil
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path
from time import monotonic

from hushwatt.audit.harness.expect import Fault
from hushwatt.chaos.scenario import Scenario

MEMORY = Path("/dev/shm")  # cases lose power on paper, so their files need no real disk
PATIENCE = 900  # seconds for one case on a busy machine
Advance = Callable[[int], None]


@dataclass(frozen=True)
class Failure:
    """One case that broke a promise, and the command that shows it again."""

    seed: int
    said: str
    replay: str


@dataclass(frozen=True)
class ScenarioResult:
    """What many cases of one scenario came to."""

    scenario: Scenario
    asked: int  # how many of the scenario's unit were aimed at
    done: int  # and how many were reached
    seconds: float
    failures: tuple[Failure, ...] = ()
    interrupted: bool = False  # by Ctrl-C

    @property
    def passed(self) -> bool:
        return self.done > 0 and not self.failures


def seed_of(seed: int, name: str, case: int) -> int:
    """The 64-bit seed of one case: the same run seed gives the same cases, on any machine.

    >>> seed_of(1, "kill-agent", 0) == seed_of(1, "kill-agent", 0) != seed_of(1, "kill-agent", 1)
    True
    """
    digest = hashlib.sha256(f"{seed} {name} {case}".encode()).digest()
    return int.from_bytes(digest[:8], "big")


def run(
    scenario: Scenario,
    figure: int,
    seed: int,
    minutes: float | None = None,
    jobs: int = 1,
    advance: Advance = lambda done: None,
) -> ScenarioResult:
    """Go through as many cases as reach `figure`; none is begun after so many minutes, but one always is."""
    began = monotonic()
    until = None if minutes is None else began + 60 * minutes
    seeds = [seed_of(seed, scenario.name, case) for case in range(scenario.cases(figure))]
    work = _alone(scenario, seeds, until) if jobs < 2 else _together(scenario, seeds, until, jobs)
    done, failures, interrupted = 0, list[Failure](), False
    try:
        for failure in work:
            done += 1
            failures += [failure] if failure else []
            advance(scenario.each)
    except KeyboardInterrupt:
        interrupted = True
    seconds = monotonic() - began
    return ScenarioResult(scenario, figure, done * scenario.each, seconds, tuple(failures), interrupted)


def try_case(scenario: Scenario, seed: int) -> Failure | None:
    """Go through one case in a folder of its own."""
    try:
        once(scenario, seed)
    except Fault as fault:
        return failure(scenario, seed, str(fault))
    except Exception as surprise:
        place = traceback.extract_tb(surprise.__traceback__)[-1]
        where = f"{Path(place.filename).name}:{place.lineno}"
        return failure(scenario, seed, f"{type(surprise).__name__} at {where}: {surprise}")
    return None


def once(scenario: Scenario, seed: int) -> None:
    """The case itself: whatever it raises flies."""
    with tempfile.TemporaryDirectory(prefix=_prefix(os.getpid()), dir=_memory()) as folder:
        scenario.case(seed, Path(folder))


def _memory() -> Path:
    return MEMORY if MEMORY.is_dir() else Path(tempfile.gettempdir())


def _prefix(process: int | None) -> str:
    return f"hushwatt-chaos-{process}-"


def failure(scenario: Scenario, seed: int, said: str) -> Failure:
    return Failure(seed, said, f"hushwatt audit chaos {scenario.name} --case {seed}")


def _alone(scenario: Scenario, seeds: list[int], until: float | None) -> Iterator[Failure | None]:
    for place, seed in enumerate(seeds):
        if place and until is not None and monotonic() > until:
            return
        yield try_case(scenario, seed)


def _together(scenario: Scenario, seeds: list[int], until: float | None, jobs: int) -> Iterator[Failure | None]:
    """Every worker takes each `jobs`-th case; one that dies or hangs fails its case, and another goes on."""
    workers = {
        worker.pipe: worker for worker in (_Worker(scenario, seeds[place::jobs], until) for place in range(jobs))
    }
    try:
        while workers:
            for pipe in wait(list(workers), timeout=1):
                worker = workers.pop(pipe)  # type: ignore[call-overload]
                outcome = worker.outcome()
                if outcome == "over":
                    continue
                yield outcome
                workers[worker.pipe] = worker
            for worker in [each for each in workers.values() if each.late]:
                del workers[worker.pipe]
                yield worker.lost(f"the case did not end in {PATIENCE} seconds")
                workers[worker.pipe] = worker
    finally:
        for worker in workers.values():
            worker.end()


class _Worker:
    """A process that goes through cases, and the next one when that dies."""

    def __init__(self, scenario: Scenario, seeds: list[int], until: float | None) -> None:
        self.scenario, self.seeds, self.until = scenario, seeds, until
        self._begin()

    def _begin(self) -> None:
        fork = multiprocessing.get_context("fork")
        self.pipe, theirs = fork.Pipe(duplex=False)
        self.process = fork.Process(target=_work, args=(theirs, self.scenario, self.seeds, self.until))
        with warnings.catch_warnings(action="ignore", category=DeprecationWarning):
            self.process.start()
        theirs.close()
        self.since = monotonic()

    @property
    def late(self) -> bool:
        return monotonic() - self.since > PATIENCE

    def outcome(self) -> "Failure | str | None":
        """What became of the next case, or that there is none."""
        try:
            outcome: Failure | str | None = self.pipe.recv()
        except EOFError:
            return self.lost("the process died in the middle of the case")
        if outcome == "over":
            self.end()
        else:
            self.seeds, self.since = self.seeds[1:], monotonic()
        return outcome

    def lost(self, why: str) -> Failure:
        """Give up the case it is at, and go on with the next one."""
        self.end()
        seed, *self.seeds = self.seeds
        self._begin()
        return failure(self.scenario, seed, why)

    def end(self) -> None:
        """Kill it; the folder of the case it was at goes with it."""
        self.process.kill()
        self.process.join()
        for folder in _memory().glob(f"{_prefix(self.process.pid)}*"):
            shutil.rmtree(folder, ignore_errors=True)
        self.pipe.close()


def _work(pipe: Connection, scenario: Scenario, seeds: list[int], until: float | None) -> None:
    for outcome in _alone(scenario, seeds, until):
        pipe.send(outcome)
    pipe.send("over")
