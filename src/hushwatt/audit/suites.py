"""The audits by name: what each goes through, in general or for one plan."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

from hushwatt.audit.attacks.agents import agent_audits
from hushwatt.audit.attacks.empirical import empirical_audit_of, empirical_audits
from hushwatt.audit.attacks.forged_report import audit_forged, forged_audits
from hushwatt.audit.attacks.habit import PLAN_WORK, audit_habit, habit_audits
from hushwatt.audit.exact.run import exact_audit_of, exact_audits
from hushwatt.audit.finding import Audit
from hushwatt.audit.laws.own_draws import own_draw_audits
from hushwatt.audit.laws.rounding import rounding_audit_of, rounding_audits
from hushwatt.audit.laws.sampler import sampler_audit_of, sampler_audits
from hushwatt.audit.leaks.blind import blind_audits
from hushwatt.audit.leaks.canary import canary_audits
from hushwatt.audit.leaks.forks import fork_audits
from hushwatt.audit.leaks.retiring import retiring_audits
from hushwatt.audit.leaks.twins import twin_audits
from hushwatt.audit.miniature import fewer_turns
from hushwatt.audit.selftest import selftest_audits
from hushwatt.audit.spending.budget import audit_plan, budget_audits
from hushwatt.plan.plan import Plan

MOST_TURNS = 60  # of a window that forging homes are followed through


@dataclass(frozen=True)
class Suite:
    """All audits of one kind, or the one that looks at a given plan."""

    every: Callable[[bool], Iterable[Audit]]  # told whether to be quick
    of: Callable[[Plan], Audit] | None = None

    def all(self, quick: bool) -> list[Audit]:
        return list(self.every(quick))


def _forger_audits(quick: bool) -> Iterable[Audit]:
    from hushwatt.audit.attacks.forgers import forger_audits  # the only ones that need the extra `provider`

    return forger_audits(quick)


def _forger_audit_of(plan: Plan) -> Audit:
    from hushwatt.audit.attacks.forgers import audit_forgers

    few = fewer_turns(plan, MOST_TURNS)
    return partial(audit_forgers, few, slots=min(2 * few.window, 2 * MOST_TURNS, plan.calendar.slots))  # two windows


SUITES = {
    "exact": Suite(exact_audits, exact_audit_of),
    "budget": Suite(budget_audits, lambda plan: partial(audit_plan, plan)),
    "rounding": Suite(rounding_audits, rounding_audit_of),
    "sampler": Suite(lambda quick: [*sampler_audits(quick), *own_draw_audits(quick)], sampler_audit_of),
    "empirical": Suite(lambda quick: [*empirical_audits(quick), *agent_audits(quick)], empirical_audit_of),
    "leaks": Suite(
        lambda quick: [
            *fork_audits(quick),
            *twin_audits(quick),
            *retiring_audits(),
            *blind_audits(quick),
            *canary_audits(quick),
        ]
    ),
    "forged": Suite(forged_audits, lambda plan: partial(audit_forged, plan)),
    "forgers": Suite(_forger_audits, _forger_audit_of),
    "habit": Suite(habit_audits, lambda plan: partial(audit_habit, plan, work=PLAN_WORK)),
    "selftest": Suite(lambda quick: selftest_audits()),
}


def everything(quick: bool) -> list[Audit]:
    """All audits of all kinds."""
    return [audit for suite in SUITES.values() for audit in suite.all(quick)]


def audits_of(plan: Plan) -> list[Audit]:
    """Everything that can be asked about one plan."""
    return [suite.of(plan) for suite in SUITES.values() if suite.of is not None]
