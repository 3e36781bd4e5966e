"""What a plan promises, for programs; `privacy/promise_words.py` has it for people."""

from typing import Any

from hushwatt.plan.phases import blind_spot
from hushwatt.plan.plan import Plan
from hushwatt.privacy.influence import influence, month, report_influence
from hushwatt.privacy.length_bias import sharpness
from hushwatt.privacy.promise import Promise
from hushwatt.privacy.promise_words import reach
from hushwatt.wire.payload import Layout


def promise_json(plan: Plan, promise: Promise) -> dict[str, Any]:
    """Names and numbers; amounts are whole millionths of ε."""
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
        "influence": {
            "report": report_influence(plan),
            "slot": influence(plan, 1),
            "month": influence(plan, month(plan)),
            "plan": influence(plan, plan.calendar.slots),
        },
        "blind_spot": blind_spot(plan),
        "sharpness": sharpness(plan),
        "report_bytes": Layout.of(plan).size,
        "kept": promise.kept,
    }
