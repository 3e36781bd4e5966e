"""Contrasts as the JSON that `hushwatt compare --json` prints."""

from collections.abc import Sequence

from hushwatt.provider.estimate.collected import CollectedSlots
from hushwatt.provider.estimate.contrasts.contrast import Contrast, Contrasts
from hushwatt.provider.estimate.document import Document


def contrast_document(found: Contrasts, what: Sequence[str]) -> Document:
    """Both sides, or all four, and every appliance; an appliance without an answer on each side is null."""
    sides = [_side(name, side) for name, side in zip(what, found.sides, strict=True)]
    named = dict(zip(("a", "b"), sides, strict=False))
    return {
        "plan": found.sides[0].plan.id,
        **named,
        **({"versus": sides[2:]} if sides[2:] else {}),
        "appliances": {name: each and _contrast(each) for name, each in found.by_appliance.items()},
    }


def _side(what: str, side: CollectedSlots) -> Document:
    return {"what": what, "homes": side.homes, "slots": side.slots}


def _contrast(each: Contrast) -> Document:
    percent = None if each.percent_low is None else [each.percent_low, each.percent_high]
    return {
        "means": list(each.means),
        "difference": each.difference,
        "ci95": [each.low, each.high],
        "p": each.p,
        "p_adjusted": each.p_adjusted,
        "percent": each.percent,
        "percent_ci95": percent,
        "detectable": each.detectable,
    }
