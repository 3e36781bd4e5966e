"""The owner's own caps: what this home lets anyone ask of it, whatever a plan says.

Three of them bind every spend, over all plans and providers together: ε in any day, ε in any
year, and ε on any one appliance.  The others are about a plan as such: it is not joined beyond
them, and where the owner lowers one later, the home keeps silent under that plan.
"""

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from datetime import UTC, date, datetime, time
from decimal import Decimal
from math import ceil
from pathlib import Path
from typing import Any

from hushwatt.errors import PlanError, UsageError
from hushwatt.files import atomic_write
from hushwatt.household.clock import SECOND
from hushwatt.household.ledger.demand import max_appliance_spend, max_spend, window_length
from hushwatt.plan.amounts import MICRO, parse_amount, plain
from hushwatt.plan.plan import Plan

DAY = 86_400 * SECOND
YEAR = 366 * DAY
MINIMUMS = ("smallest_window", "smallest_minimum_homes")
AMOUNTS = ("epsilon_per_window", "epsilon_per_day", "epsilon_per_year", "appliance_epsilon")


@dataclass(frozen=True)
class IntervalCap:
    """At most `amount` millionths of ε in any interval of `length` nanoseconds."""

    amount: int
    length: int
    words: str  # such as "day"


@dataclass(frozen=True)
class Caps:
    """Amounts are millionths of ε.

    >>> Caps().limits[0]
    IntervalCap(amount=10000000, length=86400000000000, words='day')
    """

    epsilon_per_window: int = 10 * MICRO  # that one plan may ask for the home, in any of its windows
    epsilon_per_day: int = 10 * MICRO  # that all plans together may spend in any 24 hours
    epsilon_per_year: int = 2_000 * MICRO  # the same in any 366 days
    appliance_epsilon: int = 2 * MICRO  # that all plans together may spend on one appliance: see below
    smallest_window: int = 1  # slots
    smallest_minimum_homes: int = 10
    latest_expiry: datetime | None = None
    follow_successors: bool = False  # move on to a plan that replaces another, where nothing is weaker
    """`appliance_epsilon` holds in any stretch as long as the longest window of the home's plans, and
    of a day at least, counting every slot that touches the stretch, like the caps of a day and a year.
    """

    @classmethod
    def load(cls, path: Path) -> "Caps":
        """The caps in a TOML file; what it does not name stays as it is here."""
        try:
            table = tomllib.loads(path.read_text(encoding="utf-8"), parse_float=Decimal)
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as wrong:
            raise UsageError(f"{path}: {wrong}") from None
        except OSError as wrong:
            raise UsageError(f"{path}: cannot be read ({wrong.strerror})") from None
        try:
            return replace(cls(), **{name: _parse_cap(name, value) for name, value in table.items()})
        except (PlanError, UsageError) as wrong:
            raise UsageError(f"{path}: {wrong}") from None

    @property
    def limits(self) -> tuple[IntervalCap, ...]:
        """What binds every spend of the home."""
        return (IntervalCap(self.epsilon_per_day, DAY, "day"), IntervalCap(self.epsilon_per_year, YEAR, "year"))

    def appliance_limit(self, length: int) -> IntervalCap:
        """What binds every spend on one appliance, when the cap looks as far as `stretch`."""
        return IntervalCap(self.appliance_epsilon, length, interval_words(length))

    def bars(self, plan: Plan) -> list[str]:
        """Why this home does not speak under a plan at all, a sentence each."""
        found = []
        if plan.epsilon > self.epsilon_per_window:
            found.append(_objection(plan.epsilon, "in any window", "epsilon_per_window", self.epsilon_per_window))
        if plan.window < self.smallest_window:
            found.append(f"its window is {plan.window} slots, your smallest_window is {self.smallest_window}")
        if plan.minimum_homes < self.smallest_minimum_homes:
            found.append(
                f"it shows results of {plan.minimum_homes} homes, "
                f"your smallest_minimum_homes is {self.smallest_minimum_homes}"
            )
        if self.latest_expiry is not None and plan.expires > self.latest_expiry:
            found.append(f"it lasts until {plan.expires:%Y-%m-%d}, beyond your latest_expiry")
        if plan.decision == "provider":
            found.append("it lets the provider decide when a home speaks, which no home does")
        return found

    def objections(self, plan: Plan, others: Sequence[Plan] = ()) -> list[str]:
        """All that a plan asks beyond the caps, alone or with `others` beside it, a sentence each.

        What meets no objection is never held back by a cap afterwards.
        """
        return [*self.bars(plan), *self._sums(plan, others), *self._appliance_sums(plan, others)]

    def _sums(self, plan: Plan, others: Sequence[Plan]) -> Iterator[str]:
        for limit in self.limits:
            cap, when = f"epsilon_per_{limit.words}", f"in a {limit.words}"
            alone, *rest = (max_spend(each, limit.length) for each in (plan, *others))
            if alone > limit.amount:
                yield _objection(alone, when, cap, limit.amount)
            elif alone + sum(rest) > limit.amount:
                yield _objection(alone + sum(rest), f"{when} together with your other plans", cap, limit.amount)

    def _appliance_sums(self, plan: Plan, others: Sequence[Plan]) -> Iterator[str]:
        length = max(DAY, *(window_length(each) for each in (plan, *others)))
        sums = {
            name: ceil(sum(max_appliance_spend(each, length) for each in (plan, *others) if name in each.names))
            for name in {name for each in (plan, *others) for name in each.names}
        }
        worst = max(sorted(sums), key=lambda name: sums[name])
        if sums[worst] > self.appliance_epsilon:
            shared = f"together with your other plans on {worst}" if others else "on one appliance"
            when = f"in any {interval_words(length)} {shared}"
            yield _objection(sums[worst], when, "appliance_epsilon", self.appliance_epsilon)

    def tightest(self, other: "Caps") -> "Caps":
        """Each cap as the tighter of the two has it."""
        lowest = {name: min(getattr(self, name), getattr(other, name)) for name in AMOUNTS}
        highest = {name: max(getattr(self, name), getattr(other, name)) for name in MINIMUMS}
        ends = [end for end in (self.latest_expiry, other.latest_expiry) if end is not None]
        follows = self.follow_successors and other.follow_successors
        return Caps(**lowest, **highest, latest_expiry=min(ends, default=None), follow_successors=follows)


def interval_words(length: int) -> str:
    """An interval in words, to follow "in any".

    >>> interval_words(DAY), interval_words(7 * DAY), interval_words(30 * DAY // 24)
    ('day', '7 days', '30 hours')
    """
    if length == DAY:
        return "day"
    hours = -(-length // (DAY // 24))
    return f"{hours:,} hours" if hours % 24 else f"{hours // 24:,} days"


def _objection(amount: int, when: str, cap: str, allowed: int) -> str:
    return f"it asks {plain(amount)} ε {when}, your cap {cap} is {plain(allowed)}"


def write_caps(path: Path, settings: list[str]) -> None:
    """Set caps in the owner's file, each written as name=value; what it says already stays."""
    table = tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    for setting in settings:
        name, _, value = (part.strip() for part in setting.partition("="))
        if not value:
            raise UsageError(f"{setting!r} is no cap; write for example epsilon_per_year=500")
        try:
            table |= tomllib.loads(f"{name} = {value}", parse_float=Decimal)
        except tomllib.TOMLDecodeError:
            raise UsageError(f"{setting!r} is no cap; write for example epsilon_per_year=500") from None
    for name, value in table.items():
        _parse_cap(name, value if not isinstance(value, float) else Decimal(str(value)))
    with atomic_write(path) as temporary:
        lines = (f"{name} = {_toml(value)}" for name, value in table.items())
        temporary.write_text("\n".join([*lines, ""]), encoding="utf-8")


def _toml(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _parse_cap(name: str, value: Any) -> Any:
    """One value of the file, as the cap of that name has it."""
    if name not in (field.name for field in fields(Caps)):
        known = ", ".join(field.name for field in fields(Caps))
        raise UsageError(f"there is no cap called {name}; the caps are {known}")
    if name in AMOUNTS:
        try:
            return parse_amount(value)
        except PlanError as wrong:
            raise UsageError(f"{name}: {wrong}") from None
    if name == "latest_expiry":
        return _parse_expiry(value)
    if name == "follow_successors":
        if isinstance(value, bool):
            return value
        raise UsageError("follow_successors must be true or false")
    if isinstance(value, int) and not isinstance(value, bool) and value >= 1:
        return value
    raise UsageError(f"{name} must be a whole number of at least 1")


def _parse_expiry(value: Any) -> datetime:
    if isinstance(value, datetime):
        return value if value.tzinfo else value.replace(tzinfo=UTC)
    if isinstance(value, date):
        return datetime.combine(value, time(), UTC)
    raise UsageError("latest_expiry must be a date such as 2030-01-01")
