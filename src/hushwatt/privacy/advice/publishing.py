"""How often results can be published: as often as enough homes speak of every appliance in between."""

from collections.abc import Iterator
from dataclasses import replace

from hushwatt.plan.periods import whole_slots
from hushwatt.plan.plan import Plan
from hushwatt.privacy.advice.answered import answered

PERIODS = ("1h", "1d", "7d", "28d")  # those that people ask for; the last is four weeks


def published(plan: Plan, homes: int) -> Plan | None:
    """The plan, published as often as its minimum allows; None when not even four weeks are enough.

    Never more often than the plan has it.

    >>> from hushwatt.plan.presets import preset
    >>> yearly = replace(preset("advised"), window=365)
    >>> [found and found.publish for homes in (200_000, 20_000, 1_000) if (found := published(yearly, homes)) or True]
    [1, 7, None]
    """
    choices = (replace(plan, publish=slots) for slots in publish_choices(plan))
    return next((choice for choice in choices if answered(choice, homes, choice.publish)), None)


def publish_choices(plan: Plan) -> Iterator[int]:
    """What the plan has, then every longer period that whole slots make up, in slots."""
    yield plan.publish
    for period in PERIODS:
        slots = whole_slots(period, plan.slot)
        if slots is not None and plan.publish < slots <= plan.calendar.slots:
            yield slots
