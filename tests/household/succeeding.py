"""A home under a plan, its provider, and a plan that replaces it, for tests of the change."""

import random
from dataclasses import replace

from hushwatt.audit.harness.fake_provider import KEY, FakeProvider
from hushwatt.audit.harness.home_under_test import NO_CAPS, HomeUnderTest, SeededSource, join
from hushwatt.audit.harness.plans import TURN, plan_for
from hushwatt.plan import Plan
from hushwatt.wire.signature import public_bytes

FOLLOWS = replace(NO_CAPS, follow_successors=True)


def old_plan(method: str = "lbu", seed: int = 1, **fields) -> Plan:
    usual = {"name": "old", "window": 3, "epsilon": 3_000_000, "minimum_homes": 5}
    return plan_for(random.Random(seed), method, **{**usual, **fields})


def successor(old: Plan, **fields) -> Plan:
    return replace(old, **{"name": "new", "replaces": old.id, **fields})


def home_of(folder, old: Plan, *others: Plan, caps=FOLLOWS, seed: int = 1, slot: int = 0):
    """A home that takes part in the old plan, and a provider that offers all of them."""
    provider = FakeProvider((old, *others))
    home = HomeUnderTest(
        folder / f"{seed}.sqlite", SeededSource(seed), caps=caps, client=lambda address: provider.provider_client()
    )
    place = join(home.store, old, slot, home.source)
    with home.store.transaction() as disk:
        disk.execute("UPDATE plans SET provider = ? WHERE place = ?", (public_bytes(KEY), place))
    return home, provider


def look_now(home: HomeUnderTest, old: Plan) -> None:
    """Let the time come that was drawn for the next look."""
    home.store.write_value(f"look {old.id}", home.clock.wall)
    home.search.look(home.clock.wall)


def here(home: HomeUnderTest) -> list[str]:
    """The names of the plans that the home takes part in."""
    rows = home.store.rows("SELECT canonical FROM plans WHERE left IS NULL ORDER BY place")
    return [Plan.parse(row["canonical"]).name for row in rows]


def slots(count: float) -> float:
    return count * TURN
