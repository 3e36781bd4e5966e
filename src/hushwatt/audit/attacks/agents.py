"""An attack on what the agent at home posts: the shipped join, ledger, outbox and uploads.  [claim C13]

Every trial is a new home.  The attacker sees the bodies of its uploads, nothing else, and wants to
know which of two lives was led in it.
"""

from collections.abc import Iterator
from functools import partial

from hushwatt.audit.attacks.attack import ONE, OTHER, StreamAttacker
from hushwatt.audit.attacks.empirical import DOUBT, AttackTarget, strongest, targets
from hushwatt.audit.finding import Audit, Finding
from hushwatt.audit.harness.lives import Levels, PostedReports, concatenated, plan_at_home, post_reports
from hushwatt.plan.amounts import MICRO
from hushwatt.plan.plan import Plan

HOMES, QUICK_HOMES = 100_000, 400  # of every plan, in five lives
PLANS = (  # method, who decides, oracle, appliances asked of three, window, millionths of ε
    ("lbu", None, "oue", 3, 2, 2 * MICRO),
    ("lsp", None, "sue", 3, 2, 2 * MICRO),
    ("lpu", None, "grr", 1, 2, 2 * MICRO),
    ("lbd", "household", "oue", 3, 2, 2 * MICRO),
    ("lba", "household", "grr", 3, 2, 3 * MICRO),
)


def agent_audits(quick: bool = False) -> Iterator[Audit]:
    """Every method that the service takes, in one plan each."""
    for chosen in PLANS:
        yield partial(audit_agent, plan_at_home(*chosen), QUICK_HOMES if quick else HOMES)


def audit_agent(plan: Plan, homes: int) -> Finding:
    """Four attacks on the uploads of real agents."""
    each = homes // (1 + len(targets(plan)))
    usual = post_reports(plan, life_of(plan), each)
    doubt = DOUBT / (len(PLANS) * len(targets(plan)))

    def proved(target: AttackTarget) -> float:
        return proved_by(plan, target, usual, post_reports(plan, life_of(plan, target), each), each, doubt)

    some = f"{plan.appliances_per_report} of {len(plan.appliances)}"
    subject = f"attack on the agent, {plan.method}, {plan.oracle}, {some}"
    return strongest(plan, subject, f"{homes:,} homes", proved, homes=homes)


def life_of(plan: Plan, target: AttackTarget | None = None) -> Levels:
    """The usual life, or the one that differs from it in `target`: a window and one slot after it."""
    return tuple(
        tuple(
            OTHER if target and slot in target.slots and place in target.suspects else ONE
            for place in range(len(plan.appliances))
        )
        for slot in range(plan.window + 1)
    )


def proved_by(
    plan: Plan, target: AttackTarget, usual: PostedReports, other: PostedReports, homes: int, doubt: float
) -> float:
    """The ε that the attack on two groups of homes proves."""
    attacker = StreamAttacker.of(plan, list(target.suspects), 2 * homes)
    for slot in range(plan.window + 1):
        attacker.see(concatenated(usual.sent(slot, 0), other.sent(slot, homes)), slot in target.slots)
    return attacker.shown(doubt)
