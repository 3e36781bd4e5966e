"""The published agreement between the homes and the provider.

It is public and never changes: its id is the SHA-256 of its canonical form,
so whoever holds the id knows every parameter.  It holds no reading and no
secret.
"""

import hashlib
import json
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from os import PathLike, fspath
from pathlib import Path
from typing import Self

from hushwatt.errors import PlanError
from hushwatt.plan import rules, writer
from hushwatt.plan.appliance import Appliance
from hushwatt.plan.calendar import Calendar
from hushwatt.plan.document import LARGEST, as_written, decode, is_json, parse_json, parse_toml
from hushwatt.plan.periods import PublishPeriods
from hushwatt.plan.reader import read
from hushwatt.plan.slot import SlotLength


@dataclass(frozen=True)
class Plan:
    """Everything both sides must agree on.

    >>> plan = Plan.parse('''
    ... name = "Kettles of Leeds"
    ... description = "How many kettles boil, and when."
    ... contact = "kettles@example.org"
    ... start = 2024-01-01
    ... expires = 2025-01-01
    ... slot = "1d"
    ... epsilon = 1
    ... window = 7
    ... method = "lpu"
    ...
    ... [[appliance]]
    ... name = "kettle"
    ... edges = [10, 40]
    ... ''')
    >>> plan.names, plan.widths, plan.calendar.slots
    (('kettle',), (3,), 366)
    >>> Plan.parse(plan.canonical()) == Plan.parse(plan.toml()) == plan
    True
    """

    name: str
    description: str
    contact: str
    start: datetime  # UTC
    expires: datetime  # UTC
    timezone: str
    slot: SlotLength
    epsilon: int  # ε in millionths, for the whole home over any `window` slots
    window: int  # w, in slots
    method: str  # how the budget is shared out over time
    decision: str | None  # household or provider, for the methods that decide
    oracle: str  # how one appliance's level is randomised
    appliances: tuple[Appliance, ...]
    appliances_per_report: int  # s, of all n appliances
    mapping: str  # how watts become a level
    minimum_homes: int  # below this many homes in a published period nothing is shown
    appliance_epsilon: int | None = None  # ε in millionths, for any one appliance over any `window` slots
    unmeasured: str = "zero"  # what a home says of an appliance that it does not measure
    replaces: str | None = None  # the id of the plan that this one succeeds
    publish: int = 1  # slots that results are published for together
    share_results: bool = False  # whether homes that take part may fetch what was published

    def __post_init__(self) -> None:
        rules.check(self)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """The plan in a file, TOML or canonical JSON."""
        name = fspath(path)
        try:
            with Path(name).open("rb") as file:
                text = file.read(LARGEST)
                if file.read(1):
                    raise PlanError(f"{name}: has more than {LARGEST:,} bytes, the most that a plan has")
        except (OSError, ValueError) as wrong:
            reason = getattr(wrong, "strerror", None) or "not the name of a file"
            raise PlanError(f"{name}: {reason[0].lower()}{reason[1:]}") from None
        return cls.parse(text, source=name)

    @classmethod
    def parse(cls, text: str | bytes, source: str = "") -> Self:
        """The plan in a text, TOML or canonical JSON; errors begin with `source`."""
        try:
            words = decode(text)
            return cls._canonical(words) if is_json(words) else cls(**read(parse_toml(words)))
        except PlanError as wrong:
            raise PlanError(f"{source}: {wrong}" if source else str(wrong)) from None

    @classmethod
    def _canonical(cls, text: str) -> Self:
        """The plan in JSON, which must say exactly what the plan's own canonical form says."""
        given = parse_json(text)
        plan = cls(**read(as_written(given)))
        if given != json.loads(plan.canonical()):
            raise PlanError(
                "is JSON but not a canonical plan; write plans as TOML, "
                "and let `hushwatt plan show --json` make JSON of them"
            )
        return plan

    def canonical(self) -> bytes:
        """The canonical form: JSON with sorted keys and no spaces, everything filled in."""
        return writer.canonical(self)

    def toml(self) -> str:
        """A plan file for people; it reads back as the same plan."""
        return writer.toml(self)

    @cached_property
    def id(self) -> str:
        """The SHA-256 of the canonical form, in lower-case hex."""
        return hashlib.sha256(self.canonical()).hexdigest()

    @cached_property
    def calendar(self) -> Calendar:
        """Which slot a moment belongs to."""
        return Calendar(self.start, self.expires, self.timezone, self.slot)

    @cached_property
    def periods(self) -> PublishPeriods:
        """The stretches of slots that results are published for."""
        return PublishPeriods(self.publish, self.calendar.slots)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The appliances' names, in the plan's order."""
        return tuple(each.name for each in self.appliances)

    @cached_property
    def widths(self) -> tuple[int, ...]:
        """How many answers there are about each appliance: its levels, then "not measured" where that is one."""
        return tuple(each.levels + self.answers_unmeasured for each in self.appliances)

    @property
    def answers_unmeasured(self) -> bool:
        """Whether "not measured" is an answer: the last one about each appliance."""
        return self.unmeasured == "answer"

    @cached_property
    def width(self) -> int:
        """How many answers there are in all (the paper's m)."""
        return sum(self.widths)
