"""Whether, when and how much a home sends never depends on its readings.  [claim C17]

Two homes with the same randomness and different readings must be alike in everything but what was
randomised: the same rows in the ledger, at the same times, in the same order, the same requests of
the same size, the same lines in the log.  Only payloads, and keys that are new for every home, may differ.
"""

import json
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from hushwatt.audit.finding import Audit, Finding
from hushwatt.audit.harness.fake_provider import SentRequest
from hushwatt.audit.harness.lives import plan_at_home
from hushwatt.audit.harness.marked import STEP
from hushwatt.audit.harness.plan_home import PlanHome, home_in_plan
from hushwatt.audit.leaks.traces import listening
from hushwatt.household.report.levels import Watts
from hushwatt.household.report.randomise import Randomiser, randomise
from hushwatt.plan.amounts import MICRO
from hushwatt.plan.plan import Plan
from hushwatt.privacy.entropy import Simulation
from hushwatt.wire.payload import Layout
from hushwatt.wire.proof import NONCE_HEADER
from hushwatt.wire.record import HEADER_BYTES
from hushwatt.wire.signature import SIGNATURE_HEADER

PLANS = (  # a home that decides by its probes may decide otherwise, so the clock decides in these
    ("lbu", None, "oue", 3, 2, 2 * MICRO),
    ("lbu", None, "grr", 2, 3, 2 * MICRO),
    ("lsp", None, "sue", 3, 3, 2 * MICRO),
    ("lpu", None, "grr", 1, 2, 2 * MICRO),
    ("lpu", None, "oue", 3, 3, 2 * MICRO),
    ("lbu", None, "oue", 2, 2, 2 * MICRO, "answer"),
    ("lpu", None, "grr", 1, 2, 2 * MICRO, "answer"),
)
READINGS: dict[str, Callable[[int, int], Watts]] = {  # of a slot, for so many appliances
    "nothing": lambda slot, count: np.zeros(count),
    "always high": lambda slot, count: np.full(count, 1.7 * STEP),
    "now and then": lambda slot, count: np.full(count, 1.3 * STEP if slot % 3 == 1 else 0.0),
    "all different": lambda slot, count: 0.1 * STEP * (slot + 1) * np.arange(count, dtype=np.float64),
    "beyond all levels": lambda slot, count: np.full(count, 1e9 + slot),
}
UNMEASURED: dict[str, Callable[[int, int], Watts]] = {  # likewise, where "not measured" is an answer
    "no plug": lambda slot, count: np.full(count, np.nan),
    "one plug": lambda slot, count: np.where(np.arange(count) == 1, 1.3 * STEP, np.nan),
    "plugs that come and go": lambda slot, count: np.where(np.arange(count) == slot % 3, np.nan, 0.0),
}
SLOTS, QUICK_SLOTS = 60, 8
FRESH = {"device", "secret", "provider"}  # columns that are new for every home
DRAWN = {"payload", "release"}  # and those that hold what was randomised


def twin_audits(quick: bool = False) -> Iterator[Audit]:
    """Every method in which the clock alone decides."""
    for chosen in PLANS:
        yield partial(audit_twins, plan_at_home(*chosen), QUICK_SLOTS if quick else SLOTS)


def audit_twins(plan: Plan, slots: int) -> Finding:
    """Homes of every kind of readings, compared with the one that reads nothing."""
    seen = {name: traces(plan, readings, slots) for name, readings in readings_for(plan).items()}
    first = seen["nothing"]
    other = [f"{name}: {part}" for name, those in seen.items() for part in first if those[part] != first[part]]
    figure = f"{len(other)} differences between {len(seen)} kinds of readings over {slots} slots"
    more = ", or not measured" if plan.answers_unmeasured else ""
    subject = f"twins, {plan.method}, {plan.oracle}, {plan.appliances_per_report} of {len(plan.appliances)}{more}"
    return Finding("C17", subject, figure, not other, numbers={"differ": "; ".join(other[:3])})


def readings_for(plan: Plan) -> dict[str, Callable[[int, int], Watts]]:
    """Every kind of readings that a home in this plan can have."""
    return READINGS | UNMEASURED if plan.answers_unmeasured else READINGS


def traces(
    plan: Plan,
    readings: Callable[[int, int], Watts],
    slots: int,
    whole: bool = False,
    randomiser: Randomiser = randomise,
) -> dict[str, Any]:
    """All that a home with these readings leaves behind; what was randomised only when it is `whole`."""

    def watts(slot: int) -> Watts:
        return readings(slot, len(plan.appliances))

    source = Simulation(9, plan.id)
    with listening() as log, home_in_plan(plan, watts, source=source, randomiser=randomiser) as home:
        waiting = []
        for slot in range(slots):
            home.begin(slot)
            home.end(slot)
            waiting += home.store.rows("SELECT slot, due FROM reports WHERE due IS NOT NULL")
            home.send(slot)
        return {
            "times": waiting,
            "ledger": _ledger(home, whole),
            "requests": [_request(home, request, whole) for request in home.provider.requests],
            "lines": [*log, *home.said],
        }


def _ledger(home: PlanHome, whole: bool) -> dict[str, list[dict[str, Any]]]:
    tables = home.store.rows("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    return {
        row["name"]: [_plain(each, whole) for each in home.store.rows(f"SELECT * FROM {row['name']}")] for row in tables
    }


def _plain(row: dict[str, Any], whole: bool) -> dict[str, Any]:
    """A row without what is new for every home; of what was randomised, the size."""
    kept = {name: value for name, value in row.items() if name not in FRESH}
    if kept.get("name") in ("home", "state"):  # random names: of the home, and of this state of its ledger
        del kept["value"]
    if "memory" in kept:
        kept["memory"] = json.loads(str(kept["memory"]))
    for part in (kept, kept.get("memory", {})):
        part |= {name: len(part[name]) for name in DRAWN & part.keys() if not whole}
    return kept


def _request(home: PlanHome, request: SentRequest, whole: bool) -> tuple[Any, ...]:
    """A request without signature, nonce and key; of a record, its head and the size of its payload."""
    fresh, path, body = (SIGNATURE_HEADER, NONCE_HEADER), request.path, request.body
    named = {name: value for name, value in request.headers.items() if name not in fresh}
    if not path.endswith("/reports"):
        return path, named, len(body)
    size = HEADER_BYTES + Layout.of(home.plan).size
    heads = tuple(body[start : start + HEADER_BYTES] for start in range(0, len(body), size))
    return path, named, body if whole else len(body), heads
