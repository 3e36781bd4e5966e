"""What the query of an address asks for: the plan, the times, the appliances, how they are shown.

Everything a page shows follows from its address, so that a link shows the same to others.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from hushwatt.errors import UsageError
from hushwatt.plan.plan import Plan
from hushwatt.plan.shown import nearest, shown
from hushwatt.provider.estimate.times.time_filter import TimeFilter
from hushwatt.provider.estimate.times.time_range import parse_query_range
from hushwatt.provider.service.collection_reader import CollectionReader

FLAGS = {"": False, "0": False, "false": False, "off": False, "1": True, "true": True, "on": True}
MAX_APPLIANCES = 4  # drawn together; more colours cannot be told apart
MAX_LENGTH = 100  # characters of a value
COUNTS = {"k": (1, 1000), "homes": (1, 10**9), "slots": (1, 3660), "customers": (1, 10**12)}
SIDES = tuple(f"{side}_{part}" for side in "ab" for part in ("from", "to", "hours", "weekdays", "group"))
TIMES = ("from", "to", "hours", "weekdays")  # which slots
RESOLUTIONS = ("slot", "hour", "day", "week", "month")  # the finest first
FOLDED = ("hour", "weekday", "hour-of-week")
LONG = ("by", "a_group", "b_group")  # labels of homes
MAX_LABELS_LENGTH = 500  # characters of these
WORDS = ("plan", *TIMES, "smooth", "per", "fold", "by", *COUNTS, *SIDES)


@dataclass(frozen=True)
class PageQuery:
    """An address, parsed."""

    plan: Plan
    several: bool  # whether there is a choice of plans
    given: Mapping[str, str]  # as written; what is empty is left out
    first: int | None  # slots
    last: int | None
    times: TimeFilter
    smooth: bool
    appliances: tuple[str, ...]
    counts: Mapping[str, int]  # k, homes, slots; those that were given
    per: str = ""  # how finely time is told; empty: as finely as says something
    fold: str = "hour"

    @property
    def start(self) -> str:
        return self.given.get("from", "")

    @property
    def end(self) -> str:
        return self.given.get("to", "")

    @property
    def by(self) -> tuple[str, ...]:
        """The labels that homes are told apart by, as written."""
        return tuple(each.strip() for each in self.given["by"].split(",")) if "by" in self.given else ()

    @property
    def ranged(self) -> bool:
        """Whether only some of the time is asked for."""
        return any(name in self.given for name in TIMES)

    def link(self, path: str, **changes: Any) -> str:
        """An address with the same plan, times and smoothing, or with `changes`; empty ones drop out."""
        kept = {name: self.given[name] for name in (*TIMES, "smooth") if name in self.given}
        return address(path, {"plan": self._plan, **kept, **changes})

    def here(self, path: str, **changes: Any) -> str:
        """This address with all that it asks for, but for `changes`."""
        asked = {**self.given, "plan": self._plan, "appliance": list(self.appliances)}
        return address(path, asked | changes)

    def download(self, form: str) -> str:
        """The file with the numbers of all slots."""
        asked = {name: self.given.get(name, "") for name in TIMES} | {"smooth": "true" if self.smooth else ""}
        return address(f"/v1/plans/{self.plan.id}/export.{form}", asked)

    @property
    def _plan(self) -> str:
        return self.plan.id[:12] if self.several else ""


def address(path: str, parameters: Mapping[str, Any]) -> str:
    """A path with those of the parameters that say something, in their order."""
    said = {name: value for name, value in parameters.items() if value}
    return f"{path}?{urlencode(said, doseq=True)}" if said else path


def parse_query(reader: CollectionReader, parameters: Mapping[str, str], appliances: list[str]) -> PageQuery:
    """Parse an address; what cannot be understood is refused in one clear line."""
    given = {name: parameters[name].strip() for name in WORDS if parameters.get(name, "").strip()}
    for name, value in given.items():
        most = MAX_LABELS_LENGTH if name in LONG else MAX_LENGTH
        if len(value) > most:
            raise UsageError(f"{name} is {len(value)} characters long; at most {most} make sense")
    plan = choose_plan(reader, given.get("plan", ""))
    first, last = parse_query_range(plan, given.get("from"), given.get("to"))
    return PageQuery(
        plan=plan,
        several=len(reader.collections) > 1,
        given=given,
        first=first,
        last=last,
        times=TimeFilter.parse(given.get("hours"), given.get("weekdays")),
        smooth=_parse_flag("smooth", given.get("smooth", "")),
        appliances=_parse_appliances(plan, appliances),
        counts={name: _parse_count(name, given[name]) for name in COUNTS if name in given},
        per=_parse_choice("per", given.get("per", ""), ("", *RESOLUTIONS)),
        fold=_parse_choice("fold", given.get("fold", FOLDED[0]), FOLDED),
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


def _parse_choice(name: str, word: str, choices: Sequence[str]) -> str:
    if word not in choices:
        raise UsageError(f"{name} is {shown(word)}; choose one of {', '.join(filter(None, choices))}")
    return word


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
