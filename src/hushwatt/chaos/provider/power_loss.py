"""A provider whose power goes, below SQLite, at any write or sync."""

import random
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from hushwatt.audit.harness.buckets import GatewayHomes, Kept, Report
from hushwatt.audit.harness.concurrent_client import ConcurrentClient, gather_crowd, place_for, whole
from hushwatt.audit.harness.expect import expect
from hushwatt.audit.harness.in_process_client import ServiceResponse
from hushwatt.audit.harness.power_loss_disk import PowerLossDisk, mounted
from hushwatt.chaos.scenario import Scenario

LOSSES, HOMES, SLOTS = 4, 12, 12
EVERYTHING = [(home, slot) for home in range(HOMES) for slot in range(SLOTS)]


def case(seed: int, folder: Path) -> None:
    """Uploads arrive, several at once, until the power goes; in the end all are sent again."""
    chance, acknowledged = random.Random(seed), Kept()
    store = place_for(folder, 0)
    crowd = gather_crowd(store, HOMES, SLOTS)
    last = 0  # step before the power goes

    def trouble(kind: str) -> None:
        if disk.steps == last:
            disk.lose_power()

    for loss in range(1, LOSSES + 1):
        last = chance.randint(1, 80)
        with mounted(PowerLossDisk(trouble)) as disk:  # single reports or some together, many of them again some time
            uploads = [chance.sample(EVERYTHING, chance.choice([1, 1, 1, 3, 12])) for _ in range(chance.randint(6, 12))]
            acknowledged |= _serve(store, crowd, uploads, disk, chance.random() < 0.2)
        store = place_for(folder, loss)
        disk.leave(store.parent, chance)
        lost = acknowledged - whole(store, crowd)
        expect(not lost, f"{len(lost)} acknowledged reports are lost")
    with mounted(PowerLossDisk()) as disk:
        again = _serve(store, crowd, [EVERYTHING], disk, in_order=True)
    expect(whole(store, crowd) == set(EVERYTHING) == again, "a report could not be sent again")


def _serve(store: Path, crowd: GatewayHomes, uploads: list[list[Report]], disk: PowerLossDisk, in_order: bool) -> Kept:
    """Start the service on the disk and send; gives what it acknowledged while there was power."""
    acknowledged = Kept()

    def note(reports: Sequence[Report], said: ServiceResponse) -> None:
        if disk.on:
            fine = said.status == 200 and not said.json()["rejected"]
            expect(fine, f"an upload was answered {said.status}")
            acknowledged.update(reports)

    with closing(ConcurrentClient(store, crowd.plan)) as client:
        disk.settle = client.settle
        client.send_all(crowd, uploads, note)
        if not in_order:
            disk.lose_power()  # with nothing left to do, and nothing closed
    return acknowledged


SAYS = "every acknowledged report is there and counted once, and what was not can be sent again"
SCENARIO = Scenario("power-loss-provider", 8, SAYS, quick=60, full=10_000, case=case, each=LOSSES, unit="power losses")
