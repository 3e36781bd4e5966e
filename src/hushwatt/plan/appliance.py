"""One appliance of a plan: its levels, and the watts that stand for each.

The inner boundaries are `edges`: the first level starts at 0 W and includes
it, the last has no upper bound, and a reading on an edge belongs to the lower
level.  `values` are the watts that represent each level.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from math import isfinite
from typing import Self

from hushwatt.errors import PlanError
from hushwatt.plan.shown import shown

LONGEST_NAME = 100
FEWEST = {"edges": 1, "values": 2}  # an appliance has at least two levels


@dataclass(frozen=True)
class Appliance:
    """What a plan asks about one appliance.

    >>> kettle = Appliance.of("kettle", edges=[100, 300])
    >>> kettle.levels, kettle.values
    (3, (50.0, 200.0, 400.0))
    >>> Appliance.of("kettle", edges=[100, 300], mapping="dither").values
    (0.0, 100.0, 300.0)
    """

    name: str
    edges: tuple[float, ...] | None  # inner boundaries in watts; prior knowledge only when dithering
    values: tuple[float, ...]  # representative watts, one for each level
    typical_mean: float | None = None  # watts, what its mean is thought to be
    typical_high: float | None = None  # watts, what a high reading is thought to be

    def __post_init__(self) -> None:
        check_name(self.name, "an appliance's name")
        if self.edges is not None:
            _check_ascending(self.name, "edges", self.edges)
        _check_ascending(self.name, "values", self.values)
        self._check_numbers()
        self._check_typical()

    @classmethod
    def of(
        cls,
        name: str,
        edges: Sequence[float] | None = None,
        values: Sequence[float] | None = None,
        mapping: str = "range",
        typical_mean: float | None = None,
        typical_high: float | None = None,
    ) -> Self:
        """The appliance with what was left out of its levels filled in."""
        inner = None if edges is None else _watts(edges)
        stand = None if values is None else _watts(values)
        if stand is None:
            if inner is None:
                raise PlanError(f"{name}: needs edges or values")
            stand = default_values(name, inner, mapping)
        if inner is None and mapping == "range":
            inner = default_edges(name, stand)
        return cls(name, inner, stand, typical_mean, typical_high)

    @property
    def levels(self) -> int:
        """How many levels it has (the paper's d)."""
        return len(self.values)

    def _check_numbers(self) -> None:
        if self.edges is not None and len(self.edges) + 1 != self.levels:
            raise PlanError(
                f"{self.name}: has {self.levels} values and {len(self.edges)} edges; "
                f"there must be one value more than edges"
            )

    def _check_typical(self) -> None:
        mean, high = self.typical_mean, self.typical_high
        for key, watts in (("typical_mean", mean), ("typical_high", high)):
            if watts is not None:
                _check_watts(self.name, key, watts)
        if mean is not None and high is not None and mean > high:
            raise PlanError(
                f"{self.name}: typical_mean is {show_watts(mean)} W; "
                f"it must be at most typical_high, which is {show_watts(high)} W"
            )


def default_values(name: str, edges: tuple[float, ...], mapping: str) -> tuple[float, ...]:
    """The watts that stand for the levels between `edges` when a plan does not say.

    For `range` the middles, the last one half the previous width above the last
    edge; for `dither` 0 and the edges.

    >>> default_values("kettle", (250.0, 500.0), "range")
    (125.0, 375.0, 625.0)
    """
    _check_ascending(name, "edges", edges)
    if mapping == "dither":
        values = (0.0, *edges)
    else:
        starts = (0.0, *edges)
        beyond = float(2 * _exact(starts[-1]) - _exact(starts[-2]))  # as if the last level were as wide
        values = tuple(_middle(low, high) for low, high in zip(starts, (*edges, beyond), strict=True))
    return _derived(name, "values", values, "edges")


def default_edges(name: str, values: tuple[float, ...]) -> tuple[float, ...]:
    """The boundaries halfway between neighbouring values.

    >>> default_edges("kettle", (0.0, 100.0, 300.0))
    (50.0, 200.0)
    """
    _check_ascending(name, "values", values)
    edges = tuple(_middle(low, high) for low, high in pairwise(values))
    return _derived(name, "edges", edges, "values")


def check_name(name: str, what: str) -> None:
    """Refuse a name that is blank, too long, or cannot be printed."""
    if not name.strip():
        raise PlanError(f"{what} is empty")
    if not name.isprintable():
        raise PlanError(f"{what} is {shown(name)}; it must be printable")
    if len(name) > LONGEST_NAME:
        raise PlanError(f"{what} has {len(name)} characters; at most {LONGEST_NAME} are allowed")


def show_watts(watts: float) -> str:
    """The shortest decimal that reads back as the same number.

    >>> show_watts(250.0), show_watts(0.1)
    ('250', '0.1')
    """
    return repr(float(watts)).removesuffix(".0")


def _check_ascending(name: str, key: str, watts: tuple[float, ...]) -> None:
    if len(watts) < FEWEST[key]:
        raise PlanError(f"{name}: {key} has {len(watts)} numbers; two levels need at least {FEWEST[key]}")
    for place, here in enumerate(watts):
        _check_watts(name, f"{key}[{place}]", here)
        if place and not here > watts[place - 1]:
            raise PlanError(
                f"{name}: {key}[{place}] is {show_watts(here)} W; it must be above "
                f"{key}[{place - 1}], which is {show_watts(watts[place - 1])} W"
            )


def _check_watts(name: str, key: str, watts: float) -> None:
    if not isfinite(watts) or watts < 0:
        raise PlanError(f"{name}: {key} is {show_watts(watts)} W; it must be a finite number of at least 0")


def _derived(name: str, key: str, watts: tuple[float, ...], source: str) -> tuple[float, ...]:
    """What was worked out from `source`, refused when two levels would fall together."""
    if all(low < high for low, high in pairwise(watts)) and isfinite(watts[-1]):
        return watts
    first = ", ".join(show_watts(each) for each in watts[:4])
    raise PlanError(
        f"{name}: {key} worked out from {source} would be {first}{', …' if len(watts) > 4 else ''} W, "
        f"which do not ascend; give {key} as well, or change {source}"
    )


def _watts(numbers: Sequence[float]) -> tuple[float, ...]:
    return tuple(float(number) + 0.0 for number in numbers)  # + 0.0 makes −0 a plain 0


def _exact(watts: float) -> Decimal:
    return Decimal(repr(watts))


def _middle(low: float, high: float) -> float:
    return float((_exact(low) + _exact(high)) / 2)
