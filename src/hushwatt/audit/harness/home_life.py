"""One life of a home, from switching it on to its sudden end: agent and outbox, everything noted.

The network is a stranger who takes every upload, and answers, refuses or falls silent by chance.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from hushwatt.audit.harness.clocked_home import NO_CAPS, Chances, Hands, Left, Wild, collect
from hushwatt.audit.harness.expect import expect
from hushwatt.audit.harness.notes import Notes, Pencil
from hushwatt.audit.harness.sums import check_windows
from hushwatt.errors import HushwattError
from hushwatt.household.agent import Agent
from hushwatt.household.ledger.lock import agent_lock
from hushwatt.household.ledger.store import Store
from hushwatt.household.upload.http import HttpResponse, Unreachable
from hushwatt.household.upload.outbox import Outbox
from hushwatt.household.upload.provider_client import PlanSession, ProviderClient, VerifiedSession
from hushwatt.plan.plan import Plan
from hushwatt.privacy.entropy import Entropy
from hushwatt.wire.payload import Layout
from hushwatt.wire.record import unpack

Watch = Callable[[str], None]
"""Told of every look, draw and upload before it happens, and of the rest at the end; may end the process."""

PAID = "SELECT slot, sum(amount) FROM spends WHERE place = ? GROUP BY slot"
AWAY = HttpResponse(503, {}, b"{}")


@dataclass
class Life:
    """What one life has to do with: its notes, its chances, its clocks, and who watches."""

    plan: Plan
    pencil: Pencil
    chances: Chances
    hands: Hands
    watch: Watch = lambda kind: None
    noted: Callable[[], bool] = lambda: True  # whether what happens still happens in this world
    log: int = 1_000  # pages after which SQLite empties its log into the file

    def note(self, kind: str, *what: int | str) -> None:
        if self.noted():
            self.pencil.write(kind, *what)

    def stream(self, *labels: int | str) -> Entropy:
        """The door to entropy: a draw is noted before its first random bit."""
        if labels[0] in ("probe", "publication"):
            self.watch("draw")
            self.note("drew", *labels[1:3])
        return self.chances.stream(*labels)

    def live(self, ledger: Path, ticks: int, step: float) -> None:
        """So many looks at the clock, a look into the outbox after each."""
        with ExitStack() as stack:
            store, second = (stack.enter_context(Store(ledger)) for _ in range(2))
            store.disk.wal_autocheckpoint(self.log)
            stack.enter_context(agent_lock(ledger, store.home))
            store.recover_wal()
            agent = Agent(store, NO_CAPS, Wild(self.chances), source=self, say=lambda line: None)
            outbox = Outbox(second, self.chances.stream("outbox"), say=lambda line: None, client=self.client)
            for _ in range(ticks):
                self.hands.pass_by(step)
                self.note("looked", self.hands.wall, self.hands.alive)
                self.watch("look")
                agent.tick(self.hands.look())
                with suppress(HushwattError):  # the ledger cannot be written: the agent has said so
                    outbox.send(self.hands.wall)
            self.watch("rest")

    def client(self, address: str) -> ProviderClient:
        return Stranger(address, life=self)


@dataclass(frozen=True)
class Stranger(ProviderClient):
    """The door to the network: everything handed to it is noted."""

    life: Life = field(kw_only=True)

    @contextmanager
    def plan_session(self, plan_id: str, pinned: bytes | None = None) -> Iterator[PlanSession]:
        yield Taker(VerifiedSession(self.address, Nowhere()), plan_id, b"", pinned or b"", life=self.life)


class Nowhere:
    """A connection that nothing goes over."""

    def ask(
        self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> HttpResponse:
        raise Unreachable("nobody is there")

    def close(self) -> None:
        """It was never open."""


@dataclass
class Taker(PlanSession):
    """Takes every upload, and answers by chance."""

    life: Life = field(kw_only=True)

    def upload(self, key: Ed25519PrivateKey, device: bytes, body: bytes, time: int) -> HttpResponse:
        self.life.watch("send")
        records = unpack(body, Layout.of(self.life.plan).size)
        for slot, spent, drawn, payload in zip(
            records.slot, records.spent, records.drawn, records.payloads, strict=True
        ):
            self.life.note("sent", int(slot), int(spent), int(drawn), payload.tobytes().hex())
        chance = int(self.life.chances.stream("answer").words(1)[0]) % 8
        if chance == 0:
            raise Unreachable("nobody answers")
        early = [{"index": 0, "reason": "too_early"}] if chance == 1 else []
        told = {"accepted": len(records) - len(early), "repeated": 0, "rejected": early}
        return AWAY if chance == 2 else HttpResponse(200, {}, json.dumps(told).encode())


def check_life(ledger: Path, plan: Plan, place: int, notes: Notes, left: Left) -> None:
    """What must be so whenever a life has ended, however it did; `left` grows with all that is found."""
    expect(not notes.faults, "; ".join(notes.faults))
    with Store(ledger) as store:
        kept = Left()
        collect(store, kept)
        paid = dict(store.disk.execute(PAID, (place,)))
    for key, rows in notes.sent.items():
        expect(rows <= kept.get(key, set()), f"slot {key[1]} was sent, and its bytes are not in the ledger")
    for slot, amount in notes.drawn.items():
        expect(amount <= paid.get(slot, 0), f"slot {slot} drew {amount} and paid {paid.get(slot, 0)}")
    for found in (kept, notes.sent):
        for key, rows in found.items():
            left.setdefault(key, set()).update(rows)
    drawn: Left = {(place, slot): {(amount, 0, b"")} for slot, amount in notes.drawn.items()}
    check_windows(drawn, plan, place)
    check_windows(left, plan, place)
