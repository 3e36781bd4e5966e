"""Reports that each own a bucket: in every slot a home has a level to itself, and always reports it.

A report that counts twice is a 2 in a tally, a lost one a 0, and a strange one is where none should
be; no sum can hide one behind the other.
"""

import random
import time
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from numpy.typing import NDArray

from hushwatt.audit.harness.expect import expect
from hushwatt.audit.harness.plans import plan_for
from hushwatt.audit.harness.raw_connection import request
from hushwatt.audit.harness.service_process import ServiceProcess
from hushwatt.plan import Appliance, Plan, SlotLength
from hushwatt.provider.estimate.document import document
from hushwatt.provider.estimate.estimate import estimate
from hushwatt.provider.store import open_store
from hushwatt.provider.store.enrolment_codes import add_codes
from hushwatt.provider.store.plans import add_plan
from hushwatt.provider.store.reports.stored import stored_payloads
from hushwatt.provider.store.tallies import read_tallies
from hushwatt.provider.tally.tally import Tallies, Tally, TallyKey
from hushwatt.wire.payload import Layout
from hushwatt.wire.record import pack_many
from hushwatt.wire.signature import public_bytes, sign_request

Report = tuple[int, int]  # home and slot
Kept = set[Report]
JSON = {"Content-Type": "application/json"}


def bucket_plan(homes: int, slots: int) -> Plan:
    """A plan with a level for every home, whose first `slots` slots are over and take reports."""
    start = datetime.now(UTC).replace(second=0, microsecond=0) - timedelta(minutes=slots + 2)
    return plan_for(
        random.Random(0),
        "lbu",
        start=start,
        expires=start + timedelta(minutes=slots),
        slot=SlotLength(1, "m"),
        window=1,
        oracle="grr",
        appliances=(Appliance.of("meter", range(1, homes)),),
        appliances_per_report=1,
        mapping="range",
        unmeasured="zero",
    )


@dataclass(frozen=True)
class GatewayHomes:
    """Homes behind one gateway, whose reports are known beforehand."""

    plan: Plan
    key: Ed25519PrivateKey
    name: bytes
    devices: NDArray[np.uint8]

    @property
    def homes(self) -> int:
        return len(self.devices)

    def body(self, reports: Iterable[Report]) -> bytes:
        """Records of these reports, in this order."""
        homes, slots = np.array(list(reports), dtype=np.int64).reshape(-1, 2).T
        payloads = Layout.of(self.plan).pack(homes[:, None].astype(np.uint16))
        return pack_many(self.devices[homes], slots, self.plan.epsilon, self.plan.epsilon, payloads)

    def upload(self, reports: Iterable[Report]) -> bytes:
        """A signed request with these reports."""
        path, body = f"/v1/plans/{self.plan.id}/reports", self.body(reports)
        return request("POST", path, body, sign_request(self.key, self.name, "POST", path, int(time.time()), body))


def gather(collector: ServiceProcess, homes: int) -> GatewayHomes:
    """Put the plan and a code for so many homes into a new store, start the service, and enrol them over HTTP."""
    collector.config.folder.mkdir(exist_ok=True)
    store, now = open_store(collector.store), int(time.time())
    with store.writing() as session:
        (code,) = add_codes(session, add_plan(session, collector.plan), 1, homes, now, now + 86400)
    store.close()
    collector.start()
    key = Ed25519PrivateKey.generate()
    enrolment = f'{{"public_key": "{public_bytes(key).hex()}", "code": "{code}", "homes": {homes}}}'
    with collector.line() as line:
        answer = line.ask(request("POST", f"/v1/plans/{collector.plan.id}/devices", enrolment.encode(), JSON))
    expect(answer.status == 201, f"joining was answered {answer.status}")
    enrolled = answer.json()
    devices = np.frombuffer(bytes.fromhex("".join(enrolled["devices"])), np.uint8).reshape(-1, 16)
    return GatewayHomes(collector.plan, key, bytes.fromhex(enrolled["device"]), devices)


def kept_in(address: str, crowd: GatewayHomes) -> Kept:
    """What is in a store; tallies that differ from it are a fault."""
    store = open_store(address)
    with store.reading() as session:
        rows = stored_payloads(session, 1)
        tallies = read_tallies(session, 1, 0, crowd.plan.calendar.slots)
    store.close()
    numbers = {device.tobytes(): home for home, device in enumerate(crowd.devices)}
    reports = {(numbers[device], slot): payload for device, slot, payload in rows}
    expect(len(reports) == len(rows), "a report is in the store twice")
    bodies = Layout.of(crowd.plan).pack(np.arange(crowd.homes, dtype=np.uint16)[:, None])
    for (home, slot), payload in reports.items():
        expect(payload == bodies[home].tobytes(), f"the report of slot {slot} is not what was sent")
    check_tallies(crowd, set(reports), tallies)
    return set(reports)


def check_tallies(crowd: GatewayHomes, kept: Kept, tallies: dict[TallyKey, Tally]) -> None:
    """Every report that is kept counts once, in its own bucket."""
    model = modelled(crowd, kept).groups
    expect(tallies.keys() == model.keys(), "slots with tallies are not the slots with reports")
    for key, tally in tallies.items():
        twice = int((tally.counts > model[key].counts).sum())
        expect(not twice, f"{twice} reports of slot {key.slot} count twice")
        expect((tally.counts == model[key].counts).all(), f"a report of slot {key.slot} does not count")
        expect(tally.rows == model[key].rows, f"the homes of slot {key.slot} are miscounted")


def modelled(crowd: GatewayHomes, kept: Kept) -> Tallies:
    """What the tallies must be when these reports have arrived, by counting on fingers."""
    groups: dict[TallyKey, Tally] = {}
    for slot in {slot for _, slot in kept}:
        counts = np.zeros(crowd.homes, dtype=np.int64)
        counts[[home for home, where in kept if where == slot]] = 1
        total = int(counts.sum())
        groups[TallyKey(slot, 0, slot, crowd.plan.epsilon)] = Tally(total, np.array([total]), counts)
    return Tallies(crowd.homes, groups)


def check_answers(collector: ServiceProcess, crowd: GatewayHomes, kept: Kept) -> None:
    """Publish everything, and compare what the service answers with the estimates of the model."""
    path = f"/v1/plans/{crowd.plan.id}"
    until = f'{{"until": {crowd.plan.calendar.slots - 1}}}'.encode()
    with collector.line() as line:
        line.ask(request("POST", f"{path}/publish", until, JSON))
        answer = line.ask(request("GET", f"{path}/estimates?consistency=none"))
    expect(answer.status == 200, f"estimates were answered {answer.status}")
    model = document(estimate(crowd.plan, modelled(crowd, kept), consistency="none"))
    published = answer.json()
    expect(published["slots"] == model["slots"], "the slots of the estimates are not those of the model")
    expect(published["appliances"] == model["appliances"], "the estimates are not those of the model")
