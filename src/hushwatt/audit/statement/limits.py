"""What cannot be claimed, said plainly; and what only people can answer."""

from hushwatt.audit.statement.fact import Fact, StatementSection, computed, fact
from hushwatt.audit.statement.guarantee import per_cent, window_of
from hushwatt.audit.statement.long_term import best_told
from hushwatt.plan.plan import Plan
from hushwatt.privacy.long_run import long_run
from hushwatt.privacy.long_run.words import length

CANNOT = "A statement that leaves these out says more than is true."
PEOPLE = "No plan and no audit knows these. Whoever signs fills them in."
LIMITS = (
    (
        "dominance",
        "The share half of aggregation rules",
        "Rules such as 15/15 also ask that no single home make up more than 15 % of a total. On private reports nobody "
        "can check that, as no one knows what one home uses. Only the count half is checked.",
    ),
    (
        "root",
        "Whoever controls the device",
        "Somebody with full rights on the home's device sees the readings. The guarantee begins where they leave it.",
    ),
    (
        "lying_meter",
        "A meter that lies",
        "Readings are believed. A meter or plug that reports what is not so is not found out.",
    ),
    ("taking_part", "Taking part", "That a home takes part, since when, and from which network address, is known."),
    (
        "elsewhere",
        "What is known from elsewhere",
        "Bills, other meters, apps and clouds tell what they tell. Nothing is taken back that was told elsewhere.",
    ),
    (
        "everybody",
        "What is true of everybody",
        "What results say about homes in general can be held to be true of a home that took no part.",
    ),
    (
        "anonymity",
        "Anonymity in the sense of the law",
        "Reports are deniable, and belong to a device with a name of its own. Whether that is personal data, and "
        "whether results are anonymous, is a question of law.",
    ),
    (
        "enough",
        "Whether it is enough",
        "That a promise is kept can be proved and audited. Whether ε, the window and the minimum are fit for the "
        "purpose cannot.",
    ),
)
QUESTIONS_FOR_PEOPLE = (
    (
        "legal_basis",
        "Legal basis",
        "On which legal basis is it done, and how is consent recorded, if that is the basis?",
    ),
    ("necessity", "Necessity", "Could the purpose be reached with fewer appliances, longer slots, or less often?"),
    ("accuracy_needed", "Accuracy", "How many homes take part, and are the intervals narrow enough for the purpose?"),
    ("retention", "Retention", "For how long are reports and estimates kept, and who deletes them?"),
    ("processors", "Processors and transfers", "Who runs the service, where, and under which contract?"),
    ("rights", "Rights of data subjects", "How are homes informed, and who answers when they ask?"),
    ("views", "Views", "What do the data protection officer and the people concerned say?"),
    ("acceptance", "Acceptance", "Who accepts the residual risks, and until when?"),
)


def limits(plan: Plan) -> StatementSection:
    """All that cannot be claimed, habits first."""
    facts = (_habits(plan), *(fact(key, label, text, "limit") for key, label, text in LIMITS))
    return StatementSection("cannot_be_claimed", "What cannot be claimed", CANNOT, facts)


def _habits(plan: Plan) -> Fact:
    """What is beyond the window, in figures; nothing is where the window is as long as the plan."""
    if plan.window >= plan.calendar.slots:
        text = "The window is as long as the plan. What other plans of a home add is bounded by its owner's caps only."
        return fact("habits", "Beyond the plan", text, "limit")
    run = long_run(plan, None)
    owned, constant = best_told(run)
    return fact(
        "habits",
        "Habits beyond the window",
        "The guarantee is for {window}. In {whole} the best attacker tells the appliance that shows most right in "
        "{owned} of cases, and a level that never changes in {constant}; at worst {worst} sure of one appliance.",
        "limit",
        window=window_of(plan),
        whole=computed("calendar", length(plan, run), run.after_days),
        owned=owned,
        constant=constant,
        worst=computed("long run", per_cent(run.appliance_worst), run.appliance_worst),
    )


def for_people() -> StatementSection:
    """What is left to fill in."""
    facts = tuple(fact(key, label, text, "open") for key, label, text in QUESTIONS_FOR_PEOPLE)
    return StatementSection("for_people", "For people to answer", PEOPLE, facts)
