"""Shares of homes as JSON: where levels tell them with `share` and `ci95`, else `bounds` and the levels that would."""

from collections.abc import Callable
from typing import Any

from hushwatt.provider.estimate.homes_above.homes_above import ApplianceAbove, HomesAbove, ShareAbove

Asked = tuple[HomesAbove, ...]


def above_in_period(asked: Asked, name: str) -> dict[str, Any]:
    """One appliance over the period, and at some time of a day."""
    return _document(asked, name, lambda each: each.period, in_a_day=True)


def above_in_fold(asked: Asked, name: str, key: str) -> dict[str, Any]:
    """One appliance at one key of a fold."""
    return _document(asked, name, lambda each: each.by_fold[key])


def above_in_slot(asked: Asked, name: str, row: int) -> dict[str, Any]:
    """One appliance in one slot."""
    return _document(asked, name, lambda each: each.by_slot[row])


def _document(
    asked: Asked, name: str, pick: Callable[[ApplianceAbove], ShareAbove | None], in_a_day: bool = False
) -> dict[str, Any]:
    """`above` has each number of watts that was asked for, `using` anything above the lowest level."""
    document: dict[str, Any] = {}
    for homes in asked:
        each = homes.by_appliance[name]
        if (share := pick(each)) is None:
            continue
        day = {"in_a_day_bounds": [each.in_a_day.low, each.in_a_day.high]} if in_a_day and each.in_a_day else {}
        if homes.watts is None:
            document["using"] = _share(each, share) | day
        else:
            document.setdefault("above", []).append(_share(each, share) | day)
    return document


def _share(each: ApplianceAbove, share: ShareAbove) -> dict[str, Any]:
    limits = [share.low, share.high]
    if share.share is None:
        return {"watts": each.watts, "bounds": limits, "needs": each.needs}
    return {"watts": each.watts, "share": share.share, "ci95": limits}
