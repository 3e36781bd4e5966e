"""What the query of an address asks for: the plan, the range of time, the appliances, smoothing.

Everything a page shows follows from its address, so that a link shows the same to others.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from hushwatt.errors import UsageError
from hushwatt.plan.plan import Plan
from hushwatt.plan.shown import nearest, shown
from hushwatt.provider.estimate.times.time_range import parse_query_range
from hushwatt.provider.service.collection_reader import CollectionReader

FLAGS = {"": False, "0": False, "false": False, "off": False, "1": True, "true": True, "on": True}
MAX_APPLIANCES = 4  # drawn together; more colours cannot be told apart
MAX_LENGTH = 100  # characters of a value
COUNTS = {"k": (1, 1000), "homes": (1, 10**9), "slots": (1, 3660)}


@dataclass(frozen=True)
class PageQuery:
    """An address, parsed."""

    plan: Plan
    several: bool  # whether there is a choice of plans
    start: str  # as written, or empty
    end: str
    first: int | None  # slots
    last: int | None
    smooth: bool
    appliances: tuple[str, ...]
    counts: Mapping[str, int]  # k, homes, slots; those that were given

    @property
    def ranged(self) -> bool:
        """Whether only a stretch of time is asked for."""
        return bool(self.start or self.end)

    def link(self, path: str, **changes: Any) -> str:
        """An address with the same plan, time and smoothing, or with `changes`; empty ones drop out."""
        kept = {
            "plan": self.plan.id[:12] if self.several else "",
            "from": self.start,
            "to": self.end,
            "smooth": "1" if self.smooth else "",
        }
        parameters = {name: value for name, value in (kept | changes).items() if value}
        return f"{path}?{urlencode(parameters, doseq=True)}" if parameters else path

    def download(self, form: str) -> str:
        """The file with the same numbers."""
        parameters = {"from": self.start, "to": self.end, "smooth": "true" if self.smooth else ""}
        query = urlencode({name: value for name, value in parameters.items() if value})
        return f"/v1/plans/{self.plan.id}/export.{form}" + (f"?{query}" if query else "")


def parse_query(reader: CollectionReader, parameters: Mapping[str, str], appliances: list[str]) -> PageQuery:
    """Parse an address; what cannot be understood is refused in one clear line."""
    for name, value in parameters.items():
        if name in ("plan", "from", "to", "smooth", *COUNTS) and len(value) > MAX_LENGTH:
            raise UsageError(f"{name} is {len(value)} characters long; at most {MAX_LENGTH} make sense")
    plan = choose_plan(reader, parameters.get("plan", ""))
    start, end = parameters.get("from", "").strip(), parameters.get("to", "").strip()
    first, last = parse_query_range(plan, start, end)
    return PageQuery(
        plan=plan,
        several=len(reader.collections) > 1,
        start=start,
        end=end,
        first=first,
        last=last,
        smooth=_parse_flag("smooth", parameters.get("smooth", "")),
        appliances=_parse_appliances(plan, appliances),
        counts={name: _parse_count(name, parameters[name]) for name in COUNTS if parameters.get(name)},
    )


def choose_plan(reader: CollectionReader, word: str) -> Plan:
    """The plan whose id begins with `word`; without a word the newest one that still collects."""
    plans = [each.plan for each in reader.collections.values()]
    if not plans:
        raise UsageError("no plan is collected here yet")
    if not word:
        running = [plan for plan in plans if not reader.schedule(plan).over(reader.now())]
        return (running or plans)[-1]
    matches = [plan for plan in plans if plan.id.startswith(word.lower())]
    if len(matches) != 1:
        raise UsageError(f"{'no' if not matches else 'more than one'} plan here has an id like {shown(word)}")
    return matches[0]


def _parse_flag(name: str, word: str) -> bool:
    if word.lower() not in FLAGS:
        raise UsageError(f"{name} is {shown(word)}; write 1 or 0")
    return FLAGS[word.lower()]


def _parse_appliances(plan: Plan, names: list[str]) -> tuple[str, ...]:
    for name in names:
        if name not in plan.names:
            hint = nearest(name, plan.names)
            raise UsageError(f"this plan has no appliance {shown(name[:MAX_LENGTH])}{hint}")
    appliances = tuple(dict.fromkeys(names))
    if len(appliances) > MAX_APPLIANCES:
        raise UsageError(f"{len(appliances)} appliances are asked for; at most {MAX_APPLIANCES} can be compared")
    return appliances


def _parse_count(name: str, word: str) -> int:
    least, most = COUNTS[name]
    if not (word.isascii() and word.isdigit() and least <= int(word) <= most):
        raise UsageError(f"{name} is {shown(word)}; write a whole number from {least} to {most:,}")
    return int(word)
