"""The owner's own caps: what this home lets anyone ask of it, whatever a plan says.

Most of them bind every spend, over all plans and providers together: ε in any day, in any year and
in the home's lifetime, and the same for any one appliance.  The others are about a plan as such: it is
not joined beyond them, and where the owner lowers one later, the home keeps silent under that plan.
"""

import tomllib
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any

from hushwatt.errors import PlanError, UsageError
from hushwatt.files import atomic_write
from hushwatt.household.clock import SECOND
from hushwatt.plan.amounts import MICRO, parse_amount

DAY = 86_400 * SECOND
YEAR = 366 * DAY
UNLIMITED = 10**9 * MICRO  # more than anyone can set or spend
MINIMUMS = ("smallest_window", "smallest_minimum_homes")
AMOUNTS = (
    "epsilon_per_window",
    "epsilon_per_day",
    "epsilon_per_year",
    "epsilon_lifetime",
    "appliance_epsilon",
    "appliance_epsilon_per_year",
    "appliance_epsilon_lifetime",
)


@dataclass(frozen=True)
class IntervalCap:
    """At most `amount` millionths of ε in any interval of `length` nanoseconds."""

    amount: int
    length: int
    words: str  # such as "day"
    cap: str  # the name of the owner's cap

    @property
    def when(self) -> str:
        return f"in any {self.words}"


@dataclass(frozen=True)
class LifetimeCap:
    """At most `amount` millionths of ε, ever."""

    amount: int
    cap: str
    when: str = "in its lifetime"


@dataclass(frozen=True)
class Caps:
    """Amounts are millionths of ε.

    `appliance_epsilon` holds in any stretch as long as the longest window of the home's plans, and
    of a day at least, counting every slot that touches the stretch, like the caps of a day and a year.

    >>> Caps().limits[0].amount, Caps().limits[0].when
    (10000000, 'in any day')
    """

    epsilon_per_window: int = 10 * MICRO  # that one plan may ask for the home, in any of its windows
    epsilon_per_day: int = 10 * MICRO  # that all plans together may spend in any 24 hours
    epsilon_per_year: int = 20 * MICRO  # the same in any 366 days
    epsilon_lifetime: int = 100 * MICRO  # the same, ever
    appliance_epsilon: int = 2 * MICRO  # that all plans together may spend on one appliance: see above
    appliance_epsilon_per_year: int = 2 * MICRO  # the same in any 366 days
    appliance_epsilon_lifetime: int = 10 * MICRO  # the same, ever
    smallest_window: int = 1  # slots
    smallest_minimum_homes: int = 10
    latest_expiry: datetime | None = None
    follow_successors: bool = False  # move on to a plan that replaces another, where nothing is weaker
    named: frozenset[str] = field(default=frozenset(), repr=False)  # what the owner's file sets itself

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
            return cls.of(table)
        except (PlanError, UsageError) as wrong:
            raise UsageError(f"{path}: {wrong}") from None

    @classmethod
    def of(cls, table: dict[str, Any]) -> "Caps":
        """The caps in a table as TOML has it."""
        set_by_owner: dict[str, Any] = {name: _parse_cap(name, value) for name, value in table.items()}
        return replace(cls(), **set_by_owner, named=frozenset(table))

    @property
    def limits(self) -> tuple[IntervalCap, ...]:
        """What binds every spend of the home, by the interval."""
        return (
            IntervalCap(self.epsilon_per_day, DAY, "day", "epsilon_per_day"),
            IntervalCap(self.epsilon_per_year, YEAR, "year", "epsilon_per_year"),
        )

    @property
    def lifetime(self) -> LifetimeCap:
        """What all spends of the home together may come to."""
        return LifetimeCap(self.epsilon_lifetime, "epsilon_lifetime")

    @property
    def appliance_lifetime(self) -> LifetimeCap:
        """What all spends on one appliance together may come to."""
        return LifetimeCap(self.appliance_epsilon_lifetime, "appliance_epsilon_lifetime")

    def appliance_limits(self, length: int) -> tuple[IntervalCap, ...]:
        """What binds every spend on one appliance, when the cap on a window looks as far as `length`."""
        return (
            IntervalCap(self.appliance_epsilon, length, interval_words(length), "appliance_epsilon"),
            IntervalCap(self.appliance_epsilon_per_year, YEAR, "year", "appliance_epsilon_per_year"),
        )

    def as_agreed_before(self) -> "Caps":
        """What holds for a plan that was joined before there were caps on a lifetime: what held then.

        What the owner's file names binds it too.
        """
        held: dict[str, Any] = {name: value for name, value in EARLIER_DEFAULTS.items() if name not in self.named}
        return replace(self, **held)

    def tightest(self, other: "Caps") -> "Caps":
        """Each cap as the tighter of the two has it."""
        lowest = {name: min(getattr(self, name), getattr(other, name)) for name in AMOUNTS}
        highest = {name: max(getattr(self, name), getattr(other, name)) for name in MINIMUMS}
        ends = [end for end in (self.latest_expiry, other.latest_expiry) if end is not None]
        follows, named = self.follow_successors and other.follow_successors, self.named | other.named
        return Caps(**lowest, **highest, latest_expiry=min(ends, default=None), follow_successors=follows, named=named)


NO_LIMITS = Caps(**dict.fromkeys(AMOUNTS, UNLIMITED), smallest_minimum_homes=1)  # type: ignore[arg-type]
"""For a look at a home whose owner's caps do not matter."""


EARLIER_DEFAULTS = {
    "epsilon_per_year": 2_000 * MICRO,
    "epsilon_lifetime": UNLIMITED,
    "appliance_epsilon_per_year": UNLIMITED,
    "appliance_epsilon_lifetime": UNLIMITED,
}


def interval_words(length: int) -> str:
    """An interval in words, to follow "in any".

    >>> interval_words(DAY), interval_words(7 * DAY), interval_words(30 * DAY // 24)
    ('day', '7 days', '30 hours')
    """
    if length == DAY:
        return "day"
    hours = -(-length // (DAY // 24))
    return f"{hours:,} hours" if hours % 24 else f"{hours // 24:,} days"


def write_caps(path: Path, settings: list[str]) -> None:
    """Set caps in the owner's file, each written as name=value; what it says already stays."""
    table = _table_with(path, settings)
    Caps.of(table)
    with atomic_write(path) as temporary:
        lines = (f"{name} = {_toml(value)}" for name, value in table.items())
        temporary.write_text("\n".join([*lines, ""]), encoding="utf-8")


def caps_with(path: Path, settings: list[str]) -> Caps:
    """The caps as the file would have them after `write_caps`."""
    if path.exists():
        Caps.load(path)  # what is wrong with the file is said with its name
    return Caps.of(_table_with(path, settings))


def _table_with(path: Path, settings: list[str]) -> dict[str, Any]:
    table = tomllib.loads(path.read_text(encoding="utf-8"), parse_float=Decimal) if path.exists() else {}
    for setting in settings:
        name, _, value = (part.strip() for part in setting.partition("="))
        if not value:
            raise UsageError(f"{setting!r} is no cap; write for example epsilon_per_year=500")
        try:
            table |= tomllib.loads(f"{name} = {value}", parse_float=Decimal)
        except tomllib.TOMLDecodeError:
            raise UsageError(f"{setting!r} is no cap; write for example epsilon_per_year=500") from None
    return table


def _toml(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _parse_cap(name: str, value: Any) -> Any:
    """One value of the file, as the cap of that name has it."""
    known = [each.name for each in fields(Caps) if each.name != "named"]
    if name not in known:
        raise UsageError(f"there is no cap called {name}; the caps are {', '.join(known)}")
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
