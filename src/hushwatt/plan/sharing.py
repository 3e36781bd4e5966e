"""What of the results homes are shown: means over stretches of whole published periods, the same for everyone.

A stretch lasts a week or a little more, and less in a plan that is shorter than a year, so that a home that
compares itself needs to keep little, and nothing of single hours.  The plan's calendar alone says where they lie.
"""

from dataclasses import dataclass

from hushwatt.plan.periods import PublishPeriods
from hushwatt.plan.plan import Plan

WEEK = 7 * 86_400  # seconds
TRAILING = (1, 4, 13, 52)  # stretches, counted back from the last one, that results are shared of


@dataclass(frozen=True)
class SlotRange:
    """Slots that follow one another, both ends included."""

    first: int
    last: int

    @property
    def slots(self) -> int:
        return self.last - self.first + 1


def stretches(plan: Plan) -> PublishPeriods:
    """The stretches of a plan: the fewest whole published periods that last a week, or a 52nd part of the plan.

    >>> from dataclasses import replace
    >>> from hushwatt.plan.presets import preset
    >>> daily = preset("advised")
    >>> stretches(daily).length, stretches(replace(daily, publish=5)).length
    (7, 10)
    """
    whole = plan.calendar.slots
    wanted = min(-(-WEEK // plan.slot.seconds), -(-whole // TRAILING[-1]))
    return PublishPeriods(-(-wanted // plan.publish) * plan.publish, whole)


def shared_ranges(plan: Plan, published: int) -> list[SlotRange]:
    """What is shared when the slots up to `published` are: the last stretch that is complete, the last four, and so on.

    >>> from hushwatt.plan.presets import preset
    >>> [(each.first, each.last) for each in shared_ranges(preset("advised"), published=30)]
    [(21, 27), (0, 27)]
    """
    parts = stretches(plan)
    last = parts.last_complete(published)
    if last < 0:
        return []
    latest = parts.first_of(last)
    firsts = [latest - (count - 1) * parts.length for count in TRAILING]
    return [SlotRange(first, last) for first in firsts if first >= 0]
