"""Any rule of one slot, walked step by step: the chance of every transcript, one stream at a time.

Slow and plain.  It knows nothing of what may be factored out, so it checks the quick
roads on the smallest shapes, says what real fleets must look like, and convicts rules that
look where they must not.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any, Protocol

from hushwatt.audit.exact.household_decided import EnumeratedHome, answer_table, distances
from hushwatt.privacy.strategies import Strategy

Answer = int  # the place of a vector among all that a home can send
Seen = tuple[bool, Answer | None]  # whether something new was published, and the vector that stands
Transcript = tuple[Seen, ...]
Law = dict[Transcript, Fraction]


@dataclass(frozen=True)
class Memory:
    """What a home remembers from slot to slot."""

    state: Strategy
    release: Answer | None = None  # the vector it stands by
    probe: Answer | None = None  # the probe kept from the slot of that release


@dataclass(frozen=True)
class SlotOutcome:
    """One way a slot can go: what was published, if anything, and the probe to keep."""

    release: Answer | None
    probe: Answer | None
    chance: Fraction


class Rule(Protocol):
    """How a home moves through one slot."""

    def outcomes(self, home: EnumeratedHome, memory: Memory, level: int) -> Iterator[SlotOutcome]:
        """Everything that can happen to a home at `level`, the place of its levels among all."""
        ...


class KeptProbes:
    """The shipped rule: publish when this probe is further from the kept one than the law expects.

    The candidate is drawn after the decision.  The first offer is taken whatever the probe says.
    """

    def outcomes(self, home: EnumeratedHome, memory: Memory, level: int) -> Iterator[SlotOutcome]:
        offer = memory.state.offer()
        for probe, seen in enumerate(answer_table(home.laws(memory.state.probe))[1][level]):
            if offer and self.publishes(home, memory, offer, probe):
                for release, drawn in enumerate(answer_table(home.laws(offer))[1][level]):
                    yield SlotOutcome(release, probe, seen * drawn)
            else:
                yield SlotOutcome(None, memory.probe, seen)

    def publishes(self, home: EnumeratedHome, memory: Memory, offer: int, probe: Answer) -> bool:
        if memory.probe is None:
            return True
        return distances(home.layout)[memory.probe][probe] > home.change_threshold(home.laws(offer))


def law_of_stream(home: EnumeratedHome, rule: Rule, stream: tuple[int, ...]) -> Law:
    """The exact chance of every transcript, given the levels of every slot."""
    ways: dict[tuple[Transcript, Memory], Fraction] = {((), Memory(home.first)): Fraction(1)}
    for level in stream:
        following: dict[tuple[Transcript, Memory], Fraction] = defaultdict(Fraction)
        for (seen, memory), chance in ways.items():
            for outcome in rule.outcomes(home, memory, level):
                published = outcome.release is not None
                standing = outcome.release if published else memory.release
                after = Memory(memory.state.after(published), standing, outcome.probe)
                following[(*seen, (published, standing)), after] += chance * outcome.chance
        ways = following
    law: Law = defaultdict(Fraction)
    for (seen, _), chance in ways.items():
        law[seen] += chance
    return dict(law)


def vectors_only(law: Law) -> dict[tuple[Any, ...], Fraction]:
    """The same for an observer who cannot tell a repeat from the same vector drawn anew."""
    merged: dict[tuple[Any, ...], Fraction] = defaultdict(Fraction)
    for transcript, chance in law.items():
        merged[tuple(vector for _, vector in transcript)] += chance
    return dict(merged)


def worst_ratio(home: EnumeratedHome, rule: Rule, window: int, slots: int, decisions: bool = True) -> Fraction | None:
    """The worst ratio between two streams of levels that differ in one window; None is an infinite one."""
    streams = list(product(range(len(home.levels)), repeat=slots))
    laws = {stream: law_of_stream(home, rule, stream) for stream in streams}
    seen = {stream: law if decisions else vectors_only(law) for stream, law in laws.items()}
    worst = Fraction(1)
    for one, other in product(streams, streams):
        if one != other and within_a_window(one, other, window):
            for transcript, chance in seen[one].items():
                unlikely = seen[other].get(transcript, Fraction(0))
                if chance and not unlikely:
                    return None
                worst = max(worst, chance / unlikely) if chance else worst
    return worst


def within_a_window(one: tuple[int, ...], other: tuple[int, ...], window: int) -> bool:
    """Whether all differences lie in `window` slots in a row."""
    differ = [slot for slot, (a, b) in enumerate(zip(one, other, strict=True)) if a != b]
    return not differ or differ[-1] - differ[0] < window
