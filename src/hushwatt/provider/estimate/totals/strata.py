"""Post-stratification: every kind of homes stands for the customers of its kind, however many of them take part.

A kind without an answer is not taken apart from others: its customers are estimated from the homes that have the same
labels but the last one, if these are answered, and so on up to all homes.  Nothing but published groups is used.
Kinds err apart; borrowed ones may err with those that they hold, which is allowed for in full.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from hushwatt.errors import UsageError
from hushwatt.provider.estimate.answer_errors import AnswerShares
from hushwatt.provider.estimate.appliance_series import ApplianceSeries, MeanOf
from hushwatt.provider.estimate.array_types import Floats
from hushwatt.provider.estimate.collected import CollectedSlots
from hushwatt.provider.estimate.measuring_mean import Tails
from hushwatt.provider.estimate.period import PeriodMean
from hushwatt.provider.estimate.totals.customers import Customers
from hushwatt.provider.tally.labels import group_name

Labels = Mapping[str, str]
KindOf = Callable[[Labels], CollectedSlots]


@dataclass(frozen=True)
class WeightedSeries:
    """What one kind of homes says of an appliance, and how much of all customers it stands for."""

    series: ApplianceSeries
    weight: float
    borrowed: bool  # for customers of a smaller kind that has no answer


@dataclass(frozen=True)
class Strata:
    """The kinds of homes behind all customers."""

    whole: CollectedSlots
    kind_of: KindOf  # the homes with some labels, as far as these are published
    customers: Customers
    weight: Floats  # of each row in the period
    mean_of: MeanOf

    def combined(self) -> CollectedSlots:
        """All customers, as if they were homes that were asked; appliances that nobody answers for have no period."""
        names = [name for name, each in self.whole.series.items() if each.period]
        series = {
            name: _combined(self.whole.series[name], self._weighted(name), self.mean_of) if name in names else each
            for name, each in self.whole.series.items()
        }
        return replace(self.whole, homes=self.customers.homes, series=series)

    def borrowed(self) -> dict[str, str]:
        """The kinds without an answer about some appliance, and whom they were estimated from."""
        found = {}
        for labels, _ in self.customers.kinds:
            for name in self.whole.known:
                if (used := self._answering(name, labels)) != labels:
                    found[group_name(labels)] = group_name(used) or "all homes"
        return found

    @cached_property
    def _kinds(self) -> dict[tuple[tuple[str, str], ...], CollectedSlots | None]:
        return {}

    def _kind(self, labels: Labels) -> CollectedSlots | None:
        """The homes with these labels, about all customers who have them; None where no home has one of them."""
        key = tuple(labels.items())
        if key not in self._kinds:
            self._kinds[key] = self._about_customers(labels)
        return self._kinds[key]

    def _about_customers(self, labels: Labels) -> CollectedSlots | None:
        try:
            kind = self.kind_of(labels) if labels else self.whole
        except UsageError:  # no home that takes part has that value
            return None
        count, homes = self.customers.with_labels(labels), int(kind.slot_homes[kind.timeline.requested].max(initial=0))
        if labels and count < homes:
            raise UsageError(
                f"customers with {group_name(labels)} are {count:,}, but {homes:,} homes take part; give all customers"
            )
        return kind.weighted(self.weight, count, self.mean_of)

    def _answering(self, name: str, labels: Labels) -> Labels:
        """The labels, as many as it takes, of the closest homes that are answered."""
        for count in range(len(labels), 0, -1):
            wider = dict(list(labels.items())[:count])
            kind = self._kind(wider)
            if kind is not None and kind.series[name].period is not None:
                return wider
        return {}

    def _weighted(self, name: str) -> list[WeightedSeries]:
        parts = []
        for labels, count in self.customers.kinds:
            used = self._answering(name, labels)
            kind = self._kind(used)
            if count and kind is not None:
                parts.append(WeightedSeries(kind.series[name], count / self.customers.homes, used != labels))
        return parts


def _combined(whole: ApplianceSeries, parts: Sequence[WeightedSeries], mean_of: MeanOf) -> ApplianceSeries:
    """The mean over all kinds, each with its weight, with the errors of a sum."""
    weights, factors = np.array([each.weight for each in parts]), _factors(parts)
    period = _period([each.series.period for each in parts if each.series.period], weights, factors)
    if whole.mean is None:
        return replace(whole, period=period)
    told = [each.series.answers for each in parts if each.series.answers]
    answers = AnswerShares(
        share=_sum(weights, [each.share for each in told]),
        errors=told[0].errors,
        covariance=_sum(factors, [each.covariance for each in told]),
    )
    tails = Tails.of(whole.plan, whole.number, answers.share[0], answers.covariance[0])
    mean = mean_of(whole.plan, whole.number, answers, tails)
    return replace(whole, period=replace(period, watts=float(mean.watts[0])), answers=answers, mean=mean)


def _factors(parts: Sequence[WeightedSeries]) -> Floats:
    """What every part's variance counts as in the sum's.

    Kinds that stand for themselves err apart: Σ w²·V.  Borrowed ones may err together with them and with each other;
    for any t > 0 the variance of a sum is at most (1 + t) and (1 + 1/t) times those of its parts.
    """
    weights, borrowed = np.array([each.weight for each in parts]), np.array([each.borrowed for each in parts])
    errors = np.sqrt([each.series.period.watts_variance if each.series.period else 0.0 for each in parts])
    own = float(np.sqrt(((weights * errors)[~borrowed] ** 2).sum()))
    other, share = float((weights * errors)[borrowed].sum()), float(weights[borrowed].sum())
    if not borrowed.any():
        return np.asarray(weights**2)
    ratio = other / own if own > 0 and other > 0 else 1.0
    more = (1 + ratio, 1 + 1 / ratio) if (~borrowed).any() else (1.0, 1.0)
    return np.where(borrowed, more[1] * weights * share, more[0] * weights**2)


def _period(periods: Sequence[PeriodMean], weights: Floats, factors: Floats) -> PeriodMean:
    return PeriodMean(
        share=_sum(weights, [each.share for each in periods]),
        share_variance=_sum(factors, [each.share_variance for each in periods]),
        watts=float(_sum(weights, [each.watts for each in periods])),
        watts_variance=float(_sum(factors, [each.watts_variance for each in periods])),
        watts_slope=float(_sum(factors, [each.watts_slope for each in periods])),
        watts_jump=float(max(weights * [each.watts_jump for each in periods])),
        watts_above=float(_sum(weights, [each.watts_above for each in periods])),
        watts_sampling=float(_sum(factors, [each.watts_sampling for each in periods])),
        sampling=float(_sum(factors, [each.sampling for each in periods])),
    )


def _sum(weights: Floats, values: Sequence[Floats | float]) -> Floats:
    return np.asarray(sum(weight * np.asarray(each) for weight, each in zip(weights.tolist(), values, strict=True)))
