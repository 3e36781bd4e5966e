"""The owner's own caps: what this home lets anyone ask of it, whatever a plan says.

Two of them bind every spend, over all plans and providers together: ε in any day and ε
in any year.  The others are asked once, before the home joins a plan.
"""

import tomllib
from dataclasses import dataclass, fields, replace
from datetime import UTC, date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any

from hushwatt.errors import PlanError, UsageError
from hushwatt.files import written
from hushwatt.household.clock import SECOND
from hushwatt.plan.amounts import MICRO, parse_amount, plain
from hushwatt.plan.plan import Plan
from hushwatt.privacy.promise import Promise
from hushwatt.privacy.promise_words import reach

DAY = 86_400 * SECOND
YEAR = 366 * DAY
AMOUNTS = ("epsilon_per_window", "epsilon_per_day", "epsilon_per_year", "appliance_epsilon")


@dataclass(frozen=True)
class Limit:
    """At most `amount` millionths of ε in any interval of `length` nanoseconds."""

    amount: int
    length: int
    words: str  # such as "day"


@dataclass(frozen=True)
class Caps:
    """Amounts are millionths of ε.

    >>> Caps().limits[0]
    Limit(amount=10000000, length=86400000000000, words='day')
    """

    epsilon_per_window: int = 10 * MICRO  # that one plan may ask for the home, in any of its windows
    epsilon_per_day: int = 10 * MICRO  # that all plans together may spend in any 24 hours
    epsilon_per_year: int = 2_000 * MICRO  # the same in any 366 days
    appliance_epsilon: int = 2 * MICRO  # that may reach one appliance in any window
    smallest_window: int = 1  # slots
    smallest_minimum_homes: int = 10
    latest_expiry: datetime | None = None

    @classmethod
    def load(cls, path: Path) -> "Caps":
        """The caps in a TOML file; what it does not name stays as it is here."""
        try:
            table = tomllib.loads(path.read_text(encoding="utf-8"), parse_float=Decimal)
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as wrong:
            raise UsageError(f"{path}: {wrong}") from None
        try:
            return replace(cls(), **{name: _cap(name, value) for name, value in table.items()})
        except (PlanError, UsageError) as wrong:
            raise UsageError(f"{path}: {wrong}") from None

    @property
    def limits(self) -> tuple[Limit, ...]:
        """What binds every spend."""
        return (Limit(self.epsilon_per_day, DAY, "day"), Limit(self.epsilon_per_year, YEAR, "year"))

    def objections(self, plan: Plan, promise: Promise, year: int) -> list[str]:
        """Everything that this plan asks beyond the caps, a sentence each; `year` is its ε in a year."""
        asked = [
            ("ε in any window", plan.epsilon, self.epsilon_per_window, "epsilon_per_window"),
            ("ε in any window of one appliance", reach(promise), self.appliance_epsilon, "appliance_epsilon"),
            ("ε in a year", year, self.epsilon_per_year, "epsilon_per_year"),
        ]
        found = [
            f"it asks {plain(amount)} {what}, your cap {cap} is {plain(most)}"
            for what, amount, most, cap in asked
            if amount > most
        ]
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
        _cap(name, value if not isinstance(value, float) else Decimal(str(value)))
    with written(path) as temporary:
        lines = (f"{name} = {value}" for name, value in table.items())
        temporary.write_text("\n".join([*lines, ""]), encoding="utf-8")


def _cap(name: str, value: Any) -> Any:
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
        return _expiry(value)
    if isinstance(value, int) and not isinstance(value, bool) and value >= 1:
        return value
    raise UsageError(f"{name} must be a whole number of at least 1")


def _expiry(value: Any) -> datetime:
    if isinstance(value, datetime):
        return value if value.tzinfo else value.replace(tzinfo=UTC)
    if isinstance(value, date):
        return datetime.combine(value, time(), UTC)
    raise UsageError("latest_expiry must be a date such as 2030-01-01")
