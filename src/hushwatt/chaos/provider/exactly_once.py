"""Reports delivered several times, out of order, some lost on the way, around a restart."""

import random
import time
from pathlib import Path

from hushwatt.audit.harness.buckets import GatewayHomes, Report, bucket_plan, check_answers, gather, kept_in
from hushwatt.audit.harness.expect import expect
from hushwatt.audit.harness.raw_connection import exchange
from hushwatt.audit.harness.service_process import PATIENCE, ServiceProcess
from hushwatt.chaos.scenario import Scenario

HOMES, SLOTS = 500, 40
REPORTS = HOMES * SLOTS
COPIES = 5  # a report is delivered once to so many times
LARGEST = 2000  # reports in an upload
LINES = 4  # connections at once
NEVER = 0.05  # part of the reports that never leave home
LOST = 0.05  # part of the uploads that are cut off, and of those whose answer nobody hears


def case(seed: int, folder: Path) -> None:
    """Many deliveries of many reports, and each counts once in the end."""
    chance = random.Random(seed)
    with ServiceProcess(folder, bucket_plan(HOMES, SLOTS)) as collector:
        crowd = gather(collector, HOMES)
        reports = [(home, slot) for slot in range(SLOTS) for home in range(HOMES)]
        reports = [each for each in reports if chance.random() >= NEVER]
        uploads = _uploads(reports, chance)
        half = len(uploads) // 2
        accepted = _deliver(collector, crowd, uploads[:half], chance)
        collector.kill() if chance.random() < 0.5 else collector.stop()
        collector.start()
        accepted += _deliver(collector, crowd, uploads[half:], chance)
        accepted += _deliver(collector, crowd, [[each] for each in chance.sample(reports, 50)], chance)
        expect(accepted <= len(reports), f"{accepted} reports were accepted, and there are {len(reports)}")
        check_answers(collector, crowd, set(reports))
        collector.stop()
        expect(kept_in(collector.store, crowd) == set(reports), "what is kept is not what was sent")


def _uploads(reports: list[Report], chance: random.Random) -> list[list[Report]]:
    """Every report one to five times, in any order, in uploads of any size."""
    deliveries = [each for each in reports for _ in range(chance.randint(1, COPIES))]
    chance.shuffle(deliveries)
    uploads = []
    while deliveries:
        size = min(len(deliveries), chance.randint(1, LARGEST))
        uploads.append(deliveries[-size:])
        del deliveries[-size:]
    return uploads


def _deliver(collector: ServiceProcess, crowd: GatewayHomes, uploads: list[list[Report]], chance: random.Random) -> int:
    """Send all of them, those that got lost again; how many reports were accepted, as far as was heard."""
    lost = [upload for upload in uploads if chance.random() < LOST]
    for upload in lost:
        whole = crowd.upload(upload)
        line = collector.line()
        line.send(whole if chance.random() < 0.5 else whole[: chance.randrange(1, len(whole))])
        line.close()
    together = [[crowd.upload(upload) for upload in uploads[place::LINES]] for place in range(LINES)]
    lines = [collector.line() for _ in range(LINES)]
    answers = exchange(zip(lines, together, strict=True), time.monotonic() + 2 * PATIENCE)
    for line in lines:
        line.close()
    accepted = 0
    for place in range(LINES):
        expect(len(answers[place]) == len(together[place]), "an upload was not answered")
        for upload, answer in zip(uploads[place::LINES], answers[place], strict=True):
            verdict = answer.json()
            expect(answer.status == 200 and not verdict["rejected"], f"an upload was answered {answer.status}")
            expect(verdict["accepted"] + verdict["repeated"] == len(upload), "the answer's numbers do not add up")
            accepted += verdict["accepted"]
    return accepted


SAYS = "however often, in whatever order and around a restart reports arrive, each counts once"
SCENARIO = Scenario("exactly-once", 11, SAYS, quick=REPORTS, full=1_000_000, case=case, each=REPORTS, unit="reports")
