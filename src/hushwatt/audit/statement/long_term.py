"""How the guarantee adds up over time: what a month, a year, five years and the whole plan can tell.  [claim C15]"""

from hushwatt.audit.statement.evidence import Evidence
from hushwatt.audit.statement.fact import (
    Fact,
    FigureTable,
    StatementSection,
    TracedFigure,
    amount,
    computed,
    fact,
    from_plan,
)
from hushwatt.audit.statement.guarantee import per_cent
from hushwatt.audit.statement.proof import shown_by
from hushwatt.household.ledger.caps import AMOUNTS, Caps
from hushwatt.household.ledger.objections import objections
from hushwatt.plan.plan import Plan
from hushwatt.privacy.long_run import SPANS, LongRun, long_run, long_run_words
from hushwatt.privacy.long_run.words import length
from hushwatt.sanitise import sanitised

INTRODUCTION = (
    "Guarantees add up. Within a window the first ε holds whatever happens; over longer times each further report adds "
    "to it. Below stands what every report of a home together can cost at most, and what the best attacker can really "
    "tell: somebody who sees all of them, knows every public number, and makes no mistake."
)
FORMULA, CAPS = "long run", "owner's caps"


def long_term(plan: Plan, evidence: Evidence) -> StatementSection:
    """Sentences for people, and the same for every stretch and every appliance in tables."""
    facts = (*said(plan), caps(), joining(plan), successor(plan), attacked(evidence))
    tables = (by_stretch(plan), by_appliance(plan), caps_table())
    return StatementSection("over_time", "Composition over time", INTRODUCTION, facts, tables)


def said(plan: Plan) -> list[Fact]:
    """Typical case and worst case after a year, in plain words."""
    labels = (("owned", "Who owns what"), ("constant", "A habit"), ("worst", "At worst"))
    sentences = long_run_words(plan)
    return [
        fact(key, label, "As homes are told: “{said}.”", "limit", said=computed(FORMULA, text[:1].upper() + text[1:]))
        for (key, label), text in zip(labels, sentences, strict=True)
    ]


def caps() -> Fact:
    """What binds a home over all plans together."""
    return fact(
        "owner_caps",
        "Other plans",
        "Each home has one ledger for all plans and providers together, and refuses what would exceed its owner's "
        "caps, whatever a plan says; they stand in a table below as they are unless the owner changes them. Spends of "
        "earlier plans count.",
    )


def joining(plan: Plan) -> Fact:
    """Whether homes join by themselves, or only when their owners raise a cap knowingly."""
    against = objections(Caps(), plan)
    if not against:
        text = "A home whose owner changed no cap joins this plan when asked: {nothing} stands against it."
        return fact("joining", "Joining", text, nothing=computed(CAPS, "no cap", []))
    settings = [each.setting or each.words for each in against]
    text = "A home whose owner changed no cap refuses this plan. To join, the owner has to allow: {settings}."
    return fact("joining", "Joining", text, "limit", settings=computed(CAPS, ", ".join(settings), settings))


def caps_table() -> FigureTable:
    """The caps of a home whose owner changed nothing."""
    allowed = Caps()
    rows = ((cap, getattr(allowed, cap)) for cap in AMOUNTS)
    cells = tuple((computed(CAPS, cap), computed(CAPS, *amount(most))) for cap, most in rows)
    return FigureTable("caps", ("owner's cap", "ε at most"), cells)


def successor(plan: Plan) -> Fact:
    if plan.replaces is None:
        return fact("replaces", "Earlier plan", "This plan succeeds no other.")
    return fact(
        "replaces",
        "Earlier plan",
        "This plan succeeds {id}. A home that follows does so under the same key: spends under the earlier plan count "
        "in the windows of this one, and the provider can tell that both streams are one home's.",
        id=from_plan("replaces", plan.replaces),
    )


def attacked(evidence: Evidence) -> Fact:
    """Whether the stated chances were measured on real reports."""
    text = "Whether an attack on real reports is right as often as stated here: {seen}"
    return fact("attacked", "Measured", text, seen=shown_by(evidence, "C15"))


def chance_told(run: LongRun, chance: float) -> TracedFigure:
    """How often the best attacker is right; a bound where somebody decides in each slot who publishes."""
    return computed(FORMULA, ("at most " if run.at_most else "") + per_cent(chance), chance)


def best_told(run: LongRun) -> tuple[TracedFigure, TracedFigure]:
    """The same about the appliance that shows most: whether it is owned, and its level if that never changes."""
    owned, constant = (max(getattr(told, kind) for told in run.told.values()) for kind in ("ownership", "constant"))
    return chance_told(run, owned), chance_told(run, constant)


def by_stretch(plan: Plan) -> FigureTable:
    """What stretches cost at most, and how sure they can make somebody."""
    runs = {run.slots: run for run in (long_run(plan, days) for days in SPANS)}
    head = ("all reports of", "ε, the home", "at most sure", "ε, one appliance", "at most sure of it")
    return FigureTable("stretches", head, tuple(_stretch(plan, run) for run in runs.values()))


def _stretch(plan: Plan, run: LongRun) -> tuple[TracedFigure, ...]:
    return (
        computed("calendar", length(plan, run), run.after_days),
        computed(FORMULA, *amount(run.epsilon)),
        computed(FORMULA, per_cent(run.worst), run.worst),
        computed(FORMULA, *amount(run.appliance_epsilon)),
        computed(FORMULA, per_cent(run.appliance_worst), run.appliance_worst),
    )


def by_appliance(plan: Plan) -> FigureTable:
    """What the best attacker tells about each appliance after a year, typically, beside guessing."""
    run = long_run(plan)
    after = length(plan, run)
    head = (
        "appliance",
        f"owned or not, after {after}",
        *([f"measured or not, after {after}"] if plan.answers_unmeasured else []),
        "guessing that",
        f"its level if constant, after {after}",
        "guessing that level",
    )
    rows = tuple(
        (
            from_plan("appliance", sanitised(name)),
            chance_told(run, told.owned),
            *([] if told.measured is None else [chance_told(run, told.measured)]),
            computed(FORMULA, per_cent(0.5), 0.5),
            chance_told(run, told.constant),
            computed(FORMULA, per_cent(1 / told.levels), 1 / told.levels),
        )
        for name, told in run.told.items()
    )
    return FigureTable("appliances", head, rows)
