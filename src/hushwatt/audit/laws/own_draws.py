"""A home's own draws follow the declared laws, in the bytes that its agent posts.  [claim C5]

One home lives on and on with the operating system's randomness, its appliances at the same levels.
How often each cell is answered for is weighed against the law that the home says it drew with.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from hushwatt.audit.finding import Audit, Finding
from hushwatt.audit.harness.lives import appliance_at_home, plan_at_home
from hushwatt.audit.harness.marked import middle_watts
from hushwatt.audit.harness.plan_home import home_in_plan
from hushwatt.audit.laws.counting import DOUBT, fits, surprise
from hushwatt.audit.laws.sampler import chances
from hushwatt.plan.amounts import MICRO
from hushwatt.plan.plan import Plan
from hushwatt.privacy.laws import LAWS, Law, law_for
from hushwatt.wire.payload import Layout, take
from hushwatt.wire.record import unpack

SLOTS, QUICK_SLOTS = 20_000, 600
APPLIANCES, LEVELS, TRUE = 15, 10, 3  # as many as in the paper, all at one level
SMALL_TRUE = 0  # of the small appliance
SEND = 400  # slots between two looks at what was posted


def own_draw_audits(quick: bool = False) -> Iterator[Audit]:
    """Every oracle."""
    for oracle in LAWS:
        yield partial(audit_own_draws, oracle, QUICK_SLOTS if quick else SLOTS)
        yield partial(audit_whole_answers, oracle, QUICK_SLOTS if quick else SLOTS)


def audit_own_draws(oracle: str, slots: int) -> Finding:
    """What one agent posts slot after slot, each time drawn with ε = 1 for an appliance."""
    plan = _plan(oracle)
    payloads = posted(plan, slots)
    law = law_for(oracle, APPLIANCES * MICRO, APPLIANCES, LEVELS)
    _, counts = Layout.of(plan).tally(payloads)
    cells = counts.reshape(APPLIANCES, LEVELS)
    good = all(fits(*count) for count in judged(cells, law, len(payloads)))
    equal = len(payloads) - len(np.unique(payloads, axis=0))
    verdict = "the law fits" if good else "the law does NOT fit"
    figure = f"{verdict}; {len(payloads):,} reports of one agent, {equal} equal"
    passed = good and not equal and len(payloads) == slots
    return Finding("C5", f"the agent's own draws, {oracle}", figure, passed, numbers={"equal": equal})


def audit_whole_answers(oracle: str, slots: int) -> Finding:
    """The same for a plan of one small appliance, where every whole answer is counted."""
    plan = _plan(oracle, appliances=1, levels=2)
    layout, law = Layout.of(plan), law_for(oracle, MICRO, 1, 2)
    bits = layout.field_bits(2)
    seen = np.bincount(take(posted(plan, slots), 0, bits), minlength=1 << bits)
    far = surprise(seen, chances(law, layout, bits, SMALL_TRUE))
    figure = f"{far:+.1f} σ from the law; {int(seen.sum()):,} whole answers of one agent"
    passed = far < DOUBT and int(seen.sum()) == slots
    return Finding("C5", f"the agent's whole answers, {oracle}", figure, passed, numbers={"far": far})


def judged(cells: NDArray[np.int64], law: Law, reports: int) -> list[tuple[int, int, float]]:
    """Hits, trials and chance: of the true cells, of the others, and of each appliance's true cell."""
    true, all_true = cells[:, TRUE], reports * APPLIANCES
    others = (int(cells.sum() - true.sum()), all_true * (LEVELS - 1), float(law.rise))
    if law.correlated:  # a direct answer is one of the others, with a chance of its own
        others = (others[0], all_true, float(1 - law.hold))
    each = [(int(hits), reports, float(law.hold)) for hits in true]
    return [(int(true.sum()), all_true, float(law.hold)), others, *each]


def posted(plan: Plan, slots: int) -> NDArray[np.uint8]:
    """The payloads of one home, slot after slot."""
    watts, parts = middle_watts(min(TRUE, width - 2) for width in plan.widths), []
    with home_in_plan(plan, lambda slot: watts) as home:
        for slot in range(slots):
            home.live_slot(slot)
            if slot % SEND == SEND - 1 or slot == slots - 1:
                parts += home.provider.uploads
                home.provider.requests.clear()
    return np.ascontiguousarray(unpack(b"".join(parts), Layout.of(plan).size).payloads)


def _plan(oracle: str, appliances: int = APPLIANCES, levels: int = LEVELS) -> Plan:
    """Every slot is a window of its own, so every slot draws with all of ε."""
    plan = plan_at_home("lbu", None, oracle, 3, 1, appliances * MICRO)
    asked = tuple(appliance_at_home(f"appliance {place}", levels) for place in range(appliances))
    return replace(plan, appliances=asked, appliances_per_report=appliances)
