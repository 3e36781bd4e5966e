"""What one report looks like, made by the code that makes the real ones.

It is an example: its levels are drawn at random, not read from any plug, so it tells
nothing and costs nothing.  No true level ever goes through here.
"""

from dataclasses import dataclass

import numpy as np

from hushwatt.household.report.randomise import randomise
from hushwatt.plan.plan import Plan
from hushwatt.privacy.entropy import Entropy, permutations
from hushwatt.wire.payload import Layout
from hushwatt.wire.record import DEVICE_BYTES, pack


@dataclass(frozen=True)
class Preview:
    """One example record, and what it says about each appliance it speaks of."""

    record: bytes
    says: tuple[tuple[str, str], ...]  # appliance, the answers that it names


def preview(plan: Plan, drawn: int, entropy: Entropy) -> Preview:
    """An example of a report drawn with `drawn` millionths of ε, of a home with invented levels."""
    layout, count = Layout.of(plan), len(plan.appliances)
    levels = np.array([entropy.words(count) % np.array(plan.widths, dtype=np.uint64)], dtype=np.uint16)
    members = None
    if layout.partial:
        members = np.sort(permutations(1, count, entropy)[:, : layout.asked], axis=1).astype(np.uint16)
        levels = np.take_along_axis(levels, members.astype(np.intp), axis=1)
    payload = randomise(layout, levels, members, drawn, entropy)
    record = pack(bytes(DEVICE_BYTES), 0, min(drawn, 2**32 - 1), min(drawn, 2**32 - 1), payload[0].tobytes())
    return Preview(record, tuple(level_words(plan, payload[0].tobytes())))


def level_words(plan: Plan, payload: bytes) -> list[tuple[str, str]]:
    """What a payload says, appliance by appliance, as the provider would read it."""
    beyond = {each.name: each.levels for each in plan.appliances}
    return [(name, answer_words(levels, beyond[name])) for name, levels in named_levels(plan, payload).items()]


def answer_words(answers: list[int], levels: int) -> str:
    """The answers about an appliance with so many levels; the one after the last is "not measured".

    >>> answer_words([0, 2], 3), answer_words([1, 3], 3), answer_words([3], 3), answer_words([], 3)
    ('level 0, 2', 'level 1, not measured', 'not measured', 'level none')
    """
    named = [str(each) for each in answers if each < levels]
    unmeasured = ["not measured"] if levels in answers else []
    return ", ".join([f"level {', '.join(named)}"] * bool(named) + unmeasured) or "level none"


def named_levels(plan: Plan, payload: bytes) -> dict[str, list[int]]:
    """The levels that a payload names, for each appliance it speaks of; one beyond the last is "not measured"."""
    layout = Layout.of(plan)
    reports, counts = layout.tally(np.frombuffer(payload, dtype=np.uint8)[None, :])
    return {
        appliance.name: np.flatnonzero(counts[layout.starts[place] : layout.starts[place + 1]]).tolist()
        for place, appliance in enumerate(plan.appliances)
        if reports[place]
    }
