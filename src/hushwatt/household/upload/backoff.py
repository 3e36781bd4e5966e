"""When a report is sent: after a random delay, and again with exponential backoff.

Chance alone says how long, never the data.
"""

from hushwatt.household.clock import SECOND
from hushwatt.plan.plan import Plan
from hushwatt.privacy.entropy import Entropy

MAX_JITTER = 600 * SECOND  # the longest that a finished report waits before it is sent
MIN_BACKOFF, MAX_BACKOFF = 5 * SECOND, 3_600 * SECOND  # pauses before the next attempt


def jitter(plan: Plan, entropy: Entropy) -> int:
    """How long a finished report waits, in nanoseconds."""
    longest = min(MAX_JITTER, plan.slot.seconds * SECOND // 4)
    return int(entropy.words(1)[0]) * longest >> 64


def backoff(tries: int, entropy: Entropy) -> int:
    """How long to wait after so many failed attempts: each time about twice as long."""
    longest = min(MIN_BACKOFF << min(tries, 16), MAX_BACKOFF)
    return longest // 2 + (int(entropy.words(1)[0]) * longest // 2 >> 64)
