"""Compare this home with what was published about all homes: worked out here, shown here, told to nobody.

What was published is fetched and kept whether or not anyone looks.  The home's own means are kept only where
its owner asked for that, in a file of their own, and are deleted when the owner no longer wants them.
"""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from hushwatt.household.ledger.store import Store
from hushwatt.household.results.own_means import Sums, load, own_sum, set_wanted, slots_drawn_in, wanted
from hushwatt.household.results.published import ENOUGH, PublishedResult, kept_results
from hushwatt.plan.plan import Plan
from hushwatt.plan.sharing import SlotRange
from hushwatt.plan.times import zone
from hushwatt.sanitise import sanitised

TOO_FEW = "too few homes for an answer"
NOT_KNOWN = "not measured for long enough"
WHOLE = 10.0  # watts from which on no decimals are shown, unless they make the difference


@dataclass(frozen=True)
class Comparison:
    """One appliance: what this home uses on average, and what homes do, over the same time.

    The limits are the published 95 % interval of the homes' mean, not below 0 W.

    >>> one, day = timedelta(days=1), datetime(2024, 1, 22)
    >>> found = Comparison("dishwasher", 31.2, 24.1, 28.8, day, day + 7 * one)
    >>> found.words, found.when, found.verdict
    ('your dishwasher 31 W; homes here 24 to 29 W', '2024-01-22 to 2024-01-28', 'above')
    """

    appliance: str
    own_watts: float | None = field(repr=False)  # None: not kept, or not measured for most of the time
    low: float | None  # None: too few homes for an answer
    high: float | None
    start: datetime  # both in the plan's own time zone
    end: datetime
    homes: int = 0  # taking part

    @property
    def verdict(self) -> str | None:
        """Whether this home is above or below what homes use, or within what can be told; None: nobody can say.

        >>> day = datetime(2024, 1, 1)
        >>> [Comparison("kettle", own, 24.0, 29.0, day, day).verdict for own in (31.0, 20.0, 24.0, None)]
        ['above', 'below', 'within', None]
        """
        if self.own_watts is None or self.low is None or self.high is None:
            return None
        if self.own_watts > self.high:
            return "above"
        return "below" if self.own_watts < self.low else "within"

    @property
    def words(self) -> str:
        """All of it in one line, for the owner's eyes."""
        name = sanitised(self.appliance)
        homes = f"homes here {self.homes_words}" if self.low is not None else TOO_FEW
        return f"your {name} {self.own_words}; {homes}" if self.own_watts is not None else f"{name}: {homes}"

    @property
    def own_words(self) -> str:
        """What this home uses."""
        return NOT_KNOWN if self.own_watts is None else f"{self.own_watts:.{self._digits}f} W"

    @property
    def homes_words(self) -> str:
        """What homes use."""
        if self.low is None or self.high is None:
            return TOO_FEW
        return f"{self.low:.{self._digits}f} to {self.high:.{self._digits}f} W"

    @property
    def when(self) -> str:
        """The time that it is about, in the plan's own clock: days where these are whole ones."""
        ends = self.start, self.end
        if any((each.hour, each.minute, each.second) != (0, 0, 0) for each in ends):
            clock = "%H:%M:%S" if any(each.second for each in ends) else "%H:%M"
            last = clock if self.start.date() == self.end.date() else f"%Y-%m-%d {clock}"
            return f"{self.start:%Y-%m-%d {clock}} to {self.end:{last}}"
        day = self.end - timedelta(days=1)
        return f"{self.start:%Y-%m-%d} to {day:%Y-%m-%d}" if day > self.start else f"{self.start:%Y-%m-%d}"

    @property
    def _digits(self) -> int:
        """Decimals of the watts: as few as do not hide on which side of the limits the home is."""
        known = [each for each in (self.own_watts, self.low, self.high) if each is not None]
        if min(known, default=WHOLE) >= WHOLE and self.verdict == self._rounded(0):
            return 0
        return next((digits for digits in (1, 2) if self.verdict == self._rounded(digits)), 3)

    def _rounded(self, digits: int) -> str | None:
        """The verdict that the numbers give when they are rounded."""
        if self.own_watts is None or self.low is None or self.high is None:
            return None
        own, low, high = (round(each, digits) for each in (self.own_watts, self.low, self.high))
        return "above" if own > high else "below" if own < low else "within"


def wants_comparison(store: Store) -> bool:
    """Whether the owner wants the home's own means to be kept."""
    return wanted(store)


def set_comparison(store: Store, on: bool) -> None:
    """Keep the home's own means from now on, or delete them and keep none."""
    set_wanted(store, on)


def comparisons(store: Store, plan: Plan, now: int) -> list[Comparison]:
    """Every appliance of a plan, once something was published; none where the plan shares nothing.

    Each is about the longest time for which both are known; without own means, for which homes are.
    """
    results = kept_results(store, plan, now) if plan.share_results else []
    if not results:
        return []
    sums = load(store) if wanted(store) else {}
    return [_compare(plan, name, results, sums) for name in plan.names]


def _compare(plan: Plan, appliance: str, results: list[PublishedResult], sums: Sums) -> Comparison:
    longest = sorted(results, key=lambda each: each.span.slots, reverse=True)
    own = {each.span: _own_watts(plan, appliance, each.span, sums) for each in results}
    both = [each for each in longest if own[each.span] is not None and appliance in each.means]
    answered = [each for each in longest if appliance in each.means]
    measured = [each for each in longest if own[each.span] is not None]
    result = (both or answered or measured or longest)[0]
    mean, where = result.means.get(appliance), zone(plan.timezone)
    return Comparison(
        appliance,
        own[result.span],
        low=None if mean is None else max(mean.low, 0.0),
        high=None if mean is None else max(mean.high, 0.0),
        start=plan.calendar.start_of(result.span.first).astimezone(where),
        end=plan.calendar.end_of(result.span.last).astimezone(where),
        homes=result.homes,
    )


def _own_watts(plan: Plan, appliance: str, span: SlotRange, sums: Sums) -> float | None:
    """The home's own mean, if it measured the appliance for most of the time that homes speak of."""
    watts, slots = own_sum(sums, plan, appliance, span)
    return watts / slots if slots and slots >= ENOUGH * slots_drawn_in(plan, span) else None
