"""A seeded, simulated collection that a real service serves, with its clock standing still."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import uvicorn
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from hushwatt.evaluate.demo.rehearsal import WATTS_DIVISOR, demo_plan
from hushwatt.evaluate.generators.paper_homes import paper_homes
from hushwatt.household.report.homes import enrol
from hushwatt.household.report.report import SlotReports, levels_of, report
from hushwatt.plan import SlotLength
from hushwatt.plan.plan import Plan
from hushwatt.privacy.entropy import Simulation
from hushwatt.provider.app import make_app
from hushwatt.provider.clock import ManualClock
from hushwatt.provider.intake.collect import Collection, collect_signed, validate
from hushwatt.provider.service.config import Config
from hushwatt.provider.store import open_store
from hushwatt.provider.store.enrolment import enrol_gateway, find_signer
from hushwatt.provider.store.enrolment_codes import add_codes, find_code
from hushwatt.provider.store.plans import add_plan
from hushwatt.provider.store.session import Session
from hushwatt.provider.store.slots import publish
from hushwatt.wire.record import pack_many, unpack
from hushwatt.wire.signature import public_bytes
from tools.pages import tour_plan

HOURS, HOURLY_HOMES = 21 * 24, 4000  # of the fleet that reports by the hour
OUTAGE, LEFT = 12, 40  # a slot in which few homes came through


@dataclass(frozen=True)
class Fleet:
    """Homes and what they measured, and how far the collection has come."""

    plan: Plan
    watts: np.ndarray  # slots × homes × appliances
    source: Simulation
    published: int  # slots
    now: datetime
    troubled: bool = False  # a slot with few reports, and a last one that is half in


def month() -> Fleet:
    """The demo's homes in the last days of a month, after an outage."""
    plan, slots = demo_plan(), 30
    now = plan.calendar.start_of(slots - 1) + timedelta(hours=14)
    watts = paper_homes(1000, slots, 1) / WATTS_DIVISOR
    return Fleet(plan, watts, Simulation(1, "screenshots"), slots - 2, now, troubled=True)


def hourly() -> Fleet:
    """Homes with a daily and a weekly cycle that report by the hour, in turns, for three weeks."""
    plan = replace(demo_plan(), slot=SlotLength(1, "h"), window=24, timezone="Europe/London")
    now = plan.calendar.start_of(HOURS) + timedelta(minutes=30)
    clock = np.arange(HOURS)
    places = np.arange(len(plan.appliances))
    peak = 7 + 12 * (places % 2)  # some in the morning, some in the evening
    cycle = 1 + 0.9 * np.cos((clock[:, None] % 24 - peak) * np.pi / 12)
    weekend = np.where((clock // 24 % 7 >= 5)[:, None] & (places % 3 == 0), 1.5, 0.85)
    habits = paper_homes(HOURLY_HOMES, 1, 1)[0] / WATTS_DIVISOR
    watts = habits[None] * (cycle * weekend)[:, None, :]
    return Fleet(plan, watts, Simulation(1, "hourly"), HOURS, now)


def tour() -> Fleet:
    """The tour's homes after their day."""
    plan = Plan.parse(tour_plan())
    day = np.tile([[150.0, 60.0]], (24, 4000, 1))
    day[:, :3000, 0] = 0
    return Fleet(plan, day, Simulation(seed=3, purpose="the tour"), 24, plan.calendar.end_of(24))


@contextmanager
def serving(folder: Path, fleet: Fleet) -> Iterator[str]:
    """The address of a running provider that has collected from a fleet."""
    file = folder / "plan.toml"
    file.write_text(fleet.plan.toml())
    config = Config(plan=(str(file),), data=str(folder), port=0)
    store = open_store(config.store_address)
    with store.writing() as session:
        collect(session, fleet)
    app = make_app(config, store, ManualClock(fleet.now))
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.02)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


def collect(session: Session, fleet: Fleet) -> None:
    """Let the homes report through a gateway, and publish the slots that are over."""
    slots, count, _ = fleet.watts.shape
    collection = Collection(add_plan(session, fleet.plan), fleet.plan)
    (code,) = add_codes(session, collection.number, 1, count, 0, 1)
    found = find_code(session, collection.number, code)
    assert found
    key = public_bytes(Ed25519PrivateKey.generate())
    enrolled = enrol_gateway(session, collection.number, key, count, found)
    signer = find_signer(session, collection.number, enrolled.name)
    assert signer
    homes = enrol(fleet.plan, count, 0, fleet.source)
    for slot, watts in enumerate(fleet.watts):
        sent = report(homes, slot, levels_of(fleet.plan, slot, watts, fleet.source), fleet.source)
        through = _through(len(sent.homes), slot, slots) if fleet.troubled else len(sent.homes)
        _deliver(session, collection, enrolled.devices, signer.signer, sent, through)
        if slot < fleet.published:
            publish(session, collection.number, slot, 0)


def _through(count: int, slot: int, slots: int) -> int:
    """How many reports of a slot came through."""
    return LEFT if slot == OUTAGE else count // 2 if slot == slots - 1 else count


def _deliver(
    session: Session,
    collection: Collection,
    devices: tuple[bytes, ...],
    signer: int,
    sent: SlotReports,
    count: int,
) -> None:
    names = b"".join(devices[home] for home in sent.homes[:count])
    rows = np.frombuffer(names, np.uint8).reshape(-1, 16)
    body = pack_many(rows, sent.slot, sent.spent[:count], sent.drawn[:count], sent.payloads[:count])
    records = unpack(body, collection.layout.size)
    signers = np.full(len(records), signer)
    collect_signed(
        session, collection, records, signers, validate(collection, records), first=sent.slot, last=sent.slot
    )
