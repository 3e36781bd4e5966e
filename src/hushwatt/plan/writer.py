"""A plan written out: the canonical bytes that its id is the hash of, and TOML for people."""

import json
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any

from hushwatt.errors import PlanError
from hushwatt.plan.amounts import plain
from hushwatt.plan.appliance import Appliance, default_edges, default_values, show_watts
from hushwatt.plan.times import local_day, midnight, show_instant, zone

if TYPE_CHECKING:
    from hushwatt.plan.plan import Plan


def table(plan: "Plan") -> dict[str, Any]:
    """The canonical table: all defaults filled in, only strings, integers and `true`.

    Amounts are whole millionths of ε, watts the shortest decimal strings,
    instants UTC.  What a plan does not have is left out.
    """
    return _present(
        {
            "version": 1,
            "name": plan.name,
            "description": plan.description,
            "contact": plan.contact,
            "start": show_instant(plan.start),
            "expires": show_instant(plan.expires),
            "timezone": plan.timezone,
            "slot": str(plan.slot),
            "epsilon": plan.epsilon,
            "window": plan.window,
            "method": plan.method,
            "decision": plan.decision,
            "oracle": plan.oracle,
            "appliances_per_report": plan.appliances_per_report,
            "mapping": plan.mapping,
            "minimum_homes": plan.minimum_homes,
            "publish": plan.publish if plan.publish != 1 else None,
            "appliance_epsilon": plan.appliance_epsilon,
            "unmeasured": plan.unmeasured if plan.answers_unmeasured else None,
            "replaces": plan.replaces,
            "share_results": plan.share_results or None,
            "appliance": [_appliance_table(each) for each in plan.appliances],
        }
    )


def canonical(plan: "Plan") -> bytes:
    """The canonical form: JSON with sorted keys and no spaces, in UTF-8."""
    text = json.dumps(table(plan), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text.encode()


def toml(plan: "Plan") -> str:
    """A plan file that reads back as the same plan."""
    blocks = [_head(plan), _clock(plan), _promise(plan), _mechanism(plan)]
    blocks += [_appliance_block(each, plan.mapping) for each in plan.appliances]
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def _appliance_table(appliance: Appliance) -> dict[str, Any]:
    return _present(
        {
            "name": appliance.name,
            "edges": None if appliance.edges is None else [show_watts(each) for each in appliance.edges],
            "values": [show_watts(each) for each in appliance.values],
            "typical_mean": None if appliance.typical_mean is None else show_watts(appliance.typical_mean),
            "typical_high": None if appliance.typical_high is None else show_watts(appliance.typical_high),
        }
    )


def _head(plan: "Plan") -> list[str]:
    return [
        "# A hushwatt plan: what both sides agree on, in public.",
        "# Any change to it makes another plan, with another id.",
        "",
        f"name = {_quoted(plan.name)}",
        f"description = {_quoted(plan.description)}",
        f"contact = {_quoted(plan.contact)}",
        *([f'replaces = "{plan.replaces}"'] if plan.replaces else []),
    ]


def _clock(plan: "Plan") -> list[str]:
    return [
        "# When: readings are averaged over one slot; a slot of whole days begins at local midnight.",
        f"start = {_moment(plan.start, plan.timezone)}",
        f"expires = {_moment(plan.expires, plan.timezone)}",
        f"timezone = {_quoted(plan.timezone)}",
        f'slot = "{plan.slot}"',
    ]


def _promise(plan: "Plan") -> list[str]:
    lines = [
        "# The promise: any `window` slots in a row cost a home at most `epsilon`.",
        f"epsilon = {plain(plan.epsilon)}",
        f"window = {plan.window}  # {plan.slot.lasting(plan.window)}",
    ]
    if plan.appliance_epsilon is not None:
        lines.append(f"appliance_epsilon = {plain(plan.appliance_epsilon)}  # the same for any one appliance")
    if plan.publish != 1:
        lines.append(f"publish = {plan.publish}  # slots that results are published for together")
    lines.append(f"minimum_homes = {plan.minimum_homes}  # below this many reports, nothing is shown")
    return [*lines, *(["share_results = true  # homes may fetch what was published"] if plan.share_results else [])]


def _mechanism(plan: "Plan") -> list[str]:
    lines = ["# The mechanism.", f'method = "{plan.method}"  # how the budget is shared out over time']
    if plan.decision is not None:
        lines.append(f'decision = "{plan.decision}"  # who decides between publishing and repeating')
    return [
        *lines,
        f'oracle = "{plan.oracle}"  # how a level is randomised',
        f"appliances_per_report = {plan.appliances_per_report}",
        f'mapping = "{plan.mapping}"  # how watts become a level',
        *(
            ['unmeasured = "answer"  # homes may say that they do not measure an appliance']
            if plan.answers_unmeasured
            else []
        ),
    ]


def _appliance_block(appliance: Appliance, mapping: str) -> list[str]:
    lines = ["[[appliance]]", f"name = {_quoted(appliance.name)}", *_levels(appliance, mapping)]
    if appliance.typical_mean is not None:
        lines.append(f"typical_mean = {show_watts(appliance.typical_mean)}")
    if appliance.typical_high is not None:
        lines.append(f"typical_high = {show_watts(appliance.typical_high)}")
    return lines


def _levels(appliance: Appliance, mapping: str) -> list[str]:
    """Edges or values when the other follows from them, else both."""
    edges, values = appliance.edges, appliance.values
    if edges is None:
        return [f"values = {_list(values)}"]
    if _worked_out(default_values, appliance.name, edges, mapping) == values:
        return [f"edges = {_list(edges)}"]
    if mapping == "range" and _worked_out(default_edges, appliance.name, values) == edges:
        return [f"values = {_list(values)}"]
    return [f"edges = {_list(edges)}", f"values = {_list(values)}"]


def _worked_out(derive: Callable[..., tuple[float, ...]], *given: object) -> tuple[float, ...] | None:
    try:
        return derive(*given)
    except PlanError:
        return None


def _moment(instant: datetime, timezone: str) -> str:
    """A local date when the instant begins one, else the instant."""
    where = zone(timezone)
    day = local_day(instant, where)
    return day.isoformat() if midnight(day, where) == instant else show_instant(instant)


def _list(watts: tuple[float, ...]) -> str:
    return f"[{', '.join(show_watts(each) for each in watts)}]"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)  # every escape of JSON is one of TOML


def _present(values: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None}
