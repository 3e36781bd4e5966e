"""Leave a plan: stop at once, and ask the provider to erase what it has.

Leaving never gives budget back.
"""

from collections.abc import Callable
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from hushwatt.errors import UsageError
from hushwatt.household.join import named_plans, plans_where
from hushwatt.household.ledger.store import Store
from hushwatt.household.results.own_means import forget_plan
from hushwatt.household.upload.provider_client import ProviderClient
from hushwatt.plan.plan import Plan


def leave(
    store: Store,
    wanted: str | None,
    now: int,
    forget: bool = False,
    client: Callable[[str], ProviderClient] | None = None,
) -> tuple[Plan, int | None]:
    """Stop at once, ask the provider to erase what it has, and delete the keys.

    How many reports were erased; None when the keys were deleted without asking.
    """
    row = leavable(store, wanted)
    plan = Plan.parse(row["canonical"])
    with store.transaction() as disk:
        disk.execute("UPDATE plans SET left = ? WHERE place = ?", (now, row["place"]))
        disk.execute("INSERT OR REPLACE INTO home VALUES (?, ?)", (f"leaving {plan.id}", now))
        disk.execute(
            "UPDATE reports SET due = NULL, answer = 'withheld' WHERE place = ? AND due IS NOT NULL", (row["place"],)
        )
    forget_plan(store, plan.id)
    erased = None
    if row["device"] is not None and not forget:
        key = Ed25519PrivateKey.from_private_bytes(row["secret"])
        with (client or ProviderClient)(row["address"]).plan_session(plan.id, row["provider"]) as provider:
            erased = provider.erase(key, row["device"], now // 1_000_000_000)
    with store.transaction() as disk:
        disk.execute("UPDATE plans SET device = NULL, secret = NULL WHERE place = ?", (row["place"],))
        disk.execute("DELETE FROM home WHERE name = ?", (f"leaving {plan.id}",))
    return plan, erased


def leavable(store: Store, wanted: str | None) -> dict[str, Any]:
    """The one plan that is meant and can be left, or whose provider can still be asked to erase what it has."""
    row, *others = plans_where(store, "secret IS NOT NULL", wanted)
    if others:
        raise UsageError(f"this home has several plans; name one with --plan: {named_plans([row, *others])}")
    return row


def left_without_erasure(store: Store) -> list[Plan]:
    """The plans that the owner left while their provider could not be asked to erase what it has."""
    rows = store.rows("SELECT canonical FROM plans JOIN home ON home.name = 'leaving ' || plan WHERE left IS NOT NULL")
    return [Plan.parse(row["canonical"]) for row in rows]
