"""Homes that keep to their turns and orders, miss some, and are restored, among others that do not."""

import random
from collections import defaultdict
from dataclasses import dataclass
from datetime import timedelta
from itertools import permutations
from pathlib import Path

import numpy as np

from hushwatt.audit.harness.expect import expect
from hushwatt.audit.harness.in_process_client import EnrolledSigner, InProcessClient
from hushwatt.audit.harness.plans import plan_for
from hushwatt.chaos.scenario import Scenario
from hushwatt.plan import Appliance, Plan
from hushwatt.privacy.rotation import first_place, has_turns, order_of
from hushwatt.privacy.strategies import rules_of, strategy_for
from hushwatt.provider.store import open_store
from hushwatt.provider.store.reports.stored import stored_payloads
from hushwatt.wire.payload import Layout
from hushwatt.wire.record import pack

HONEST, FORGERS = 20, 5  # homes in a case
TURNS = 25  # of each
MISSED = 0.2  # of them
GRACE = "900d"  # every slot of a case takes reports

Order = tuple[int, ...]


@dataclass(frozen=True)
class TurnReport:
    """What a home says in a slot."""

    home: int
    slot: int
    members: Order


def case(seed: int, folder: Path) -> None:
    """All reports in any order, in uploads of any size, with a restart and a return to an old backup."""
    chance = random.Random(seed)
    plan, assigned = _plan(chance), chance.random() < 0.5
    client = _client(folder, plan, assigned)
    member = client.join(HONEST + FORGERS)
    honest, forged = _honest(plan, chance, member, assigned), _forged(plan, chance)
    reports = chance.sample(honest + forged, len(honest) + len(forged))
    half = chance.randrange(len(reports))
    _send(client, member, reports[:half], chance)
    client.service.database.backup(folder / "old.sqlite")
    client.close()
    client = _client(folder, plan, assigned)
    _send(client, member, reports[half:], chance)
    client.close()
    client = _client(folder, plan, assigned, store=str(folder / "old.sqlite"))
    _send(client, member, chance.sample(honest, len(honest)), chance)
    client.close()
    for store in (client.config.store_address, str(folder / "old.sqlite")):
        _check_forgers(plan, member, store, assigned)


def _plan(chance: random.Random) -> Plan:
    method, count = chance.choice(["lbu", "lsp", "lpu", "lpu"]), chance.randint(2, 5)
    return plan_for(
        chance,
        method,
        oracle="grr",
        mapping="range",
        window=chance.randint(2, 5),
        appliances=tuple(Appliance.of(f"appliance {each}", [100]) for each in range(count)),
        appliances_per_report=chance.randint(1, count - (method != "lpu")),
    )


def _client(folder: Path, plan: Plan, assigned: bool, store: str | None = None) -> InProcessClient:
    now = plan.calendar.end_of(_slots(plan)) + timedelta(minutes=1)
    return InProcessClient(folder, plan, now=now, store=store, grace=GRACE, assigned_turns=assigned)


def _slots(plan: Plan) -> int:
    return TURNS * rules_of(plan).stride(plan.window)


def _honest(plan: Plan, chance: random.Random, member: EnrolledSigner, assigned: bool) -> list[TurnReport]:
    """Homes that take what they are offered, or where they may, draw their own; some turns are missed."""
    reports, count = [], len(plan.appliances)
    for home in range(HONEST):
        order = tuple(map(int, order_of(plan, member.devices[home].tobytes())))
        turn = member.turns[home] if member.turns else 0
        if not assigned and home % 2:
            order, turn = tuple(chance.sample(range(count), count)), chance.randrange(plan.window)
        missed = {each for each in range(_slots(plan)) if chance.random() < MISSED}
        for slot in range(_slots(plan)):
            drawn = rules_of(plan).drawn_in(slot, plan.window)
            if drawn in missed or (has_turns(plan) and slot % plan.window != turn):
                continue
            reports.append(TurnReport(home, slot, _asked(plan, order, slot)))
    return reports


def _forged(plan: Plan, chance: random.Random) -> list[TurnReport]:
    """Homes that speak in every slot, some about what they like best, some about anything."""
    asked, count = plan.appliances_per_report, len(plan.appliances)
    reports = []
    for home in range(HONEST, HONEST + FORGERS):
        likes, stubborn = chance.sample(range(count), count), chance.random() < 0.5
        for slot in range(_slots(plan)):
            named = likes if stubborn else chance.sample(range(count), count)
            reports.append(TurnReport(home, slot, tuple(sorted(named[:asked]))))
    return reports


def _asked(plan: Plan, order: Order, slot: int) -> Order:
    """The appliances whose turn it is, in the plan's order."""
    start = first_place(plan, slot)
    places = [(start + step) % len(order) for step in range(plan.appliances_per_report)]
    return tuple(sorted(order[place] for place in places))


def _send(client: InProcessClient, member: EnrolledSigner, reports: list[TurnReport], chance: random.Random) -> None:
    while reports:
        size = chance.choice([1, 7, 150])
        some, reports = reports[:size], reports[size:]
        body = b"".join(_record(client.plan, member, report, chance) for report in some)
        for refused in client.send(member, body).json()["rejected"]:
            report, reason = some[refused["index"]], refused["reason"]
            expect(report.home >= HONEST, f"an honest home was refused in slot {report.slot}: {reason}")
            expect(reason in ("out_of_turn", "out_of_order"), f"a forger was refused as {reason}")


def _record(plan: Plan, member: EnrolledSigner, report: TurnReport, chance: random.Random) -> bytes:
    layout = Layout.of(plan)
    drawn = strategy_for(plan).offer()
    levels = np.array([[chance.randrange(2) for _ in report.members]], dtype=np.uint16)
    payload = layout.pack(levels, np.array([report.members]))[0].tobytes()
    spent = drawn if report.slot == rules_of(plan).drawn_in(report.slot, plan.window) else 0
    return pack(member.devices[report.home].tobytes(), report.slot, spent, drawn, payload)


def _check_forgers(plan: Plan, member: EnrolledSigner, address: str, assigned: bool) -> None:
    """What a store has of each forger keeps to one turn and to one order."""
    kept: defaultdict[bytes, list[tuple[int, bytes]]] = defaultdict(list)
    store = open_store(address)
    with store.reading() as session:
        rows = stored_payloads(session, 1)
    store.close()
    for device, slot, payload in rows:
        kept[device].append((slot, payload))
    for home in range(HONEST, HONEST + FORGERS):
        device = member.devices[home].tobytes()
        phases = {slot % plan.window for slot, _ in kept[device]}
        turns = {member.turns[home]} if assigned and member.turns else phases
        expect(not has_turns(plan) or (phases <= turns and len(phases) < 2), "a forger spoke out of turn")
        orders = [tuple(map(int, order_of(plan, device)))] if assigned else permutations(range(len(plan.appliances)))
        expect(
            any(_follows(plan, order, kept[device]) for order in orders),
            "a forger's reports follow no order of the appliances",
        )


def _follows(plan: Plan, order: Order, kept: list[tuple[int, bytes]]) -> bool:
    layout = Layout.of(plan)
    if not layout.partial:
        return True
    rows = np.frombuffer(b"".join(payload for _, payload in kept), np.uint8).reshape(-1, layout.size)
    named = layout.members(rows).tolist()
    return all(tuple(members) == _asked(plan, order, slot) for (slot, _), members in zip(kept, named, strict=True))


SAYS = "no home that keeps to its turn and order is refused, and a forger is held to one of each"
SCENARIO = Scenario(
    "turns", 21, SAYS, quick=3 * HONEST * TURNS, full=1_000_000, case=case, each=HONEST * TURNS, unit="turns"
)
