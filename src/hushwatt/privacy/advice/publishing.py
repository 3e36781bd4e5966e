"""How often results can be published: as often as enough homes speak of every appliance in between."""

from collections.abc import Iterator
from dataclasses import replace

from hushwatt.plan.choices import METHODS
from hushwatt.plan.periods import whole_slots
from hushwatt.plan.plan import Plan
from hushwatt.privacy.advice.answered import answered
from hushwatt.privacy.strategies import STRATEGIES

TURNS = tuple(name for name, rules in STRATEGIES.items() if rules.population and not METHODS[name].decided_by)
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


def turns_if_published_less_often(plan: Plan, homes: int) -> Plan | None:
    """The plan with homes that take turns, all appliances in a report, and longer published periods.

    None where they could take turns as it is, or not even so.
    """
    asked = len(plan.appliances)
    found = published(replace(plan, method=TURNS[0], decision=None, appliances_per_report=asked), homes)
    return None if found is None or found.publish == plan.publish else found
