"""Small charts in letters: bars that fade over an interval, and columns over time."""

from collections.abc import Sequence

from hushwatt.provider.estimate.results import SlotEstimates

BAR_CELLS = 24  # cells of a bar
PATTERN_CELLS = 24  # cells of a pattern over time
HEIGHTS = "▁▂▃▄▅▆▇█"


def bar(low: float, middle: float, high: float, most: float) -> str:
    """A bar up to `middle`, with its interval drawn over it.

    >>> bar(20.0, 30.0, 40.0, most=40.0)
    '████████████▒▒▒▒▒▒░░░░░░'
    """
    if most <= 0:
        return ""
    cells = [round(BAR_CELLS * min(max(limit, 0.0), most) / most) for limit in (low, middle, high)]
    return "█" * cells[0] + "▒" * (cells[1] - cells[0]) + "░" * (cells[2] - cells[1])


def pattern(numbers: SlotEstimates) -> str:
    """The mean watts from slot to slot as small columns; slots are averaged when there are many.

    >>> from types import SimpleNamespace
    >>> pattern(SimpleNamespace(known=[True, False, True], watts=[0.0, 9.0, 70.0]))
    '▁ █'
    """
    size = max(-(-len(numbers.known) // PATTERN_CELLS), 1)
    slots = list(zip(numbers.known, numbers.watts, strict=True))
    parts = [[watts for known, watts in slots[at : at + size] if known] for at in range(0, len(slots), size)]
    return sparkline([sum(part) / len(part) if part else None for part in parts])


def sparkline(means: Sequence[float | None]) -> str:
    """Numbers as small columns, from the least to the most; a gap where there is none.

    >>> sparkline([1.0, None, 8.0, 4.5])
    '▁ █▅'
    """
    known_means = [mean for mean in means if mean is not None]
    low, reach = min(known_means, default=0.0), max(known_means, default=0.0) - min(known_means, default=0.0)
    steps = [None if mean is None else round(7 * (mean - low) / reach) if reach else 0 for mean in means]
    return "".join(" " if step is None else HEIGHTS[step] for step in steps)
