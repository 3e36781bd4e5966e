"""Estimates as the JSON that `hushwatt estimate --json` prints and the service answers with."""

from math import isnan
from typing import Any

from hushwatt.plan.plan import Plan
from hushwatt.plan.times import show_instant
from hushwatt.provider.estimate.caveats import unmeasured_times
from hushwatt.provider.estimate.homes_above.above_document import (
    Asked,
    above_in_fold,
    above_in_period,
    above_in_slot,
)
from hushwatt.provider.estimate.measuring_mean import is_plain
from hushwatt.provider.estimate.results import Estimates, FoldEstimates, GroupEstimates, PeriodEstimates, SlotEstimates
from hushwatt.provider.estimate.totals.totals_document import appliance_totals, peak_document, totals_document

Document = dict[str, Any]
TOP_COUNTS = (1, 3, 5, 10)  # how sure it is that an appliance is among so many
WITHHELD = "enough of its homes reported, but the answer would give away a group of too few"
MEANS = ("mean_watts", "mean_watts_se", "ci95", "measured", "measured_ci95", "clipped", "above_top")


def document(estimates: Estimates) -> Document:
    """Everything as plain numbers, texts, lists and dictionaries."""
    slots = [slot_document(estimates, index) for index in range(len(estimates.slots))]
    return document_around(estimates, slots)


def document_around(estimates: Estimates, slots: list[Document]) -> Document:
    """The same around slots that have been told, or that are to stand there later."""
    return {
        **_head(estimates),
        **({"smoothed": True} if estimates.smoothed else {}),
        "slots": slots,
        "appliances": _periods(estimates) if estimates.answered else {},
        **totals_document(estimates.totals),
        **({"folds": [_fold(each, estimates.above) for each in estimates.folds]} if estimates.folds else {}),
        **peak_document(estimates.peak),
        **({"groups": {each.name: group_document(each) for each in estimates.groups}} if estimates.groups else {}),
        "top": list(estimates.top),
        **_caveats(estimates),
    }


def _fold(fold: FoldEstimates, above: Asked) -> Document:
    """All slots of one hour, weekday, hour of the week or month; an appliance that too few homes spoke of is null."""
    periods = {
        name: _period(period) | appliance_totals(fold.totals, name) | above_in_fold(above, name, fold.key)
        if period
        else None
        for name, period in fold.by_period.items()
    }
    influence = {} if fold.influence is None else {"influence": fold.influence}
    return {"key": fold.key, "slots": fold.slots, "appliances": periods, **totals_document(fold.totals), **influence}


def group_document(group: GroupEstimates) -> Document:
    """The homes with the same labels; an appliance without an answer is null, and it says why."""
    head: Document = {"homes": group.homes}
    others = group.withheld_for_others
    if group.too_few:
        why = {"withheld": WITHHELD} if others else {"too_few_homes": too_few(*group.too_few)}
        return head | why
    withheld = {"withheld_for": list(others), "withheld": WITHHELD} if others else {}
    return {
        **head,
        **_too_few_for(group.too_few_for, group.need),
        **withheld,
        "appliances": {
            name: _period(period) | appliance_totals(group.totals, name) | above_in_period(group.above, name)
            if period
            else None
            for name, period in group.by_period.items()
        },
        **totals_document(group.totals),
        **({"folds": [_fold(each, group.above) for each in group.folds]} if group.folds else {}),
        "top": list(group.top),
    }


def top_document(estimates: Estimates, count: int) -> Document:
    """The `count` appliances with the most watts, best first: the same keys, without the slots."""
    top = estimates.top[:count]
    periods = _periods(estimates)
    best = {name: periods[name] for name in top}
    totals = totals_document(estimates.totals)
    return {**_head(estimates), "appliances": best, **totals, "top": list(top), **_caveats(estimates)}


def means_document(estimates: Estimates) -> Document:
    """The mean watts of every appliance over the whole time, their limits, and of how many published periods they are.

    It is what homes are shown.
    """
    shown = _periods(estimates) if estimates.answered else {}
    counted = {name: {"counted": int(each.counted.sum())} for name, each in estimates.by_slot.items()}
    means = {
        name: each and {key: each[key] for key in MEANS if key in each} | counted[name] for name, each in shown.items()
    }
    return {**_head(estimates), "appliances": means}


def _head(estimates: Estimates) -> Document:
    """Whose estimates these are, and whether there are any."""
    head: Document = {"plan": estimates.plan.id, "homes": estimates.homes}
    head |= {"slots_unpublished": estimates.unpublished} if estimates.unpublished else {}
    need = estimates.plan.minimum_homes
    if not estimates.answered:
        return head | {"too_few_homes": too_few(estimates.heard, need)}
    missing = {"slots_left_out": estimates.left_out} if estimates.left_out else {}
    return head | _too_few_for(estimates.withheld, need) | _too_few_measure(estimates) | missing


def too_few(have: int, need: int) -> dict[str, int]:
    """What stands where an answer would be if more homes had reported."""
    return {"have": have, "need": need}


def _too_few_for(withheld: dict[str, int], need: int) -> Document:
    """What stands beside appliances that are null because too few homes spoke of them."""
    few = {name: too_few(have, need) for name, have in withheld.items()}
    return {"too_few_homes_for": few} if few else {}


def _too_few_measure(estimates: Estimates) -> Document:
    """What stands beside appliances that are null because hardly any home measures them."""
    few = {name: _measured(each.part, each.low, each.high) for name, each in estimates.too_few_measure.items()}
    return {"too_few_measure": few} if few else {}


def _measured(part: float, low: float, high: float) -> Document:
    return {"measured": part, "measured_ci95": [low, high]}


def slot_document(estimates: Estimates, index: int) -> Document:
    """One slot, or what is published together."""
    slot, need = estimates.slots[index], estimates.plan.minimum_homes
    document: Document = {
        "slot": slot.slot,
        **({"slots": slot.slots} if estimates.plan.publish != 1 else {}),
        "start": show_instant(slot.start),
        "as_of": slot.as_of,
        "reports": slot.reports,
    }
    if slot.homes != estimates.homes:
        document["homes"] = slot.homes
    if not slot.enough:
        return document | {"too_few_homes": too_few(slot.reports, need)}
    spoken = {name: int(each.speakers[index]) for name, each in estimates.by_slot.items()}
    few = {name: have for name, have in spoken.items() if 0 < have < need}
    shown = {name: _appliance_in_slot(each, index) for name, each in estimates.by_slot.items()}
    if estimates.plan.answers_unmeasured:
        shown = {
            name: each and each | _measured_in_slot(estimates.by_slot[name], index) for name, each in shown.items()
        }
    uneven = uneven_limits(estimates.plan)
    shown = {
        name: each | _watts_limits(estimates.by_slot[name], index) if each and name in uneven else each
        for name, each in shown.items()
    }
    if estimates.above:
        shown = {name: each and each | above_in_slot(estimates.above, name, index) for name, each in shown.items()}
    if estimates.smoothed:
        shown = {name: each and each | _smoothed(estimates.by_slot[name], index) for name, each in shown.items()}
    return document | {"appliances": shown} | _too_few_for(few, need)


def _appliance_in_slot(numbers: SlotEstimates, index: int) -> Document | None:
    """One appliance in one slot; None when nobody spoke of it, or too few homes."""
    if not numbers.known[index]:
        return None
    limits = zip(numbers.low[index].tolist(), numbers.high[index].tolist(), strict=True)
    return {
        "levels": numbers.levels[index].tolist(),
        "se": numbers.levels_se[index].tolist(),
        "ci95": [[low, high] for low, high in limits],
        "mean_watts": float(numbers.watts[index]),
        "mean_watts_se": float(numbers.watts_se[index]),
    }


def _measured_in_slot(numbers: SlotEstimates, index: int) -> Document:
    columns = (numbers.measured, numbers.measured_low, numbers.measured_high)
    return _measured(*(float(each[index]) for each in columns))


def uneven_limits(plan: Plan) -> set[str]:
    """The appliances whose watts in a slot have limits of their own: means among measuring homes, or real ones."""
    return {name for number, name in enumerate(plan.names) if not is_plain(plan, number)}


def _watts_limits(numbers: SlotEstimates, index: int) -> Document:
    return {"mean_watts_ci95": [float(numbers.watts_low[index]), float(numbers.watts_high[index])]}


def _smoothed(numbers: SlotEstimates, index: int) -> Document:
    """Whether the slot is smoothed or stands by itself, and the limits of its watts, which may be uneven."""
    return _watts_limits(numbers, index) | {"smoothed": bool(numbers.smoothed[index])}


def _caveats(estimates: Estimates) -> Document:
    """What one forging home counts as at most, and which times were never measured, where there is any."""
    caveats = {"influence": estimates.influence, "blind_spot": unmeasured_times(estimates)}
    return {name: value for name, value in caveats.items() if value is not None}


def _periods(estimates: Estimates) -> dict[str, Document | None]:
    """Every appliance, and how many forging homes put the next one in the order before it."""
    swaps = {name: {"swap_homes": homes} for name, homes in estimates.swap_homes.items()}
    return {
        name: _period(period)
        | appliance_totals(estimates.totals, name)
        | above_in_period(estimates.above, name)
        | swaps.get(name, {})
        if period
        else None
        for name, period in estimates.by_period.items()
    }


def _period(numbers: PeriodEstimates) -> Document:
    """One appliance: about real watts, and by how much at most these may be above the top, or about clipped ones."""
    part, low, high = numbers.measured, numbers.measured_low, numbers.measured_high
    asked = {} if part is None or low is None or high is None else _measured(part, low, high)
    return {
        "levels": numbers.levels.tolist(),
        "se": numbers.levels_se.tolist(),
        "mean_watts": numbers.watts,
        "mean_watts_se": numbers.watts_se,
        "ci95": [numbers.low, numbers.high],
        "share": None if isnan(numbers.share) else numbers.share,
        "share_ci95": [numbers.share_low, numbers.share_high],
        "rank": numbers.rank,
        "rank_ci95": [numbers.rank_best, numbers.rank_worst],
        "rank_marginal_ci95": [numbers.rank_best_alone, numbers.rank_worst_alone],
        "in_top": {str(count): numbers.sure_in_top(count) for count in TOP_COUNTS},
        **asked,
        **({"clipped": True} if numbers.clipped else {"above_top": numbers.above_top}),
    }
