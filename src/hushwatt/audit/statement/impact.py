"""The parts of a data protection impact assessment that a plan answers by itself.

In the order of the EU's template for smart grids: what is processed, and whether it is necessary and in proportion.
Risks and measures are in `risks`.
"""

from hushwatt.audit.statement.fact import Fact, FigureTable, StatementSection, computed, count_of, fact, from_plan
from hushwatt.audit.statement.parameters import further
from hushwatt.plan.plan import Plan
from hushwatt.plan.rules import LONGEST_TEXT
from hushwatt.plan.summary import levels
from hushwatt.plan.times import zone
from hushwatt.sanitise import sanitised
from hushwatt.wire.payload import Layout

TEMPLATE = "the EU's DPIA template for smart grid and smart metering systems"
DESCRIBES = (
    f"In the order of {TEMPLATE} (Commission Recommendation 2014/724/EU; GDPR Article 35(7)). What a plan cannot "
    "answer is listed further down."
)
WEIGHS = "Facts for the assessment. Whether they suffice for the purpose is for people to say."


def description(plan: Plan) -> StatementSection:
    """The systematic description of the processing."""
    facts = (
        fact("name", "Name", "{name}", name=from_plan("name", _text(plan.name))),
        fact("purpose", "Purpose", "{purpose}", purpose=from_plan("description", _text(plan.description))),
        fact("controller", "Who asks", "{contact}", contact=from_plan("contact", _text(plan.contact))),
        _period(plan),
        _data(plan),
        _recipients(plan),
        *further(plan),
    )
    return StatementSection("description", "Systematic description", DESCRIBES, facts, (_asked(plan),))


def _period(plan: Plan) -> Fact:
    where = zone(plan.timezone)
    first, last = (f"{moment.astimezone(where):%Y-%m-%d %H:%M}" for moment in (plan.start, plan.expires))
    return fact(
        "period",
        "Period",
        "{start} to {expires}, clocks of {timezone}: {slots} of {slot} each. After that no home answers.",
        start=from_plan("start", first),
        expires=from_plan("expires", last),
        timezone=from_plan("timezone", plan.timezone),
        slots=computed("calendar", count_of(plan.calendar.slots, "slot"), plan.calendar.slots),
        slot=from_plan("slot", plan.slot.lasting(1), str(plan.slot)),
    )


def _data(plan: Plan) -> Fact:
    return fact(
        "data",
        "Personal data",
        "Randomised levels of {appliances}, linked to a random name of the home's device and to a time. Reports of a "
        "device can be linked to each other for as long as it takes part, so they are pseudonymous, not anonymous.",
        appliances=from_plan("appliance", count_of(len(plan.appliances), "appliance"), len(plan.appliances)),
    )


def _recipients(plan: Plan) -> Fact:
    return fact(
        "flows",
        "Flow of data",
        "Meters and plugs to the home's own device; randomised reports from there to the provider; estimates over many "
        "homes from there to whoever may read the dashboard. The plan is known by its hash, {id}.",
        id=computed("hash", plan.id),
    )


def _asked(plan: Plan) -> FigureTable:
    """What is asked about which appliances."""
    rows = tuple(
        (from_plan("appliance", names), from_plan("edges, values", count, count), from_plan("edges, values", which))
        for names, count, which in levels(plan)
    )
    return FigureTable("levels", ("appliances", "levels", "which"), rows)


def proportionality(plan: Plan) -> StatementSection:
    """Facts about necessity and proportion."""
    cells, size = plan.width, Layout.of(plan).size
    facts = (
        fact(
            "minimisation",
            "Data minimisation",
            "Of all readings in {slot}, a home sends {size}: randomised answers about {asked} of its appliances, "
            "chosen among {cells}. No reading, no total and no name is part of it.",
            slot=from_plan("slot", plan.slot.lasting(1), str(plan.slot)),
            size=computed("payload", count_of(size, "byte"), size),
            asked=from_plan("appliances_per_report", plan.appliances_per_report, plan.appliances_per_report),
            cells=computed("payload", count_of(cells, "possible level"), cells),
        ),
        fact(
            "storage",
            "Storage limitation",
            "The plan ends on {expires}. A home that leaves is erased from the store; how long the rest is kept is for "
            "the provider to say.",
            expires=from_plan("expires", f"{plan.expires.astimezone(zone(plan.timezone)):%Y-%m-%d}"),
        ),
        fact(
            "control",
            "Control by the data subject",
            "A home is shown the plan and its cost before anything is sent, agrees to its hash, sees every byte that "
            "left, and can pause, leave and be erased at any time without giving a reason.",
        ),
        fact(
            "count_rule",
            "Aggregation rule, the count",
            "Nothing is shown where fewer than {homes} reported. The count half of rules such as 15/15 can be checked.",
            homes=from_plan("minimum_homes", count_of(plan.minimum_homes, "home"), plan.minimum_homes),
        ),
    )
    return StatementSection("proportionality", "Necessity and proportionality", WEIGHS, facts)


def _text(text: str) -> str:
    return sanitised(text, LONGEST_TEXT)
