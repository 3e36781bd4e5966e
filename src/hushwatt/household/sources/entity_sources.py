"""The entities of Home Assistant that measure a home's appliances, and how the owner's choice of them changes.

Home Assistant tells of changes only, and stands by what it said: a state holds for as long as
it is in reach.  Where the owner chooses another entity in the middle of a slot, what was
counted until then stays counted.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from hushwatt.household.sources.counter import HOUR, MAX_COUNTER_GAP
from hushwatt.household.sources.entities import EntityEntry, EntityState, read_entity
from hushwatt.household.sources.measurement import PowerReading, Unavailable
from hushwatt.household.sources.plug import Plug
from hushwatt.household.untrusted_json import Malformed


@dataclass
class EntitySource:
    """One entity and what is known of it."""

    entry: EntityEntry
    plug: Plug

    @classmethod
    def of(cls, entry: EntityEntry) -> "EntitySource":
        return cls(entry, Plug(entry.name, entry.appliance, entry.stale or HOUR, entry.maximum))

    def take(self, time: int, state: EntityState) -> None:
        """Take in a state that holds now, and has held since it last changed."""
        known = self.plug.known or 0
        begun = min(time, max(state.changed, known, time - MAX_COUNTER_GAP))
        try:
            for measurement in read_entity(state):
                since = begun if begun > known or isinstance(measurement, PowerReading) else time
                self.plug.take(time if isinstance(measurement, Unavailable) else since, measurement)
        except Malformed as wrong:
            self.plug.take(time, Unavailable(str(wrong)))
        self.confirm(time)

    def confirm(self, time: int) -> None:
        if self.entry.stale is None:
            self.plug.confirm(time)


@dataclass
class EntitySources:
    """All entities that the owner chose."""

    sources: list[EntitySource] = field(default_factory=list)
    replaced: list[Plug] = field(default_factory=list)  # until the slots that they counted in are over
    _edges: dict[str, tuple[int, ...]] = field(default_factory=dict, repr=False)  # of each plan's open slots

    @classmethod
    def of(cls, entries: Iterable[EntityEntry]) -> "EntitySources":
        return cls([EntitySource.of(entry) for entry in entries])

    @property
    def ids(self) -> list[str]:
        return sorted({source.entry.entity for source in self.sources})

    @property
    def plugs(self) -> list[Plug]:
        return [source.plug for source in self.sources]

    def named(self, entity_id: str) -> list[EntitySource]:
        return [source for source in self.sources if source.entry.entity == entity_id]

    def open(self, plan: str, *edges: int) -> None:
        """Begin to add up the slots of a plan between these edges."""
        self._edges[plan] = edges
        for plug in self.plugs:
            plug.open(plan, *edges)
        for plug in self.replaced:
            plug.prune(plan, edges[0])
        self.replaced = [plug for plug in self.replaced if any(map(plug.has_slot, self._edges))]

    def open_plugs(self, plan: str) -> list[Plug]:
        """Everything that has a slot of the plan to tell of."""
        return [*self.plugs, *(plug for plug in self.replaced if plug.has_slot(plan))]

    def open_since(self, time: int) -> int | None:
        """When the earliest slot that a time lies in began; None where no slot is open then."""
        starts = [edges[0] for edges in self._edges.values() if edges[0] <= time < edges[-1]]
        return min(starts, default=None)

    def confirm(self, time: int) -> None:
        for source in self.sources:
            source.confirm(time)

    def lose(self, time: int, reason: str) -> None:
        for plug in self.plugs:
            plug.take(time, Unavailable(reason))

    def replace(self, entries: Iterable[EntityEntry]) -> None:
        """Keep what stays, and let a new entity go on in the slots of one that it takes the place of."""
        before = {source.entry: source for source in self.sources}
        self.sources = [before.pop(entry) if entry in before else self._opened(entry) for entry in entries]
        gone = [source.plug for source in before.values()]
        for plug in (plug for plug in self.plugs if plug.heard is None):
            if old := next((each for each in gone if each.appliance == plug.appliance), None):
                gone.remove(old)
                plug.succeed(old)
        for plug in gone:
            plug.end()
        self.replaced += gone

    def _opened(self, entry: EntityEntry) -> EntitySource:
        source = EntitySource.of(entry)
        for plan, edges in self._edges.items():
            source.plug.open(plan, *edges)
        return source
