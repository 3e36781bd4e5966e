"""The states of entities as Home Assistant sends them to a subscriber: first all, then what changed.

An event has `a` for entities that are new, `c` for what changed in others, `r` for those that
are gone; within each, `s` is the state, `a` its attributes, `lc` since when it has been so.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from hushwatt.household.clock import SECOND
from hushwatt.household.sources.entities import EntityState
from hushwatt.household.untrusted_json import as_list, as_table

ATTRIBUTES = {"unit_of_measurement": "unit", "device_class": "device_class", "state_class": "state_class"}
MAX_TEXT = 400  # characters of a state or of an attribute that is looked at


@dataclass
class SubscribedStates:
    """What Home Assistant last said of each entity that was asked for; in no `repr`."""

    wanted: set[str]
    known: dict[str, EntityState] = field(default_factory=dict, repr=False)

    def on_event(self, event: Any) -> Iterator[EntityState]:
        """The states that an event tells anew; those that it says are gone are known no more."""
        table = as_table(event)
        for name in as_list(table.get("r")):
            self.known.pop(name if isinstance(name, str) else "", None)
        for name, state in as_table(table.get("a")).items():
            if name in self.wanted:
                self.known[name] = _after(EntityState(name, ""), as_table(state))
                yield self.known[name]
        for name, change in as_table(table.get("c")).items():
            if name in self.known:
                kept = _without(self.known[name], as_table(as_table(change).get("-")))
                self.known[name] = _after(kept, as_table(as_table(change).get("+")))
                yield self.known[name]


def entity_state(table: dict[str, Any]) -> EntityState:
    """One entity as `get_states` lists it."""
    name = _text(table.get("entity_id")) or ""
    return _after(EntityState(name, ""), {"s": table.get("state"), "a": table.get("attributes")})


def _after(state: EntityState, told: dict[str, Any]) -> EntityState:
    attributes = as_table(told.get("a"))
    changes: dict[str, Any] = {ours: _text(attributes[name]) for name, ours in ATTRIBUTES.items() if name in attributes}
    if "s" in told:
        changes["state"] = _text(told["s"]) or "unknown"
    if (changed := _time(told.get("lc"))) is not None:
        changes["changed"] = changed
    return replace(state, **changes)


def _without(state: EntityState, removed: dict[str, Any]) -> EntityState:
    gone = [name for name in as_list(removed.get("a")) if isinstance(name, str) and name in ATTRIBUTES]
    taken: dict[str, Any] = {ATTRIBUTES[name]: None for name in gone}
    return replace(state, **taken)


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and len(value) <= MAX_TEXT else None


def _time(value: Any) -> int | None:
    good = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e11
    return int(value * SECOND) if good else None
