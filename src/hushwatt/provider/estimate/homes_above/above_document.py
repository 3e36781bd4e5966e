"""Shares of homes as JSON: where levels tell them with `share` and `ci95`, else `bounds` and the levels that would."""

from typing import Any

from hushwatt.provider.estimate.homes_above.homes_above import ApplianceAbove, HomesAbove, ShareAbove

Asked = tuple[HomesAbove, ...]


def above_key(homes: HomesAbove) -> str:
    """`above` for a number of watts, `using` for anything above the lowest level."""
    return "using" if homes.watts is None else "above"


def above_in_period(asked: Asked, name: str) -> dict[str, Any]:
    """One appliance over the period, and at some time of a day."""
    document = {}
    for homes in asked:
        each = homes.by_appliance[name]
        if each.period is not None:
            day = {} if each.in_a_day is None else {"in_a_day_bounds": [each.in_a_day.low, each.in_a_day.high]}
            document[above_key(homes)] = _share(each, each.period) | day
    return document


def above_in_fold(asked: Asked, name: str, key: str) -> dict[str, Any]:
    """One appliance at one key of a fold."""
    return {
        above_key(homes): _share(each, share)
        for homes in asked
        if (share := (each := homes.by_appliance[name]).by_fold[key]) is not None
    }


def above_in_slot(asked: Asked, name: str, row: int) -> dict[str, Any]:
    """One appliance in one slot."""
    return {
        above_key(homes): _share(each, share)
        for homes in asked
        if (share := (each := homes.by_appliance[name]).by_slot[row]) is not None
    }


def _share(each: ApplianceAbove, share: ShareAbove) -> dict[str, Any]:
    limits = [share.low, share.high]
    if share.share is None:
        return {"watts": each.watts, "bounds": limits, "needs": each.needs}
    return {"watts": each.watts, "share": share.share, "ci95": limits}
