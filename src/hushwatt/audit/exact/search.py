"""The transcript and the two streams that a household-decided mechanism tells apart best.

The loss is the largest chance of a transcript over its smallest, among streams that differ in
one window only.  Floats find the worst transcript and pair of streams, exact fractions then
decide: the figure is that of the pair found, and `SEARCHED` allows for all that floats can hide.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from hushwatt.audit.exact.household_decided import EnumeratedHome, Stream
from hushwatt.audit.exact.inputs import mixtures
from hushwatt.audit.exact.observers import OBSERVERS, Answers, Floats, Observed, Transcript
from hushwatt.audit.exact.scheduled import NOTHING_TOLD, Losses, windows
from hushwatt.plan.plan import Plan

SEARCHED = 1 + Fraction(1, 10**9)  # a float search may miss a worse pair by less than this factor
Place = tuple[int, ...]


@dataclass(frozen=True)
class Worst:
    """The worst that was seen so far: a transcript and two streams."""

    ratio: float
    transcript: Transcript
    likely: Stream
    unlikely: Stream


@dataclass(frozen=True)
class TranscriptTable:
    """The chances of all transcripts that begin alike, for every stream of inputs.

    Axes: the vector of every slot but the first, of length 1 for a repeat, then what each
    appliance holds, slot by slot.
    """

    first: int  # the vector sent in the first slot
    published: tuple[int, ...] | None
    chances: Floats
    slots: int
    appliances: int

    def differing(self, window: range, places: list[int]) -> Place:
        """The axes of what `places` hold in `window`."""
        return tuple(self.slots - 1 + slot * self.appliances + place for slot in window for place in places)

    def transcript(self, place: Place) -> Transcript:
        """The transcript at a place of the table."""
        return Transcript((self.first, *place[: self.slots - 1]), self.published)

    def stream(self, place: Place) -> Stream:
        """The stream of inputs at a place of the table."""
        kinds = self.chances.shape[-self.appliances :]
        held = np.reshape(place[self.slots - 1 :], (self.slots, self.appliances))
        return tuple(int(np.ravel_multi_index(tuple(each), kinds)) for each in held)


def hidden_losses(plan: Plan, slots: int, observer: str, home: EnumeratedHome | None = None) -> Losses:
    """The worst ratio of a household-decided stream, for the home and for one appliance."""
    observed = Observed.of(plan, slots, home)
    everyone = list(range(len(plan.appliances)))
    whole: Worst | None = None
    single: Worst | None = None
    for table in tables(observed, observer):
        for window in windows(plan, slots):
            whole = worse(whole, table, table.differing(window, everyone))
            for place in everyone:
                single = worse(single, table, table.differing(window, [place]))
    return NOTHING_TOLD.worse(Losses(exactly(observed, whole), exactly(observed, single)))


def tables(observed: Observed, observer: str) -> Iterator[TranscriptTable]:
    """The chances of all transcripts that the observer tells apart."""
    slots, plan = observed.slots, observed.plan
    rounding = np.array(observed.rounding(), dtype=float)
    kinds = tuple(len(mixtures(width, plan.mapping)) for width in plan.widths)
    for first in range(observed.vectors):
        for published, chances in OBSERVERS[observer](observed, first):
            if plan.mapping == "dither":
                for _ in range(slots):  # the oldest slot's levels become inputs, which go to the end
                    chances = np.tensordot(chances, rounding, axes=(slots - 1, 1))
            shape = chances.shape[: slots - 1] + kinds * slots
            yield TranscriptTable(first, published, chances.reshape(shape), slots, len(kinds))


def worse(worst: Worst | None, table: TranscriptTable, differ: Place) -> Worst | None:
    """The worse of what was seen before and what this table tells when the inputs at `differ` change."""
    high = table.chances.max(axis=differ, keepdims=True)
    low = table.chances.min(axis=differ, keepdims=True)
    with np.errstate(divide="ignore"):
        ratios = np.divide(high, low, out=np.ones_like(high), where=high > 0)
    ratio = float(ratios.max())
    if worst is not None and ratio <= worst.ratio:
        return worst
    there = tuple(int(place) for place in np.unravel_index(int(ratios.argmax()), ratios.shape))
    near = table.chances[tuple(slice(None) if axis in differ else place for axis, place in enumerate(there))]
    likely = _moved(there, differ, np.unravel_index(int(near.argmax()), near.shape))
    unlikely = _moved(there, differ, np.unravel_index(int(near.argmin()), near.shape))
    return Worst(ratio, table.transcript(there), table.stream(likely), table.stream(unlikely))


def _moved(there: Place, differ: Place, to: tuple[np.intp, ...]) -> Place:
    """The place with other indices along the axes `differ`."""
    moved = dict(zip(differ, to, strict=True))
    return tuple(int(moved.get(axis, place)) for axis, place in enumerate(there))


def exactly(observed: Observed, worst: Worst | None) -> Fraction | None:
    """The exact ratio of what was found, with room for what a float search can miss."""
    if worst is None:
        return Fraction(1)
    sent = carried(worst.transcript)
    transcript = Transcript(sent, worst.transcript.published)
    likely, unlikely = (observed.chance(transcript, stream) for stream in (worst.likely, worst.unlikely))
    return likely / unlikely * SEARCHED if unlikely else None


def carried(transcript: Transcript) -> Answers:
    """The vectors of a transcript, where a known repeat is the vector before it."""
    sent = list(transcript.sent)
    for slot, drawn in enumerate(transcript.published or ()):
        if slot and not drawn:
            sent[slot] = sent[slot - 1]
    return tuple(sent)
