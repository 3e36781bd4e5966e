"""What NIST SP 800-226 asks of a guarantee, answered from the plan: from ε down to how data is collected."""

from fractions import Fraction

from hushwatt.audit.exponent import at_most
from hushwatt.audit.page import sure
from hushwatt.audit.statement.evidence import Evidence
from hushwatt.audit.statement.fact import (
    Fact,
    StatementSection,
    TracedFigure,
    amount,
    computed,
    count_of,
    fact,
    from_plan,
)
from hushwatt.audit.statement.mechanism import collected, mechanism, published, side_channels, utility
from hushwatt.plan.amounts import MICRO
from hushwatt.plan.choices import DECISIONS
from hushwatt.plan.plan import Plan
from hushwatt.plan.summary import any_window
from hushwatt.privacy.promise import Promise, promise
from hushwatt.privacy.promise_words import reach

ASKED_BY = "NIST SP 800-226"
INTRODUCTION = (
    "A guarantee of differential privacy is only as good as everything below it. So the guideline asks for ε "
    "first, then for what ε is about, who has to be trusted, how it adds up, and what may undermine it."
)


def guarantee(plan: Plan, evidence: Evidence) -> StatementSection:
    """The whole section but for what adds up over time, which has its own."""
    promised = promise(plan)
    facts = (
        *parameters_of_privacy(plan, promised),
        unit_of_privacy(plan),
        trust(plan),
        mechanism(plan, promised),
        *utility(plan),
        *side_channels(plan, evidence),
        collected(plan, evidence),
        published(plan),
    )
    return StatementSection("guarantee", f"The guarantee, as {ASKED_BY} asks for it", INTRODUCTION, facts)


def window_of(plan: Plan) -> TracedFigure:
    return from_plan("window, slot", any_window(plan), plan.window)


def per_cent(chance: float) -> str:
    """A chance for people; what is nearly certain keeps its distance from certainty.

    >>> per_cent(0.6614), per_cent(0.9999546), per_cent(1 - 1e-12)
    ('66.1 %', '99.9955 %', 'more than 99.9999 %')
    """
    if chance > 0.999999:
        return "more than 99.9999 %"
    return f"{100 * chance:.3g} %" if chance < 0.995 else f"{100 * chance:.6g} %"


def certainty(millionths: float) -> TracedFigure:
    """How sure somebody can become who was undecided."""
    chance = sure(millionths / MICRO)
    return computed("certainty", per_cent(chance), chance)


def parameters_of_privacy(plan: Plan, promised: Promise) -> list[Fact]:
    """ε for the home, ε for one appliance, and δ."""
    return [
        fact(
            "epsilon",
            "ε, the whole home",
            "ε {epsilon} over {window}. Odds between any two pasts of the home shift by at most {odds}: somebody who "
            "was undecided can become {sure} sure at most. The dearest window that can happen costs ε {dearest}.",
            mark="" if promised.kept else "no",
            epsilon=from_plan("epsilon", *amount(plan.epsilon)),
            window=window_of(plan),
            odds=computed("odds", promised.odds),
            sure=certainty(promised.dearest),
            dearest=computed("promise", *amount(promised.dearest)),
        ),
        fact(
            "appliance_epsilon",
            "ε, one appliance",
            "ε {epsilon} over {window}, for somebody who already knew everything else about the home: odds of {odds}, "
            "{sure} sure at most. {cap}",
            epsilon=computed("promise", *amount(reach(promised))),
            window=window_of(plan),
            odds=computed("odds", promised.appliance_odds),
            sure=certainty(float(promised.appliance_dearest)),
            cap=from_plan("appliance_epsilon", _cap(plan), plan.appliance_epsilon),
        ),
        delta(plan, promised),
    ]


def _cap(plan: Plan) -> str:
    if plan.appliance_epsilon is None:
        return "The plan sets no cap of its own for an appliance."
    return f"The plan allows ε {amount(plan.appliance_epsilon)[0]}."


def delta(plan: Plan, promised: Promise) -> Fact:
    """Nought where no answer, however unlikely, tells more than the budget it was drawn with."""
    budget = Fraction(promised.drawn, MICRO * plan.appliances_per_report)
    pure = all(at_most(law.likelihood_ratio, budget) for law in promised.laws)
    return fact(
        "delta",
        "δ",
        "{delta}: pure differential privacy. No answer, however unlikely, tells more than its share of ε. The chances "
        "are whole multiples of one over {steps}, rounded so that ε is never exceeded.",
        mark="" if pure else "no",
        delta=computed("laws", 0 if pure else "not 0", 0 if pure else None),
        steps=computed("laws", "2⁶⁴", 2**64),
    )


def unit_of_privacy(plan: Plan) -> Fact:
    """What two datasets may differ in: everything of a home in a window, or of its whole time in the plan."""
    whole = plan.window >= plan.calendar.slots
    reaches = (
        "The window is as long as the plan, so the unit is the home itself for as long as the plan runs."
        if whole
        else "The plan runs for longer, {slots} in all: over more than a window the guarantee adds up, see below."
    )
    figures = {
        "appliances": from_plan("appliance", count_of(len(plan.appliances), "appliance"), len(plan.appliances)),
        "window": window_of(plan),
    }
    slots = computed("calendar", count_of(plan.calendar.slots, "slot"), plan.calendar.slots)
    text = (
        "Everything that one home's {appliances} did in {window}, all readings of it replaced by any others. For one "
        f"appliance the second ε holds. {reaches}"
    )
    return Fact("unit_of_privacy", "Unit of privacy", text, figures | ({} if whole else {"slots": slots}))


def trust(plan: Plan) -> Fact:
    """Local: nobody has to be trusted with the truth."""
    text = (
        "Local. Every home randomises its own answers before anything leaves it. The provider, its staff, its "
        "processors, and whoever obtains its store see randomised answers only. To be trusted: the home's own device, "
        "its operating system's randomness, and the meters."
    )
    if plan.decision is None:
        return fact("trust_model", "Trust model", text)
    decided = from_plan("decision", f"{plan.decision}, {DECISIONS[plan.decision]}", plan.decision)
    return fact("trust_model", "Trust model", text + " What is sent anew is decided by: {decided}.", decided=decided)
