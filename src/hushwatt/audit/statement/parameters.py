"""Every key of the plan as it stands in its canonical form."""

from collections.abc import Iterator
from typing import Any

from hushwatt.audit.statement.fact import Fact, FigureTable, StatementSection, TracedFigure, fact, from_plan
from hushwatt.plan import writer
from hushwatt.plan.plan import Plan
from hushwatt.plan.rules import LONGEST_TEXT
from hushwatt.sanitise import sanitised

INTRODUCTION = (
    "The plan itself, key by key; amounts of ε are in millionths. A changed value is another plan, with another hash."
)
SAID = (  # keys that sentences of a statement speak of
    *("version", "name", "description", "contact", "start", "expires", "timezone", "slot", "epsilon", "window"),
    *("method", "decision", "oracle", "appliances_per_report", "mapping", "minimum_homes", "publish"),
    *("appliance_epsilon", "unmeasured", "replaces", "appliance"),
)


def further(plan: Plan) -> tuple[Fact, ...]:
    """Keys that no other sentence speaks of, so that none is passed over in silence."""
    others = {key: value for key, value in writer.table(plan).items() if key not in SAID}
    return tuple(_further(key, value) for key, value in others.items())


def _further(key: str, value: Any) -> Fact:
    figures = {"name": from_plan(key, key), "value": from_plan(key, _shown(value), value)}
    return fact(key, "Also agreed", "{name} is {value}.", **figures)


def parameters(plan: Plan) -> StatementSection:
    """One row for each key, and one for each key of each appliance."""
    table = FigureTable("keys", ("key", "value"), tuple(_rows(writer.table(plan))))
    return StatementSection("parameters", "The plan, every parameter", INTRODUCTION, (), (table,))


def _rows(table: dict[str, Any]) -> Iterator[tuple[TracedFigure, TracedFigure]]:
    for key, value in table.items():
        if key != "appliance":
            yield from_plan(key, key), from_plan(key, _shown(value), value)
    for number, appliance in enumerate(table["appliance"]):
        for key, value in appliance.items():
            path = f"appliance[{number}].{key}"
            yield from_plan(path, path), from_plan(path, _shown(value), value)


def _shown(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else sanitised(value, LONGEST_TEXT)
