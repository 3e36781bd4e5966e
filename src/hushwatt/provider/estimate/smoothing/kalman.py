"""Slots that learn from the slots before them: a causal filter against noise.

The truth is taken to be a level that drifts, a season that comes round again, and a part
that is new in every slot.  How much of each is not known, so a bank of Kalman filters tries
many pairs of speeds with every season at once, and those that foretold the numbers so far
have the say.  The noise is known from the law.
"""

from dataclasses import dataclass

import numpy as np

from hushwatt.provider.estimate.array_types import Floats, Indices, Mask

LEVEL_VARIANCES = (0.0, 1e-2, 1.0)  # variance of a slot's drift, over that of the noise
IRREGULAR_VARIANCES = (0.0, 0.3, 3.0, 1e2)  # variance of what is new in every slot, likewise
VARIANCE_PAIRS = np.array([(drift, flicker) for drift in LEVEL_VARIANCES for flicker in IRREGULAR_VARIANCES])[
    :, :, None
]
BREAK_VARIANCE = 1e3  # variance of the level after a break, likewise
STAY_PROBABILITY = 0.98  # the chance that speeds and season stay the same from one slot to the next
SHARED_EVIDENCE = 0.25  # how much the other series of an appliance tell about the speeds of one
TINY = np.finfo(float).tiny


@dataclass(frozen=True)
class Observation:
    """One slot: what was estimated, how noisily, and what each season adds to the level."""

    estimate: Floats
    noise: Floats  # variance
    season: Floats | float = 0.0  # seasons × 1 × series
    season_noise: Floats | float = 0.0  # its variance


@dataclass(frozen=True)
class FilteredSlot:
    """What the filters make of a slot together."""

    truth: Floats
    truth_variance: Floats
    strangeness: Floats  # squared standard errors from what was foretold, with the season that foretold best
    weights: Floats  # the say of the filters when speeds are as before, and only seasons are judged anew


@dataclass(frozen=True)
class KalmanBank:
    """What every filter believes of the level: seasons × speeds × series.

    The series of an appliance lie side by side from each of `starts`, and learn their speeds from each
    other too.  The first filters know no season.  The level of the others is what is added to the season.
    """

    weights: Floats
    level: Floats
    variance: Floats
    starts: Indices

    @classmethod
    def start(cls, seen: Observation, seasons: int = 1, starts: Indices | None = None) -> "KalmanBank":
        """Nothing is known before the first slot: the level is its estimate."""
        shape = (seasons, len(VARIANCE_PAIRS), len(seen.estimate))
        first = np.arange(seasons)[:, None, None] == 0
        return cls(
            weights=np.full(shape, 1 / (seasons * len(VARIANCE_PAIRS))),
            level=np.where(first, np.broadcast_to(seen.estimate, shape), 0.0),
            variance=np.where(first, (1 + VARIANCE_PAIRS[:, 1]) * seen.noise, 0.0),
            starts=np.array([0]) if starts is None else starts,
        )

    def after(self, seen: Observation) -> tuple["KalmanBank", FilteredSlot]:
        """Foretell the slot, compare, and learn."""
        weights, level, variance = self._mixed()
        variance += VARIANCE_PAIRS[:, 0] * seen.noise
        spread = variance + (1 + VARIANCE_PAIRS[:, 1]) * seen.noise + seen.season_noise
        surprise = seen.estimate - level - seen.season
        gain = variance / spread
        judged = self._judged(weights, surprise, spread)
        learnt = KalmanBank(judged, level + gain * surprise, (1 - gain) * variance, self.starts)
        return learnt, learnt._filtered(seen, spread, surprise, weights)

    def broken(self, seen: Observation, weights: Floats) -> "KalmanBank":
        """What is believed after a break: the slot's own estimate tells where the level is."""
        sudden = BREAK_VARIANCE * seen.noise
        leap = np.broadcast_to(sudden / (sudden + seen.noise + seen.season_noise), self.level.shape)
        level = self.level + leap * (seen.estimate - self.level - seen.season)
        return KalmanBank(weights, level, (1 - leap) * sudden, self.starts)

    def expected(self, season: Floats | float) -> Floats:
        """The truth that the next slot should have."""
        return _weighted_mean(self.weights, self.level + season)

    def deviation(self) -> Floats:
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

    def _mixed(self) -> tuple[Floats, Floats, Floats]:
        """Let every filter take over, with a small chance, what all of its season believe together."""
        weights = STAY_PROBABILITY * self.weights + (1 - STAY_PROBABILITY) / self.weights[:, :, 0].size
        own = STAY_PROBABILITY * self.weights / weights
        say = self.weights / np.maximum(self.weights.sum(axis=1, keepdims=True), TINY)
        ours = (say * self.level).sum(axis=1, keepdims=True)
        away = self.level - ours
        theirs = (say * (self.variance + away**2)).sum(axis=1, keepdims=True)
        variance = own * self.variance + (1 - own) * theirs + own * (1 - own) * away**2
        return weights, ours + own * away, variance

    def _judged(self, weights: Floats, surprise: Floats, spread: Floats) -> Floats:
        """The say of every filter, after how well it foretold the series and the others of its appliance."""
        own = -0.5 * (np.log(spread) + surprise**2 / spread)
        sums = np.add.reduceat(own, self.starts, axis=-1)
        lengths = np.diff(self.starts, append=own.shape[-1])
        fit = (
            np.log(weights)
            + (1 - SHARED_EVIDENCE) * own
            + SHARED_EVIDENCE * np.repeat(sums, lengths, axis=-1)
        )
        found = np.exp(fit - fit.max(axis=(0, 1)))
        return np.asarray(found / found.sum(axis=(0, 1)))

    def _filtered(self, seen: Observation, spread: Floats, surprise: Floats, before: Floats) -> FilteredSlot:
        """The truth is the estimate less the error believed in, which is noise/spread of the surprise."""
        noisy = seen.noise / spread
        error = noisy * surprise
        believed = _weighted_mean(self.weights, error)
        doubt = (1 - noisy) * seen.noise + (error - believed) ** 2
        kept = before * (self.weights.sum(axis=1, keepdims=True) / before.sum(axis=1, keepdims=True))
        return FilteredSlot(
            truth=seen.estimate - believed,
            truth_variance=_weighted_mean(self.weights, doubt),
            strangeness=_weighted_mean(kept, surprise**2 / spread),
            weights=kept,
        )


def _weighted_mean(weights: Floats, beliefs: Floats) -> Floats:
    """What all filters believe, each according to its say."""
    return np.asarray((weights * beliefs).sum(axis=(0, 1)))
