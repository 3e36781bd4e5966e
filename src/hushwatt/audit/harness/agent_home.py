"""A home as it runs, in this process: the shipped agent, ledger and outbox, and a wire to listen at.

The home joins a plan, lives through its slots by a clock that is set by hand, and sends its
reports.  Nothing in it is replaced but the clock, the plugs and the far end of the network:
what `Wire` keeps are the very bytes that would have been posted.
"""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from hushwatt.audit.harness.clocked_home import NO_CAPS, Hands
from hushwatt.household.agent import Agent
from hushwatt.household.clock import SECOND
from hushwatt.household.join import Proposal, agree
from hushwatt.household.ledger.caps import Caps
from hushwatt.household.ledger.store import Store
from hushwatt.household.report.levels import Watts
from hushwatt.household.upload.http import HttpResponse, Unreachable
from hushwatt.household.upload.outbox import Outbox
from hushwatt.household.upload.provider_client import Offer, ProviderClient
from hushwatt.plan.plan import Plan
from hushwatt.plan.times import nanoseconds
from hushwatt.privacy.entropy import OperatingSystem, Source
from hushwatt.privacy.promise import promise
from hushwatt.wire.proof import NONCE_HEADER, Challenge, prove, sha256_hex
from hushwatt.wire.signature import public_bytes, sign_plan

ADDRESS = "http://127.0.0.1"
KEY = Ed25519PrivateKey.from_private_bytes(bytes(32))  # of the provider at the far end
MEMORY = Path("/dev/shm")  # ledgers live here, where there is such a place: thousands are made


@dataclass(frozen=True)
class Posted:
    """One request that left the home."""

    method: str
    url: str
    headers: dict[str, str]
    body: bytes

    def __bytes__(self) -> bytes:
        head = "\n".join(f"{name}: {value}" for name, value in self.headers.items())
        return f"{self.method} {self.url}\n{head}\n\n".encode() + self.body


@dataclass
class Wire:
    """The far end of the network: keeps what is posted and answers as a provider does."""

    plan: Plan
    posted: list[Posted] = field(default_factory=list)
    down: bool = False  # nobody answers
    refuses: bool = False  # every report is turned away

    def connect(self, address: str) -> "Wire":
        return self

    def close(self) -> None:
        """Nothing stays open."""

    def ask(
        self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> HttpResponse:
        self.posted.append(Posted(method, ADDRESS + path, dict(headers or {}), body or b""))
        if self.down:
            raise Unreachable("127.0.0.1 does not answer")
        if method == "GET":
            canonical = self.plan.canonical()
            return self._proved(canonical, sign_plan(KEY, canonical))
        if path.endswith("/devices"):
            return self._proved(b'{"device": "' + bytes(range(16)).hex().encode() + b'"}')
        refused = b'{"index": 0, "reason": "wrong_payload"}' if self.refuses else b""
        accepted = b"0" if self.refuses else b"1"
        return self._proved(b'{"accepted": ' + accepted + b', "repeated": 0, "rejected": [' + refused + b"]}")

    def _proved(self, told: bytes, signed: dict[str, str] | None = None) -> HttpResponse:
        """An answer to what was posted last, with the proof that its provider gave it."""
        last = self.posted[-1]
        nonce = bytes.fromhex(last.headers[NONCE_HEADER])
        challenge = Challenge(nonce, last.method, last.url, sha256_hex(last.body))
        headers = {**(signed or {}), **prove(KEY, challenge, 200, told)}
        return HttpResponse(200, {name.lower(): value for name, value in headers.items()}, told)

    @property
    def uploads(self) -> list[bytes]:
        """The bodies of all reports posted, in order."""
        return [each.body for each in self.posted if each.url.endswith("/reports")]


class Plugs:
    """Mean watts of every slot, known beforehand."""

    def __init__(self, watts: Callable[[int], Watts]) -> None:
        self.watts = watts

    def open(self, plan: Plan, slot: int) -> None:
        pass

    def means(self, plan: Plan, slot: int) -> Watts:
        return self.watts(slot)


@dataclass
class Living:
    """A home that takes part in one plan; `live` moves it on."""

    plan: Plan
    wire: Wire
    store: Store
    agent: Agent
    outbox: Outbox
    hands: Hands
    said: list[str]

    def live(self, slot: int) -> None:
        """Live through one slot to its end, and send what is due by the middle of the next."""
        self.begin(slot)
        self.end(slot)
        self.send(slot)

    def begin(self, slot: int) -> None:
        """Enter a slot."""
        self._tick(self._start_of(slot))

    def end(self, slot: int) -> None:
        """Go on to the beginning of the next slot."""
        self._tick(self._start_of(slot + 1))

    def _tick(self, moment: int) -> None:
        self.hands.pass_by((moment - self.hands.wall) / SECOND)
        self.agent.tick(self.hands.look())

    def send(self, slot: int) -> None:
        """Send the report of a slot that is over; by the middle of the next one its time has come."""
        self.outbox.send((self._start_of(slot + 1) + self._start_of(slot + 2)) // 2)

    def _start_of(self, slot: int) -> int:
        return nanoseconds(self.plan.calendar.start_of(slot))


def proposal_of(plan: Plan) -> Proposal:
    """What a home is asked to agree to; worked out once for many homes."""
    return Proposal(ProviderClient(ADDRESS), Offer(plan, public_bytes(KEY)), promise(plan), ())


@contextmanager
def fresh_store() -> Iterator[Store]:
    """An empty ledger on disk, or in memory where there is such a place."""
    place = tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None)
    with place as folder, Store(Path(folder) / "ledger.sqlite") as store:
        yield store


@contextmanager
def at_home(
    plan: Plan,
    watts: Callable[[int], Watts],
    proposal: Proposal | None = None,
    caps: Caps = NO_CAPS,
    source: Source | None = None,
) -> Iterator[Living]:
    """A home with a fresh ledger that joins `plan` just before its first slot."""
    wire, said = Wire(plan), list[str]()
    hands, client = Hands(nanoseconds(plan.start) - SECOND), ProviderClient(ADDRESS, wire.connect)
    with fresh_store() as store:
        asked = replace(proposal or proposal_of(plan), client=client)
        agree(store, asked, "agreed", None, hands.wall, source or OperatingSystem())
        agent = Agent(store, caps, Plugs(watts), say=said.append)
        agent.source = source or agent.source
        agent.tick(hands.look())
        outbox = Outbox(store, OperatingSystem(), said.append, lambda address: client)
        yield Living(plan, wire, store, agent, outbox, hands, said)
