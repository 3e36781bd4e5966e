"""The collector killed at random points, in the middle of commits and while it starts."""

import random
import time
from contextlib import ExitStack
from itertools import islice
from pathlib import Path

from hushwatt.audit.harness.buckets import GatewayHomes, Kept, Report, bucket_plan, check_answers, gather, kept_in
from hushwatt.audit.harness.expect import expect
from hushwatt.audit.harness.raw_connection import RawConnection, RawResponse, exchange
from hushwatt.audit.harness.service_process import PATIENCE, ServiceProcess
from hushwatt.chaos.scenario import Scenario

KILLS, HOMES, SLOTS = 10, 20, 40
LINES = 4  # connections at once
START = 0.2  # chance that it dies before it listens
MOST = 12  # answers that it gives after that
SYNC = 0.004  # seconds that the disk takes, so that many kills fall into a commit


def case(seed: int, folder: Path) -> None:
    """Some kills of one service, whose homes send on what was not acknowledged."""
    chance, plan = random.Random(seed), bucket_plan(HOMES, SLOTS)
    with ServiceProcess(folder, plan, sync=SYNC) as collector:
        crowd = gather(collector, HOMES)
        waiting = [(home, slot) for slot in range(SLOTS) for home in range(HOMES)]
        chance.shuffle(waiting)
        acknowledged: Kept = set()
        for _ in range(KILLS):
            acknowledged |= _life(collector, crowd, waiting, chance)
            there = kept_in(collector.store, crowd)
            lost = acknowledged - there
            expect(not lost, f"{len(lost)} acknowledged reports are lost")
            waiting = [each for each in waiting if each not in acknowledged] + chance.sample(waiting, 9)
            _restart(collector, chance)
        with collector.line() as line:
            rest = line.ask(crowd.upload(waiting))
        expect(rest.status == 200 and not rest.json()["rejected"], "what was left was not accepted")
        everything = {(home, slot) for slot in range(SLOTS) for home in range(HOMES)}
        check_answers(collector, crowd, everything)
        collector.stop()
        expect(kept_in(collector.store, crowd) == everything, "some reports never arrived")


def _life(collector: ServiceProcess, crowd: GatewayHomes, waiting: list[Report], chance: random.Random) -> Kept:
    """Send until the service is killed; what it acknowledged, with its last breath too."""
    queue, batches = iter(waiting), [list[list[Report]]() for _ in range(LINES)]
    for turn in range(6 * LINES):
        batches[turn % LINES].append(list(islice(queue, chance.randint(1, 4))))
    requests = [[crowd.upload(batch) for batch in mine] for mine in batches]
    enough = chance.randint(0, MOST)
    with ExitStack() as open_lines:
        lines = [open_lines.enter_context(collector.line()) for _ in range(LINES)]
        answers = exchange(zip(lines, requests, strict=True), time.monotonic() + PATIENCE, enough)
        time.sleep(chance.choice([0, 0, SYNC * chance.random()]))
        collector.kill()
        responses = [[*early, *_last_words(line)] for line, early in zip(lines, answers, strict=True)]
    acknowledged: Kept = set()
    for mine, words in zip(batches, responses, strict=True):
        for batch, answer in zip(mine, words, strict=False):
            expect(answer.status == 200, f"an upload was answered {answer.status}")
            expect(not answer.json()["rejected"], "a report was rejected")
            acknowledged |= set(batch)
    return acknowledged


def _last_words(line: RawConnection) -> list[RawResponse]:
    """Answers that were on their way when the service was killed: they were given, so they hold."""
    while not line.ended:
        line.listen()
    words = []
    while (answer := line.next()) is not None:
        words.append(answer)
    return words


def _restart(collector: ServiceProcess, chance: random.Random) -> None:
    """Start again; now and then it is killed before it listens, and started once more."""
    collector.begin()
    if chance.random() < START and not collector.wait(0.1 * chance.random()):
        collector.kill()
        collector.begin()
    expect(collector.wait(), "the service did not listen in a minute")


SAYS = "a collector killed at any point has every report that it acknowledged, and counts each once"
SCENARIO = Scenario("kill-collector", 12, SAYS, quick=KILLS, full=10_000, case=case, each=KILLS, unit="kills")
