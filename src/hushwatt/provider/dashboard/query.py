"""What an address asks for: the plan, the stretch of time, the appliances, smoothing.

Everything a page shows follows from its address, so that a link shows the same to others.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from hushwatt.errors import HushwattError, UsageError
from hushwatt.plan.plan import Plan
from hushwatt.plan.shown import nearest, shown
from hushwatt.provider.estimate.time_range import span
from hushwatt.provider.service.collection_reader import CollectionReader

SWITCH = {"": False, "0": False, "false": False, "off": False, "1": True, "true": True, "on": True}
MOST_APPLIANCES = 4  # drawn together; more colours cannot be told apart
LONGEST = 100  # characters of a value
COUNTS = {"k": (1, 1000), "homes": (1, 10**9), "slots": (1, 3660)}


@dataclass(frozen=True)
class Asked:
    """An address, understood."""

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
        words = {name: value for name, value in (kept | changes).items() if value}
        return f"{path}?{urlencode(words, doseq=True)}" if words else path

    def download(self, form: str) -> str:
        """The file with the same numbers."""
        words = {"from": self.start, "to": self.end, "smooth": "true" if self.smooth else ""}
        query = urlencode({name: value for name, value in words.items() if value})
        return f"/v1/plans/{self.plan.id}/export.{form}" + (f"?{query}" if query else "")


def understand(read: CollectionReader, words: Mapping[str, str], appliances: list[str]) -> Asked:
    """Read an address; what cannot be understood is refused in one clear line."""
    for name, value in words.items():
        if name in ("plan", "from", "to", "smooth", *COUNTS) and len(value) > LONGEST:
            raise UsageError(f"{name} is {len(value)} characters long; at most {LONGEST} make sense")
    plan = chosen(read, words.get("plan", ""))
    start, end = words.get("from", "").strip(), words.get("to", "").strip()
    first, last = _span(plan, start, end)
    return Asked(
        plan=plan,
        several=len(read.collections) > 1,
        start=start,
        end=end,
        first=first,
        last=last,
        smooth=_switch("smooth", words.get("smooth", "")),
        appliances=_known(plan, appliances),
        counts={name: _count(name, words[name]) for name in COUNTS if words.get(name)},
    )


def chosen(read: CollectionReader, word: str) -> Plan:
    """The plan whose id begins with `word`; without a word the newest one that still collects."""
    plans = [each.plan for each in read.collections.values()]
    if not plans:
        raise UsageError("no plan is collected here yet")
    if not word:
        going = [plan for plan in plans if not read.schedule(plan).over(read.now())]
        return (going or plans)[-1]
    found = [plan for plan in plans if plan.id.startswith(word.lower())]
    if len(found) != 1:
        raise UsageError(f"{'no' if not found else 'more than one'} plan here has an id like {shown(word)}")
    return found[0]


def _span(plan: Plan, start: str, end: str) -> tuple[int | None, int | None]:
    try:
        return span(plan, start or None, end or None)
    except HushwattError as wrong:
        raise UsageError(str(wrong).replace("--", "")) from None


def _switch(name: str, word: str) -> bool:
    if word.lower() not in SWITCH:
        raise UsageError(f"{name} is {shown(word)}; write 1 or 0")
    return SWITCH[word.lower()]


def _known(plan: Plan, names: list[str]) -> tuple[str, ...]:
    for name in names:
        if name not in plan.names:
            hint = nearest(name, plan.names)
            raise UsageError(f"this plan has no appliance {shown(name[:LONGEST])}{hint}")
    found = tuple(dict.fromkeys(names))
    if len(found) > MOST_APPLIANCES:
        raise UsageError(f"{len(found)} appliances are asked for; at most {MOST_APPLIANCES} can be compared")
    return found


def _count(name: str, word: str) -> int:
    least, most = COUNTS[name]
    if not (word.isascii() and word.isdigit() and least <= int(word) <= most):
        raise UsageError(f"{name} is {shown(word)}; write a whole number from {least} to {most:,}")
    return int(word)
