"""Small multiples: one little picture for each appliance, drawn as the page's own SVG, so that many cost nothing.

Each has a scale of its own, from zero or below up to its highest limit.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

WIDTH, HEIGHT = 240, 84  # of the picture's own units

Limits = tuple[float, float, float]  # a value between its low and its high limit


@dataclass(frozen=True)
class SmallMultiple:
    """One little picture, and what stands beside it."""

    name: str
    link: str
    lines: tuple[str, ...]  # points, "x,y x,y …"
    bands: tuple[str, ...]
    zero: float  # how far down zero lies
    top: str  # the highest limit, as a text
    about: str  # what the picture shows, in words


def small_multiple(name: str, link: str, values: Sequence[Limits | None], top: str, about: str) -> SmallMultiple:
    """A line in its band, broken where there is no answer."""
    known = [each for each in values if each is not None]
    high = max((each[2] for each in known), default=1.0)
    low = min(0.0, *(each[1] for each in known)) if known else 0.0
    scale = HEIGHT / ((high - low) or 1.0)
    step = WIDTH / max(len(values) - 1, 1)

    def point(place: int, watts: float) -> str:
        return f"{place * step:.1f},{(high - watts) * scale:.1f}"

    runs = _runs(values)
    return SmallMultiple(
        name,
        link,
        tuple(" ".join(point(place, each[0]) for place, each in run) for run in runs),
        tuple(
            " ".join(
                [point(place, each[2]) for place, each in run]
                + [point(place, each[1]) for place, each in reversed(run)]
            )
            for run in runs
        ),
        round(high * scale, 1),
        top,
        about,
    )


def _runs(values: Sequence[Limits | None]) -> list[list[tuple[int, Limits]]]:
    """The stretches without a hole, each value with its place."""
    runs = [list(group) for there, group in groupby(enumerate(values), lambda each: each[1] is not None) if there]
    return [[(place, each) for place, each in run if each is not None] for run in runs]
