"""Household-decided mechanisms: how likely each sequence of decisions is, given the levels.

A home compares this slot's probe with the one it kept, and neither is ever sent.  What is
known of the kept probe after some decisions is a chance for each of its values; walking
those forward, slot by slot, sums the hidden probes out exactly.

Offers come from the shipped strategy, the chances of a probe from the shipped laws, how far
two probes are apart from the shipped layout, and how far they may be from the shipped rule.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import lcm, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hushwatt.plan.plan import Plan
from hushwatt.privacy.decide import change_threshold
from hushwatt.privacy.laws import Law, law_for
from hushwatt.privacy.strategies import Strategy, strategy_for
from hushwatt.wire.payload import Layout

Levels = tuple[int, ...]  # one per appliance
Stream = tuple[int, ...]  # the place of its levels, for every slot
Weights = list[int]  # of every value of the kept probe, in whole multiples of one small fraction
Row = NDArray[np.uint8]
Patience = Callable[[Iterable[Law]], int]


@dataclass(frozen=True)
class EnumeratedHome:
    """A household-decided mechanism, taken apart."""

    layout: Layout
    first: Strategy
    change_threshold: Patience = change_threshold

    @classmethod
    def of(cls, plan: Plan) -> "EnumeratedHome":
        return cls(Layout.of(plan), strategy_for(plan))

    @property
    def levels(self) -> list[Levels]:
        """Everything that a home's appliances can be at."""
        return list(product(*(range(width) for width in self.layout.widths)))

    def laws(self, drawn: int) -> tuple[Law, ...]:
        return tuple(law_for(self.layout.oracle, drawn, self.layout.asked, width) for width in self.layout.widths)


@dataclass(frozen=True)
class Decisions:
    """One sequence of decisions: what was published with, and how likely it is for every stream."""

    published: tuple[int, ...]  # millionths of ε in every slot, 0: a repeat
    weights: dict[Stream, int]
    scale: int  # a weight of this much is a chance of 1

    def chance(self, stream: Stream) -> Fraction:
        return Fraction(self.weights[stream], self.scale)


@dataclass(frozen=True)
class KnownPast:
    """What is known after some slots: the strategy's state, and how likely each kept probe is."""

    state: Strategy
    published: tuple[int, ...]
    kept: dict[Stream, Weights | None]  # for every stream; None: nothing was published yet


@lru_cache(maxsize=64)
def answer_table(laws: tuple[Law, ...]) -> tuple[list[tuple[Any, ...]], list[list[Fraction]]]:
    """Every answer of a home, and its chance for each of the levels the home can be at."""
    answers = list(product(*(law.answers() for law in laws)))
    places = product(*(range(law.levels) for law in laws))
    table = [
        [prod(law.chance(*pair) for law, *pair in zip(laws, answer, levels, strict=True)) for answer in answers]
        for levels in places
    ]
    return answers, [[Fraction(chance) for chance in row] for row in table]


@lru_cache(maxsize=64)
def distances(layout: Layout) -> list[list[int]]:
    """In how many cells any two probes differ, by the shipped layout."""
    laws = tuple(law_for(layout.oracle, 1_000_000, layout.asked, width) for width in layout.widths)  # any
    rows = np.stack([payload(layout, answer) for answer in answer_table(laws)[0]])
    return [[int(d) for d in layout.differences(rows, np.broadcast_to(row, rows.shape))] for row in rows]


def payload(layout: Layout, answer: tuple[Any, ...]) -> Row:
    """One answer about all appliances as the bytes that would be sent."""
    if layout.direct:
        return layout.pack(np.array([answer], dtype=np.uint16)).reshape(-1)
    bits = [bit for one in answer for bit in one]
    return np.packbits(np.array(bits, dtype=np.uint8), bitorder="little")


def decision_sequences(home: EnumeratedHome, slots: int) -> list[Decisions]:
    """Every sequence of decisions that can happen, with its exact chance for every stream of levels."""
    pasts, scale = [KnownPast(home.first, (), {(): None})], 1
    for _ in range(slots):
        looks = ProbeWeights.of(home, home.first.probe)
        pasts = [following for past in pasts for following in looks.after(past)]
        scale *= looks.scale
    return [
        Decisions(past.published, {stream: sum(kept or [scale]) for stream, kept in past.kept.items()}, scale)
        for past in pasts
    ]


@dataclass(frozen=True)
class ProbeWeights:
    """A slot's probe: the weight of each of its values for every level the home can be at."""

    home: EnumeratedHome
    weights: list[Weights]
    scale: int

    @classmethod
    def of(cls, home: EnumeratedHome, probe: int) -> "ProbeWeights":
        _, chances = answer_table(home.laws(probe))
        scale = lcm(*(chance.denominator for row in chances for chance in row))
        return cls(home, [[int(chance * scale) for chance in row] for row in chances], scale)

    def after(self, past: KnownPast) -> list[KnownPast]:
        """What can be known after one more slot: it repeated, or it published."""
        offer = past.state.offer()
        first = all(kept is None for kept in past.kept.values())
        found = []
        if not (first and offer):
            found.append(self._moved(past, 0, self._repeated(past, offer)))
        if offer:
            found.append(self._moved(past, offer, self._first(past) if first else self._published(past, offer)))
        return found

    def _moved(self, past: KnownPast, offer: int, kept: dict[Stream, Weights | None]) -> KnownPast:
        return KnownPast(past.state.after(offer > 0), (*past.published, offer), kept)

    def _first(self, past: KnownPast) -> dict[Stream, Weights | None]:
        """The first offer is taken whatever the probe says."""
        before = self.scale ** len(past.published)
        rows = [[before * weight for weight in row] for row in self.weights]
        return {(*stream, place): row for stream in past.kept for place, row in enumerate(rows)}

    def _repeated(self, past: KnownPast, offer: int) -> dict[Stream, Weights | None]:
        """The kept probe stays; the new one was near it, or nothing was on offer."""
        near = [[self.scale] * len(row) for row in self.weights]
        if offer:
            places = self._probes(offer, far=False)
            near = [[sum(row[place] for place in those) for those in places] for row in self.weights]
        return {
            (*stream, place): None if kept is None else [a * b for a, b in zip(kept, row, strict=True)]
            for stream, kept in past.kept.items()
            for place, row in enumerate(near)
        }

    def _published(self, past: KnownPast, offer: int) -> dict[Stream, Weights | None]:
        """The new probe takes the place of the old one, from which it was far."""
        far = self._probes(offer, far=True)
        following: dict[Stream, Weights | None] = {}
        for stream, kept in past.kept.items():
            assert kept is not None
            left = [sum(kept[place] for place in places) for places in far]
            for place, row in enumerate(self.weights):
                following[(*stream, place)] = [a * b for a, b in zip(left, row, strict=True)]
        return following

    def _probes(self, offer: int, far: bool) -> list[list[int]]:
        """For every kept probe, the new ones that are further from it than the rule allows, or all others."""
        most = self.home.change_threshold(self.home.laws(offer))
        return [
            [place for place, cells in enumerate(row) if (cells > most) == far] for row in distances(self.home.layout)
        ]
