"""Every key of the plan as it stands in its canonical form."""

from typing import Any

from hushwatt.audit.statement.fact import Fact, FigureTable, StatementSection, TracedFigure, from_plan
from hushwatt.plan import writer
from hushwatt.plan.plan import Plan
from hushwatt.plan.reader import APPLIANCE_KEYS
from hushwatt.plan.rules import LONGEST_TEXT
from hushwatt.sanitise import sanitised

INTRODUCTION = (
    "The plan itself, key by key; amounts of ε are in millionths. A changed value is another plan, with another hash."
)
NONE = "none"  # of a key that an appliance does not have
SAID = (  # keys that sentences of a statement speak of
    *("version", "name", "description", "contact", "start", "expires", "timezone", "slot", "epsilon", "window"),
    *("method", "decision", "oracle", "appliances_per_report", "mapping", "minimum_homes", "publish"),
    *("appliance_epsilon", "unmeasured", "replaces", "share_results", "appliance"),
)


def further(plan: Plan) -> tuple[Fact, ...]:
    """Keys that no other sentence speaks of, so that none is passed over in silence."""
    others = {key: value for key, value in writer.table(plan).items() if key not in SAID}
    return tuple(_further(key, value) for key, value in others.items())


def _further(key: str, value: Any) -> Fact:
    figures = {"name": from_plan(key, key), "value": from_plan(key, _shown(value), value)}
    return Fact(key, "Also agreed", "{name} is {value}.", figures)


def parameters(plan: Plan) -> StatementSection:
    """One row for each key, and one for each appliance."""
    table = writer.table(plan)
    rows = tuple((from_plan(key, key), from_plan(key, _shown(value), value)) for key, value in _own(table).items())
    appliances = tuple(_appliance(number, each) for number, each in enumerate(table["appliance"]))
    tables = (FigureTable("keys", ("key", "value"), rows), FigureTable("appliances", APPLIANCE_KEYS, appliances))
    return StatementSection("parameters", "The plan, every parameter", INTRODUCTION, (), tables)


def _own(table: dict[str, Any]) -> dict[str, Any]:
    """The keys of the plan itself."""
    return {key: value for key, value in table.items() if key != "appliance"}


def _appliance(number: int, table: dict[str, Any]) -> tuple[TracedFigure, ...]:
    values = ((f"appliance[{number}].{key}", table.get(key)) for key in APPLIANCE_KEYS)
    return tuple(from_plan(path, NONE if value is None else _shown(value), value) for path, value in values)


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return ", ".join(map(str, value)) if isinstance(value, list) else sanitised(value, LONGEST_TEXT)
