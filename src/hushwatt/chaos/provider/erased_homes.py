"""Homes that leave, and what the disk still says of them."""

import random
from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path

from hushwatt.audit.harness.expect import expect
from hushwatt.audit.harness.in_process_client import EnrolledSigner, InProcessClient
from hushwatt.audit.harness.plans import histories, plan_for
from hushwatt.chaos.scenario import Scenario
from hushwatt.household.report.report import SlotReports
from hushwatt.plan import Appliance, Plan
from hushwatt.plan.amounts import MICRO
from hushwatt.wire.signature import public_bytes

LEAVING = 10  # homes in a case
ALONE, TOGETHER = 12, 150  # homes with a key each, and behind one gateway
SLOTS, LEVELS = 4, 48  # so many that no two payloads are alike


def case(seed: int, folder: Path) -> None:
    """Some homes leave a collection that goes on; afterwards no file holds a byte of theirs."""
    chance, plan = random.Random(seed), wide_plan()
    client = InProcessClient(
        folder, plan, now=plan.start + timedelta(minutes=5), grace="10m", scrub=chance.random() < 0.3
    )
    try:
        members = [client.join() for _ in range(ALONE)]
        gateway = client.join(TOGETHER)
        sent = list(histories(plan, ALONE + TOGETHER, SLOTS, seed))
        slots = chance.randint(1, SLOTS)
        for slot in range(slots):
            client.at_slot(slot)
            deliver(client, members, gateway, sent[slot])
            client.get("/slots")  # publishes, and scrubs, what is due
        homes = chance.sample(range(ALONE), LEAVING // 2) + [
            ALONE + home for home in chance.sample(range(TOGETHER), LEAVING - LEAVING // 2)
        ]
        chance.shuffle(homes)
        for home in homes:
            _leave(client, folder, members, gateway, home, sent[:slots])
    finally:
        client.close()
    marks = [mark for home in homes for mark in _marks(members, gateway, home, sent[:slots]).values()]
    expect(not any(_found(folder, marks)), "a home that left is in a file again")


def wide_plan() -> Plan:
    """A plan whose payloads are long enough to be told apart."""
    appliances = tuple(Appliance.of(name, range(1, LEVELS)) for name in ("kettle", "oven", "washer"))
    return plan_for(
        random.Random(0),
        "lbu",
        epsilon=MICRO,  # so little that every bit is nearly a coin
        window=1,
        oracle="oue",
        appliances=appliances,
        appliances_per_report=len(appliances),
        mapping="range",
        minimum_homes=2,
    )


def deliver(client: InProcessClient, members: list[EnrolledSigner], gateway: EnrolledSigner, sent: SlotReports) -> None:
    """The reports of one slot: those of single homes one by one, the gateway's together."""
    parts = [(member, slice(home, home + 1)) for home, member in enumerate(members)]
    parts.append((gateway, slice(len(members), None)))
    for member, rows in parts:
        said = client.report(member, sent.slot, sent, rows)
        expect(said.status == 200, f"an honest upload was answered {said.status}")


def _leave(
    client: InProcessClient,
    folder: Path,
    members: list[EnrolledSigner],
    gateway: EnrolledSigner,
    home: int,
    sent: list[SlotReports],
) -> None:
    marks = _marks(members, gateway, home, sent)
    there = dict(zip(marks, _found(folder, marks.values()), strict=True))
    expect(bool(there["device"]), "the marks of a home are not what its files hold")
    said = client.leave(members[home] if home < len(members) else gateway, marks["device"])
    expect(said.status == 200, f"leaving was answered {said.status}")
    (folder / "backup.sqlite").unlink(missing_ok=True)
    client.service.database.backup(folder / "backup.sqlite")
    for name, files in zip(marks, _found(folder, marks.values()), strict=True):
        expect(not files, f"the {name} of a home that left is still in {files}")


def _marks(
    members: list[EnrolledSigner], gateway: EnrolledSigner, home: int, sent: list[SlotReports]
) -> dict[str, bytes]:
    """What only this home's rows hold: its device, its key if it has its own, its payloads."""
    alone = home < len(members)
    device = members[home].name if alone else gateway.devices[home - len(members)].tobytes()
    marks = {"device": device, "device in hex": device.hex().encode()}
    if alone:
        marks["key"] = public_bytes(members[home].key)
    return marks | {f"report of slot {each.slot}": each.payloads[home].tobytes() for each in sent}


def _found(folder: Path, marks: Iterable[bytes]) -> list[str]:
    """For each mark the file that holds it, or nothing."""
    files = {file.name: file.read_bytes() for file in sorted(folder.iterdir()) if file.is_file()}
    return [next((name for name, content in files.items() if mark in content), "") for mark in marks]


SAYS = "once a home has left, neither the store's files nor later backups hold a byte of it"
SCENARIO = Scenario("erased-homes", 18, SAYS, quick=LEAVING, full=1_000, case=case, each=LEAVING, unit="homes")
