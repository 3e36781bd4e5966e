"""One home's memory of a plan, as text for the disk and back.

Strategy, release, kept probe, order and turn: everything that `report` moves on.  The
ledger is not in it, as the home ledger has every spend.
"""

import json
from dataclasses import asdict
from typing import Any

import numpy as np

from hushwatt.errors import StateError
from hushwatt.household.report.homes import Homes, walked_by_cursor
from hushwatt.plan.plan import Plan
from hushwatt.privacy.ledger import Ledger
from hushwatt.privacy.strategies import Strategy, alike, strategy_from


def dump_home(homes: Homes) -> str:
    """What a lone home remembers; nothing in it is a reading."""
    memory: dict[str, Any] = {
        "strategy": asdict(strategy_of(homes)),  # type: ignore[call-overload]
        "drawn": int(homes.drawn[0]),
    }
    for name, rows in (("release", homes.releases), ("probe", homes.probes)):
        if rows is not None:
            memory[name] = rows[0].tobytes().hex()
    if homes.order is not None:
        memory["order"] = homes.order[0].tolist()
    return json.dumps(memory, separators=(",", ":"))


def load_home(plan: Plan, slot: int, text: str, ledger: Ledger) -> Homes:
    """The lone home that remembered this before `slot`."""
    try:
        memory = json.loads(text)
        homes = Homes(
            plan=plan,
            slot=slot,
            strategies=alike(strategy_from(plan, memory["strategy"]), 1),
            ledger=ledger,
            drawn=np.array([memory["drawn"]], dtype=np.int64),
            releases=_row(memory.get("release")),
            probes=_row(memory.get("probe")),
            order=np.array([memory["order"]], dtype=np.uint16) if "order" in memory else None,
        )
        if "cursor" in memory:  # older memories counted their draws
            walked_by_cursor(homes, np.array([memory["cursor"]], dtype=np.int64))
        return homes
    except (AttributeError, KeyError, TypeError, ValueError):
        raise StateError(f"the ledger's memory of plan {plan.id[:12]}… is damaged") from None


def strategy_of(homes: Homes) -> Strategy:
    """The state of a lone home's strategy."""
    return homes.strategies.state(0)


def _row(text: str | None) -> Any:
    return None if text is None else np.frombuffer(bytes.fromhex(text), dtype=np.uint8)[None, :].copy()
