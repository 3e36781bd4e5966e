"""The search: every oracle, number of appliances and way through time, with the best levels for each.

Only closed forms, nothing is simulated and no home is looked at.  The promise stays the
plan's: ε for the home in any w slots, and a cap on what one appliance spends of it.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from hushwatt.errors import UsageError
from hushwatt.plan.appliance import Appliance
from hushwatt.plan.choices import METHODS
from hushwatt.plan.plan import Plan
from hushwatt.privacy.advice.answered import answered
from hushwatt.privacy.advice.candidate import Candidate
from hushwatt.privacy.advice.judge import judged
from hushwatt.privacy.advice.level_choice import with_knowledge, with_tops
from hushwatt.privacy.advice.prior import Prior, prior_of
from hushwatt.privacy.advice.ranking import best_ranking
from hushwatt.privacy.laws import LAWS
from hushwatt.privacy.strategies import STRATEGIES, rules_of

GOALS = ("watts", "ranking", "histogram")
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
    Only among plans under which enough homes speak of every appliance for an answer: in each published period for
    histograms, else over all slots; among all, where no plan has enough.
    """
    if homes < 1 or slots < 1:
        raise UsageError(f"advice needs at least one home and one slot, not {homes} and {slots}")
    if goal not in GOALS:
        raise UsageError(f"the goal is {goal}; it must be one of {', '.join(GOALS)}")
    known = learnt or {}
    priors = tuple(known.get(each.name) or prior_of(plan, each) for each in plan.appliances)
    told_in = plan.publish if goal == "histogram" else slots
    every = list(variants(plan, homes, cap, slots))
    tried = [variant for variant in every if answered(variant, homes, told_in)] or every
    best, runner_up = SEARCHES[goal](tried, priors, homes, slots)
    return Advice(goal, homes, slots, judged(paper_plan(plan), priors, homes, slots), best, runner_up)


def _best_watts(tried: list[Plan], priors: tuple[Prior, ...], homes: int, slots: int) -> tuple[Candidate, Candidate]:
    """The least interval score of real means, with the top that suits each law and number of reports."""
    found = [judged(with_tops(variant, priors, homes, slots), priors, homes, slots) for variant in tried]
    best, runner_up = (sorted(found, key=lambda one: one.score) * 2)[:2]
    return best, runner_up


def _best_histogram(
    tried: list[Plan], priors: tuple[Prior, ...], homes: int, slots: int
) -> tuple[Candidate, Candidate]:
    """The least error of a level in a slot; the levels stay as they are."""
    found = [judged(with_knowledge(variant, priors), priors, homes, slots) for variant in tried]
    best, runner_up = (sorted(found, key=lambda one: one.cell_variance) * 2)[:2]
    return best, runner_up


Search = Callable[[list[Plan], tuple[Prior, ...], int, int], tuple[Candidate, Candidate]]
SEARCHES: dict[str, Search] = {"watts": _best_watts, "ranking": best_ranking, "histogram": _best_histogram}


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


def round_up(homes: float) -> int:
    """A number of homes to two digits, never less.

    >>> round_up(13206.4), round_up(99.0)
    (14000, 99)
    """
    step = 10 ** max(int(np.floor(np.log10(homes))) - 1, 0)
    return int(np.ceil(homes / step) * step)
