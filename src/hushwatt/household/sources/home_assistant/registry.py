"""Which entities Home Assistant has, and under which names: an owner may rename one at any time.

An entity's number in the registry stays when its name changes.  The numbers of the entities in
use are kept in the home's folder, so that a new name is found also after a restart.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hushwatt.household.private_files import write_private
from hushwatt.household.untrusted_json import Malformed, as_list, as_table, as_text, parse_json

MAX_NAMES = 10_000  # of a file that we wrote ourselves


@dataclass
class RegistryNames:
    """Under which name each of the chosen entities is found now."""

    path: Path | None = None  # where their numbers in the registry are kept
    numbers: dict[str, str] = field(default_factory=dict)  # by the name that the owner's file has
    present: dict[str, str] = field(default_factory=dict)  # likewise its name of today, where that is another

    disabled: set[str] = field(default_factory=set)

    @classmethod
    def load(cls, path: Path | None) -> "RegistryNames":
        """With the numbers that were kept; a file that is damaged is none."""
        try:
            table = as_table(parse_json(path.read_bytes())) if path is not None else {}
        except (OSError, Malformed):
            table = {}
        kept = list(table.items())[:MAX_NAMES]
        return cls(path, {name: number for name, number in kept if isinstance(number, str)})

    def current(self, chosen: str) -> str:
        """The name of today of an entity that the owner chose."""
        return self.present.get(chosen, chosen)

    def chosen(self, current: str) -> str:
        """The owner's name of an entity, by its name of today."""
        return next((ours for ours, theirs in self.present.items() if theirs == current), current)

    def learn(self, entries: Any, chosen: Iterable[str]) -> list[tuple[str, str]]:
        """Note the numbers of chosen entities; those whose number has another name now, with that name."""
        listed = [as_table(entry) for entry in as_list(entries)]
        pairs = [(as_text(entry.get("id")), as_text(entry.get("entity_id"))) for entry in listed]
        names, there = dict(pairs), {name: number for number, name in pairs if number}
        self.disabled = {as_text(entry.get("entity_id")) for entry in listed if entry.get("disabled_by") is not None}
        before, moved = dict(self.numbers), []
        for name in chosen:
            today = names.get(self.numbers.get(name, "-"))
            if name in there and not (today and self.present.get(name) == today):
                self.present.pop(name, None)
                self.numbers[name] = there[name]
            elif today and today != self.current(name):
                self.present[name] = today
                moved.append((name, today))
        if self.numbers != before:
            self._keep()
        return moved

    def rename(self, event: Any, chosen: Iterable[str]) -> tuple[str, str] | None:
        """The entity that an event of the registry says was renamed, if it is a chosen one, and its new name."""
        data = as_table(as_table(event).get("data"))
        old, new = as_text(data.get("old_entity_id")), as_text(data.get("entity_id"))
        name = self.chosen(old)
        if data.get("action") != "update" or not old or not new or old == new or name not in chosen:
            return None
        self.present[name] = new
        if name == new:  # it has its old name again
            del self.present[name]
        return name, new

    def missing_words(self, name: str) -> str:
        """Why Home Assistant says nothing of an entity."""
        if name in self.disabled:
            return f"{name} is disabled in Home Assistant"
        return f"Home Assistant has no {name}; was it renamed or removed? See `household sources --discover`"

    def _keep(self) -> None:
        if self.path is None:
            return
        try:
            write_private(self.path, json.dumps(self.numbers))
        except OSError:
            return  # then a new name is not found after a restart, and the entity is said to be gone
