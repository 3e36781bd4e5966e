"""The auditor finds planted bugs.  [claim C14]

Each bug goes through the very audit that the shipped code passes, and must not pass it.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from typing import Any

from hushwatt.audit import planted
from hushwatt.audit.exact.brute_force import KeptProbes, Rule, worst_ratio
from hushwatt.audit.exact.household_decided import EnumeratedHome
from hushwatt.audit.exponent import at_most, loss
from hushwatt.audit.finding import Audit, Finding
from hushwatt.audit.laws.debiasing import audit_debias
from hushwatt.audit.laws.sampler import audit_sampler
from hushwatt.audit.laws.streams import audit_streams, cases
from hushwatt.audit.miniature import Shape, range_plan
from hushwatt.audit.spending.budget import audit_strategy
from hushwatt.audit.spending.home_ledgers import CASES, audit_book
from hushwatt.audit.spending.payments import as_shipped, audit_payments
from hushwatt.audit.spending.plan_ledgers import audit_kept_ledger, audit_ledger
from hushwatt.household.ledger.home_ledger import HomeLedger
from hushwatt.household.ledger.plan_ledger import PlanLedger
from hushwatt.household.report.randomise import randomise
from hushwatt.plan.amounts import MICRO
from hushwatt.privacy.entropy import Simulation
from hushwatt.privacy.laws import debias
from hushwatt.privacy.ledger import Ledger
from hushwatt.privacy.strategies import Absorb, Sample

ROWS, HOMES = 800_000, 100_000


def selftest_audits() -> Iterator[Audit]:
    """One for each bug: the same audit of the shipped thing and of the planted one."""
    reused = next(case for case in cases() if case.plan.method == "lsp")
    bugs: list[tuple[str, Callable[[Any], Finding], Any, Any]] = [
        ("the decision peeks at the truth", audit_rule, KeptProbes(), planted.PeekingError()),
        ("a biased sampler", lambda it: audit_sampler(it, "oue", MICRO, ROWS), randomise, planted.biased_sampler),
        ("LBA takes one share too many", lambda it: audit_strategy("lba", it.start, 12), Absorb, planted.AbsorbOneMore),
        ("LSP draws its slot anew", lambda it: audit_strategy("lsp", it.start, 12), Sample, planted.Redrawn),
        ("a wrong q in the estimate", partial(audit_debias, "oue"), debias, planted.debias_as_if_undivided),
        ("a window one slot too short", lambda it: audit_ledger(it, 2, 3), Ledger, planted.ForgetfulLedger),
        (
            "a window one slot too short after a restart",
            lambda it: audit_kept_ledger(it, 2, 2),
            PlanLedger.load,
            planted.kept_a_slot_short,
        ),
        ("an owner's day half as long", lambda it: audit_book(it, CASES[0], 2), HomeLedger, planted.HalfDayBook),
        (
            "an appliance's cap that adds nothing up",
            lambda it: audit_book(it, CASES[2], 2),
            HomeLedger,
            planted.OnceOnlyBook,
        ),
        ("a lifetime that begins anew", lambda it: audit_book(it, CASES[5], 2), HomeLedger, planted.RenewedBook),
        ("a probe that is not paid", partial(audit_payments, "lba"), as_shipped, planted.look_for_free),
        ("a seed used twice", partial(audit_streams, reused, HOMES), Simulation, planted.ReusedSeed),
    ]
    for bug, audit, shipped, faulty in bugs:
        yield partial(audit_bug, bug, partial(audit, shipped), partial(audit, faulty))


def audit_bug(bug: str, shipped: Audit, faulty: Audit) -> Finding:
    """Found when the shipped thing passes and the planted one does not."""
    fine, caught = shipped(), faulty()
    found = fine.passed and not caught.passed
    verdict = "found" if found else "NOT found"
    return Finding("C14", bug, f"{verdict}: {caught.figure}", found)


def audit_rule(rule: Rule) -> Finding:
    """A household's own decision, enumerated step by step at the smallest shape there is."""
    plan = range_plan("lba", "household", "sue", Shape((2,), 1, 2), MICRO, asked=1)
    ratio = worst_ratio(EnumeratedHome.of(plan), rule, plan.window, slots=2)
    kept = ratio is not None and at_most(ratio, Fraction(plan.epsilon, MICRO))
    return Finding("C6", type(rule).__name__, f"{loss(ratio):.3f} ε", kept)
