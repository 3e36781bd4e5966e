"""How long one slot lasts, and how long many of them do: whole seconds, minutes, hours or local days."""

import re
from dataclasses import dataclass
from typing import Self

from hushwatt.errors import PlanError
from hushwatt.plan.shown import shown

SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}
LONGEST = 100 * 366 * SECONDS["d"]
WORDS = {"d": "day", "h": "hour", "m": "minute", "s": "second"}  # the longest first
LENGTH = re.compile(r"([0-9]{1,12})([smhd])")


@dataclass(frozen=True)
class SlotLength:
    """The length of one slot.

    >>> SlotLength.parse("15m"), str(SlotLength(1, "d"))
    (SlotLength(count=15, unit='m'), '1d')
    """

    count: int
    unit: str  # s, m, h, or d: a local day, of 23 to 25 hours

    def __post_init__(self) -> None:
        if self.unit not in SECONDS or self.count < 1 or self.seconds > LONGEST:
            raise PlanError(f"slot is {shown(str(self))}; it must be at least 1 second and at most 100 years")

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read "15m" or "1d"."""
        match = LENGTH.fullmatch(text)
        if match is None:
            raise PlanError(f"slot is {shown(text)}; write a whole number and s, m, h or d, such as '15m'")
        return cls(int(match[1]), match[2])

    def needed_for(self, length: str) -> int | None:
        """How many slots a length of time such as "365d" takes, the last one begun; None when it is no length.

        >>> SlotLength.parse("15m").needed_for("365d"), SlotLength.parse("2d").needed_for("3d")
        (35040, 2)
        """
        match = LENGTH.fullmatch(length)
        seconds = int(match[1]) * SECONDS[match[2]] if match else 0
        return -(-seconds // self.seconds) if 0 < seconds <= LONGEST else None

    def lasting(self, count: int) -> str:
        """How long so many slots last, in words.

        >>> SlotLength.parse("15m").lasting(35_040), SlotLength.parse("1h").lasting(25)
        ('365 days', '25 hours')
        """
        seconds = count * self.seconds
        unit = next(unit for unit in WORDS if seconds % SECONDS[unit] == 0)
        number = seconds // SECONDS[unit]
        return f"{number:,} {WORDS[unit]}{'' if number == 1 else 's'}"

    @property
    def seconds(self) -> int:
        """How long it lasts, counting every day as 24 hours."""
        return self.count * SECONDS[self.unit]

    def __str__(self) -> str:
        return f"{self.count}{self.unit}"
