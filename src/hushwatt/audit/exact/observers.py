"""What two observers learn from a household-decided stream.

One sees the vectors that are sent, slot by slot.  The other also sees which of them were
drawn anew, as the provider does.  Either way a transcript's chance is known for every
stream of inputs: exactly, and as floats for all transcripts at once.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod

import numpy as np
from numpy.typing import NDArray

from hushwatt.audit.exact.household_decided import Decisions, EnumeratedHome, Stream, answer_table, decision_sequences
from hushwatt.audit.exact.inputs import Held, chance_of, holdings
from hushwatt.plan.plan import Plan

Floats = NDArray[np.float64]
Answers = tuple[int, ...]  # the place of the vector sent, for every slot


@dataclass(frozen=True)
class Transcript:
    """What was seen: the vectors, and the decisions if the observer sees them."""

    sent: Answers
    published: tuple[int, ...] | None  # None: not seen


@dataclass(frozen=True)
class Observed:
    """A household-decided mechanism, its decisions enumerated, ready to be observed."""

    plan: Plan
    home: EnumeratedHome
    slots: int
    sequences: list[Decisions]
    inputs: list[Held]

    @classmethod
    def of(cls, plan: Plan, slots: int, home: EnumeratedHome | None = None) -> "Observed":
        home = home or EnumeratedHome.of(plan)
        return cls(plan, home, slots, decision_sequences(home, slots), holdings(plan))

    def releases(self, drawn: int) -> list[list[Fraction]]:
        """The chance of every vector, by the levels it is drawn for."""
        return answer_table(self.home.laws(drawn))[1]

    @property
    def vectors(self) -> int:
        """How many different vectors can be sent."""
        return len(self.releases(self.home.first.probe)[0])

    def rounding(self) -> list[list[Fraction]]:
        """The chance of every tuple of levels, for everything that a home can hold."""
        return [[chance_of(levels, held) for levels in self.home.levels] for held in self.inputs]

    def chance(self, transcript: Transcript, stream: Stream) -> Fraction:
        """The exact chance of a transcript, given what the home holds in every slot."""
        rounding = self.rounding()
        rounded = [rounding[held] for held in stream]
        streams = product(*([place for place, chance in enumerate(row) if chance] for row in rounded))
        return sum(
            (
                self._chance_of_levels(transcript, levels)
                * prod(row[place] for row, place in zip(rounded, levels, strict=True))
                for levels in streams
            ),
            start=Fraction(0),
        )

    def _chance_of_levels(self, transcript: Transcript, levels: Stream) -> Fraction:
        return sum(
            (
                sequence.chance(levels) * self._chance_of_sent(sequence.published, transcript.sent, levels)
                for sequence in self.sequences
                if fits(sequence.published, transcript)
            ),
            start=Fraction(0),
        )

    def _chance_of_sent(self, published: tuple[int, ...], sent: Answers, levels: Stream) -> Fraction:
        return prod(
            (
                self.releases(drawn)[place][answer]
                for drawn, place, answer in zip(published, levels, sent, strict=True)
                if drawn
            ),
            start=Fraction(1),
        )


def fits(published: tuple[int, ...], transcript: Transcript) -> bool:
    """Whether these decisions can lead to this transcript: a repeat is the same vector."""
    if transcript.published is not None:
        return published == transcript.published
    pairs = zip(published[1:], transcript.sent, transcript.sent[1:], strict=False)
    return all(drawn or before == after for drawn, before, after in pairs)


Observer = Callable[[Observed, int], Iterator[tuple[tuple[int, ...] | None, Floats]]]


def sees_everything(observed: Observed, first: int) -> Iterator[tuple[tuple[int, ...] | None, Floats]]:
    """For every sequence of decisions, the chance of all vectors that follow vector `first`."""
    for sequence in observed.sequences:
        yield sequence.published, _spread(observed, sequence, first)


def sees_vectors(observed: Observed, first: int) -> Iterator[tuple[tuple[int, ...] | None, Floats]]:
    """The same, with all sequences of decisions that look alike added up."""
    slots, levels = observed.slots, len(observed.home.levels)
    total = np.zeros((observed.vectors,) * (slots - 1) + (levels,) * slots)
    for sequence in observed.sequences:
        total[_standing(observed, sequence.published, first)] += _spread(observed, sequence, first)
    yield None, total


OBSERVERS: dict[str, Observer] = {"vectors": sees_vectors, "vectors and decisions": sees_everything}


def _spread(observed: Observed, sequence: Decisions, first: int) -> Floats:
    """The chance of a sequence of decisions with all its vectors, for every stream of levels.

    Axes: the vector of every slot but the first, of length 1 for a repeat, then the
    levels of every slot.
    """
    slots, levels = observed.slots, len(observed.home.levels)
    chances = np.array([weight / sequence.scale for weight in sequence.weights.values()])
    spread = chances.reshape((1,) * (slots - 1) + (levels,) * slots)
    for slot, drawn in enumerate(sequence.published):
        if drawn:
            table = np.array(observed.releases(drawn), dtype=float).T  # vectors, then levels
            shape = [1] * (2 * slots - 1)
            shape[slots - 1 + slot] = levels
            if slot:
                shape[slot - 1] = observed.vectors
            spread = spread * (table if slot else table[first]).reshape(shape)
    return spread


def _standing(observed: Observed, published: tuple[int, ...], first: int) -> tuple[NDArray[np.intp], ...]:
    """Where the transcripts of a sequence stand among all: a repeat stands with the vector before it."""
    axes = [np.arange(observed.vectors if drawn else 1) for drawn in published[1:]]
    before = np.full((1,) * len(axes), first)
    places = []
    for axis, drawn in zip(np.meshgrid(*axes, indexing="ij", sparse=True), published[1:], strict=True):
        before = axis if drawn else before
        places.append(before)
    return tuple(np.broadcast_arrays(*places)) if places else ()
