"""A plan in words, for whoever is asked to take part."""

from hushwatt.plan.amounts import plain
from hushwatt.plan.appliance import Appliance, show_watts
from hushwatt.plan.choices import DECISIONS, MAPPINGS, METHODS, ORACLES, UNMEASURED
from hushwatt.plan.periods import results_told
from hushwatt.plan.phases import blind_spot
from hushwatt.plan.plan import Plan
from hushwatt.plan.rules import LONGEST_TEXT
from hushwatt.plan.times import show_instant, zone
from hushwatt.sanitise import sanitised

UNITS = {"s": "second", "m": "minute", "h": "hour", "d": "local day"}
SHARED = "homes as well: whoever can reach the provider may fetch what was published, to compare a home with it"


def facts(plan: Plan) -> list[tuple[str, str]]:
    """What the plan says, as labels and sentences."""
    return [
        ("who asks", sanitised(plan.contact, LONGEST_TEXT)),
        ("what for", sanitised(plan.description, LONGEST_TEXT)),
        ("when", _when(plan)),
        ("each slot", _slot(plan)),
        ("promise", _promise(plan)),
        ("one appliance", _appliance_promise(plan)),
        ("published", f"{plan.method}: {METHODS[plan.method].says}"),
        *([("never seen", spot)] if (spot := blind_spot(plan)) else []),
        *([("decided by", f"{plan.decision}: {DECISIONS[plan.decision]}")] if plan.decision else []),
        ("each report", _report(plan)),
        ("randomised", f"{plan.oracle}: {ORACLES[plan.oracle]}"),
        ("levels", f"{plan.mapping}: {MAPPINGS[plan.mapping]}"),
        *([("not measured", UNMEASURED[plan.unmeasured])] if plan.answers_unmeasured else []),
        *([("succeeds", plan.replaces)] if plan.replaces else []),
        *results_told(plan.publish, plan.slot),
        ("shown only", f"where at least {_count(plan.minimum_homes, 'home')} reported"),
        *sharing_told(plan),
        ("id", plan.id),
    ]


def any_window(plan: Plan) -> str:
    """The slots that the promise is about, and how long they last.

    >>> from dataclasses import replace
    >>> from hushwatt.plan.presets import preset
    >>> any_window(replace(preset("advised"), window=365)), any_window(replace(preset("advised"), window=1))
    ('any 365 slots in a row (365 days)', 'any slot (1 day)')
    """
    slots = "any slot" if plan.window == 1 else f"any {plan.window:,} slots in a row"
    return f"{slots} ({plan.slot.lasting(plan.window)})"


def sharing_told(plan: Plan) -> list[tuple[str, str]]:
    """A label and a sentence on who sees what is published, where that is not the provider alone."""
    return [("shown to", SHARED)] if plan.share_results else []


def levels(plan: Plan) -> list[tuple[str, int, str]]:
    """The appliances, those with the same levels together, how many levels, and which."""
    alike: dict[str, list[Appliance]] = {}
    for each in plan.appliances:
        alike.setdefault(_levels(each, plan.mapping), []).append(each)
    return [(", ".join(sanitised(each.name) for each in group), group[0].levels, text) for text, group in alike.items()]


def _when(plan: Plan) -> str:
    where = zone(plan.timezone)
    first, last = (f"{moment.astimezone(where):%Y-%m-%d %H:%M}" for moment in (plan.calendar.start_of(0), plan.expires))
    return f"{first} to {last}, {plan.timezone}: {_count(plan.calendar.slots, 'slot')}"


def _slot(plan: Plan) -> str:
    begins = "beginning at midnight" if plan.slot.unit == "d" else f"counted from {show_instant(plan.start)}"
    return f"{_count(plan.slot.count, UNITS[plan.slot.unit])}, {begins}"


def _promise(plan: Plan) -> str:
    return f"ε {plain(plan.epsilon)} for the whole home over {any_window(plan)}"


def _appliance_promise(plan: Plan) -> str:
    if plan.appliance_epsilon is None:
        return "no cap set; `hushwatt plan check` says what it comes to"
    return f"ε {plain(plan.appliance_epsilon)} over {any_window(plan)}"


def _report(plan: Plan) -> str:
    count = len(plan.appliances)
    if plan.appliances_per_report == count:
        return f"speaks of {'the one appliance' if count == 1 else f'all {count} appliances'}"
    return f"speaks of {plan.appliances_per_report} of the {count} appliances, in random turns"


def _levels(appliance: Appliance, mapping: str) -> str:
    if mapping == "dither" or appliance.edges is None:
        return f"{', '.join(map(show_watts, appliance.values))} W"
    edges = [show_watts(edge) for edge in appliance.edges]
    first = "0" if edges[0] == "0" else f"0 to {edges[0]}"
    return ", ".join([first, *(f"to {edge}" for edge in edges[1:]), f"above {edges[-1]} W"])


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
