"""What a plan promises, in sentences: the same wherever a person is asked to weigh them."""

from hushwatt.plan.amounts import plain
from hushwatt.plan.periods import results_told
from hushwatt.plan.phases import blind_spot
from hushwatt.plan.plan import Plan
from hushwatt.plan.summary import any_window, sharing_told
from hushwatt.privacy.influence import influence, month
from hushwatt.privacy.length_bias import leaning
from hushwatt.privacy.long_run import OWNER, Voice, long_run_sentences
from hushwatt.privacy.promise import Promise

ODDS = (
    "e^ε : 1, the most by which all that a home sends can shift the odds between two pasts of the home, "
    "or of one appliance for someone who already knew everything else about the home"
)
IN_BULK = "in bulk files and experiments only: the service refuses plans in which the provider decides"


def sentences(plan: Plan, promise: Promise, size: int, voice: Voice = OWNER) -> list[tuple[str, str]]:
    """Labels and sentences: the long run, both protections of a window, what a report of `size` bytes gives away
    and can do, and what the dearest window costs.
    """
    span = any_window(plan)
    return [
        *long_run_sentences(plan, voice),
        ("the whole home", f"ε {plain(plan.epsilon)} over {span}; odds {promise.odds}"),
        ("one appliance", f"ε {plain(reach(promise))} over {span}; odds {promise.appliance_odds}"),
        ("what odds mean", ODDS),
        ("a report", _report(promise, size)),
        ("its influence", _influence(plan)),
        ("dearest window", _dearest(plan, promise)),
        *([("NOT FOR USE", told)] if (told := leaning(plan)) else []),
        *([("never seen", spot)] if (spot := blind_spot(plan)) else []),
        *([("where it runs", IN_BULK)] if plan.decision == "provider" else []),
        *results_told(plan.publish, plan.slot),
        *sharing_told(plan),
    ]


def as_prose(told: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The same for a page: each label and each sentence with a capital, and a full stop.

    >>> as_prose([("a report", "19 bytes"), ("what odds mean", "e^ε : 1")])
    [('A report', '19 bytes.'), ('What odds mean', 'e^ε : 1.')]
    """
    return [(label[:1].upper() + label[1:], _capital(text) + ".") for label, text in told]


def _capital(text: str) -> str:
    """ε and e^ε are symbols, and stay as they are."""
    return text if text.startswith(("ε", "e^")) else text[:1].upper() + text[1:]


def reach(promise: Promise) -> int:
    """What of a window can reach one appliance, in whole millionths, rounded up."""
    return -(-promise.appliance_dearest.numerator // promise.appliance_dearest.denominator)


def _report(promise: Promise, size: int) -> str:
    """The most telling report: the one drawn with the largest budget."""
    text = f"{size:,} byte{'' if size == 1 else 's'}; names an appliance's true level with probability"
    text = f"{text} {chance_words(promise.told)}"
    if promise.truthful != promise.told:
        text = f"{text}, and nothing but the true level with {chance_words(promise.truthful)}"
    return text


def _influence(plan: Plan) -> str:
    """What one forging home counts as, where it counts most and over time."""
    periods = {f"homes over a single {plan.periods.word}": plan.publish, "over 30 days": month(plan)}
    periods["over the whole plan"] = plan.calendar.slots
    told = [f"{influence(plan, slots):.1f} {period}" for period, slots in periods.items()]
    return (
        f"a home that forges its reports counts in a mean as at most {told[0]}, {told[1]} and {told[2]}; "
        "these go from the lowest level to the highest, with turns and orders kept, and homes spread "
        "evenly over them"
    )


def _dearest(plan: Plan, promise: Promise) -> str:
    verdict = "the promise is kept" if promise.kept else "THE PROMISE IS BROKEN"
    return (
        f"ε {plain(promise.dearest)} of the ε {plain(plan.epsilon)} promised, "
        f"whatever is decided in each slot: {verdict}"
    )


def chance_words(span: tuple[float, float], digits: int = 4) -> str:
    """The least and the largest chance, or the one where they are the same."""
    low, high = (f"{chance:.{digits}g}" for chance in span)
    return low if low == high else f"{low} to {high}"
