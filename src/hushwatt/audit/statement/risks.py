"""Risks for the people in the homes: what stands in the way, what an audit saw of it, and what is left.

Residual risks are stated in figures of the plan.  How grave they are, and whether they are acceptable, is for
people to say.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from hushwatt.audit.statement.evidence import Evidence
from hushwatt.audit.statement.fact import Fact, StatementSection, TracedFigure, computed, count_of, from_plan
from hushwatt.audit.statement.guarantee import certainty, window_of
from hushwatt.audit.statement.long_term import best_told
from hushwatt.audit.statement.proof import shown_by
from hushwatt.plan.plan import Plan
from hushwatt.privacy.influence import influence
from hushwatt.privacy.long_run import long_run
from hushwatt.privacy.long_run.words import length
from hushwatt.privacy.promise import promise

INTRODUCTION = (
    "Each risk with the measure against it, what the audits given here saw of that measure, and the risk that is left."
)


@dataclass(frozen=True)
class HandledRisk:
    """A risk, the measure, the claims that are checked about it, and what is left."""

    key: str
    title: str
    measure: str
    claims: tuple[str, ...]
    left: str
    figures: Callable[[Plan], Mapping[str, TracedFigure]] = lambda plan: {}

    def stated(self, plan: Plan, evidence: Evidence) -> Fact:
        seen = shown_by(evidence, *self.claims)
        failed = any(not line.finding.passed for line in evidence.about(self.claims))
        text = f"Measure: {self.measure}\nAudited: {{seen}}\nWhat is left: {self.left}"
        mark = "no" if failed else "" if evidence.about(self.claims) else "open"
        return Fact(self.key, self.title, text, {"seen": seen, **self.figures(plan)}, mark)


def _window(plan: Plan) -> dict[str, TracedFigure]:
    promised = promise(plan)
    return {
        "window": window_of(plan),
        "home": certainty(promised.dearest),
        "appliance": certainty(float(promised.appliance_dearest)),
    }


def _habits(plan: Plan) -> dict[str, TracedFigure]:
    run = long_run(plan)
    owned, constant = best_told(run)
    return {"after": computed("calendar", length(plan, run), run.after_days), "owned": owned, "constant": constant}


def _forgers(plan: Plan) -> dict[str, TracedFigure]:
    most = influence(plan, 1)
    return {"most": computed("influence", f"{most:.1f}", most)}


def _minimum(plan: Plan) -> dict[str, TracedFigure]:
    return {"homes": from_plan("minimum_homes", count_of(plan.minimum_homes, "home"), plan.minimum_homes)}


RISKS = (
    HandledRisk(
        "reading_a_window",
        "Somebody who holds the reports learns what happened in a home",
        "every answer is randomised at home, and all answers of {window} together cost at most ε.",
        ("C1", "C2", "C6", "C7", "C8", "C9", "C10", "C13"),
        "{home} sure at most about two pasts of the whole home, {appliance} about one appliance.",
        _window,
    ),
    HandledRisk(
        "habits",
        "Somebody who watches for long learns habits and belongings",
        "the window, the caps of the owner over a year and a lifetime, and the end of the plan.",
        ("C15",),
        "after {after} the best attacker tells the appliance that shows most right in {owned} of cases, and a level "
        "that never changes in {constant}.",
        _habits,
    ),
    HandledRisk(
        "more_leaves",
        "More leaves the home than is said",
        "readings are averaged, randomised and dropped; logs, errors and files hold none; timing and sizes do not "
        "depend on them.",
        ("C16", "C17"),
        "whoever controls the device at home sees the readings.",
    ),
    HandledRisk(
        "weak_noise",
        "The noise is weaker than stated, or can be guessed",
        "exact chances, the operating system's randomness, and samplers that are tested against their laws.",
        ("C5", "C18"),
        "the operating system and the processor are taken to be sound.",
    ),
    HandledRisk(
        "overspending",
        "Crashes, clocks or old backups let a home spend twice",
        "each spend is on disk before anything is drawn, and time that was not seen to pass has not passed.",
        ("C2", "C11", "C12", "P7", "P8", "P9", "P14", "P20"),
        "a disk that is put back on a machine whose clock was set back as well.",
    ),
    HandledRisk(
        "singling_out",
        "Published results single out a home",
        "nothing is shown of fewer than {homes}, nor any difference of two numbers that would be; what is published "
        "never changes.",
        ("P17", "P22"),
        "whether one large home dominates a sum cannot be checked on private reports.",
        _minimum,
    ),
    HandledRisk(
        "forgery",
        "Forged reports falsify results",
        "enrolment, signatures, turns and orders that are checked, and bounds on what one report can do.",
        ("C19", "P15", "P21"),
        "a forging home counts as at most {most} homes in the slot in which it counts most.",
        _forgers,
    ),
    HandledRisk(
        "another_plan",
        "A home is asked for more than it agreed to",
        "a plan is known by its hash, the provider by a pinned key; no new plan resets the home's ledger, and a "
        "successor is followed only where nothing about it is weaker.",
        ("C12", "P9", "P26"),
        "homes that never compare hashes can be shown different plans.",
    ),
)


def risks(plan: Plan, evidence: Evidence) -> StatementSection:
    """All risks of the list."""
    facts = tuple(each.stated(plan, evidence) for each in RISKS)
    return StatementSection("risks", "Risks, measures and residual risks", INTRODUCTION, facts)
