"""The audits by name: what each goes through, in general or for one plan."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from hushwatt.audit.budget import audit_plan, budget_audits
from hushwatt.audit.empirical import empirical_audit_of, empirical_audits
from hushwatt.audit.exact.run import exact_audit_of, exact_audits
from hushwatt.audit.finding import Audit
from hushwatt.audit.rounding import rounding_audit_of, rounding_audits
from hushwatt.audit.sampler import sampler_audit_of, sampler_audits
from hushwatt.audit.selftest import selftest_audits
from hushwatt.plan.plan import Plan


@dataclass(frozen=True)
class Suite:
    """All audits of one kind, or the one that looks at a given plan."""

    all: Callable[[bool], list[Audit]]  # told whether to be quick
    of: Callable[[Plan], Audit] | None = None


SUITES = {
    "exact": Suite(lambda quick: list(exact_audits(quick)), exact_audit_of),
    "budget": Suite(lambda quick: list(budget_audits(quick)), lambda plan: partial(audit_plan, plan)),
    "sampler": Suite(lambda quick: list(sampler_audits(quick)), sampler_audit_of),
    "empirical": Suite(lambda quick: list(empirical_audits(quick)), empirical_audit_of),
    "rounding": Suite(lambda quick: list(rounding_audits(quick)), rounding_audit_of),
    "selftest": Suite(lambda quick: list(selftest_audits())),
}
