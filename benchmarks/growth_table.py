"""The table of docs/capacity.md that tells how every method grows, made of the figures in docs/growth.json."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

FIGURES = Path(__file__).parents[1] / "docs" / "growth.json"
MIB, MILLION = 2**20, 1e6
HEADS = ("method", "stage", "a million", "furthest point", "R²", "exponent", "memory at most")


class Line(NamedTuple):
    """The straight line through some points."""

    each: float  # seconds for a million
    start: float  # seconds
    off: float  # how far a point is from the line, at most, as a share of the longest time
    fit: float  # R²

    @classmethod
    def through(cls, millions: list[float], seconds: list[float]) -> "Line":
        """By least squares.

        >>> [round(each, 6) for each in Line.through([1, 2, 4], [3.0, 5.0, 9.0])]
        [2.0, 1.0, 0.0, 1.0]
        """
        each, start = np.polyfit(millions, seconds, 1)
        line, found = start + each * np.array(millions), np.array(seconds)
        spread = max(float(((found - found.mean()) ** 2).sum()), 1e-9)
        return cls(
            float(each),
            float(start),
            float(np.abs(found - line).max() / found.max()),
            1 - float(((found - line) ** 2).sum()) / spread,
        )


def exponent(sizes: list[float], amounts: list[float]) -> float:
    """The slope of the logarithms.

    >>> round(exponent([1, 2, 4], [3.0, 12.0, 48.0]), 6)
    2.0
    """
    return float(np.polyfit(np.log(sizes), np.log(amounts), 1)[0])


def growth_table(figures: dict[str, Any]) -> str:
    """A row for each stage of each method, in Markdown.

    >>> stage = {"few": [1.0, 1e8], "points": [[1_000_000, 1, 2.0, 2e8], [1_000_000, 10, 11.0, 2e8]]}
    >>> print(growth_table({"lbu": {"randomise": stage}}).splitlines()[-1])
    | `lbu` | randomise | 1.00 s | 0 % | 1.0000 | 1.00 | 191 MiB |
    """
    rows = [_row(method, stage, found) for method, stages in figures.items() for stage, found in stages.items()]
    lines = [HEADS, ["---"] * len(HEADS), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _row(method: str, stage: str, found: dict[str, Any]) -> list[str]:
    name, _, words = method.partition(",")
    millions = [homes * slots / MILLION for homes, slots, *_ in found["points"]]
    seconds = [each for *_, each, _ in found["points"]]
    line = Line.through(millions, seconds)
    above = [max(each - found["few"][0], 0.01) for each in seconds]
    return [
        f"`{name}`{words and ','}{words}",
        stage,
        f"{line.each:.2f} s",
        f"{100 * line.off:.0f} %",
        f"{line.fit:.4f}",
        f"{exponent(millions, above):.2f}",
        f"{max(memory for *_, memory in found['points']) / MIB:,.0f} MiB",
    ]


def growth_sizes(figures: dict[str, Any]) -> str:
    """The sizes of the methods' points, in words.

    >>> stage = {"few": [1.0, 1e8], "points": [[1_000_000, 1, 2.0, 2e8], [4_000_000, 25, 11.0, 2e8]]}
    >>> growth_sizes({"lbu": {"randomise": stage}})
    '1 million homes in 1 slot and 4 million in 25'
    """
    ((*first, last),) = {
        tuple(tuple(point[:2]) for point in found["points"])
        for method, stages in figures.items()
        for found in stages.values()
        if "," not in method
    }
    told = [f"{homes / MILLION:g} million in {slots}" for homes, slots in (*first, last)]
    slot = "slot" if first[0][1] == 1 else "slots"
    told[0] = told[0].replace(" in ", " homes in ") + f" {slot}"
    return f"{', '.join(told[:-1])} and {told[-1]}"
