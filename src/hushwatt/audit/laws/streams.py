"""Real fleets send what the enumeration says they send: whole streams, byte by byte.  [claim C5]

Many homes that hold the same levels go through the shipped steps.  How often each stream of
payloads, repeats and silences turns up is weighed against its exact chance; and the same
counts must refuse the law of a rule or budget that is a little different.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import product
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hushwatt.audit.exact.brute_force import KeptProbes, Rule, law_of_stream
from hushwatt.audit.exact.household_decided import EnumeratedHome, answer_table, payload
from hushwatt.audit.exact.schedules import Draw, Schedule, schedules
from hushwatt.audit.finding import Audit, Finding
from hushwatt.audit.laws.counting import DOUBT, surprise
from hushwatt.audit.miniature import Shape, range_plan
from hushwatt.audit.planted import AgainstRelease
from hushwatt.household.report.homes import enrol
from hushwatt.household.report.report import report
from hushwatt.plan.plan import Plan
from hushwatt.privacy.entropy import Simulation, Source
from hushwatt.privacy.laws import law_for
from hushwatt.privacy.strategies import rules_of
from hushwatt.wire.payload import Layout, put

EPSILON = 2_000_000
HOMES, QUICK_HOMES = 400_000, 100_000
SILENT = -1
ANEW = 1 << 32  # added to a payload's number when the home paid for it in this slot
Seen = tuple[int, ...]  # a number for every slot: what was sent, and whether it is new
Law = dict[Seen, Fraction]
Row = NDArray[np.uint8]
Sources = Callable[[int, str], Source]


@dataclass(frozen=True)
class StreamCase:
    """One plan, and what every home of a fleet holds, slot by slot."""

    plan: Plan
    stream: tuple[tuple[int, ...], ...]

    def __str__(self) -> str:
        plan = self.plan
        some = f", {plan.appliances_per_report} of {len(plan.appliances)}"
        return f"streams of {plan.method}, {plan.oracle}{some}"


def cases() -> Iterator[StreamCase]:
    """Every method that homes walk by themselves, with silences, repeats and rotations."""
    for method in ("lbd", "lba"):
        for oracle in ("oue", "sue", "grr"):
            yield _case(method, "household", oracle, Shape((2,), 2, 4), asked=1)
    yield _case("lba", "household", "grr", Shape((2, 2), 2, 3), asked=2)
    for method in ("lbu", "lsp", "lpu"):
        yield _case(method, None, "oue", Shape((3,), 2, 3), asked=1)
        yield _case(method, None, "grr", Shape((2, 3), 2, 3), asked=1)


def _case(method: str, decision: str | None, oracle: str, shape: Shape, asked: int) -> StreamCase:
    stream = tuple(tuple((slot + place) // 2 % 2 for place in range(len(shape.widths))) for slot in range(shape.slots))
    return StreamCase(range_plan(method, decision, oracle, shape, EPSILON, asked), stream)


def stream_audits(quick: bool = False, sources: Sources = Simulation) -> Iterator[Audit]:
    """All cases, or a few."""
    chosen = list(cases())
    for case in chosen[::3] if quick else chosen:
        yield partial(audit_streams, case, QUICK_HOMES if quick else HOMES, sources)


def audit_streams(case: StreamCase, homes: int, sources: Sources = Simulation) -> Finding:
    """How far what a fleet sends lies from its exact law, and from another."""
    seen = fleet(case, homes, sources(5, case.plan.id))
    here, other = weigh(seen, law_of(case)), weigh(seen, other_law_of(case))
    passed = here < DOUBT < other
    figure = f"{here:+.1f} σ from its law, {min(other, 999.0):+.0f} σ from another; {homes:,} homes"
    return Finding("C5", str(case), figure, passed, numbers={"law": here, "other": other})


def weigh(seen: Counter[Seen], law: Law) -> float:
    """How surprising these counts are under a law."""
    known = list(law)
    if any(stream not in law for stream in seen):
        return float("inf")
    counts = np.array([seen[stream] for stream in known], dtype=np.int64)
    return surprise(counts, np.array([float(law[stream]) for stream in known]))


def fleet(case: StreamCase, count: int, source: Source) -> Counter[Seen]:
    """What homes that all hold the same send, by the shipped steps."""
    homes = enrol(case.plan, count, 0, source)
    probe = homes.strategies.state(0).probe
    seen = np.full((count, len(case.stream)), SILENT)
    for slot, levels in enumerate(case.stream):
        sent = report(homes, slot, np.tile(np.array(levels, dtype=np.uint16), (count, 1)), source)
        numbers = sum(byte.astype(np.int64) << 8 * place for place, byte in enumerate(sent.payloads.T))
        seen[sent.homes, slot] = numbers + ANEW * (sent.spent > probe)
    streams, counts = np.unique(seen, axis=0, return_counts=True)
    return Counter({tuple(map(int, stream)): int(n) for stream, n in zip(streams, counts, strict=True)})


def law_of(case: StreamCase) -> Law:
    """The exact law of what one home sends."""
    if case.plan.decision == "household":
        return decided_law(case, KeptProbes())
    return scheduled_law(case)


def other_law_of(case: StreamCase) -> Law:
    """The law of a home that decides by its last release, or has a tenth more ε."""
    if case.plan.decision == "household":
        return decided_law(case, AgainstRelease())
    more = replace(case.plan, epsilon=case.plan.epsilon * 11 // 10)
    return scheduled_law(StreamCase(more, case.stream))


def decided_law(case: StreamCase, rule: Rule) -> Law:
    """Household-decided: the enumeration's law, with every vector as the bytes that are sent."""
    home = EnumeratedHome.of(case.plan)
    vectors = answer_table(home.laws(home.first.probe))[0]
    numbers = [number(payload(home.layout, vector)) for vector in vectors]
    places = tuple(home.levels.index(levels) for levels in case.stream)
    return {
        tuple(SILENT if vector is None else numbers[vector] + ANEW * new for new, vector in transcript): chance
        for transcript, chance in law_of_stream(home, rule, places).items()
    }


def scheduled_law(case: StreamCase) -> Law:
    """The others: each turn and order is as likely as any other, and each answer has its law."""
    law: Law = defaultdict(Fraction)
    known = list(schedules(case.plan, len(case.stream)))
    for schedule in known:
        for seen, chance in _ways(case, schedule):
            law[seen] += chance / len(known)
    return dict(law)


def _ways(case: StreamCase, schedule: Schedule) -> Iterator[tuple[Seen, Fraction]]:
    """Everything that one schedule can lead to."""
    options = [
        [option for draw in slot for option in _answers(case.plan, draw, levels)] or [(SILENT, Fraction(1))]
        for slot, levels in zip(schedule, case.stream, strict=True)
    ]
    for way in product(*options):
        yield (_repeated(case.plan, [sent for sent, _ in way]), prod((chance for _, chance in way), start=Fraction(1)))


def _answers(plan: Plan, draw: Draw, levels: tuple[int, ...]) -> list[tuple[int, Fraction]]:
    """Every payload that a draw can give, with its chance."""
    layout = Layout.of(plan)
    laws = [law_for(plan.oracle, draw.amount, layout.asked, plan.widths[place]) for place in draw.members]
    return [
        (
            ANEW + number(named(layout, draw.members, answer)),
            prod(
                (law.chance(one, levels[place]) for law, one, place in zip(laws, answer, draw.members, strict=True)),
                start=Fraction(1),
            ),
        )
        for answer in product(*(law.answers() for law in laws))
    ]


def _repeated(plan: Plan, sent: list[int]) -> Seen:
    """Where nothing is drawn, some methods send their last payload again."""
    seen = list(sent)
    for slot, what in enumerate(sent):
        if what == SILENT and slot and rules_of(plan).repeats:
            seen[slot] = seen[slot - 1] % ANEW
    return tuple(seen)


def named(layout: Layout, members: tuple[int, ...], answer: tuple[Any, ...]) -> Row:
    """The payload of an answer about some appliances, written by the published format."""
    if not layout.partial:
        return payload(layout, answer)
    row = np.zeros((1, layout.size), dtype=np.uint8)
    for place, member, one in zip(layout.places, members, answer, strict=False):
        bits = one if layout.direct else sum(bit << level for level, bit in enumerate(one))
        put(row, place, layout.number_bits, np.array([member], dtype=np.uint16))
        put(row, place + layout.number_bits, layout.field_bits(max(layout.widths)), np.array([bits], dtype=np.uint16))
    return row.reshape(-1)


def number(row: Row) -> int:
    """The bytes of a payload as one number."""
    return int.from_bytes(row.tobytes(), "little")
