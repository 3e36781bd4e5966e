"""What a home is asked to agree to, in plain words, with the numbers that matter.

What the provider wrote itself stands in quotation marks, on one line.
"""

from hushwatt.household.ledger.caps import YEAR
from hushwatt.household.ledger.demand import max_spend
from hushwatt.household.report.preview import Preview
from hushwatt.plan.amounts import plain
from hushwatt.plan.plan import Plan
from hushwatt.plan.rules import LONGEST_TEXT
from hushwatt.plan.summary import any_window, facts
from hushwatt.privacy.long_run import long_run_sentences
from hushwatt.privacy.promise import Promise
from hushwatt.privacy.promise_words import chance_words, reach
from hushwatt.sanitise import quoted, sanitised
from hushwatt.wire.labels import NO_LABELS, Labels

WHILE_PAUSED = (
    "Nothing leaves this home while it is paused. What waits is kept, and goes out as it is after you "
    "resume; what comes too late for the provider is refused there, and is not sent again."
)
HABITS = (
    "Each window is protected by itself. What never changes shines through in the end, a little more with every "
    "report: how much is said for each plan below."
)


def consent_terms(
    plan: Plan, promise: Promise, address: str, key: bytes, labels: Labels = NO_LABELS
) -> list[tuple[str, str]]:
    """Who asks, what for, and what it may cost this home."""
    fact = dict(facts(plan))
    span = any_window(plan)
    year = max_spend(plan, YEAR)
    truthful = chance_words(promise.truthful, digits=3)
    return [
        ("who asks", f"{quoted(plan.contact, LONGEST_TEXT)}, at {sanitised(address)}"),
        ("their key", f"{key.hex()[:16]}…, pinned when you agree"),
        ("what for", quoted(plan.description, LONGEST_TEXT)),
        *([("filed under", filed_words(plan, labels))] if labels else []),
        ("when", fact["when"]),
        ("each slot", fact["each slot"]),
        *long_run_sentences(plan),
        ("your home", f"ε {plain(promise.dearest)} over {span}: odds {promise.odds} at most"),
        ("one appliance", f"ε {plain(reach(promise))} over {span}: odds {promise.appliance_odds} at most"),
        ("what odds mean", ODDS),
        ("in a year", f"ε {plain(year)} at most for the home"),
        ("each report", fact["each report"]),
        ("plain truth", f"a report is simply true about an appliance with probability {truthful}"),
        *([("not measured", UNMEASURED)] if plan.answers_unmeasured else []),
        *([("results", fact["results"])] if "results" in fact else []),
        ("shown only", fact["shown only"]),
        *([("shown to", fact["shown to"])] if "shown to" in fact else []),
        ("plan", plan.id),
    ]


def filed_words(plan: Plan, labels: Labels) -> str:
    """What the provider knows of this home anyway, and what that changes."""
    return (
        f"{sanitised(labels.words())}: your provider knows this anyway; it may look at the homes that are filed alike "
        f"by themselves, never at fewer than {plan.minimum_homes:,}"
    )


def filed_sentence(labels: Labels) -> str:
    """
    >>> filed_sentence(Labels.of({"tariff": "A", "region": "north"}))
    'The provider files this home under: tariff A, region north.'
    """
    return f"The provider files this home under: {sanitised(labels.words())}."


UNMEASURED = (
    "if you have no plug on an appliance, or it is silent for more than half of a slot, your home answers that "
    "it does not measure it; this answer is randomised and paid for like a level, and how often someone could tell "
    "all the same is said above, under 'in the long run'"
)


def successor_terms(follows: bool) -> tuple[str, str]:
    """What happens when the provider replaces a plan."""
    if follows:
        return "successors", (
            "you allowed this home to move on by itself (follow_successors) to a plan that replaces another, from "
            "the same provider, where nothing about the protection is weaker and your caps hold; you are told"
        )
    return "successors", "a plan that replaces this one is only shown to you; nothing changes unless you join it"


ODDS = (
    "by how much all that leaves your home can shift a bet between two stories about it; about one "
    "appliance, for someone who knew everything else about your home already"
)


def example_report(plan: Plan, shown: Preview) -> list[str]:
    """One example report, bytes and all."""
    lines = [
        f"One report has {len(shown.record)} bytes. "
        "An EXAMPLE, with invented levels and fresh noise, not from your plugs:",
        f"  {shown.record.hex(' ', -4)}",
        "  device (16 bytes), slot (4), spent (4), drawn (4), then the randomised answer, which says:",
    ]
    return lines + [f"  {quoted(name)}: {answers}" for name, answers in shown.says]


def plan_changes(old: Plan, new: Plan) -> list[str]:
    """What a changed plan changes, line by line."""
    before, after = dict(facts(old)), dict(facts(new))
    changes = [
        f"{label}: {_fact(label, before.get(label, 'nothing'))} → {_fact(label, after.get(label, 'nothing'))}"
        for label in {**after, **before}
        if label not in ("id", "succeeds") and before.get(label) != after.get(label)
    ]
    levels = {each.name: each for each in old.appliances}
    for each in new.appliances:
        if each.name not in levels:
            changes.append(f"{quoted(each.name)}: asked about from now on")
        elif levels[each.name] != each:
            changes.append(f"{quoted(each.name)}: other levels")
    return changes + [f"{quoted(name)}: no longer asked about" for name in old.names if name not in new.names]


def _fact(label: str, words: str) -> str:
    return quoted(words, LONGEST_TEXT) if label in ("who asks", "what for") else words
