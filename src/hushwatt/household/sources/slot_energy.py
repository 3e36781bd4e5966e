"""What is known of a plug's energy over one slot, and of which part of the slot."""

from collections.abc import Iterator
from dataclasses import dataclass, field

PAUSE = 10  # a pause between two messages is up to this part of a slot, 1/10; a longer one is a silence


@dataclass
class SlotEnergy:
    """Energy over [start, end), in watt-nanoseconds."""

    start: int
    end: int
    amount: float = 0.0
    covered: int = 0  # nanoseconds of it that a reading holds for
    paused: int = 0  # nanoseconds between messages that none holds for, but that are no silence
    spans: list[tuple[int, int]] = field(
        default_factory=list
    )  # what is covered, in order of time, apart from each other

    @property
    def silent(self) -> bool:
        """Whether the source was silent for more than half of the slot, or said nothing that counts."""
        return not self.covered or 2 * (self.covered + self.paused) < self.end - self.start

    def add(self, start: int, end: int, watts: float) -> None:
        lasted = self._within(start, end)
        self.amount += watts * lasted
        self.covered += lasted
        if lasted:
            self._cover(max(start, self.start), min(end, self.end))

    def fill(self, start: int, end: int, watts: float) -> None:
        """Add what was learnt later about [start, end), where nothing is known yet."""
        for gap in list(gaps_between(self.spans, max(start, self.start), min(end, self.end))):
            self.add(*gap, watts)

    def hold(self, since: int, until: int, fresh: int, watts: float) -> None:
        """Add a reading of `since`, which holds until the next message or for as long as it is fresh."""
        fresh = min(until, fresh)
        self.fill(since, fresh, watts)
        if PAUSE * (until - since) <= self.end - self.start:
            self.paused += self._within(fresh, until)

    def _cover(self, start: int, end: int) -> None:
        if self.spans and start == self.spans[-1][1]:  # by far the most frequent, and quick
            self.spans[-1] = self.spans[-1][0], end
        elif self.spans and start < self.spans[-1][1]:
            self.spans = merge_spans([*self.spans, (start, end)])
        else:
            self.spans.append((start, end))

    def _within(self, start: int, end: int) -> int:
        return max(0, min(end, self.end) - max(start, self.start))

    def __repr__(self) -> str:
        return "<a slot being added up>"


def merge_spans(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The same time in order, without overlaps.

    >>> merge_spans([(5, 9), (0, 2), (2, 4), (6, 7)])
    [(0, 4), (5, 9)]
    """
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged


def gaps_between(spans: list[tuple[int, int]], start: int, end: int) -> Iterator[tuple[int, int]]:
    """The parts of [start, end) that no span covers.

    >>> list(gaps_between([(2, 4), (6, 7)], 0, 7))
    [(0, 2), (4, 6)]
    """
    for known in (*spans, (end, end)):
        if start < min(known[0], end):
            yield start, min(known[0], end)
        start = max(start, known[1])
