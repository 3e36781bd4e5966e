"""A bank of Kalman filters: slots that learn from the slots before them.

The truth is taken to be a level that drifts, a season that comes round again, and a part that
is new in every slot: a local level model with seasons.  How much of each is not known, so filters
try many pairs of variances with every season at once (an interacting multiple model), and those
that predicted the numbers so far weigh the most.  The noise is known from the law.
"""

from dataclasses import dataclass

import numpy as np

from hushwatt.provider.estimate.array_types import Floats, Indices, Mask

DRIFTS = (0.0, 1e-2, 1.0)  # variance of a slot's drift, over that of the noise
IRREGULARS = (0.0, 0.3, 3.0, 1e2)  # variance of what is new in every slot, likewise
VARIANCES = np.array([(drift, irregular) for drift in DRIFTS for irregular in IRREGULARS])[:, :, None]
BREAK_VARIANCE = 1e3  # variance of the level after a break, likewise
STAY_PROBABILITY = 0.98  # the chance that variances and season stay the same from one slot to the next
SHARED_EVIDENCE = 0.25  # how much the other series of an appliance tell about the variances of one
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
    innovation: Floats  # squared, over its variance, with the season that predicted best
    weights: Floats  # of the filters when variances are as before, and only seasons are judged anew


@dataclass(frozen=True)
class KalmanBank:
    """What every Kalman filter believes of the level: seasons × variances × series.

    The series of an appliance lie side by side from each of `starts`, and learn their variances from each
    other too.  The first filters know no season.  The level of the others is what is added to the season.
    """

    weights: Floats
    level: Floats
    variance: Floats
    starts: Indices

    @classmethod
    def start(cls, slot: Observation, seasons: int = 1, starts: Indices | None = None) -> "KalmanBank":
        """Nothing is known before the first slot: the level is its estimate."""
        shape = (seasons, len(VARIANCES), len(slot.estimate))
        first = np.arange(seasons)[:, None, None] == 0
        return cls(
            weights=np.full(shape, 1 / (seasons * len(VARIANCES))),
            level=np.where(first, np.broadcast_to(slot.estimate, shape), 0.0),
            variance=np.where(first, (1 + VARIANCES[:, 1]) * slot.noise, 0.0),
            starts=np.array([0]) if starts is None else starts,
        )

    def update(self, slot: Observation) -> tuple["KalmanBank", FilteredSlot]:
        """Predict the slot, compare, and learn."""
        weights, level, variance = self._mixed()
        variance += VARIANCES[:, 0] * slot.noise
        spread = variance + (1 + VARIANCES[:, 1]) * slot.noise + slot.season_noise
        innovation = slot.estimate - level - slot.season
        gain = variance / spread
        posterior = self._posterior(weights, innovation, spread)
        updated = KalmanBank(posterior, level + gain * innovation, (1 - gain) * variance, self.starts)
        return updated, updated._filtered(slot, spread, innovation, weights)

    def after_break(self, slot: Observation, weights: Floats) -> "KalmanBank":
        """What is believed after a break: the slot's own estimate tells where the level is."""
        variance = BREAK_VARIANCE * slot.noise
        gain = np.broadcast_to(variance / (variance + slot.noise + slot.season_noise), self.level.shape)
        level = self.level + gain * (slot.estimate - self.level - slot.season)
        return KalmanBank(weights, level, (1 - gain) * variance, self.starts)

    def predict(self, season: Floats | float) -> Floats:
        """The truth that the next slot should have."""
        return _mean(self.weights, self.level + season)

    def deviation(self) -> Floats:
        """How far the level lies from each season's own, by all variances together: seasons × series."""
        total = np.maximum(self.weights.sum(axis=1), TINY)
        return np.asarray((self.weights * self.level).sum(axis=1) / total)

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
        parts = self.weights / np.maximum(self.weights.sum(axis=1, keepdims=True), TINY)
        mean = (parts * self.level).sum(axis=1, keepdims=True)
        away = self.level - mean
        common = (parts * (self.variance + away**2)).sum(axis=1, keepdims=True)
        variance = own * self.variance + (1 - own) * common + own * (1 - own) * away**2
        return weights, mean + own * away, variance

    def _posterior(self, weights: Floats, innovation: Floats, spread: Floats) -> Floats:
        """The weight of every filter, after its likelihood for the series and the others of its appliance."""
        own = -0.5 * (np.log(spread) + innovation**2 / spread)
        sums = np.add.reduceat(own, self.starts, axis=-1)
        lengths = np.diff(self.starts, append=own.shape[-1])
        shared = np.repeat(sums, lengths, axis=-1)
        fit = np.log(weights) + (1 - SHARED_EVIDENCE) * own + SHARED_EVIDENCE * shared
        likelihood = np.exp(fit - fit.max(axis=(0, 1)))
        return np.asarray(likelihood / likelihood.sum(axis=(0, 1)))

    def _filtered(self, slot: Observation, spread: Floats, innovation: Floats, prior: Floats) -> FilteredSlot:
        """The truth is the estimate less the error believed in, which is noise/spread of the innovation."""
        noisy = slot.noise / spread
        error = noisy * innovation
        believed = _mean(self.weights, error)
        doubt = (1 - noisy) * slot.noise + (error - believed) ** 2
        kept = prior * (self.weights.sum(axis=1, keepdims=True) / prior.sum(axis=1, keepdims=True))
        return FilteredSlot(
            truth=slot.estimate - believed,
            truth_variance=_mean(self.weights, doubt),
            innovation=_mean(kept, innovation**2 / spread),
            weights=kept,
        )


def _mean(weights: Floats, beliefs: Floats) -> Floats:
    """What all filters believe, each according to its weight."""
    return np.asarray((weights * beliefs).sum(axis=(0, 1)))
