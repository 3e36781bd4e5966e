"""The two sides of a comparison: as they stand in an address, in a sentence, and on the command line."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np

from hushwatt.plan.plan import Plan
from hushwatt.plan.times import nanoseconds
from hushwatt.provider.dashboard import formatting
from hushwatt.provider.dashboard.chosen_times import ALWAYS, TimeFields, times_text
from hushwatt.provider.dashboard.page_context import PageContext
from hushwatt.provider.dashboard.query import SIDES, TIMES
from hushwatt.provider.estimate.contrasts.side import Side
from hushwatt.provider.estimate.times.time_range import written_end, written_start
from hushwatt.provider.tally.labels import group_name

Asked = Mapping[str, str]  # from, to, hours, weekdays; those that are asked for
DAYS = 7


@dataclass(frozen=True)
class ComparedSide:
    """One side."""

    name: str  # a or b
    side: Side
    words: str
    fields: TimeFields
    group: str  # labels of its homes, as written


def compared_sides(page: PageContext, more: Asked) -> list[ComparedSide]:
    """The sides of an address, with `more` that it does not say; what a side leaves open the whole page says."""
    given = {**page.query.given, **more}
    whole = {name: given[name] for name in TIMES if name in given}
    return [_side(page, given, name, {**whole, **_own(given, name)}) for name in "ab"]


def _own(given: Mapping[str, str], name: str) -> dict[str, str]:
    return {part: given[f"{name}_{part}"] for part in (*TIMES, "group") if f"{name}_{part}" in given}


def _side(page: PageContext, given: Asked, name: str, asked: Asked) -> ComparedSide:
    side = Side.parse(page.plan, written(asked), page.labels)
    times = times_text(page.plan, side.first, side.last, side.times)
    words = [group_words(side.where)] * bool(side.where) + [times] * (times != ALWAYS or not side.where)
    return ComparedSide(
        name, side, " ".join(words), TimeFields.of(page.plan, given, f"{name}_"), asked.get("group", "")
    )


def group_words(labels: Mapping[str, str]) -> str:
    """A kind of homes in a sentence.

    >>> group_words({"tariff": "A", "region": "north"})
    'with tariff A, region north'
    """
    return "with " + ", ".join(f"{name} {value}" for name, value in labels.items())


def written(asked: Asked) -> str:
    """A side as the command line takes it.

    >>> written({"from": "2024-01-15", "hours": "6-8,17-21"}), written({})
    ('2024-01-15..,hours=6-8+17-21', '..')
    """
    dates = f"{asked.get('from', '')}..{asked.get('to', '')}"
    repeated = [f"{name}={asked[name].replace(',', '+')}" for name in ("hours", "weekdays") if name in asked]
    repeated += [asked["group"]] if "group" in asked else []
    return ",".join([dates, *repeated] if dates != ".." or not repeated else repeated)


def suggested(page: PageContext) -> dict[str, dict[str, str]]:
    """Comparisons to begin with, by their names: as parameters of an address."""
    plan, found = page.plan, {}
    if plan.publish * plan.slot.seconds <= 4 * 3600:
        found["Evening against night"] = {"a_hours": "17-21", "b_hours": "0-6"}
    if plan.publish * plan.slot.seconds <= formatting.DAY:
        found["Weekends against weekdays"] = {"a_weekdays": "sat,sun", "b_weekdays": "mon-fri"}
        found |= _weeks(page)
    return found | _halves(page) | _groups(page)


def _groups(page: PageContext) -> dict[str, dict[str, str]]:
    """The first two kinds of homes of each label."""
    found = {}
    for name in page.labels.names:
        first, second, *_ = [group_name(each) for each in page.labels.groups([name])]
        found[f"{first} against {second}"] = {"a_group": first, "b_group": second}
    return found


def _weeks(page: PageContext) -> dict[str, dict[str, str]]:
    """The last seven days with reports against the seven before."""
    plan, last = page.plan, page.last_reported
    if last < 0:
        return {}
    end = plan.calendar.end_of(last)
    starts = [_slot_at(plan, end - timedelta(days=days)) for days in (DAYS, 2 * DAYS)]
    if starts[1] < 0:
        return {}
    begin, before = starts
    sides = {"a": (begin, last), "b": (before, begin - 1)}
    return {f"Last {DAYS} days against the {DAYS} before": _dates(plan, sides)}


def _halves(page: PageContext) -> dict[str, dict[str, str]]:
    """The later half of what was asked for against the earlier one."""
    plan, asked = page.plan, page.asked
    if len(asked) < 2:
        return {}
    begin, last = asked[len(asked) // 2], plan.periods.last_of(asked[-1])
    sides = {"a": (begin, last), "b": (asked[0], begin - 1)}
    return {"Later half against earlier half": _dates(plan, sides)}


def _dates(plan: Plan, sides: Mapping[str, tuple[int, int]]) -> dict[str, str]:
    """The first and the last slot of each side as parameters."""
    return {
        f"{name}_{part}": text
        for name, (first, final) in sides.items()
        for part, text in (("from", written_start(plan, first)), ("to", written_end(plan, final)))
    }


def _slot_at(plan: Plan, moment: datetime) -> int:
    slot = int(plan.calendar.slot_of(np.array(nanoseconds(moment))))
    return slot if slot < 0 else plan.periods.first_of(slot)


def asks_for_sides(page: PageContext) -> bool:
    """Whether the address says what to compare."""
    return any(name in page.query.given for name in SIDES)
