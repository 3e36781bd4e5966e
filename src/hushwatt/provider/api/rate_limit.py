"""How often one asks: a bucket that refills at a steady rate, for each signer or address.

Buckets live in memory only, and the oldest are forgotten.
"""

from collections import OrderedDict
from collections.abc import Hashable

MAX_BUCKETS = 50_000
BURST_SECONDS = 10  # seconds' worth of requests at once


class TokenBucketLimiter:
    """Lets `rate` requests a second pass on average, ten seconds' worth at once.

    >>> limit = TokenBucketLimiter(rate=1)
    >>> [limit.allows("home", now=0.0) for _ in range(11)].count(True)
    10
    >>> limit.allows("home", now=1.0)
    True
    """

    def __init__(self, rate: float) -> None:
        self._rate, self._size = rate, rate * BURST_SECONDS
        self._buckets: OrderedDict[Hashable, tuple[float, float]] = OrderedDict()

    def allows(self, who: Hashable, now: float) -> bool:
        """Whether one more request passes now; it is counted."""
        left = self._left(who, now)
        self._buckets.pop(who, None)
        allowed = left >= 1
        self._buckets[who] = (left - 1 if allowed else left, now)
        if len(self._buckets) > MAX_BUCKETS:
            self._buckets.popitem(last=False)
        return allowed

    def is_empty(self, who: Hashable, now: float) -> bool:
        """Whether no more request would pass now; nothing is counted."""
        return self._left(who, now) < 1

    def _left(self, who: Hashable, now: float) -> float:
        left, at = self._buckets.get(who, (self._size, now))
        return min(self._size, left + (now - at) * self._rate)
