"""How well two pasts can be told apart by k answers about one appliance, whatever is done with them.

With both as likely beforehand, the best guess is right with chance ½ + ½·TV(P₁ᵏ, P₀ᵏ).  Few answers are
enumerated.  For many, with L the log-likelihood ratio of an answer,

    1 − TV = Σ min(P₁ᵏ, P₀ᵏ) = (1/2π) ∫ φ(t)ᵏ/(t² + ¼) dt,   φ(t) = Σ √(p₁p₀)·e^(itL),

since min(a, b) = √(ab)·e^(−|log a/b|/2), whose second factor has this transform.  The sum over nodes a step h
apart is exact but for 3·e^(−π/2h), and what is left out beyond the last one, T, is at most 1/(πT).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product
from math import pi

import numpy as np
from numpy.typing import NDArray

from hushwatt.privacy.laws import Law
from hushwatt.privacy.long_run.constant_level import CERTAIN

MOST_CELLS = 5_000  # of a lattice of counts that is enumerated
STEP, LAST = 0.13, 400.0  # of the integral: off by 2e-5, and by 8e-4 in 1 − TV; half of that in a chance
CACHED = 256
TINY = 1e-300  # stands for nothing, where a logarithm is taken
Numbers = NDArray[np.float64]
Mixture = tuple[tuple[int, float], ...]  # levels, and the chance of each whenever an answer is drawn


def best_guess(law: Law, one: Mixture, other: Mixture, answers: int) -> float:
    """The chance to tell right which of two pasts it was, from so many answers; ½ without any."""
    if not answers or one == other:
        return 0.5
    kinds = kinds_of(law, one, other)
    if (answers + 1) ** (len(kinds.one) - 1) <= MOST_CELLS:
        return 1 - enumerated_overlap(kinds.one, kinds.other, answers) / 2
    return 1 - integrated_overlap([(kinds, answers)]) / 2


def best_guess_from(parts: Iterable[tuple[Law, int]], one: Mixture, other: Mixture) -> float:
    """The same from answers of several laws, so many of each."""
    return best_guess_between([] if one == other else [(kinds_of(law, one, other), answers) for law, answers in parts])


def best_guess_between(parts: "list[tuple[AnswerKinds, int]]") -> float:
    """The same from answers of several kinds, so many of each, whatever the two pasts are called in each."""
    return 1 - integrated_overlap(parts) / 2 if any(answers for _, answers in parts) else 0.5


@dataclass(frozen=True)
class AnswerKinds:
    """The chance of every kind of answer under each of two pasts."""

    one: Numbers
    other: Numbers

    @cached_property
    def transform(self) -> tuple[Numbers, Numbers]:
        """log|φ| and the phase of φ at every node of the integral."""
        nodes, real, imaginary = np.arange(0, LAST, STEP), np.zeros(1), np.zeros(1)
        ratios, weights = np.log(self.one / self.other), np.sqrt(self.one * self.other)
        for ratio, weight in zip(ratios.tolist(), weights.tolist(), strict=True):
            real, imaginary = real + weight * np.cos(ratio * nodes), imaginary + weight * np.sin(ratio * nodes)
        return np.log(np.maximum(np.hypot(real, imaginary), TINY)), np.arctan2(imaginary, real)


def kinds_of(law: Law, one: Mixture, other: Mixture) -> AnswerKinds:
    """The kinds of answers of a law, about two pasts."""
    return _kinds(min(float(law.hold), CERTAIN), float(law.rise), law.levels if law.direct else 0, one, other)


@lru_cache(maxsize=CACHED)
def _kinds(hold: float, rise: float, direct: int, one: Mixture, other: Mixture) -> AnswerKinds:
    """Kinds of answers, of `direct` levels or of a bit for each; those that speak alike for both pasts are one."""
    levels = sorted({level for level, _ in (*one, *other)})
    kinds = list(_direct(hold, rise, levels, direct) if direct else _bits(hold, rise, levels))
    chances = np.array([[sum(part * kind[level] for level, part in past) for kind in kinds] for past in (one, other)])
    _, which = np.unique(np.round(np.log(chances[0] / chances[1]), 12), return_inverse=True)
    merged = [np.bincount(which.ravel(), row).astype(np.float64) for row in chances]
    return AnswerKinds(*merged)


def _direct(hold: float, rise: float, levels: list[int], width: int) -> Iterator[dict[int, float]]:
    """For each of `levels` as the answer, and for any other: its chance when each of them is true."""
    yield from ({true: hold if true == said else rise for true in levels} for said in levels)
    if width > len(levels):
        yield dict.fromkeys(levels, (width - len(levels)) * rise)


def _bits(hold: float, rise: float, levels: list[int]) -> Iterator[dict[int, float]]:
    """For every pattern of the bits of `levels`: its chance when each of them is true."""
    for bits in product((False, True), repeat=len(levels)):
        ones = {true: np.array([hold if level == true else rise for level in levels]) for true in levels}
        yield {true: float(np.prod(np.where(bits, each, 1 - each))) for true, each in ones.items()}


def enumerated_overlap(one: Numbers, other: Numbers, answers: int) -> float:
    """Σ min(P₁ᵏ, P₀ᵏ) over every way in which k answers can fall into kinds."""
    counts = np.indices((answers + 1,) * (len(one) - 1)).reshape(len(one) - 1, -1)
    counts = counts[:, counts.sum(axis=0) <= answers]
    counts = np.vstack([counts, answers - counts.sum(axis=0)])
    factorials = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, answers + 1)))])
    ways = factorials[answers] - factorials[counts].sum(axis=0)
    likeliest = [ways + np.log(chances) @ counts for chances in (one, other)]
    return float(np.exp(np.minimum(*likeliest)).sum())


def integrated_overlap(parts: list[tuple[AnswerKinds, int]]) -> float:
    """The same sum as an integral; each node beyond the first stands for two, t and −t."""
    moduli, phases = (sum(answers * kinds.transform[which] for kinds, answers in parts) for which in (0, 1))
    values = np.exp(moduli) * np.cos(phases)
    nodes = np.arange(len(values)) * STEP
    weights = STEP / pi / (nodes**2 + 0.25)
    weights[0] /= 2
    weights[-1] /= 2
    beyond = values[len(values) // 2 :].mean() / (pi * nodes[-1])
    return float(np.clip(values @ weights + beyond, 0, 1))
