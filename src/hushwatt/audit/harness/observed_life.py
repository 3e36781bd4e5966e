"""One life of a home, from switching it on to its sudden end: agent and outbox, everything noted.

The provider takes every upload, and answers, refuses or falls silent by chance.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from hushwatt.audit.harness.expect import expect
from hushwatt.audit.harness.fake_provider import Endpoint
from hushwatt.audit.harness.home_under_test import HomeUnderTest, RandomReadings, SeededSource
from hushwatt.audit.harness.machine_clock import MachineClock
from hushwatt.audit.harness.notes import Notes, NoteWriter
from hushwatt.audit.harness.released import Released, check_windows, record_released
from hushwatt.errors import HushwattError
from hushwatt.household.ledger.lock import agent_lock
from hushwatt.household.ledger.store import Store
from hushwatt.household.upload.http import HttpResponse, Unreachable
from hushwatt.household.upload.provider_client import PlanSession, ProviderClient, VerifiedSession
from hushwatt.plan.plan import Plan
from hushwatt.privacy.entropy import Entropy
from hushwatt.wire.payload import Layout
from hushwatt.wire.record import unpack

Observer = Callable[[str], None]
"""Told of every look, draw and upload before it happens, and of the rest at the end; may end the process."""

PAID = "SELECT slot, sum(amount) FROM spends WHERE place = ? GROUP BY slot"
AWAY = HttpResponse(503, {}, b"{}")


@dataclass
class ObservedLife:
    """What one life has to do with: its notes, its chances, its clock, and who observes it."""

    plan: Plan
    notes: NoteWriter
    source: SeededSource
    clock: MachineClock
    observer: Observer = lambda kind: None
    noted: Callable[[], bool] = lambda: True  # whether what happens still happens in this world
    checkpoint: int = 1_000  # pages after which SQLite empties its log into the file

    def note(self, kind: str, *what: int | str) -> None:
        if self.noted():
            self.notes.write(kind, *what)

    def stream(self, *labels: int | str) -> Entropy:
        """The door to entropy: a draw is noted before its first random bit."""
        if labels[0] in ("probe", "publication"):
            self.observer("draw")
            self.note("drew", *labels[1:3])
        return self.source.stream(*labels)

    def live(self, ledger: Path, ticks: int, step: float) -> None:
        """So many looks at the clock, a look into the outbox after each."""
        readings = RandomReadings(self.source)
        with HomeUnderTest(ledger, self, self.clock, readings=readings, client=self.client) as home:
            outbox = home.outbox
            home.store.disk.wal_autocheckpoint(self.checkpoint)
            with agent_lock(ledger, home.store.home):
                home.store.recover_wal()
                for _ in range(ticks):
                    self.clock.advance(step)
                    self.note("looked", self.clock.wall, self.clock.alive)
                    self.observer("look")
                    home.agent.tick(self.clock.look())
                    with suppress(HushwattError):  # the ledger cannot be written: the agent has said so
                        outbox.send(self.clock.wall)
                self.observer("rest")

    def client(self, address: str) -> ProviderClient:
        return RecordingClient(address, life=self)


@dataclass(frozen=True)
class RecordingClient(ProviderClient):
    """The door to the network: everything handed to it is noted."""

    life: ObservedLife = field(kw_only=True)

    @contextmanager
    def plan_session(self, plan_id: str, pinned: bytes | None = None) -> Iterator[PlanSession]:
        yield RecordingUploader(VerifiedSession(self.address, Endpoint()), plan_id, b"", pinned or b"", life=self.life)


@dataclass
class RecordingUploader(PlanSession):
    """Takes every upload, and answers by chance."""

    life: ObservedLife = field(kw_only=True)

    def upload(self, key: Ed25519PrivateKey, device: bytes, body: bytes, time: int) -> HttpResponse:
        self.life.observer("send")
        records = unpack(body, Layout.of(self.life.plan).size)
        for slot, spent, drawn, payload in zip(
            records.slot, records.spent, records.drawn, records.payloads, strict=True
        ):
            self.life.note("sent", int(slot), int(spent), int(drawn), payload.tobytes().hex())
        chance = int(self.life.source.stream("answer").words(1)[0]) % 8
        if chance == 0:
            raise Unreachable("nobody answers")
        early = [{"index": 0, "reason": "too_early"}] if chance == 1 else []
        verdict = {"accepted": len(records) - len(early), "repeated": 0, "rejected": early}
        return AWAY if chance == 2 else HttpResponse(200, {}, json.dumps(verdict).encode())


def check_life(ledger: Path, plan: Plan, place: int, notes: Notes, released: Released) -> None:
    """What must be so whenever a life has ended, however it did; `released` grows with all that is found."""
    expect(not notes.faults, "; ".join(notes.faults))
    with Store(ledger) as store:
        kept = Released()
        record_released(store, kept)
        paid = dict(store.disk.execute(PAID, (place,)))
    for key, rows in notes.sent.items():
        expect(rows <= kept.get(key, set()), f"slot {key[1]} was sent, and its bytes are not in the ledger")
    for slot, amount in notes.drawn.items():
        expect(amount <= paid.get(slot, 0), f"slot {slot} drew {amount} and paid {paid.get(slot, 0)}")
    for source in (kept, notes.sent):
        for key, rows in source.items():
            released.setdefault(key, set()).update(rows)
    drawn: Released = {(place, slot): {(amount, 0, b"")} for slot, amount in notes.drawn.items()}
    check_windows(drawn, plan, place)
    check_windows(released, plan, place)
