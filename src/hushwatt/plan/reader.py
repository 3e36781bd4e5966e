"""From the table of a plan file to the values of a plan: types and defaults."""

from collections.abc import Mapping
from typing import Any
from zoneinfo import ZoneInfo

from hushwatt.errors import PlanError
from hushwatt.plan.appliance import Appliance
from hushwatt.plan.calendar import Calendar
from hushwatt.plan.choices import DECISIONS, MAPPINGS, METHODS, ORACLES, UNMEASURED
from hushwatt.plan.periods import whole_slots
from hushwatt.plan.rules import check_dates
from hushwatt.plan.section import Section
from hushwatt.plan.shown import shown
from hushwatt.plan.slot import SlotLength
from hushwatt.plan.times import parse_instant, zone

KEYS = (
    "version",
    "name",
    "description",
    "contact",
    "start",
    "expires",
    "timezone",
    "slot",
    "epsilon",
    "window",
    "method",
    "decision",
    "oracle",
    "appliances_per_report",
    "mapping",
    "minimum_homes",
    "publish",
    "appliance_epsilon",
    "unmeasured",
    "replaces",
    "share_results",
    "appliance",
)
WHOLE_PLAN = "plan"  # a window as long as the plan runs
APPLIANCE_KEYS = ("name", "edges", "values", "typical_mean", "typical_high")


def read(table: Mapping[str, object]) -> dict[str, Any]:
    """The fields of a plan, with everything left out filled in."""
    top = Section(table, "")
    top.only(KEYS)
    if top.whole("version", 1) != 1:
        raise top.wrong("version", "this hushwatt reads version 1")
    words, times = _words(top), _times(top)
    return words | times | _mechanism(top, Calendar(**times)) | _asked(top)


def _words(top: Section) -> dict[str, Any]:
    return {key: top.text(key) for key in ("name", "description", "contact")}


def _times(top: Section) -> dict[str, Any]:
    timezone = top.text("timezone") if top.has("timezone") else "UTC"
    where: ZoneInfo = zone(timezone)
    return {
        "start": parse_instant("start", top.required("start"), where),
        "expires": parse_instant("expires", top.required("expires"), where),
        "timezone": timezone,
        "slot": SlotLength.parse(top.text("slot")),
    }


def _window(top: Section, calendar: Calendar) -> int:
    """The window in slots, which a plan may also write as a length of time, or as all of its own."""
    written = top.required("window")
    if not isinstance(written, str):
        return top.whole("window")
    if written == WHOLE_PLAN:
        check_dates(calendar.start, calendar.expires)
        return calendar.slots
    slots = calendar.slot.needed_for(written)
    if slots is None:
        raise top.wrong("window", "it must be a number of slots, a length from '1s' to '36600d', or 'plan'")
    return slots


def _publish(top: Section, slot: SlotLength) -> int:
    """How many slots are published together: their number, or a duration that they make up."""
    written = top.table.get("publish", 1)
    slots = whole_slots(written, slot) if isinstance(written, str) else top.whole("publish", 1)
    if slots is None:
        raise top.wrong("publish", f"write a number of slots, or a time that whole slots of {slot} make up, as in '7d'")
    return slots


def _mechanism(top: Section, calendar: Calendar) -> dict[str, Any]:
    method = top.choice("method", METHODS)
    decision = METHODS[method].decided_by
    return {
        "epsilon": top.amount("epsilon"),
        "window": _window(top, calendar),
        "publish": _publish(top, calendar.slot),
        "method": method,
        "decision": top.choice("decision", DECISIONS, decision) if decision or top.has("decision") else None,
        "oracle": top.choice("oracle", ORACLES, "oue"),
        "minimum_homes": top.whole("minimum_homes", 100),
        "appliance_epsilon": top.amount("appliance_epsilon") if top.has("appliance_epsilon") else None,
    }


def _asked(top: Section) -> dict[str, Any]:
    mapping = top.choice("mapping", MAPPINGS, "range")
    appliances = _appliances(top, mapping)
    return {
        "mapping": mapping,
        "appliances": appliances,
        "appliances_per_report": top.whole("appliances_per_report", len(appliances)),
        "unmeasured": top.choice("unmeasured", UNMEASURED, "zero"),
        "replaces": top.text("replaces") if top.has("replaces") else None,
        "share_results": top.truth("share_results", default=False),
    }


def _appliances(top: Section, mapping: str) -> tuple[Appliance, ...]:
    tables = top.required("appliance")
    if not isinstance(tables, list):
        raise top.wrong("appliance", "write one [[appliance]] for each appliance, in double brackets")
    return tuple(_appliance(place, table, mapping) for place, table in enumerate(tables))


def _appliance(place: int, table: object, mapping: str) -> Appliance:
    if not isinstance(table, Mapping):
        raise PlanError(f"appliance[{place}] is {shown(table)}; it must be a table")
    name = Section(table, f"appliance[{place}]: ").text("name")
    section = Section(table, f"{name if name.isprintable() else shown(name)}: ")
    section.only(APPLIANCE_KEYS)
    return Appliance.of(
        name,
        edges=section.watts_list("edges"),
        values=section.watts_list("values"),
        mapping=mapping,
        typical_mean=section.watts("typical_mean"),
        typical_high=section.watts("typical_high"),
    )
