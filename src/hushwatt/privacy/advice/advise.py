"""The search: every oracle, number of appliances and way through time, with the best levels for each.

Only closed forms, nothing is simulated and no home is looked at.  The promise stays the
plan's: ε for the home in any w slots, and a cap on what one appliance spends of it.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import product

import numpy as np

from hushwatt.errors import UsageError
from hushwatt.plan.appliance import Appliance
from hushwatt.plan.choices import METHODS
from hushwatt.plan.plan import Plan
from hushwatt.privacy.advice.answered import answered
from hushwatt.privacy.advice.candidate import Candidate
from hushwatt.privacy.advice.expected import Values, noise_of_mean, spread
from hushwatt.privacy.advice.judge import draws_in_period, judged, moving_the_mean
from hushwatt.privacy.advice.prior import Prior, prior_of
from hushwatt.privacy.advice.tops import levels_up_to
from hushwatt.privacy.laws import LAWS, Law, law_for
from hushwatt.privacy.strategies import STRATEGIES, rules_of, strategy_for

GOALS = ("watts", "ranking", "histogram")
ABOUT = 0.001  # two chances of the right order that are no different
COUNTS = (2, 3, 4, 5, 6, 8, 10)
LOSSES = (0.005, 0.01, 0.02, 0.05, 0.1, 0.15)  # of the mean, to clipping: a lower top saves much noise
BENDS = (1.0, 1.5, 2.0)  # 1: evenly spaced; above: closer together near 0
LONGEST_CHAIN = 8  # windows up to which the paper's adaptive method is followed slot by slot
MOST_HOMES = 10**9


@dataclass(frozen=True)
class Advice:
    """The paper's mechanism beside the two best for the same protection."""

    goal: str
    homes: int
    slots: int
    paper: Candidate
    best: Candidate
    runner_up: Candidate

    def homes_with_new_levels(self, share: float) -> int | None:
        """How many homes put a middling mean within ±`share`, 19 times in 20, with levels chosen for so many.

        The mechanism stays the best one's; None when no number of homes does.
        """
        few, many = 1.0, float(MOST_HOMES)
        for _ in range(40):
            middle = (few * many) ** 0.5
            few, many = (few, middle) if self._enough(round(middle), share) else (middle, many)
        return round_up(many) if self._enough(round_up(many), share) else None

    def _enough(self, homes: int, share: float) -> bool:
        chosen = with_tops(self.best.plan, self.best.priors, homes, self.slots)
        needed = judged(chosen, self.best.priors, homes, self.slots).homes_needed(share)
        return needed is not None and needed <= homes


def advise(
    plan: Plan,
    homes: int,
    slots: int = 30,
    goal: str = "watts",
    cap: int | None = None,
    learnt: Mapping[str, Prior] | None = None,
) -> Advice:
    """Search for the plan with the smallest expected error; `cap` is an appliance's ε in millionths.

    The goal is means of real watts with intervals that hold (`watts`), the order of appliances (`ranking`), or the
    levels in each slot (`histogram`).  `learnt` is prior knowledge by appliance that counts for more than the plan's.
    Only among plans under which enough homes speak of every appliance for an answer: in each slot for
    histograms, else over all slots; among all, where no plan has enough.
    """
    if homes < 1 or slots < 1:
        raise UsageError(f"advice needs at least one home and one slot, not {homes} and {slots}")
    if goal not in GOALS:
        raise UsageError(f"the goal is {goal}; it must be one of {', '.join(GOALS)}")
    known = learnt or {}
    priors = tuple(known.get(each.name) or prior_of(plan, each) for each in plan.appliances)
    told_in = 1 if goal == "histogram" else slots
    every = list(variants(plan, homes, cap, slots))
    tried = [variant for variant in every if answered(variant, homes, told_in)] or every
    best, runner_up = SEARCHES[goal](tried, priors, homes, slots)
    return Advice(goal, homes, slots, judged(paper_plan(plan), priors, homes, slots), best, runner_up)


def _best_watts(tried: list[Plan], priors: tuple[Prior, ...], homes: int, slots: int) -> tuple[Candidate, Candidate]:
    """The least interval score of real means, with the top that suits each law and number of reports."""
    found = [judged(with_tops(variant, priors, homes, slots), priors, homes, slots) for variant in tried]
    best, runner_up = (sorted(found, key=lambda one: one.score) * 2)[:2]
    return best, runner_up


def _best_ranking(tried: list[Plan], priors: tuple[Prior, ...], homes: int, slots: int) -> tuple[Candidate, Candidate]:
    """The best order of the means."""
    found = [best_order(_with_losses(variant, priors, homes, slots)) for variant in tried]
    best = best_order(found)
    return best, best_order([one for one in found if one is not best] or found)


def _best_histogram(
    tried: list[Plan], priors: tuple[Prior, ...], homes: int, slots: int
) -> tuple[Candidate, Candidate]:
    """The least error of a level in a slot; the levels stay as they are."""
    found = [judged(with_knowledge(variant, priors), priors, homes, slots) for variant in tried]
    best, runner_up = (sorted(found, key=lambda one: one.cell_variance) * 2)[:2]
    return best, runner_up


Search = Callable[[list[Plan], tuple[Prior, ...], int, int], tuple[Candidate, Candidate]]
SEARCHES: dict[str, Search] = {"watts": _best_watts, "ranking": _best_ranking, "histogram": _best_histogram}


def with_tops(plan: Plan, priors: tuple[Prior, ...], homes: int, slots: int) -> Plan:
    """The plan with three dithered levels for each appliance, up to the top that suits it."""
    law = law_for(plan.oracle, strategy_for(plan).largest, plan.appliances_per_report, 3 + plan.answers_unmeasured)
    noise = _noise_per_watt(law) / draws_in_period(plan, homes, slots) ** 0.5
    chosen = tuple(
        _with_values(each, levels_up_to(prior.best_top(noise / prior.measured)), prior)
        for each, prior in zip(plan.appliances, priors, strict=True)
    )
    return replace(plan, mapping="dither", appliances=chosen)


def with_knowledge(plan: Plan, priors: tuple[Prior, ...]) -> Plan:
    """The plan with what is thought of each appliance written into it."""
    known = zip(plan.appliances, priors, strict=True)
    said = (replace(each, typical_mean=shown(prior.mean), typical_high=shown(prior.high)) for each, prior in known)
    return replace(plan, appliances=tuple(said))


def _noise_per_watt(law: Law) -> float:
    """The standard error that one answer adds to a mean, for each watt of the top."""
    hold, rise = float(law.hold), float(law.rise)
    return float((rise * (1 - rise)) ** 0.5 / (hold - rise))


def _with_values(appliance: Appliance, values: tuple[float, ...], prior: Prior) -> Appliance:
    mean, high = shown(prior.mean), shown(prior.high)
    return Appliance.of(appliance.name, values=values, mapping="dither", typical_mean=mean, typical_high=high)


def best_order(found: list[Candidate]) -> Candidate:
    """Of those that get the order right about equally often, the one with the smallest error."""
    best = max(one.right_order for one in found)
    return min((one for one in found if one.right_order > best - ABOUT), key=lambda one: one.squared_error)


def methods(plan: Plan, homes: int, slots: int) -> list[str]:
    """Ways through time that measure every time of the day and of the week that the period contains.

    Only those in which nobody decides; each method says for itself how many homes it needs.
    """
    undecided = [name for name in reversed(STRATEGIES) if METHODS[name].decided_by is None]
    tried = [replace(plan, method=name, decision=None) for name in undecided]
    return [one.method for one in tried if rules_of(one).advised(one, homes, slots)]


def variants(plan: Plan, homes: int, cap: int | None, slots: int = 30) -> Iterator[Plan]:
    """The plan with every oracle, number of appliances in a report, and way through time."""
    for method, oracle, asked in product(methods(plan, homes, slots), LAWS, range(1, len(plan.appliances) + 1)):
        yield replace(
            plan, method=method, decision=None, oracle=oracle, appliances_per_report=asked, appliance_epsilon=cap
        )


def paper_plan(plan: Plan) -> Plan:
    """The same collection as the paper would do it: all appliances, ranges, OUE, budgets over time."""
    method = "lba" if rules_of(plan).population else plan.method
    if METHODS[method].decided_by and plan.window > LONGEST_CHAIN:
        method = "lbu"
    return replace(
        plan,
        method=method,
        decision=METHODS[method].decided_by,
        oracle="oue",
        appliances_per_report=len(plan.appliances),
        mapping="range",
        appliance_epsilon=None,
        appliances=tuple(_in_ranges(appliance) for appliance in plan.appliances),
    )


def _in_ranges(appliance: Appliance) -> Appliance:
    if appliance.edges is not None:
        return Appliance.of(appliance.name, edges=appliance.edges)
    return Appliance.of(appliance.name, values=appliance.values)


def _with_losses(plan: Plan, priors: tuple[Prior, ...], homes: int, slots: int) -> list[Candidate]:
    """The plan with dithered levels that suit its law, for every loss to clipping."""
    drawn = strategy_for(plan).largest
    chosen = [
        tuple(
            _best_levels(plan, appliance, prior, drawn, loss)
            for appliance, prior in zip(plan.appliances, priors, strict=True)
        )
        for loss in LOSSES
    ]
    return [judged(replace(plan, mapping="dither", appliances=one), priors, homes, slots) for one in chosen]


def _best_levels(plan: Plan, appliance: Appliance, prior: Prior, drawn: int, loss: float) -> Appliance:
    """The number and the spacing of levels with the least variance."""
    best, least = np.empty(0), np.inf
    for count in COUNTS:
        values, shares = level_choices(prior, count, loss)
        law = law_for(plan.oracle, drawn, plan.appliances_per_report, count + plan.answers_unmeasured)
        worth, held = moving_the_mean(plan, prior, values, shares)
        errors = noise_of_mean(law, worth, held) + spread(worth, held)
        if errors.min() < least:
            least, best = float(errors.min()), values[int(errors.argmin())]
    return _with_values(appliance, tuple(best.tolist()), prior)


@cache
def level_choices(prior: Prior, count: int, loss: float) -> tuple[Values, Values]:
    """Values from 0 up to where the mean loses `loss` of itself, and the shares thought to hold each, dithered.

    A row for each spacing.  All appliances lose the same share of their mean to clipping, so that their order
    and their shares stay what they were.
    """
    bends = BENDS if count > 2 else BENDS[:1]
    values = np.array([rounded(prior.top(loss) * np.linspace(0, 1, count) ** bend) for bend in bends])
    return values, np.array([prior.dithered(row) for row in values])


def rounded(values: Values) -> Values:
    """Watts to three digits, as people write them.

    >>> rounded(np.array([0, 12.3456, 2468.0]))
    array([   0. ,   12.3, 2470. ])
    """
    return np.array([float(f"{value:.3g}") for value in values])


def round_up(homes: float) -> int:
    """A number of homes to two digits, never less.

    >>> round_up(13206.4), round_up(99.0)
    (14000, 99)
    """
    step = 10 ** max(int(np.floor(np.log10(homes))) - 1, 0)
    return int(np.ceil(homes / step) * step)


def shown(watts: float) -> float:
    """Watts to four digits: prior knowledge is no better.

    >>> shown(48.76923), shown(7.9)
    (48.77, 7.9)
    """
    return float(f"{watts:.4g}")
