"""The periods that results are published for: so many slots together, counted from the plan's first.

Results of a period are published once, when its last slot is closed, and nothing is ever shown of less
than a period.  The last one of a plan may be shorter than the others
(docs/proofs/published-periods.md).
"""

from dataclasses import dataclass

from hushwatt.plan.slot import LENGTH, SECONDS, SlotLength


@dataclass(frozen=True)
class PublishPeriods:
    """The published periods of a plan, each known by its first slot.

    >>> weeks = PublishPeriods(length=7, slots=30)
    >>> weeks.count, weeks.first_of(9), weeks.last_of(9), weeks.last_of(29)
    (5, 7, 13, 29)
    """

    length: int  # slots of each
    slots: int  # of the whole plan

    @property
    def count(self) -> int:
        """How many periods there are."""
        return -(-self.slots // self.length)

    @property
    def word(self) -> str:
        """What one of them is called.

        >>> PublishPeriods(7, 30).word, PublishPeriods(1, 30).word
        ('period', 'slot')
        """
        return "slot" if self.length == 1 else "period"

    def first_of(self, slot: int) -> int:
        """The first slot of the period that holds `slot`."""
        return slot // self.length * self.length

    def last_of(self, slot: int) -> int:
        """The last slot of the period that holds `slot`."""
        return min(self.first_of(slot) + self.length, self.slots) - 1

    def last_complete(self, slot: int) -> int:
        """The last slot of the last period that is over when `slot` is; −1 when none is.

        >>> weeks = PublishPeriods(length=7, slots=30)
        >>> weeks.last_complete(5), weeks.last_complete(6), weeks.last_complete(28), weeks.last_complete(29)
        (-1, 6, 27, 29)
        """
        slot = min(slot, self.slots - 1)
        return slot if slot < 0 or self.last_of(slot) == slot else self.first_of(slot) - 1


def whole_slots(text: str, slot: SlotLength) -> int | None:
    """How many slots a time such as "7d" has, counting every day as 24 hours; None when they do not make it up.

    >>> whole_slots("7d", SlotLength(15, "m")), whole_slots("36h", SlotLength(1, "d"))
    (672, None)
    """
    match = LENGTH.fullmatch(text)
    if match is None:
        return None
    slots, rest = divmod(int(match[1]) * SECONDS[match[2]], slot.seconds)
    return None if rest else slots


def results_told(publish: int, slot: SlotLength) -> list[tuple[str, str]]:
    """A label and a sentence on when results appear, where that is not after every slot.

    >>> results_told(7, SlotLength(1, "d"))
    [('results', 'are published once every 7 days; nothing is shown of a shorter time')]
    """
    if publish == 1:
        return []
    return [("results", f"are published {how_often(publish, slot)}; nothing is shown of a shorter time")]


def how_often(publish: int, slot: SlotLength) -> str:
    """How often results are published.

    >>> how_often(7, SlotLength(1, "d")), how_often(1, SlotLength(1, "h"))
    ('once every 7 days', 'once every hour')
    """
    return f"once every {slot.lasting(publish).removeprefix('1 ')}"
