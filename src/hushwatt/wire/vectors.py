"""Test vectors: what another program must pack, read, count and undo in the same way.

`vectors.json` holds them.  They are made here from fixed seeds, and no report in them
is a home's.  `python -m hushwatt.wire.vectors` prints them anew.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hushwatt.plan.appliance import Appliance
from hushwatt.plan.plan import Plan
from hushwatt.plan.slot import SlotLength
from hushwatt.privacy.entropy import Entropy, Simulation, permutations
from hushwatt.privacy.kernels import Rows
from hushwatt.privacy.laws import LAWS, RESOLUTION, Law, law_for
from hushwatt.wire.payload import Layout, Members

PATH = Path(__file__).with_name("vectors.json")
SEED = 20240101
REPORTS_PER_VECTOR = 5  # in each vector
MAX_LINE = 160  # characters

ABOUT = [
    "Chances are hexadecimal numerators over 2^64. drawn is in millionths of epsilon.",
    "plan is the canonical plan, plan_id the SHA-256 of its UTF-8 bytes.",
    "members are the numbers of the asked appliances, in the plan's order.",
    "An answer is a level's number for grr, else one bit per level, level 0 first.",
    "payload is in hexadecimal; its fields are packed least significant bit first.",
    'With "unmeasured": "answer" in the plan, not measured is one more answer, numbered after the last level.',
    "reports counts the payloads about each appliance, counts the answers for each of its levels.",
    "held is (count - reports q)/(p - q), noise is (count (1 - p - q) + reports p q)/(p - q)^2.",
    "A payload under refused is one that no home following the plan can send.",
]
BUDGETS = [(1, 40), (1, 1), (222_222, 15), (1_000_000, 1), (10_000_000, 3), (1_000_000_000, 1)]


@dataclass(frozen=True)
class VectorCase:
    """A plan worth a vector."""

    name: str
    oracle: str
    widths: tuple[int, ...]  # levels of each appliance
    asked: int
    drawn: int  # millionths of ε
    unmeasured: str = "zero"

    def plan(self) -> Plan:
        """The plan, which speaks in every slot with all of ε."""
        return Plan(
            name=self.name,
            description="A plan of the test vectors.",
            contact="vectors@example.org",
            start=datetime(2024, 1, 1, tzinfo=UTC),
            expires=datetime(2025, 1, 1, tzinfo=UTC),
            timezone="UTC",
            slot=SlotLength(1, "d"),
            epsilon=self.drawn,
            window=1,
            method="lbu",
            decision=None,
            oracle=self.oracle,
            appliances=tuple(
                Appliance.of(f"appliance {place}", [50.0 * edge for edge in range(1, width)])
                for place, width in enumerate(self.widths)
            ),
            appliances_per_report=self.asked,
            mapping="range",
            minimum_homes=100,
            unmeasured=self.unmeasured,
        )


CASES = [
    VectorCase("all of 15, one bit a level", "oue", (10,) * 15, 15, 3_333_333),
    VectorCase("all of three, unlike each other", "oue", (2, 7, 4), 3, 1_000_000),
    VectorCase("symmetric bits", "sue", (3, 5), 2, 2_000_000),
    VectorCase("some of five, one bit a level", "oue", (3, 6, 2, 4, 6), 2, 1_500_000),
    VectorCase("one of two, symmetric bits", "sue", (8, 3), 1, 700_000),
    VectorCase("all of four, direct", "grr", (3, 2, 9, 17), 4, 6_000_000),
    VectorCase("two of 15, direct", "grr", (10,) * 15, 2, 10_000_000),
    VectorCase("three of six, direct and unlike each other", "grr", (2, 5, 3, 40, 4, 16), 3, 4_500_001),
    VectorCase("all of three, direct, or not measured", "grr", (3, 4, 8), 3, 3_000_000, "answer"),
    VectorCase("one of eight, direct, or not measured", "grr", (3,) * 8, 1, 1_000_000, "answer"),
    VectorCase("two of three, one bit a level, or not measured", "oue", (2, 7, 4), 2, 2_000_000, "answer"),
]


def text() -> str:
    """The vectors as they stand in the file."""
    return in_lines(vectors()) + "\n"


def in_lines(value: Any, indent: str = "\n") -> str:
    """JSON with a line for everything that fits into one."""
    flat = json.dumps(value, ensure_ascii=False)
    if len(flat) <= MAX_LINE or not isinstance(value, dict | list):
        return flat
    inner = indent + " "
    if isinstance(value, list):
        return f"[{inner}{f',{inner}'.join(in_lines(each, inner) for each in value)}{indent}]"
    pairs = (f"{json.dumps(key)}: {in_lines(each, inner)}" for key, each in value.items())
    return f"{{{inner}{f',{inner}'.join(pairs)}{indent}}}"


def vectors() -> dict[str, Any]:
    """Chances for some budgets, and payloads with their tallies for some plans."""
    return {
        "version": 1,
        "about": ABOUT,
        "laws": [chances(*key) for key in law_keys()],
        "vectors": [vector(case) for case in CASES],
    }


def law_keys() -> Iterable[tuple[str, int, int, int]]:
    """Every oracle with tiny, usual and huge budgets, for two and for ten levels."""
    return [(oracle, *budget, levels) for oracle in sorted(LAWS) for budget in BUDGETS for levels in (2, 10)]


def chances(oracle: str, drawn: int, asked: int, levels: int) -> dict[str, Any]:
    """The two chances of an answer when `drawn` is shared by `asked` appliances."""
    law = law_for(oracle, drawn, asked, levels)
    return {"oracle": oracle, "drawn": drawn, "asked": asked, "levels": levels, **numerators(law)}


def numerators(law: Law) -> dict[str, str]:
    return {"hold": f"{int(law.hold * RESOLUTION):x}", "rise": f"{int(law.rise * RESOLUTION):x}"}


def vector(case: VectorCase) -> dict[str, Any]:
    """Some reports of a plan, their tally, and what it says once undone."""
    plan, layout = case.plan(), Layout.of(case.plan())
    laws = [law_for(case.oracle, case.drawn, case.asked, width) for width in plan.widths]
    members, rows = some_reports(layout, Simulation(SEED, case.name).stream())
    reports, counts = layout.tally(rows)
    parts = np.split(counts, layout.starts[1:-1])
    undone = [undo(part, int(m), law) for part, m, law in zip(parts, reports, laws, strict=True)]
    return {
        "plan": plan.canonical().decode(),
        "plan_id": plan.id,
        "payload_size": layout.size,
        "drawn": case.drawn,
        "laws": [numerators(law) for law in laws],
        "payloads": [described(layout, row, asked) for row, asked in zip(rows, members, strict=True)],
        "reports": reports.tolist(),
        "counts": [part.tolist() for part in parts],
        "held": [held for held, _ in undone],
        "noise": [noise for _, noise in undone],
        "refused": list(refused(layout, rows[0])),
    }


def some_reports(layout: Layout, entropy: Entropy) -> tuple[Members, Rows]:
    """Payloads with any answers about any appliances."""
    orders = permutations(REPORTS_PER_VECTOR, len(layout.widths), entropy).astype(np.uint16)
    members = np.sort(orders[:, : layout.asked], axis=1)
    if layout.direct:
        widths = np.array(layout.widths, dtype=np.uint64)[members]
        answers = entropy.words(members.size).reshape(members.shape) % widths
        return members, layout.pack(answers, members)
    noise = entropy.words(REPORTS_PER_VECTOR * layout.size).astype(np.uint8).reshape(REPORTS_PER_VECTOR, layout.size)
    return members, layout.name(layout.blank(noise, members), members)


def described(layout: Layout, row: Rows, members: Members) -> dict[str, Any]:
    """One payload, and the answers in it."""
    bits = "".join(map(str, np.unpackbits(row, bitorder="little")))
    starts = [place + layout.number_bits for place in layout.places[:-1]]
    fields = [
        bits[start : start + layout.field_bits(layout.widths[member])]
        for start, member in zip(starts, members, strict=True)
    ]
    answers = [int(field[::-1], 2) for field in fields] if layout.direct else fields
    return {"members": members.tolist(), "answers": answers, "payload": row.tobytes().hex()}


def undo(counts: NDArray[np.int64], reports: int, law: Law) -> tuple[list[float], list[float]]:
    """The debiased counts and their noise, worked out in fractions."""
    hold, rise = law.hold, law.rise
    held = [(count - reports * rise) / (hold - rise) for count in map(Fraction, counts.tolist())]
    noise = [
        (count * (1 - hold - rise) + reports * hold * rise) / (hold - rise) ** 2
        for count in map(Fraction, counts.tolist())
    ]
    return [float(each) for each in held], [float(each) for each in noise]


def refused(layout: Layout, row: Rows) -> Iterable[dict[str, str]]:
    """Payloads that are wrong in one way each, as far as this layout can be wrong."""
    first = np.arange(layout.asked, dtype=np.uint16)[None]
    if layout.places[-1] % 8:
        padded = row.copy()
        padded[-1] |= 1 << layout.places[-1] % 8
        yield {"why": "padding is not 0", "payload": padded.tobytes().hex()}
    if layout.partial and layout.asked > 1:
        turned = layout.pack(np.zeros_like(first), first[:, ::-1])
        yield {"why": "appliances are out of order", "payload": turned.tobytes().hex()}
    field = layout.field_bits(max(layout.widths) if layout.partial else layout.widths[0])
    if layout.widths[0] < (1 << field if layout.direct else field):
        beyond = np.where(first == 0, layout.widths[0], 0).astype(np.uint16)
        yield {"why": "a level is beyond the last", "payload": layout.pack(beyond, first).tobytes().hex()}


if __name__ == "__main__":
    print(text(), end="")
