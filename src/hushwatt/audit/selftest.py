"""The auditor finds planted bugs.  [claim C14]

Each bug goes through the very audit that the shipped code passes, and must not pass it.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import partial

from hushwatt.audit import planted
from hushwatt.audit.exact.brute import KeptProbes, Rule, worst_ratio
from hushwatt.audit.exact.hidden import EnumeratedHome
from hushwatt.audit.exponent import at_most, loss
from hushwatt.audit.finding import Audit, Finding
from hushwatt.audit.laws.debiasing import audit_debias
from hushwatt.audit.laws.sampler import audit_sampler
from hushwatt.audit.laws.streams import audit_streams, cases
from hushwatt.audit.miniature import Mechanism, Shape, small_plan
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
    """One for each bug: the audit of the shipped thing, and the same audit of the planted one."""
    reused = next(case for case in cases() if case.plan.method == "lsp")
    pairs: dict[str, tuple[Audit, Audit]] = {
        "the decision peeks at the truth": (
            partial(audit_rule, KeptProbes()),
            partial(audit_rule, planted.PeekingError()),
        ),
        "a biased sampler": (
            partial(audit_sampler, randomise, "oue", MICRO, ROWS),
            partial(audit_sampler, planted.biased_sampler, "oue", MICRO, ROWS),
        ),
        "LBA takes one share too many": (
            partial(audit_strategy, "lba", Absorb.start, 12),
            partial(audit_strategy, "lba + 1", planted.AbsorbOneMore.start, 12),
        ),
        "LSP draws its slot anew": (
            partial(audit_strategy, "lsp", Sample.start, 12),
            partial(audit_strategy, "lsp redrawn", planted.Redrawn.start, 12),
        ),
        "a wrong q in the estimate": (
            partial(audit_debias, "oue", debias),
            partial(audit_debias, "oue", planted.debias_as_if_undivided),
        ),
        "a window one slot too short": (
            partial(audit_ledger, Ledger, 2, 3),
            partial(audit_ledger, planted.ForgetfulLedger, 2, 3),
        ),
        "a window one slot too short after a restart": (
            partial(audit_kept_ledger, PlanLedger.load, 2, 2),
            partial(audit_kept_ledger, planted.kept_a_slot_short, 2, 2),
        ),
        "an owner's day half as long": (
            partial(audit_book, HomeLedger, CASES[0], 2),
            partial(audit_book, planted.HalfDayBook, CASES[0], 2),
        ),
        "an appliance's cap that adds nothing up": (
            partial(audit_book, HomeLedger, CASES[2], 2),
            partial(audit_book, planted.OnceOnlyBook, CASES[2], 2),
        ),
        "a probe that is not paid": (
            partial(audit_payments, "lba", as_shipped),
            partial(audit_payments, "lba", planted.look_for_free),
        ),
        "a seed used twice": (
            partial(audit_streams, reused, HOMES, Simulation),
            partial(audit_streams, reused, HOMES, planted.ReusedSeed),
        ),
    }
    for bug, (shipped, faulty) in pairs.items():
        yield partial(audit_bug, bug, shipped, faulty)


def audit_bug(bug: str, shipped: Audit, faulty: Audit) -> Finding:
    """Found when the shipped thing passes and the planted one does not."""
    fine, caught = shipped(), faulty()
    found = fine.passed and not caught.passed
    verdict = "found" if found else "NOT found"
    return Finding("C14", bug, f"{verdict}: {caught.figure}", found)


def audit_rule(rule: Rule) -> Finding:
    """A household's own decision, enumerated step by step at the smallest shape there is."""
    mechanism = Mechanism("lba", "household", "sue", "range", partial=False)
    plan = small_plan(mechanism, Shape((2,), 1, 2), MICRO, asked=1)
    ratio = worst_ratio(EnumeratedHome.of(plan), rule, plan.window, slots=2)
    kept = ratio is not None and at_most(ratio, Fraction(plan.epsilon, MICRO))
    return Finding("C6", type(rule).__name__, f"{loss(ratio):.3f} ε", kept)
