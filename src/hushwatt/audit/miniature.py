"""Small plans: every mechanism that a plan can name, in shapes small enough to enumerate."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from hushwatt.plan.amounts import MICRO
from hushwatt.plan.appliance import Appliance
from hushwatt.plan.choices import MAPPINGS, METHODS, ORACLES
from hushwatt.plan.plan import Plan
from hushwatt.plan.slot import SlotLength
from hushwatt.privacy.rotation import has_turns

EPSILONS = tuple(int(amount * MICRO) for amount in (0.1, 0.5, 1, 3, 10))


@dataclass(frozen=True)
class Shape:
    """How large a miniature is."""

    widths: tuple[int, ...]  # levels of each appliance
    window: int
    slots: int  # length of the streams that are compared
    unmeasured: str = "zero"  # with "answer", each appliance has one more answer than levels

    def __str__(self) -> str:
        more = " or not measured" if self.unmeasured == "answer" else ""
        return f"{'+'.join(map(str, self.widths))} levels{more}, w={self.window}, {self.slots} slots"

    @property
    def answers(self) -> int:
        """How many answers there are, about all appliances together."""
        return sum(self.widths) + (len(self.widths) if self.unmeasured == "answer" else 0)


SHAPES = (
    Shape((2,), 1, 3),
    Shape((2,), 2, 4),
    Shape((2,), 3, 5),
    Shape((3,), 2, 4),
    Shape((3,), 3, 5),
    Shape((2, 3), 1, 3),
    Shape((2, 2), 2, 4),
    Shape((2, 2), 3, 4),
    Shape((2,), 2, 4, "answer"),
    Shape((2,), 7, 4),  # a window longer than the collection
    Shape((2, 2), 5, 3),
)
QUICK_SHAPES = (
    Shape((2,), 2, 4),
    Shape((3,), 2, 3),
    Shape((2, 2), 1, 2),
    Shape((2,), 2, 3, "answer"),
    Shape((2,), 5, 3),
)
TURNING = (  # enough appliances to see a rotation come round
    Shape((2, 2, 2), 2, 4),
    Shape((2, 2, 2), 3, 5),
    Shape((2, 2), 2, 4, "answer"),
    Shape((2, 2, 2), 6, 4),
)


@dataclass(frozen=True)
class Mechanism:
    """One product of the choices that a plan makes."""

    method: str
    decision: str | None
    oracle: str
    mapping: str
    partial: bool  # fewer appliances in a report than there are

    def __str__(self) -> str:
        by = f" by the {self.decision}" if self.decision else ""
        some = ", some appliances" if self.partial else ""
        return f"{self.method}{by}, {self.oracle}, {self.mapping}{some}"


def deciders() -> list[tuple[str, str | None]]:
    """Every method, with everyone who may decide in it."""
    return [
        (name, by)
        for by in (None, "household", "provider")
        for name, method in METHODS.items()
        if by == method.decided_by or (by == "provider" and method.decided_by)
    ]


def mechanisms() -> Iterator[Mechanism]:
    """Every one that a plan can name."""
    for method, decision in deciders():
        for oracle in ORACLES:
            for mapping in MAPPINGS:
                yield Mechanism(method, decision, oracle, mapping, partial=False)
                if decision != "household":
                    yield Mechanism(method, decision, oracle, mapping, partial=True)


def plans(mechanism: Mechanism, shape: Shape, epsilon: int) -> Iterator[Plan]:
    """The plans of one mechanism in one shape; a partial one with every number of asked appliances."""
    count = len(shape.widths)
    for asked in range(1, count) if mechanism.partial else (count,):
        plan = small_plan(mechanism, shape, epsilon, asked)
        yield plan
        if mechanism.partial:
            yield replace(plan, appliance_epsilon=max(1, epsilon * 2 // 3))


def small_plan(mechanism: Mechanism, shape: Shape, epsilon: int, asked: int) -> Plan:
    """One such plan; names, times and watts do not matter to its privacy."""
    return Plan(
        name="miniature",
        description="A plan small enough to enumerate.",
        contact="audit@example.org",
        start=datetime(2024, 1, 1, tzinfo=UTC),
        expires=datetime(2034, 1, 1, tzinfo=UTC),
        timezone="UTC",
        slot=SlotLength(1, "d"),
        epsilon=epsilon,
        window=shape.window,
        method=mechanism.method,
        decision=mechanism.decision,
        oracle=mechanism.oracle,
        appliances=tuple(appliance(place, width) for place, width in enumerate(shape.widths)),
        appliances_per_report=asked,
        mapping=mechanism.mapping,
        minimum_homes=1,
        unmeasured=shape.unmeasured,
    )


def range_plan(method: str, decision: str | None, oracle: str, shape: Shape, epsilon: int, asked: int) -> Plan:
    """The same by the parts of a mechanism that counts a reading as the level whose range it lies in."""
    mechanism = Mechanism(method, decision, oracle, "range", asked < len(shape.widths))
    return small_plan(mechanism, shape, epsilon, asked)


def appliance(place: int, levels: int) -> Appliance:
    """An appliance with levels around 0, 100, 200, … watts."""
    values = tuple(100.0 * level for level in range(levels))
    return Appliance.of(f"appliance {place + 1}", values=values)


def mechanism_of(plan: Plan) -> Mechanism:
    """What a plan chose."""
    decision = plan.decision or METHODS[plan.method].decided_by
    partial = plan.appliances_per_report < len(plan.appliances)
    return Mechanism(plan.method, decision, plan.oracle, plan.mapping, partial)


def fewer_turns(plan: Plan, most: int) -> Plan:
    """The same plan with a window of at most so many turns; in each of them homes tell as much as before.

    >>> from hushwatt.plan.presets import preset
    >>> fewer_turns(preset("advised"), 2).window, fewer_turns(preset("paper"), 2).window
    (2, 3)
    """
    return replace(plan, window=min(plan.window, most)) if has_turns(plan) else plan


def shape_like(plan: Plan) -> Shape:
    """The shape of a plan, cut down to what can be enumerated."""
    few = plan.answers_unmeasured and plan.decision == "household"  # whose probes make many transcripts
    if len(plan.appliances) > 1 and not few:
        return Shape((2, 2), min(plan.window, 2), 3, plan.unmeasured)
    window = min(plan.window, 3)
    levels = min(plan.widths[0], 3) - plan.answers_unmeasured
    return Shape((levels,), window, window + 2, plan.unmeasured)
