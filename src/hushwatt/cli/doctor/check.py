"""One thing that `hushwatt doctor` looked at."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Check:
    """Whether it is well, whether hushwatt needs it to be, and what was found, in one line."""

    name: str
    well: bool
    essential: bool
    found: str
