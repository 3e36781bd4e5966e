"""Each appliance's share of all the watts, from the means and their limits.

Answers are drawn apart, so that appliances have independent errors, but for the homes that
were asked about several of them: their covariance is bounded, and the end of the bounds
that makes a share less sure is taken.
"""

from dataclasses import dataclass

import numpy as np

from hushwatt.provider.estimate.array_types import Floats
from hushwatt.provider.estimate.intervals import Z95, normal_interval
from hushwatt.provider.estimate.ranking.covariance import CovarianceBounds

MAX_DELTA_ERROR = 0.1  # standard error, over the total, up to which the delta method can be used


@dataclass(frozen=True)
class Shares:
    """Each appliance's part of all the watts, with its interval."""

    share: Floats
    low: Floats
    high: Floats


def shares(watts: Floats, low: Floats, high: Floats, bounds: CovarianceBounds | None = None) -> Shares:
    """The shares of the total, which no rule keeps between 0 and 1; their intervals by the delta method.

    A share is low when its own watts are low and the others' high, so each limit takes the variances that
    belong to those limits of the watts, `low` and `high` (MOVER).  When the total is noisy, the intervals
    are Fieller's.  As no true share is below 0 or above 1, limits beyond that are drawn in, as far as the
    estimate allows.

    >>> watts = np.array([30.0, 10.0])
    >>> shares(watts, watts - 2, watts + 2).share
    array([0.75, 0.25])
    """
    total = watts.sum()
    if total == 0:
        return Shares(np.full(watts.shape, np.nan), np.zeros(watts.shape), np.ones(watts.shape))
    share = watts / total
    below, above = ((watts - low) / Z95) ** 2, ((high - watts) / Z95) ** 2
    bounds = bounds or CovarianceBounds.none(len(watts))
    least, _ = _share_limits(watts, _RatioVariances.of(below, above, bounds))
    _, most = _share_limits(watts, _RatioVariances.of(above, below, bounds))
    return Shares(share, np.maximum(least, np.minimum(share, 0.0)), np.minimum(most, np.maximum(share, 1.0)))


def _share_limits(watts: Floats, errors: "_RatioVariances") -> tuple[Floats, Floats]:
    """Both limits of every share, for errors that are the same on both sides."""
    noisy = errors.total.max(initial=0.0) > (MAX_DELTA_ERROR * watts.sum()) ** 2
    return (_fieller if noisy else _delta)(watts, errors)


@dataclass(frozen=True)
class _RatioVariances:
    """Variances of each appliance's watts and of the total, and their covariance, when a share is least sure.

    watts − r·total is (1 − r)·watts − r·(all others), so for a share r it is least sure when the others go
    against the appliance, and with each other.
    """

    own: Floats
    both: Floats
    total: Floats

    @classmethod
    def of(cls, own: Floats, others: Floats, bounds: CovarianceBounds) -> "_RatioVariances":
        """From the variance that an appliance has itself, and the one that it has as one of the others."""
        against, together = bounds.lowest.sum(axis=1), bounds.highest
        rest = others.sum() - others + together.sum() - 2 * together.sum(axis=1)
        return cls(own, own + against, own + 2 * against + rest)


def _delta(watts: Floats, errors: _RatioVariances) -> tuple[Floats, Floats]:
    """[v − 2s·c + s²·V]/total² is the variance of a share s; v and V those of watts and total, c both's."""
    share = watts / watts.sum()
    spread = errors.own - 2 * share * errors.both + share**2 * errors.total
    return normal_interval(share, np.maximum(spread, 0) / watts.sum() ** 2)


def _fieller(watts: Floats, errors: _RatioVariances) -> tuple[Floats, Floats]:
    """All ratios r for which watts − r·total is within z standard errors of zero."""
    total, doubt = watts.sum(), Z95**2
    square = total**2 - doubt * errors.total
    middle = watts * total - doubt * errors.both
    reach = np.sqrt(np.maximum(middle**2 - square * (watts**2 - doubt * errors.own), 0))
    bounded = square > 0  # else the total may be zero: any ratio will do
    square = np.where(bounded, square, 1.0)
    return (np.where(bounded, (middle - reach) / square, -np.inf), np.where(bounded, (middle + reach) / square, np.inf))
