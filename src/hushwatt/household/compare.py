"""Compare this home with what was published about all homes: worked out here, shown here, told to nobody.

What was published is fetched and kept whether or not anyone looks.  The home's own means are kept only where
its owner asked for that, in a file of their own, and are deleted when the owner no longer wants them.
"""

from dataclasses import dataclass, field
from datetime import datetime

from hushwatt.household.ledger.store import Store
from hushwatt.plan.plan import Plan

WANTED = "compare"  # in the ledger: whether the owner wants the home's own means to be kept


@dataclass(frozen=True)
class Comparison:
    """One appliance: what this home uses on average, and what homes do, over the same time.

    The limits are the published 95 % interval of the homes' mean.
    """

    appliance: str
    own_watts: float | None = field(repr=False)  # None: not kept, or not measured for long enough
    low: float | None  # None: too few homes for an answer
    high: float | None
    start: datetime  # UTC
    end: datetime
    homes: int = 0  # taking part

    @property
    def verdict(self) -> str | None:
        """Whether this home is above or below what homes use, or within what can be told; None: nobody can say.

        >>> from datetime import UTC
        >>> day = datetime(2024, 1, 1, tzinfo=UTC)
        >>> [Comparison("kettle", own, 24.0, 29.0, day, day).verdict for own in (31.0, 20.0, 24.0, None)]
        ['above', 'below', 'within', None]
        """
        if self.own_watts is None or self.low is None or self.high is None:
            return None
        if self.own_watts > self.high:
            return "above"
        return "below" if self.own_watts < self.low else "within"


def wants_comparison(store: Store) -> bool:
    """Whether the owner wants the home's own means to be kept."""
    return bool(store.read_value(WANTED))


def set_comparison(store: Store, on: bool) -> None:
    """Keep the home's own means from now on, or delete them and keep none."""
    store.write_value(WANTED, int(on))


def comparisons(store: Store, plan: Plan, now: int) -> list[Comparison]:
    """Every appliance of a plan that something was published of; none where the plan shares nothing."""
    return []
