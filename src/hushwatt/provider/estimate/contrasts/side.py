"""One side of a comparison, as it is written: `2024-01-15..2024-01-21,hours=17-21,weekdays=mon-fri`."""

from dataclasses import dataclass, field

from hushwatt.errors import UsageError
from hushwatt.plan.plan import Plan
from hushwatt.provider.estimate.collected import CollectedSlots
from hushwatt.provider.estimate.times.time_filter import TimeFilter
from hushwatt.provider.estimate.times.time_range import parse_time_range
from hushwatt.provider.tally.labels import Cells
from hushwatt.provider.tally.tally import Tallies

EXAMPLE = "2024-01-15..2024-01-21,hours=17-21,weekdays=mon-fri"


@dataclass(frozen=True)
class Side:
    """A stretch of time, the hours and weekdays in it, and the homes that are meant."""

    what: str  # as it was written
    first: int | None
    last: int | None
    times: TimeFilter
    where: dict[str, str] = field(default_factory=dict)  # the homes' labels

    @classmethod
    def parse(cls, plan: Plan, text: str, cells: Cells | None = None) -> "Side":
        """From what a person writes; several hours or weekdays are joined by +, as weekdays=sat+sun."""
        parts: dict[str, str] = {}
        for part in (each.strip() for each in text.split(",")):
            key, value = _key_and_value(part)
            if key in parts or not value:
                raise UsageError(f"{text!r}: {part or 'an empty part'!r} says nothing new; write it as {EXAMPLE}")
            parts[key] = value
        where = {name: value for name, value in parts.items() if name not in ("dates", "hours", "weekdays")}
        if unknown := where.keys() - set(cells.names if cells else ()):
            labels = f"; labels are {', '.join(cells.names)}" if cells else ""
            raise UsageError(f"{text!r}: there is no {min(unknown)} in these reports{labels}; write it as {EXAMPLE}")
        if cells:
            cells.matching(where)
        start, _, end = parts.get("dates", "..").partition("..")
        first, last = parse_time_range(plan, start or None, end or None)
        hours, weekdays = (parts.get(key, "").replace("+", ",") or None for key in ("hours", "weekdays"))
        return cls(text, first, last, TimeFilter.parse(hours, weekdays), where)

    def collected(self, plan: Plan, tallies: Tallies) -> CollectedSlots:
        """What the reports say of this side."""
        collected = CollectedSlots.of(plan, tallies, self.first, self.last, self.times, self.where)
        if not collected.slots:
            raise UsageError(f"{self.what}: there are no reports in that time")
        return collected


def _key_and_value(part: str) -> tuple[str, str]:
    key, equals, value = part.partition("=")
    if equals:
        return key.strip(), value.strip()
    return "dates", part if ".." in part else f"{part}..{part}" if part else ""
