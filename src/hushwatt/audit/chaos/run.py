"""Many cases of a scenario: seeded, within a time, on several processes, no failure hidden."""

import hashlib
import multiprocessing
import tempfile
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path
from time import monotonic

from hushwatt.audit.chaos.scenario import Fault, Scenario

MEMORY = Path("/dev/shm")  # cases lose power on paper, so their files need no real disk
Advance = Callable[[int], None]


@dataclass(frozen=True)
class Failure:
    """One case that broke a promise, and the command that shows it again."""

    seed: int
    said: str
    replay: str


@dataclass(frozen=True)
class Outcome:
    """What many cases of one scenario came to."""

    scenario: Scenario
    asked: int  # how many of the scenario's unit were aimed at
    done: int  # and how many were reached
    seconds: float
    failures: tuple[Failure, ...] = ()

    @property
    def passed(self) -> bool:
        return self.done > 0 and not self.failures


def seed_of(seed: int, name: str, case: int) -> int:
    """The 64-bit seed of one case: the same run seed gives the same cases, on any machine.

    >>> seed_of(1, "kill-agent", 0) == seed_of(1, "kill-agent", 0) != seed_of(1, "kill-agent", 1)
    True
    """
    told = hashlib.sha256(f"{seed} {name} {case}".encode()).digest()
    return int.from_bytes(told[:8], "big")


def run(
    scenario: Scenario,
    figure: int,
    seed: int,
    minutes: float | None = None,
    jobs: int = 1,
    advance: Advance = lambda done: None,
) -> Outcome:
    """Go through as many cases as reach `figure`; none is begun after so many minutes, but one always is."""
    began = monotonic()
    until = None if minutes is None else began + 60 * minutes
    seeds = [seed_of(seed, scenario.name, case) for case in range(scenario.cases(figure))]
    work = _alone(scenario, seeds, until) if jobs < 2 else _together(scenario, seeds, until, jobs)
    done, failures = 0, list[Failure]()
    for failure in work:
        done += 1
        failures += [failure] if failure else []
        advance(scenario.each)
    return Outcome(scenario, figure, done * scenario.each, monotonic() - began, tuple(failures))


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
    with tempfile.TemporaryDirectory(
        prefix="hushwatt-chaos-", dir=MEMORY if MEMORY.is_dir() else None
    ) as folder:
        scenario.case(seed, Path(folder))


def failure(scenario: Scenario, seed: int, said: str) -> Failure:
    return Failure(seed, said, f"hushwatt audit chaos {scenario.name} --case {seed}")


def _alone(scenario: Scenario, seeds: list[int], until: float | None) -> Iterator[Failure | None]:
    for place, seed in enumerate(seeds):
        if place and until is not None and monotonic() > until:
            return
        yield try_case(scenario, seed)


def _together(
    scenario: Scenario, seeds: list[int], until: float | None, jobs: int
) -> Iterator[Failure | None]:
    """Every worker takes each `jobs`-th case; one that dies fails the case it was at."""
    fork = multiprocessing.get_context("fork")
    workers, ahead = [], dict[Connection, list[int]]()
    for place in range(min(jobs, len(seeds))):
        ours, theirs = fork.Pipe(duplex=False)
        share = seeds[place::jobs]
        worker = fork.Process(target=_work, args=(theirs, scenario, share, until))
        worker.start()
        theirs.close()
        workers.append(worker)
        ahead[ours] = share
    try:
        while ahead:
            for pipe in wait(list(ahead)):
                assert isinstance(pipe, Connection)
                yield from _heard(pipe, scenario, ahead)
    finally:
        for worker in workers:
            worker.kill()
            worker.join()


def _work(told: Connection, scenario: Scenario, seeds: list[int], until: float | None) -> None:
    for outcome in _alone(scenario, seeds, until):
        told.send(outcome)
    told.send("over")


def _heard(
    pipe: Connection, scenario: Scenario, ahead: dict[Connection, list[int]]
) -> Iterator[Failure | None]:
    """What a worker says next: a case, or its end, in good order or not."""
    try:
        told = pipe.recv()
    except EOFError:
        yield failure(scenario, ahead.pop(pipe)[0], "the process died in the middle of the case")
        return
    if told == "over":
        del ahead[pipe]
    else:
        ahead[pipe] = ahead[pipe][1:]
        yield told
