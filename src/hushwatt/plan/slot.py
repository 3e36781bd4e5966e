"""How long one slot lasts: a whole number of seconds, minutes, hours or local days."""

import re
from dataclasses import dataclass
from typing import Self

from hushwatt.errors import PlanError
from hushwatt.plan.shown import shown

SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}
LONGEST = 100 * 366 * SECONDS["d"]


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
        match = re.fullmatch(r"([0-9]{1,12})([smhd])", text)
        if match is None:
            raise PlanError(f"slot is {shown(text)}; write a whole number and s, m, h or d, such as '15m'")
        return cls(int(match[1]), match[2])

    @property
    def seconds(self) -> int:
        """How long it lasts, counting every day as 24 hours."""
        return self.count * SECONDS[self.unit]

    def __str__(self) -> str:
        return f"{self.count}{self.unit}"
