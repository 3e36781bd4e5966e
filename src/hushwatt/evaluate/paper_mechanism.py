"""The paper's estimator and decision as it prints them, and one more unsound rule: for comparison only.

Nothing here keeps a promise.  The printed decision looks at the true bits, the
printed estimator is biased, and a plan can name neither.  They are drawn with
the shipped laws and encoders, so that what differs from hushwatt is what the
paper says, and nothing else.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from math import exp
from typing import Self

import numpy as np
from numpy.typing import NDArray

from hushwatt.fleet.simulate import simulate
from hushwatt.household.report.levels import Levels, Watts
from hushwatt.household.report.randomise import laws_of, randomise
from hushwatt.household.report.report import levels_of
from hushwatt.plan.amounts import MICRO
from hushwatt.plan.plan import Plan
from hushwatt.privacy.decide import change_threshold
from hushwatt.privacy.entropy import Source
from hushwatt.privacy.kernels import Rows
from hushwatt.privacy.strategies import STRATEGIES, Cohorts, Strategy
from hushwatt.provider.tally.tally import Tallies, group_rows, tally_rows
from hushwatt.wire.payload import Layout

Numbers = NDArray[np.float64]
Amounts = NDArray[np.int64]


@dataclass(frozen=True)
class HalvingDistribute(Strategy):
    """LBD as printed: every publication takes half of what is left, however little that is.

    >>> slot = HalvingDistribute.start(epsilon=80, window=3)
    >>> slot.offer(), slot.after(True).offer(), slot.after(True).after(True).offer()
    (20, 10, 5)
    """

    half: int
    window: int
    recent: tuple[int, ...]

    @classmethod
    def start(cls, epsilon: int, window: int) -> Self:
        return cls(epsilon // 2, window, recent=(0,) * (window - 1))

    @property
    def probe(self) -> int:
        return self.half // self.window

    @property
    def largest(self) -> int:
        return self.half // 2

    @property
    def smallest(self) -> int:
        return 1

    def offer(self) -> int:
        return (self.half - sum(self.recent)) // 2

    def after(self, published: bool) -> Self:
        return replace(self, recent=(*self.recent, self.offer() if published else 0)[1:])

    def ceiling(self, window: int) -> int:
        return window * self.probe + -(-window // self.window) * self.half


@dataclass(frozen=True)
class DecisionInputs:
    """What a rule can look at in one slot, the truth included: a sound rule must look at less."""

    layout: Layout
    truth: Rows
    probes: Rows
    candidates: Rows
    releases: Rows  # all 0 before the first
    change_threshold: Amounts  # the public error of each candidate, in cells
    first: NDArray[np.bool_]  # homes that never published


Rule = Callable[[DecisionInputs], NDArray[np.bool_]]


def peeking_rule(inputs: DecisionInputs) -> NDArray[np.bool_]:
    """The printed decision: the probe is further from the release than the candidate is from the truth."""
    error = inputs.layout.differences(inputs.candidates, inputs.truth)
    return inputs.layout.differences(inputs.probes, inputs.releases) > error


def release_rule(inputs: DecisionInputs) -> NDArray[np.bool_]:
    """Private, but biased: the probe is further from the release than a candidate is expected to be off."""
    return (inputs.layout.differences(inputs.probes, inputs.releases) > inputs.change_threshold) | inputs.first


def printed_start(plan: Plan) -> Strategy:
    """The strategy of a home that follows the paper, at its first slot."""
    strategy = HalvingDistribute if plan.method == "lbd" else STRATEGIES[plan.method]
    return strategy.start(plan.epsilon, plan.window)


def collect(plan: Plan, watts: Iterable[Watts], homes: int, source: Source) -> Tallies:
    """The reports of a collection as the paper does it: the printed decision under LBD and LBA."""
    if plan.decision != "household":
        return simulate(plan, watts, homes, source)
    return collect_by(peeking_rule, printed_start(plan), plan, watts, homes, source)


def collect_by(rule: Rule, start: Strategy, plan: Plan, watts: Iterable[Watts], homes: int, source: Source) -> Tallies:
    """The reports of homes that decide by `rule`; those that never published are left out.

    The paper lets them send an all-zero vector, which adds nothing to a sum.
    """
    layout, tallies = Layout.of(plan), Tallies(homes, {})
    strategies, probe = Cohorts.alike(start, homes), start.probe
    releases = np.zeros((homes, layout.size), dtype=np.uint8)
    drawn, as_of = np.zeros(homes, dtype=np.int64), np.zeros(homes, dtype=np.int64)
    for slot, now in enumerate(watts):
        levels = levels_of(plan, slot, now, source)
        offers = strategies.offers()
        candidates = _draw(layout, levels, offers, source, "candidate", slot)
        inputs = DecisionInputs(
            layout=layout,
            truth=layout.pack_answers(levels),
            probes=_draw(layout, levels, np.full(homes, probe), source, "probe", slot),
            candidates=candidates,
            releases=releases,
            change_threshold=strategies.each(
                lambda state: change_threshold(laws_of(layout, state.offer())) if state.offer() else 0
            ),
            first=drawn == 0,
        )
        published = rule(inputs) & (offers > 0)
        releases = np.where(published[:, None], candidates, releases)
        drawn, as_of = np.where(published, offers, drawn), np.where(published, slot, as_of)
        strategies = strategies.after(published)
        sent = np.flatnonzero(drawn)
        slots, rounds = np.full(len(sent), slot), np.zeros(len(sent), dtype=np.int64)
        for key, rows in group_rows(slots, rounds, as_of[sent], drawn[sent]):
            tallies.add(key, tally_rows(layout, releases[sent][rows]))
    return tallies


def _draw(layout: Layout, levels: Levels, amounts: Amounts, source: Source, *labels: int | str) -> Rows:
    """A payload for every home with the amount on offer; nothing where that is 0."""
    payloads = np.zeros((len(levels), layout.size), dtype=np.uint8)
    for amount in np.unique(amounts[amounts > 0]).tolist():
        rows = amounts == amount
        payloads[rows] = randomise(layout, levels[rows], None, amount, source.stream(*labels, amount))
    return payloads


def printed_counts(plan: Plan, tallies: Tallies) -> Numbers:
    """Homes at every level in every slot as the paper estimates them: (y − d·q)/(p − q), q = 1/(1 + e^ε).

    d is the number of levels where the number of reports belongs, and q that of the whole budget
    where the report was drawn with a small part of it.
    """
    sums = np.zeros((max(key.slot for key in tallies.groups) + 1, plan.width))
    for key, tally in tallies.groups.items():
        sums[key.slot] += tally.counts
    rise = 1 / (1 + exp(plan.epsilon / MICRO))
    return (sums - np.repeat(plan.widths, plan.widths) * rise) / (0.5 - rise)


def printed_totals(plan: Plan, counts: Numbers) -> Numbers:
    """Each appliance's energy as the paper adds it up: a level's watts times its homes, over all slots."""
    values = np.concatenate([appliance.values for appliance in plan.appliances])
    starts = np.cumsum([0, *plan.widths[:-1]])
    return np.add.reduceat(counts.sum(axis=0) * values, starts)
