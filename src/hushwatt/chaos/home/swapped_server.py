"""Another server in the provider's place, at any moment of any errand, with every trick but the key."""

import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from hushwatt.audit.harness.expect import Fault, expect
from hushwatt.audit.harness.home_under_test import NO_CAPS
from hushwatt.audit.harness.in_process_client import InProcessClient
from hushwatt.audit.harness.plans import plan_for
from hushwatt.chaos.home.impostors import TRICKS, Impostor, RecordingProvider
from hushwatt.chaos.scenario import Scenario
from hushwatt.errors import HushwattError
from hushwatt.household.join import agree, propose
from hushwatt.household.ledger.home_ledger import HomeLedger
from hushwatt.household.ledger.store import Store
from hushwatt.household.membership import Membership
from hushwatt.household.upload.outbox import Outbox
from hushwatt.household.upload.provider_client import ProviderClient
from hushwatt.plan import Plan
from hushwatt.plan.times import nanoseconds
from hushwatt.privacy.entropy import OperatingSystem

SWAPS, SLOTS = 200, 10
KEY = Ed25519PrivateKey.from_private_bytes(bytes(32))  # of nobody


def case(seed: int, folder: Path) -> None:
    """A home goes about its errands while impostors come and go; only the provider gets its reports."""
    chance = random.Random(seed)
    plan = plan_for(chance, "lbu", window=3, epsilon=1_000_000, minimum_homes=10, oracle="oue")
    with (
        InProcessClient(folder, plan, now=plan.calendar.end_of(SLOTS), grace="1d") as service,
        Store(folder / "home.sqlite") as store,
    ):
        honest, now = RecordingProvider(service), nanoseconds(service.clock.now())
        client = honest.provider_client()
        proposal = propose(store, NO_CAPS, client, plan.id)
        agree(store, proposal, "agreed", None, nanoseconds(plan.start), OperatingSystem())
        client.plans()
        _fill(store, plan)
        for swap in range(SWAPS):
            trick, late = TRICKS[swap % len(TRICKS)], chance.random() < 0.3
            _meet(store, Impostor(honest, plan, chance, trick, after_proof=late), now)
        _deliver(store, client, now)


def _fill(store: Store, plan: Plan) -> None:
    """Ten reports, drawn and due."""
    member = Membership(plan, 1, HomeLedger(store, NO_CAPS), OperatingSystem())
    while member.slot <= SLOTS:
        member.report_slot(np.full(len(plan.appliances), 150.0), due=0)


def _meet(store: Store, impostor: Impostor, now: int) -> None:
    """One errand, and one upload, that go to another than the provider."""
    said, name, before = list[str](), impostor.trick.__name__, _kept(store)
    client, pinned = impostor.provider_client(), bytes.fromhex(impostor.pinned)
    _run_errand(client, impostor, pinned)
    Outbox(store, OperatingSystem(), said.append, lambda address: client).send(now)
    leaked = [asked for asked in impostor.heard if not asked.is_open]
    expect(impostor.after_proof or not leaked, f"{name}: something was sent to a server without the key")
    expect(_kept(store) == before, f"{name}: an acknowledgement without the key was believed")
    expect(bool(said), f"{name}: the owner was not told")
    with store.transaction() as disk:
        disk.execute("UPDATE reports SET due = 0 WHERE due IS NOT NULL")


def _run_errand(client: ProviderClient, impostor: Impostor, pinned: bytes) -> None:
    """Ask for the list, for a plan, to join or to leave; no answer may be believed."""

    def join() -> None:
        with client.plan_session(impostor.plan.id, pinned) as provider:
            provider.enrol(impostor.plan, KEY, "code")

    def leave() -> None:
        with client.plan_session(impostor.plan.id, pinned) as provider:
            provider.erase(KEY, bytes(16), 1)

    errands: list[tuple[str, Callable[[], object]]] = [("a place", join), ("an erasure", leave)]
    if not impostor.after_proof:  # these are over once the provider has shown its key
        errands += [
            ("a list of plans", lambda: client.plans(pinned)),
            ("a plan", lambda: client.offer(impostor.plan.id, pinned)),
        ]
    what, errand = impostor.chance.choice(errands)
    try:
        errand()
    except HushwattError:
        return
    raise Fault(f"{impostor.trick.__name__}: {what} was believed")


def _kept(store: Store) -> list[dict[str, object]]:
    """What the home believes: which reports wait, what became of the others, and whose key it trusts."""
    reports = store.rows("SELECT slot, due IS NULL AS over, answer, payload FROM reports ORDER BY slot")
    return reports + store.rows("SELECT provider, device, secret, left FROM plans")


def _deliver(store: Store, client: ProviderClient, now: int) -> None:
    """The provider itself gets every report, and is believed."""
    said = list[str]()
    Outbox(store, OperatingSystem(), said.append, lambda address: client).send(now)
    answers = store.rows("SELECT DISTINCT answer FROM reports")
    expect(answers == [{"answer": "accepted"}], f"the provider was not believed: {said}")


SAYS = "nothing is sent to, and nothing believed from, a server that has not shown the pinned key"
SCENARIO = Scenario("swapped-server", 26, SAYS, quick=SWAPS, full=10_000, case=case, each=SWAPS, unit="swaps")
