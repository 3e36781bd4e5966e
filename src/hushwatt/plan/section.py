"""One table of a plan file, read key by key.

Every value is asked for by its type, and what nobody asked for is refused, so
that a misspelt key cannot silently fall back to a default.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from decimal import Decimal

from hushwatt.errors import PlanError
from hushwatt.plan.amounts import parse_amount
from hushwatt.plan.shown import nearest, shown


@dataclass(frozen=True)
class Section:
    """A table and the label its errors carry.

    >>> Section({"minimum_homes": "3"}, "").whole("minimum_homes")
    Traceback (most recent call last):
    hushwatt.errors.PlanError: minimum_homes is '3'; it must be a whole number
    """

    table: Mapping[str, object]
    label: str  # "kettle: ", or nothing for the top of the file

    def only(self, keys: Collection[str]) -> None:
        """Refuse every key that is not among `keys`."""
        for key in self.table:
            if key not in keys:
                hint = nearest(key, keys) or f"; the keys are {', '.join(keys)}"
                raise PlanError(f"{self.label}unknown key {shown(key)}{hint}")

    def has(self, key: str) -> bool:
        return key in self.table

    def required(self, key: str) -> object:
        if key not in self.table:
            raise PlanError(f"{self.label}{key!r} is missing")
        return self.table[key]

    def text(self, key: str) -> str:
        value = self.required(key)
        if not isinstance(value, str):
            raise self.wrong(key, "it must be text in quotes")
        return value

    def whole(self, key: str, default: int | None = None) -> int:
        if default is not None and key not in self.table:
            return default
        value = self.required(key)
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.wrong(key, "it must be a whole number")
        return value

    def truth(self, key: str, default: bool) -> bool:
        value = self.table.get(key, default)
        if not isinstance(value, bool):
            raise self.wrong(key, "it must be true or false")
        return value

    def choice(self, key: str, options: Collection[str], default: str | None = None) -> str:
        if default is not None and key not in self.table:
            return default
        value = self.required(key)
        if not isinstance(value, str) or value not in options:
            hint = nearest(value, options) if isinstance(value, str) else ""
            raise self.wrong(key, f"it must be one of {', '.join(options)}{hint}")
        return value

    def amount(self, key: str) -> int:
        value = self.required(key)
        try:
            return parse_amount(value)
        except PlanError as wrong:
            raise PlanError(f"{self.label}{key}: {wrong}") from None

    def watts(self, key: str) -> float | None:
        return _number(self, key, self.table[key]) if key in self.table else None

    def watts_list(self, key: str) -> tuple[float, ...] | None:
        if key not in self.table:
            return None
        values = self.table[key]
        if not isinstance(values, list):
            raise self.wrong(key, "it must be a list of watts such as [100, 300]")
        return tuple(_number(self, f"{key}[{place}]", value) for place, value in enumerate(values))

    def wrong(self, key: str, expected: str) -> PlanError:
        return PlanError(f"{self.label}{key} is {shown(self.table[key])}; {expected}")


def _number(section: Section, key: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise PlanError(f"{section.label}{key} is {shown(value)}; it must be a number of watts")
    try:
        return float(value) + 0.0  # + 0.0 makes −0 a plain 0
    except (OverflowError, ValueError):
        raise PlanError(f"{section.label}{key} is {shown(value)}; it must be a finite number") from None
