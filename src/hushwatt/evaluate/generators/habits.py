"""What a block of invented homes owns and is used to, drawn once for all slots."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hushwatt.evaluate.generators.appliance_facts import ApplianceFacts, HouseholdFacts, ownership_groups

SAME_MODEL = 0.08  # sd of the logarithm of the watts of one kind of appliance, from home to home
MAX_DUTY = 0.9  # share of the time that a compressor runs at most

Floats = NDArray[np.float32]
Owned = NDArray[np.bool_]


@dataclass(frozen=True)
class Habits:
    """A row for each home, a column for each appliance."""

    owns: Owned
    uses: Floats  # a day; 0 when not owned
    watts: Floats  # while in use
    cold: Floats  # mean watts of what cools; 0 when not owned
    phase: Floats  # of the compressor, share of its cycle


def draw_habits(
    stream: np.random.Generator, facts: Sequence[ApplianceFacts], household: HouseholdFacts, homes: int
) -> Habits:
    """Draw residents, ownership and habits; larger homes use everything more, except what cools."""
    shape = (homes, len(facts))
    residents = 1 + stream.choice(len(household.residents), homes, p=household.residents)
    owns = _draw_ownership(stream, facts, homes)
    level = around_one(stream, column(facts, "spread"), shape)
    watts = column(facts, "watts") * around_one(stream, SAME_MODEL, shape)
    return Habits(
        owns=owns,
        uses=single(owns * level * column(facts, "uses") * household.factor(residents)[:, None]),
        watts=watts,
        cold=single(owns * np.minimum(level * column(facts, "cold"), MAX_DUTY * watts)),
        phase=stream.random(shape, dtype=np.float32),
    )


def _draw_ownership(stream: np.random.Generator, facts: Sequence[ApplianceFacts], homes: int) -> Owned:
    """Who owns what: alone by its share of homes, or together with others by their patterns."""
    owns = np.asarray(stream.random((homes, len(facts))) < column(facts, "owned"))
    places = {each.name: place for place, each in enumerate(facts)}
    for group in ownership_groups():
        drawn = group.draw(stream, homes)
        for name, has in zip(group.names, drawn.T, strict=True):
            if name in places:
                owns[:, places[name]] = has
    return owns


def around_one(stream: np.random.Generator, spread: ArrayLike, shape: int | tuple[int, ...]) -> Floats:
    """Log-normal factors with mean 1: e^(σN − σ²/2), σ the spread, N standard normal."""
    sigma = single(spread)
    normal = stream.standard_normal(shape, dtype=np.float32)
    return np.exp(sigma * normal - sigma * sigma / 2, dtype=np.float32)


def column(facts: Sequence[ApplianceFacts], name: str) -> Floats:
    """One fact of every appliance, side by side."""
    return single([getattr(each, name) for each in facts])


def single(numbers: ArrayLike) -> Floats:
    """Numbers in single precision, which is plenty for invented ones."""
    return np.asarray(numbers, dtype=np.float32)
