"""Slots that learn from the slots before them: a causal filter against noise.

The truth is taken to be a level that drifts, and a part that is new in every slot.  How
much of each is not known, so a bank of filters tries many pairs of speeds at once, and
those that foretold the numbers so far have the say.  The noise is known from the law; a
home that repeats itself repeats its noise, and brings no news.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
DRIFTS = (0.0, 1e-3, 1e-2, 0.1, 1.0, 10.0, 1e2, 1e4)  # variance of a slot's drift, over that of the noise
FLICKERS = (0.0, 0.1, 0.3, 1.0, 3.0, 10.0, 1e2, 1e4)  # variance of what is new in every slot, likewise
SPEEDS = np.array([(drift, flicker) for drift in DRIFTS for flicker in FLICKERS])[:, :, None]
STEADY = 0.98  # the chance that the speeds stay the same from one slot to the next
HEARSAY = 0.25  # how much the other series' numbers tell about the speeds of one


@dataclass(frozen=True)
class Seen:
    """One slot: what was estimated, and what is known of its errors."""

    estimate: Numbers
    noise: Numbers  # variance
    kept: Numbers | float = 0.0  # part of the last slot's error that is in this one too


@dataclass(frozen=True)
class Bank:
    """What every filter believes: the level, and the error of the last estimate.

    The first axis is the filters, the second the series, which learn their speeds from each other too.
    """

    weights: Numbers
    level: Numbers  # means
    error: Numbers
    level_level: Numbers  # covariances
    level_error: Numbers
    error_error: Numbers
    last: Seen

    @classmethod
    def start(cls, seen: Seen) -> "Bank":
        """Nothing is known before the first slot, so its error is anything its noise allows."""
        filters, series = len(SPEEDS), len(seen.estimate)
        flicker = SPEEDS[:, 1] * seen.noise
        noise = np.tile(seen.noise, (filters, 1))
        return cls(
            weights=np.full((filters, series), 1 / filters),
            level=np.tile(seen.estimate, (filters, 1)),
            error=np.zeros((filters, series)),
            level_level=noise + flicker,
            level_error=-noise,
            error_error=noise,
            last=seen,
        )

    def after(self, seen: Seen) -> "Bank":
        """Foretell the slot, compare, and learn."""
        return self._mixed()._moved(seen)._taught(seen)

    def told(self) -> tuple[Numbers, Numbers]:
        """The last slot's truth: its estimate less the error believed in, and the variance of that."""
        error = self._together(self.error)
        doubt = self._together(self.error_error + (self.error - error) ** 2)
        return self.last.estimate - error, doubt

    def foretold(self) -> Numbers:
        """The level expected next."""
        return self._together(self.level)

    def _together(self, beliefs: Numbers) -> Numbers:
        """What all filters believe, each according to its say."""
        return np.asarray((self.weights * beliefs).sum(axis=0))

    def _mixed(self) -> "Bank":
        """Let every filter take over, with a small chance, what all of them believe together."""
        weights = STEADY * self.weights + (1 - STEADY) / len(self.weights)
        own = STEADY * self.weights / weights
        common_level, common_error = self._together(self.level), self._together(self.error)
        level = own * self.level + (1 - own) * common_level
        error = own * self.error + (1 - own) * common_error

        def mixed(covariance: Numbers, *means: tuple[Numbers, Numbers, Numbers]) -> Numbers:
            """The covariance of two quantities, each given by its means: own, common and mixed."""
            (mine, ours, new), (mine_too, ours_too, new_too) = means
            common = self._together(covariance + (mine - ours) * (mine_too - ours_too))
            kept = covariance + (mine - new) * (mine_too - new_too)
            return own * kept + (1 - own) * (common + (ours - new) * (ours_too - new_too))

        levels, errors = (self.level, common_level, level), (self.error, common_error, error)
        return replace(
            self,
            weights=weights,
            level=level,
            error=error,
            level_level=mixed(self.level_level, levels, levels),
            level_error=mixed(self.level_error, levels, errors),
            error_error=mixed(self.error_error, errors, errors),
        )

    def _moved(self, seen: Seen) -> "Bank":
        """One slot later: the level has drifted, and part of the error was drawn anew."""
        fresh = np.maximum(seen.noise - seen.kept**2 * self.last.noise, 0)
        return replace(
            self,
            error=seen.kept * self.error,
            level_level=self.level_level + SPEEDS[:, 0] * seen.noise,
            level_error=seen.kept * self.level_error,
            error_error=seen.kept**2 * self.error_error + fresh,
        )

    def _taught(self, seen: Seen) -> "Bank":
        """What the estimate tells, which is level + flicker + error."""
        surprise = seen.estimate - self.level - self.error
        level = self.level_level + self.level_error
        error = self.level_error + self.error_error
        spread = level + error + SPEEDS[:, 1] * seen.noise
        own = -0.5 * (np.log(spread) + surprise**2 / spread)  # how well each series was foretold
        heard = HEARSAY * (own.sum(axis=1, keepdims=True) - own)
        fit = np.log(self.weights) + own + heard
        weights = np.exp(fit - fit.max(axis=0))
        return Bank(
            weights=weights / weights.sum(axis=0),
            level=self.level + level / spread * surprise,
            error=self.error + error / spread * surprise,
            level_level=self.level_level - level**2 / spread,
            level_error=self.level_error - level * error / spread,
            error_error=self.error_error - error**2 / spread,
            last=seen,
        )
