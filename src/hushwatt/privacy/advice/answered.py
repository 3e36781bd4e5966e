"""Whether enough homes would speak of an appliance for an answer: the plan's minimum holds for each."""

from math import sqrt

from hushwatt.plan.plan import Plan
from hushwatt.privacy.rotation import distinct_span, has_turns
from hushwatt.privacy.strategies import rules_of

SURE = 3  # standard errors by which the homes that happen to be asked stay above the minimum


def answered(plan: Plan, homes: int, slots: int) -> bool:
    """Whether every appliance has an answer over `slots` slots.

    Slots with fewer homes than the minimum count together for as long as no home speaks twice
    (docs/proofs/minimum-of-homes.md).
    """
    heard, part = speaking(plan, homes, slots)
    speakers = heard * part
    return speakers - SURE * sqrt(speakers * (1 - part)) >= plan.minimum_homes


def speaking(plan: Plan, homes: int, slots: int = 1) -> tuple[float, float]:
    """How many homes speak in such a time, and which part of them of one appliance.

    >>> from hushwatt.plan.presets import preset
    >>> speaking(preset("advised"), homes=1000), speaking(preset("advised"), homes=1000, slots=2)
    ((333, 1.0), (666, 1.0))
    """
    span = min(slots, distinct_span(plan))
    heard = min(span, plan.window) * homes // plan.window if has_turns(plan) else homes
    turns = max(span // rules_of(plan).stride(plan.window), 1)
    return heard, min(1.0, turns * plan.appliances_per_report / len(plan.appliances))
