"""A provider whose disk is full, or fails, at every step of its life in turn."""

import random
import shutil
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from hushwatt.audit.harness.buckets import GatewayHomes, Kept, Report
from hushwatt.audit.harness.concurrent_client import ConcurrentClient, Uploads, gather_crowd, place_for, whole
from hushwatt.audit.harness.expect import expect
from hushwatt.audit.harness.fault_injecting_disk import NEVER, FaultInjectingDisk, evenly_spread, random_fault
from hushwatt.audit.harness.in_process_client import ServiceResponse
from hushwatt.audit.harness.power_loss_disk import PowerLossDisk, mounted
from hushwatt.chaos.scenario import Scenario
from hushwatt.provider.service.logs import silence
from hushwatt.provider.store.session import StoreUnavailable

LIVES, HOMES, SLOTS = 8, 8, 8
EVERYTHING = [(home, slot) for home in range(HOMES) for slot in range(SLOTS)]


def case(seed: int, folder: Path) -> None:
    """The same uploads again and again; each time the disk fails some steps later, from first to last."""
    chance = random.Random(seed)
    failing, uploads = random_fault(chance), [chance.sample(EVERYTHING, 3) for _ in range(6)]
    store = place_for(folder, "new")
    crowd = gather_crowd(store, HOMES, SLOTS)
    healthy = _ServiceLife(folder, "healthy", store, crowd, chance)
    healthy.live(FaultInjectingDisk(failing, NEVER), uploads)
    with silence():
        for life, first in enumerate(evenly_spread(healthy.steps, LIVES, chance)):
            _ServiceLife(folder, f"{life}", store, crowd, chance).live(FaultInjectingDisk(failing, first), uploads)


class _ServiceLife:
    """One life of a service, on a copy of a new store."""

    def __init__(self, folder: Path, name: str, store: Path, crowd: GatewayHomes, chance: random.Random) -> None:
        self.folder, self.name, self.crowd, self.chance = folder, name, crowd, chance
        self.store = place_for(folder, name)
        shutil.copy(store, self.store)
        self.acknowledged, self.steps = Kept(), 0

    def live(self, disk: FaultInjectingDisk, uploads: Uploads) -> None:
        """Send while the disk fails; mend it and send again; then the power goes."""
        last: PowerLossDisk = disk
        with mounted(disk), closing(self._started(disk)) as client:
            statuses = set(self._send(client, uploads))
            expect(statuses <= {200, 503}, f"uploads were answered {statuses}")
            shut = disk.failing.unsure and disk.failed > 0 and 503 in statuses
            disk.mend()
            statuses = set(self._send(client, [EVERYTHING]))
            expect(statuses == {503 if shut else 200}, f"once mended, uploads were answered {statuses}")
            self.steps = disk.steps
            disk.lose_power()
            if shut:
                last = disk.kill(place_for(self.folder, f"{self.name} again").parent)
        if last is not disk:
            self._start_again(last)
        left = place_for(self.folder, f"{self.name} left")
        last.leave(left.parent, self.chance)
        lost = self.acknowledged - whole(left, self.crowd)
        expect(not lost, f"{len(lost)} acknowledged reports are lost")

    def _started(self, disk: FaultInjectingDisk) -> ConcurrentClient:
        """A service that cannot start on its disk says so; it is started again when the disk is mended."""
        try:
            return ConcurrentClient(self.store, self.crowd.plan)
        except StoreUnavailable:
            disk.mend()
            return ConcurrentClient(self.store, self.crowd.plan)

    def _start_again(self, disk: PowerLossDisk) -> None:
        """A service that did not trust its disk any more has ended, and is started again."""
        store = self.folder / f"{self.name} again" / "store.sqlite"
        with mounted(disk), closing(ConcurrentClient(store, self.crowd.plan)) as client:
            statuses = set(self._send(client, [EVERYTHING]))
            expect(statuses == {200}, f"after a new start an upload was answered {statuses}")
            disk.lose_power()

    def _send(self, client: ConcurrentClient, uploads: Uploads) -> Iterator[int]:
        """What each upload was answered; what was acknowledged is noted."""
        said = list[int]()

        def note(reports: Sequence[Report], answer: ServiceResponse) -> None:
            said.append(answer.status)
            if answer.status == 200:
                self.acknowledged.update(reports)

        client.send_all(self.crowd, uploads, note)
        return iter(said)


SAYS = "on a full or failing disk uploads are refused, later they pass, and nothing acknowledged is lost"
SCENARIO = Scenario(
    "broken-disk-provider", 14, SAYS, quick=6 * LIVES, full=10_000, case=case, each=LIVES, unit="failures"
)
