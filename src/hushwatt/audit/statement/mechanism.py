"""How answers come about, what results can bear, and what else may tell: what a guarantee stands on."""

from hushwatt.audit.statement.evidence import Evidence
from hushwatt.audit.statement.fact import Fact, computed, count_of, fact, from_plan
from hushwatt.audit.statement.proof import shown_by
from hushwatt.plan.choices import MAPPINGS, METHODS, ORACLES, UNMEASURED
from hushwatt.plan.periods import how_often
from hushwatt.plan.phases import blind_spot
from hushwatt.plan.plan import Plan
from hushwatt.privacy.influence import influence, month
from hushwatt.privacy.length_bias import leaning
from hushwatt.privacy.promise import Promise
from hushwatt.privacy.promise_words import chance_words
from hushwatt.wire.payload import Layout


def mechanism(plan: Plan, promised: Promise) -> Fact:
    """How an answer comes about."""
    asked, count = plan.appliances_per_report, len(plan.appliances)
    return fact(
        "mechanism",
        "Mechanism",
        "Randomised by {oracle}. Watts become a level by {mapping}. Sent by {method}. A report speaks of {asked} of "
        "{count}. It names an appliance's true level with probability {told}. {unmeasured}.",
        oracle=from_plan("oracle", f"{plan.oracle}, {ORACLES[plan.oracle]}", plan.oracle),
        mapping=from_plan("mapping", f"{plan.mapping}, {MAPPINGS[plan.mapping]}", plan.mapping),
        method=from_plan("method", f"{plan.method}, {METHODS[plan.method].says}", plan.method),
        asked=from_plan("appliances_per_report", asked, asked),
        count=from_plan("appliance", count_of(count, "appliance"), count),
        told=computed("laws", chance_words(promised.told), list(promised.told)),
        unmeasured=from_plan("unmeasured", _capital(UNMEASURED[plan.unmeasured]), plan.unmeasured),
    )


def utility(plan: Plan) -> list[Fact]:
    """What results are about, where they lean, and what a forger can do."""
    month_of, whole = influence(plan, month(plan)), influence(plan, plan.calendar.slots)
    spot, lean = blind_spot(plan), leaning(plan)
    seen = f"{_capital(spot)}." if spot else "No hour and no weekday goes unseen for good."
    return [
        fact(
            "utility",
            "Accuracy and bias",
            "Every number has an interval. How wide it is depends on the number of homes, which a plan does not say: "
            "`hushwatt plan advise PLAN --homes N` works it out. {seen}",
            mark="limit" if spot else "",
            seen=computed("blind spot", seen),
        ),
        *([fact("leaning", "Not for use", "{lean}.", "no", lean=computed("leaning", _capital(lean)))] if lean else []),
        fact(
            "influence",
            "Forged reports",
            "A home that forges its reports counts in a mean as at most {month} homes over a month and {whole} over "
            "the whole plan.",
            month=computed("influence", f"{month_of:.1f}", month_of),
            whole=computed("influence", f"{whole:.1f}", whole),
        ),
    ]


def side_channels(plan: Plan, evidence: Evidence) -> list[Fact]:
    """Timing, sizes, number formats, randomness: each with what an audit saw of it."""
    size = Layout.of(plan).size
    payload = computed("payload", count_of(size, "byte"), size)
    timing = (
        "Whether and when a home sends depends on the clock and on chance, never on a reading. All reports are of one "
        "size, {size} of answers. {seen}"
    )
    numbers = (
        "Chances are compared as whole numbers, so no pattern of floating-point rounding can show in an answer. {seen}"
    )
    return [
        fact("timing", "Side channel: timing and size", timing, size=payload, seen=shown_by(evidence, "C17")),
        fact("number_formats", "Side channel: number formats", numbers, seen=shown_by(evidence, "C1", "C5")),
        fact(
            "randomness",
            "Side channel: randomness",
            "Noise is the operating system's, or a cipher keyed from it. {seen}",
            seen=shown_by(evidence, "C18"),
        ),
    ]


def collected(plan: Plan, evidence: Evidence) -> Fact:
    """What exists where: the base of the guideline's pyramid."""
    return fact(
        "data_collection",
        "Data collection",
        "Readings stay at home, are averaged over {slot}, and are not kept. A report is {size}: a random name of the "
        "device, the time, what was spent, and the randomised answer. The provider keeps reports, and erases those of "
        "a home that leaves. {seen}",
        slot=from_plan("slot", plan.slot.lasting(1), str(plan.slot)),
        size=computed("payload", f"{count_of(Layout.of(plan).size, 'byte')} of answers", Layout.of(plan).size),
        seen=shown_by(evidence, "C16"),
    )


READERS = {
    False: "Whoever the provider lets in reads them.",
    True: "Whoever can reach the provider may read means and their intervals, over stretches of a week or so: homes "
    "fetch them to be compared with, without saying who they are, and those whose owners want that keep sums of their "
    "own watts, over the same stretches, on their own disk.",
}


def published(plan: Plan) -> Fact:
    """What anybody else sees: sums over homes."""
    return fact(
        "minimum",
        "What is published",
        "Estimates over all homes, {often}, and nothing where fewer than {homes} reported; once published, a number "
        "never changes, so that no difference of two singles out a home. {readers}",
        often=from_plan("publish", how_often(plan.publish, plan.slot), plan.publish),
        homes=from_plan("minimum_homes", count_of(plan.minimum_homes, "home"), plan.minimum_homes),
        readers=from_plan("share_results", READERS[plan.share_results], plan.share_results),
    )


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
