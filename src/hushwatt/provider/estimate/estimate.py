"""Tallies become estimates: unbiased, every number with its uncertainty.

What is estimated is what the homes held when they drew: how many at each level, and
their mean watts, on the watts that stand for the levels.  Where fewer homes than the
plan's minimum spoke of an appliance, there is no answer about it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from hushwatt.errors import UsageError
from hushwatt.plan.plan import Plan
from hushwatt.provider.estimate.appliance_series import ApplianceSeries
from hushwatt.provider.estimate.array_types import Mask
from hushwatt.provider.estimate.collected import CollectedCells, CollectedSlots
from hushwatt.provider.estimate.consistency import CONSISTENCIES, Consistency
from hushwatt.provider.estimate.influence import ForgeryInfluence
from hushwatt.provider.estimate.measuring_mean import measured_limits
from hushwatt.provider.estimate.ranking.covariance import CovarianceBounds, covariance_bounds
from hushwatt.provider.estimate.ranking.ranks import ranks
from hushwatt.provider.estimate.ranking.shares import shares
from hushwatt.provider.estimate.results import (
    Estimates,
    FoldEstimates,
    GroupEstimates,
    Measured,
    PeriodEstimates,
)
from hushwatt.provider.estimate.slot_estimates import requested_slots, slot_estimates, slot_summaries
from hushwatt.provider.estimate.smoothing.smooth import smooth as smoothed
from hushwatt.provider.estimate.smoothing.smoothed_estimates import smoothed_estimates
from hushwatt.provider.estimate.times.fold import fold_rows, hour_of
from hushwatt.provider.estimate.times.time_filter import TimeFilter
from hushwatt.provider.estimate.totals.board import BoardAnswers
from hushwatt.provider.estimate.totals.customers import Customers
from hushwatt.provider.estimate.totals.peak import peak_of
from hushwatt.provider.estimate.totals.totals import Totals
from hushwatt.provider.tally.tally import Tallies


def estimate(
    plan: Plan,
    tallies: Tallies,
    *,
    consistency: str = "norm-sub",
    smooth: bool = False,
    first: int | None = None,
    last: int | None = None,
    times: TimeFilter | None = None,
    fold: str | None = None,
    customers: Customers | int | None = None,
    above: Sequence[float | None] = (),
    by: Sequence[str] = (),
) -> Estimates:
    """Everything the tallies say about the slots `first` to `last`, both included.

    Where a plan publishes several slots together, each such period stands where a slot would, and only whole ones
    that have all their reports do.

    `consistency` is what is done to the histograms that are shown, and to nothing else.  With
    `smooth` every slot also learns from those before it; the period is not smoothed.

    Of these slots only those at certain `times` count, if so; and a `fold` takes those of the same hour, weekday, hour
    of the week or month together.  `by` labels of the homes, each combination of their values is answered by itself.
    With a number of `customers` there are totals of all of them too; and shares of homes are told `above` so many
    watts each, None for the lowest level.
    """
    cells = CollectedCells.of(plan, tallies, first, last, times)
    return estimate_collected(
        cells, consistency=consistency, smooth=smooth, fold=fold, by=by, customers=customers, above=above
    )


def estimate_collected(
    cells: CollectedCells,
    *,
    consistency: str = "norm-sub",
    smooth: bool = False,
    fold: str | None = None,
    customers: Customers | int | None = None,
    above: Sequence[float | None] = (),
    by: Sequence[str] = (),
) -> Estimates:
    """The same from what was collected in these slots already, for one question after another."""
    if consistency not in CONSISTENCIES:
        raise UsageError(f"consistency is {consistency!r}; choose one of {', '.join(CONSISTENCIES)}")
    show, plan, tallies = CONSISTENCIES[consistency], cells.grouped.plan, cells.tallies
    groups = cells.groups(by) if by else []
    collected = cells.whole()
    timeline, homes = collected.timeline, collected.slot_homes[:, None]
    series = list(collected.series.values())
    shown = [slot_estimates(each, homes, show) for each in series]
    if smooth:
        pairs = zip(series, smoothed(timeline, series), shown, strict=True)
        shown = [smoothed_estimates(*each, homes, show) for each in pairs]
    by_period, forgery = _period_answers(collected, show)
    rows = {} if fold is None else fold_rows(plan, timeline, fold)
    board = BoardAnswers.about(cells, customers, above)
    folded = {key: collected.only(mask) for key, mask in rows.items()}
    return Estimates(
        plan,
        tallies.homes,
        smooth,
        slot_summaries(plan, collected.arrays, timeline, collected.slot_homes),
        by_slot={name: requested_slots(each, timeline) for name, each in zip(plan.names, shown, strict=True)},
        by_period=by_period,
        influence=forgery.influence(),
        swap_homes=forgery.homes_to_swap({name: each.watts for name, each in by_period.items() if each}),
        unpublished=collected.unpublished,
        groups=tuple(group_estimates(labels, cells.only(labels), show, rows, board) for labels in groups),
        folds=tuple(
            fold_estimates(key, each, show, board.totals(each, hour_of(fold, key))) for key, each in folded.items()
        ),
        totals=board.totals(collected),
        peak=peak_of(folded) if folded else None,
        above=board.homes_above(collected, folded),
        too_few_measure={
            name: Measured(*measured_of(each)) for name, each in collected.series.items() if each.too_few_measure
        },
    )


def _period_answers(
    collected: CollectedSlots, show: Consistency
) -> tuple[dict[str, PeriodEstimates | None], ForgeryInfluence]:
    """All appliances over the period, compared with each other, and what a forging home could do to that."""
    plan, known, homes = collected.plan, collected.known, collected.homes
    forgery = ForgeryInfluence(plan, collected.timeline, homes)
    for name, each in known.items():
        forgery.add(name, each)
    return _periods(collected, show), forgery


def _periods(collected: CollectedSlots, show: Consistency) -> dict[str, PeriodEstimates | None]:
    """All appliances over the period, compared with each other."""
    plan, known, homes = collected.plan, collected.known, collected.homes
    bounds = covariance_bounds(plan, [each.compared for each in known.values()], collected.timeline, homes)
    return dict.fromkeys(plan.names) | period_estimates(known, bounds, homes, show)


def group_estimates(
    labels: dict[str, str],
    collected: CollectedSlots,
    show: Consistency,
    folds: Mapping[str, Mask],
    board: BoardAnswers | None = None,
) -> GroupEstimates:
    """The homes with these labels over the period, and over the rows of each fold."""
    need, heard = max(collected.plan.minimum_homes, 1), dict(collected.most or {})
    parts = {key: collected.only(rows) for key, rows in folds.items()}
    folded = tuple(FoldEstimates(key, each.slots, _periods(each, show)) for key, each in parts.items())
    group = GroupEstimates(labels, collected.homes, _periods(collected, show), heard, need, folded)
    if board is None or not group.answered:
        return group
    return replace(group, totals=board.totals_of_homes(collected), above=board.shares_of_homes(collected, parts))


def fold_estimates(key: str, collected: CollectedSlots, show: Consistency, totals: Totals) -> FoldEstimates:
    """The slots of one hour, weekday, hour of the week or month, as one period."""
    by_period, forgery = _period_answers(collected, show)
    return FoldEstimates(key, collected.slots, by_period, forgery.influence(), totals)


def period_estimates(
    known: dict[str, ApplianceSeries], bounds: CovarianceBounds, homes: int, show: Consistency
) -> dict[str, PeriodEstimates]:
    """The period of every appliance, compared with that of the others."""
    compared = [each.compared for each in known.values()]
    watts = np.array([period.watts for period in compared])
    limits = np.array([each.compared_limits for each in known.values()]).reshape(-1, 2)
    own_limits = np.array([each.limits for each in known.values()]).reshape(-1, 2)
    share = shares(watts, limits[:, 0], limits[:, 1], bounds)
    rank = ranks(watts, own_limits[:, 0], own_limits[:, 1], bounds)
    estimates = {}
    for row, (name, series) in enumerate(known.items()):
        period, levels = compared[row], slice(series.levels)
        estimates[name] = PeriodEstimates(
            levels=show(homes * period.share, homes)[levels],
            levels_se=(homes * np.sqrt(period.share_variance))[levels],
            unbiased=tuple((homes * period.share)[levels].tolist()),
            watts=period.watts,
            watts_se=float(np.sqrt(period.watts_variance) if series.mean is None else series.mean.noise[0]),
            low=series.limits[0],
            high=series.limits[1],
            share=float(share.share[row]),
            share_low=float(share.low[row]),
            share_high=float(share.high[row]),
            rank=int(rank.rank[row]),
            rank_best=int(rank.best[row]),
            rank_worst=int(rank.worst[row]),
            rank_best_alone=int(rank.best_alone[row]),
            rank_worst_alone=int(rank.worst_alone[row]),
            in_top=tuple(rank.in_top[row].tolist()),
            clipped=not series.real,
            above_top=series.above_top,
        )
        if series.plan.answers_unmeasured:
            part, low, high = measured_of(series)
            estimates[name] = replace(estimates[name], measured=part, measured_low=low, measured_high=high)
    return estimates


def measured_of(series: ApplianceSeries) -> tuple[float, float, float]:
    """The part of homes that measured an appliance over the period, and its 95 % limits."""
    assert series.answers is not None
    part, low, high = (float(each[0]) for each in measured_limits(series.answers))
    return part, low, high
