"""What a plan promises, in sentences; the same wherever a person is asked to weigh them."""

from typing import Any

from hushwatt.plan.amounts import plain
from hushwatt.plan.plan import Plan
from hushwatt.privacy.promise import Promise
from hushwatt.wire.payload import Layout

ODDS = (
    "e^ε : 1, the most by which all that a home sends can shift the odds between two pasts of the home, "
    "or of one appliance for someone who already knew everything else about the home"
)
IN_BULK = "in bulk files and experiments only: the service refuses plans in which the provider decides"


def sentences(plan: Plan, promise: Promise) -> list[tuple[str, str]]:
    """Labels and sentences: both protections, what a report gives away, and the dearest window."""
    span = "any slot" if plan.window == 1 else f"any {plan.window:,} slots in a row"
    return [
        ("the home", f"ε {plain(plan.epsilon)} over {span}; odds {promise.odds}"),
        ("one appliance", f"ε {plain(reach(promise))} over {span}; odds {promise.appliance_odds}"),
        ("what odds mean", ODDS),
        ("a report", _report(plan, promise)),
        ("dearest window", _dearest(plan, promise)),
        *([("where it runs", IN_BULK)] if plan.decision == "provider" else []),
    ]


def table(plan: Plan, promise: Promise) -> dict[str, Any]:
    """The same for programs; amounts are whole millionths of ε."""
    return {
        "plan": plan.id,
        "window": plan.window,
        "epsilon": plan.epsilon,
        "appliance_epsilon": plan.appliance_epsilon,
        "dearest_window": promise.dearest,
        "dearest_window_of_one_appliance": reach(promise),
        "odds": promise.odds,
        "odds_of_one_appliance": promise.appliance_odds,
        "names_true_level": list(promise.told),
        "only_true_level": list(promise.truthful),
        "report_bytes": Layout.of(plan).size,
        "kept": promise.kept,
    }


def reach(promise: Promise) -> int:
    """What of a window can reach one appliance, in whole millionths, rounded up."""
    return -(-promise.appliance_dearest.numerator // promise.appliance_dearest.denominator)


def _report(plan: Plan, promise: Promise) -> str:
    """The most telling report: the one drawn with the largest budget."""
    size = Layout.of(plan).size
    text = f"{size:,} byte{'' if size == 1 else 's'}; names an appliance's true level with probability"
    text = f"{text} {_chances(promise.told)}"
    if promise.truthful != promise.told:
        text = f"{text}, and nothing but the true level with {_chances(promise.truthful)}"
    return text


def _dearest(plan: Plan, promise: Promise) -> str:
    verdict = "the promise is kept" if promise.kept else "THE PROMISE IS BROKEN"
    return (
        f"ε {plain(promise.dearest)} of the ε {plain(plan.epsilon)} promised, "
        f"whatever is decided in each slot: {verdict}"
    )


def _chances(span: tuple[float, float]) -> str:
    low, high = (f"{chance:.4g}" for chance in span)
    return low if low == high else f"{low} to {high}"
