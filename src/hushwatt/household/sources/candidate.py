"""What could measure an appliance: an entity of Home Assistant or a plug on the broker, for its owner to choose."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from hushwatt.household.sources.discover import DiscoveredPlug
from hushwatt.household.sources.guess import guess_appliance
from hushwatt.household.sources.toml_words import toml_text

PLACES = ("channel", "component", "phase", "endpoint")  # settings that tell two plugs of one device apart
ENTITY = "entity"  # the kind of Home Assistant's; any other kind is a preset's name


@dataclass(frozen=True)
class SourceCandidate:
    """One of them; its watts are for its owner's eyes, and in no `repr`."""

    kind: str
    entity_or_topic: str
    name: str
    watts: float | None = field(default=None, repr=False)
    appliance: str | None = None  # as its name lets one guess
    settings: tuple[tuple[str, str], ...] = ()  # of a preset, besides its topic
    chosen_there: bool = False  # in Home Assistant's Energy dashboard
    fresh: bool = True

    @property
    def toml(self) -> str:
        """As sources.toml would have it."""
        appliance = f"appliance = {toml_text(self.appliance or '?')}"
        if self.kind == ENTITY:
            return f"[[entity]]\n{appliance}\nentity = {toml_text(self.entity_or_topic)}"
        lines = "".join(
            f"\n{key} = {toml_text(value)}" for key, value in (("topic", self.entity_or_topic), *self.settings)
        )
        return f"[[plug]]\n{appliance}\npreset = {toml_text(self.kind)}{lines}"

    @property
    def table(self) -> dict[str, Any]:
        """As JSON would have it."""
        watts = None if self.watts is None else round(self.watts, 1)
        named = {"kind": self.kind, "entity_or_topic": self.entity_or_topic, "name": self.name, "watts": watts}
        return named | {
            "appliance": self.appliance,
            "energy_dashboard": self.chosen_there,
            "fresh": self.fresh,
            "toml": self.toml,
        }

    def guessed(self, appliances: Iterable[str], *names: str) -> "SourceCandidate":
        """With the appliance that the first of its names speaks of that speaks of any."""
        known = list(appliances)
        guesses = (guess_appliance(name, known) for name in (*names, self.name, self.entity_or_topic) if name)
        return replace(self, appliance=next((guess for guess in guesses if guess), self.appliance))


def plug_candidate(plug: DiscoveredPlug, appliances: Iterable[str]) -> SourceCandidate:
    """A plug of the broker, with its guessed appliance; a meter that speaks of none is thought to be the house's."""
    known, told = list(appliances), dict(plug.settings)
    name = " ".join([plug.topic, *(value for key, value in plug.settings if key in PLACES)])
    made = SourceCandidate(plug.preset, plug.topic, name, plug.watts, settings=plug.settings, fresh=plug.fresh)
    guessed = made.guessed(known, told.get("path", ""))
    return guessed if guessed.appliance or not plug.whole_house else made.guessed(known, "mains")


def in_order(candidates: Iterable[SourceCandidate]) -> list[SourceCandidate]:
    """The Energy dashboard's devices first, then those with a guess, each by name."""
    return sorted(candidates, key=lambda each: (not each.chosen_there, each.appliance is None, each.name.casefold()))


def best_of_each(candidates: Iterable[SourceCandidate]) -> list[SourceCandidate]:
    """Those whose appliance was guessed; of several for one appliance, the first that tells watts now."""
    best: dict[str, SourceCandidate] = {}
    for each in sorted(in_order(candidates), key=lambda each: each.watts is None):
        if each.appliance is not None and each.fresh:
            best.setdefault(each.appliance, each)
    return in_order(best.values())
