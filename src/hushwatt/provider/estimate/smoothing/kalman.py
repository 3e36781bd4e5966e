"""Slots that learn from the slots before them: a causal filter against noise.

The truth is taken to be a level that drifts, a season that comes round again, and a part
that is new in every slot.  How much of each is not known, so a bank of Kalman filters tries
many pairs of speeds with every season at once, and those that foretold the numbers so far
have the say.  The noise is known from the law.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Mask = NDArray[np.bool_]
DRIFTS = (0.0, 1e-2, 1.0)  # variance of a slot's drift, over that of the noise
FLICKERS = (0.0, 0.3, 3.0, 1e2)  # variance of what is new in every slot, likewise
SPEEDS = np.array([(drift, flicker) for drift in DRIFTS for flicker in FLICKERS])[:, :, None]
SUDDEN = 1e3  # variance of the level after a break, likewise
STEADY = 0.98  # the chance that speeds and season stay the same from one slot to the next
HEARSAY = 0.25  # how much the other series of an appliance tell about the speeds of one
TINY = np.finfo(float).tiny


@dataclass(frozen=True)
class Seen:
    """One slot: what was estimated, how noisily, and what each season adds to the level."""

    estimate: Numbers
    noise: Numbers  # variance
    season: Numbers | float = 0.0  # seasons × 1 × series
    season_noise: Numbers | float = 0.0  # its variance


@dataclass(frozen=True)
class Filtered:
    """What the filters make of a slot together."""

    truth: Numbers
    truth_variance: Numbers
    strangeness: Numbers  # squared standard errors from what was foretold, with the season that foretold best
    weights: Numbers  # the say of the filters when speeds are as before, and only seasons are judged anew


@dataclass(frozen=True)
class KalmanBank:
    """What every filter believes of the level: seasons × speeds × series.

    The series of an appliance lie side by side from each of `starts`, and learn their speeds from each
    other too.  The first filters know no season.  The level of the others is what is added to the season.
    """

    weights: Numbers
    level: Numbers
    variance: Numbers
    starts: NDArray[np.intp]

    @classmethod
    def start(cls, seen: Seen, seasons: int = 1, starts: NDArray[np.intp] | None = None) -> "KalmanBank":
        """Nothing is known before the first slot: the level is its estimate."""
        shape = (seasons, len(SPEEDS), len(seen.estimate))
        first = np.arange(seasons)[:, None, None] == 0
        return cls(
            weights=np.full(shape, 1 / (seasons * len(SPEEDS))),
            level=np.where(first, np.broadcast_to(seen.estimate, shape), 0.0),
            variance=np.where(first, (1 + SPEEDS[:, 1]) * seen.noise, 0.0),
            starts=np.array([0]) if starts is None else starts,
        )

    def after(self, seen: Seen) -> tuple["KalmanBank", Filtered]:
        """Foretell the slot, compare, and learn."""
        weights, level, variance = self._mixed()
        variance += SPEEDS[:, 0] * seen.noise
        spread = variance + (1 + SPEEDS[:, 1]) * seen.noise + seen.season_noise
        surprise = seen.estimate - level - seen.season
        gain = variance / spread
        judged = self._judged(weights, surprise, spread)
        learnt = KalmanBank(judged, level + gain * surprise, (1 - gain) * variance, self.starts)
        return learnt, learnt._filtered(seen, spread, surprise, weights)

    def broken(self, seen: Seen, weights: Numbers) -> "KalmanBank":
        """What is believed after a break: the slot's own estimate tells where the level is."""
        sudden = SUDDEN * seen.noise
        leap = np.broadcast_to(sudden / (sudden + seen.noise + seen.season_noise), self.level.shape)
        level = self.level + leap * (seen.estimate - self.level - seen.season)
        return KalmanBank(weights, level, (1 - leap) * sudden, self.starts)

    def expected(self, season: Numbers | float) -> Numbers:
        """The truth that the next slot should have."""
        return _together(self.weights, self.level + season)

    def deviation(self) -> Numbers:
        """How far the level lies from each season's own, by all speeds together: seasons × series."""
        say = np.maximum(self.weights.sum(axis=1), TINY)
        return np.asarray((self.weights * self.level).sum(axis=1) / say)

    def where(self, chosen: Mask, other: "KalmanBank") -> "KalmanBank":
        """This bank in the `chosen` series, and the `other` in the rest."""
        return KalmanBank(
            np.where(chosen, self.weights, other.weights),
            np.where(chosen, self.level, other.level),
            np.where(chosen, self.variance, other.variance),
            self.starts,
        )

    def _mixed(self) -> tuple[Numbers, Numbers, Numbers]:
        """Let every filter take over, with a small chance, what all of its season believe together."""
        weights = STEADY * self.weights + (1 - STEADY) / self.weights[:, :, 0].size
        own = STEADY * self.weights / weights
        say = self.weights / np.maximum(self.weights.sum(axis=1, keepdims=True), TINY)
        ours = (say * self.level).sum(axis=1, keepdims=True)
        away = self.level - ours
        theirs = (say * (self.variance + away**2)).sum(axis=1, keepdims=True)
        variance = own * self.variance + (1 - own) * theirs + own * (1 - own) * away**2
        return weights, ours + own * away, variance

    def _judged(self, weights: Numbers, surprise: Numbers, spread: Numbers) -> Numbers:
        """The say of every filter, after how well it foretold the series and the others of its appliance."""
        own = -0.5 * (np.log(spread) + surprise**2 / spread)
        sums = np.add.reduceat(own, self.starts, axis=-1)
        lengths = np.diff(self.starts, append=own.shape[-1])
        fit = np.log(weights) + (1 - HEARSAY) * own + HEARSAY * np.repeat(sums, lengths, axis=-1)
        found = np.exp(fit - fit.max(axis=(0, 1)))
        return np.asarray(found / found.sum(axis=(0, 1)))

    def _filtered(self, seen: Seen, spread: Numbers, surprise: Numbers, before: Numbers) -> Filtered:
        """The truth is the estimate less the error believed in, which is noise/spread of the surprise."""
        noisy = seen.noise / spread
        error = noisy * surprise
        believed = _together(self.weights, error)
        doubt = (1 - noisy) * seen.noise + (error - believed) ** 2
        kept = before * (self.weights.sum(axis=1, keepdims=True) / before.sum(axis=1, keepdims=True))
        return Filtered(
            truth=seen.estimate - believed,
            truth_variance=_together(self.weights, doubt),
            strangeness=_together(kept, surprise**2 / spread),
            weights=kept,
        )


def _together(weights: Numbers, beliefs: Numbers) -> Numbers:
    """What all filters believe, each according to its say."""
    return np.asarray((weights * beliefs).sum(axis=(0, 1)))
