"""All sources of a home together: what the agent asks for a slot's mean watts.

Plugs that measure the same appliance add up.  An appliance that nobody measures is 0 W,
or NaN where the plan has the answer "not measured".
"""

from collections.abc import Callable, Iterable
from collections.abc import Mapping as Mapped
from dataclasses import dataclass, field, replace
from math import isnan, nan
from pathlib import Path

import numpy as np

from hushwatt.errors import UsageError
from hushwatt.household.clock import SECOND
from hushwatt.household.guard import Guard
from hushwatt.household.log_once import LogOnce
from hushwatt.household.report.levels import Watts
from hushwatt.household.sources.csv_tail import follow_csv
from hushwatt.household.sources.entities import EntityEntry, EntityState
from hushwatt.household.sources.entity_sources import EntitySources
from hushwatt.household.sources.measurement import (
    UNITS,
    PowerReading,
    SenderAway,
    SenderBack,
    Unavailable,
    UnitOfMeasurement,
)
from hushwatt.household.sources.plug import Plug
from hushwatt.household.sources.presets import Preset
from hushwatt.household.sources.sources_file import SourcesFile
from hushwatt.household.sources.table import RowReader, TableSource
from hushwatt.household.untrusted_json import Malformed
from hushwatt.plan.plan import Plan
from hushwatt.plan.times import nanoseconds
from hushwatt.sanitise import quoted

MAX_SILENCE = 1_800 * SECOND  # a plug that was silent for so long since the start is asked about
MIN_BIG_EDGE = 100.0  # watts: where a plan's first level ends so high, kilowatts can be told from watts


@dataclass
class PlugSource:
    """One plug and how its maker speaks."""

    plug: Plug
    preset: Preset


@dataclass
class Hub:
    """The sources of one home."""

    plugs: list[PlugSource]
    tables: list[TableSource]
    say: Callable[[str], None]
    entities: EntitySources = field(default_factory=EntitySources)
    big: set[str] = field(default_factory=set)  # appliances whose watts no plan takes for small
    unmeasured: set[str] = field(default_factory=set)
    answered: set[str] = field(default_factory=set)  # appliances of which a plan may hear that nobody measures them

    def __post_init__(self) -> None:
        self.guard, self.once = Guard(self.say), LogOnce(self.say)
        self._by_topic: dict[str, list[PlugSource]] = {}
        self._measured: dict[str, set[str]] = {}  # by plan, in the slot that was taken last
        for source in self.plugs:
            for topic in source.preset.topics():
                self._by_topic.setdefault(topic, []).append(source)

    @classmethod
    def of(
        cls, mapping: SourcesFile, say: Callable[[str], None], readers: Mapped[str, RowReader] | None = None
    ) -> "Hub":
        """The sources that a mapping names; `readers` open tables by the ending of their name."""
        plugs = [
            PlugSource(Plug(each.name, each.appliance, each.stale, each.maximum), each.preset) for each in mapping.plugs
        ]
        known = {".csv": follow_csv, **(readers or {})}
        tables = [TableSource(each, _reader(each.path, known)) for each in mapping.tables]
        return cls(plugs, tables, say, EntitySources.of(mapping.entities_of_home_assistant))

    @property
    def topics(self) -> list[str]:
        """Everything to listen to."""
        return sorted(self._by_topic)

    def open(self, plan: Plan, slot: int) -> None:
        """Begin to add up a slot, and the next with it.

        What comes when one slot is over and the next not yet entered belongs to the next.
        """
        last = min(slot + 2, max(slot + 1, plan.calendar.slots))
        edges = [nanoseconds(plan.calendar.start_of(each)) for each in range(slot, last + 1)]
        for source in self.plugs:
            source.plug.open(plan.id, *edges)
        self.entities.open(plan.id, *edges)
        begin, over = nanoseconds(plan.start), nanoseconds(plan.expires)  # as in bulk, no row beyond counts
        for table in self.tables:
            table.open(plan.id, plan.names, *(min(max(edge, begin), over) for edge in edges))
        self._learn_plan(plan)

    def means(self, plan: Plan, slot: int) -> Watts:
        """The mean watts of every appliance over the slot that was opened."""
        end = nanoseconds(plan.calendar.end_of(slot))
        for table in self.tables:
            with self.guard(f"table {table.name}: a row"):
                table.poll(end)
        means = self._means(plan)
        return np.array([means[name] for name in plan.names])

    def _means(self, plan: Plan) -> dict[str, float]:
        """The watts of every appliance; what nobody measures, or a plug that was silent, is 0 W.

        With the answer "not measured" it is NaN where nobody measures it, or where one of its plugs was silent for
        more than half of the slot.
        """
        take = Plug.take_measured_mean if plan.answers_unmeasured else Plug.take_mean
        means: dict[str, list[float]] = {name: [] for name in plan.names}
        silent = set()
        for plug in self._open_plugs(plan):
            means.setdefault(plug.appliance, []).append(take(plug, plan.id))
            silent |= {plug.appliance} if plug.silent else set()
        for table in self.tables:
            for name in plan.names:
                mean = table.take_mean(plan.id, name, nan)
                means[name] += [] if isnan(mean) else [mean]
        self._measured[plan.id] = {name for name, each in means.items() if each} - silent
        nothing = nan if plan.answers_unmeasured else 0.0
        return {name: sum(each) if each else nothing for name, each in means.items()}

    def measured(self, plan: Plan) -> list[bool]:
        """Which appliances of a plan were measured for most of the slot whose means were taken last."""
        known = self._measured.get(plan.id, set())
        return [name in known for name in plan.names]

    def _open_plugs(self, plan: Plan) -> list[Plug]:
        """Everything with a slot of the plan to tell of."""
        return [*(source.plug for source in self.plugs), *self.entities.open_plugs(plan.id)]

    @property
    def entity_ids(self) -> list[str]:
        """The entities of Home Assistant that are asked about."""
        return self.entities.ids

    def on_entity(self, time: int, state: EntityState, quiet: bool = False) -> None:
        """Take in what Home Assistant says of an entity at a time; what is malformed is said once, and never shown.

        While it starts, everything is unavailable for a moment: `quiet` leaves that for `say_entity_troubles`.
        """
        for source in self.entities.named(state.entity_id):
            with self.guard(f"entity {source.plug.name}: a state"):
                source.take(time, state)
                if not quiet:
                    self._say_trouble("entity", source.plug)

    def say_entity_troubles(self) -> None:
        """Say what is wrong with entities, where it was not said yet."""
        for plug in self.entities.plugs:
            self._say_trouble("entity", plug)

    def confirm_entities(self, time: int) -> None:
        """Home Assistant is there: whatever it said last of its entities still holds at this time.

        It tells of changes only, so whoever hands on its states calls this at least once a minute.
        """
        self.entities.confirm(time)

    def lose_entities(self, time: int, reason: str) -> None:
        """Home Assistant was last heard at a time; from then on nothing is known of its entities."""
        self.entities.lose(time, reason)

    def miss_entity(self, time: int, entity_id: str, reason: str) -> None:
        """Home Assistant has nothing of an entity, at a time and for a reason."""
        for source in self.entities.named(entity_id):
            source.plug.take(time, Unavailable(reason))
            self._say_trouble("entity", source.plug)

    def open_since(self, time: int) -> int | None:
        """When the earliest slot that a time lies in began; None where no slot is open then."""
        return self.entities.open_since(time)

    def fill(self, entity_id: str, start: int, end: int, mean_watts: float) -> None:
        """What its statistics tell of [start, end), for the parts of open slots about which nothing is known."""
        for source in self.entities.named(entity_id):
            source.plug.fill(start, end, mean_watts)

    def replace_entities(self, entries: Iterable[EntityEntry]) -> None:
        """Ask about these entities from now on; what others have counted in the slots that are open stays."""
        self.entities.replace(entries)

    def on_message(self, time: int, topic: str, payload: bytes, retained: bool) -> None:
        """Take in one message; what is malformed is said once, and never shown."""
        for source in self._by_topic.get(topic, ()):
            with self.guard(f"plug {source.plug.name}: a message"):
                try:
                    for measurement in source.preset.read(topic, payload):
                        self._take(source, time, measurement, retained)
                except Malformed as wrong:
                    source.plug.trouble = str(wrong)
                self._say_trouble("plug", source.plug)

    def on_broker(self, time: int, there: bool) -> None:
        """The broker is there, or is not: then what plugs said last holds for an hour at most."""
        for source in self.plugs:
            source.plug.take(time, SenderBack("the broker") if there else SenderAway("the broker"))

    def _say_trouble(self, kind: str, plug: Plug) -> None:
        if plug.trouble is None:
            self.once.clear(plug.name)
        else:
            self.once(plug.name, f"{kind} {plug.name}: {plug.trouble}")

    def poll(self, now: int, since: int) -> None:
        """Read what tables have gained, and say which plugs have kept silent since the start."""
        for table in self.tables:
            with self.guard(f"table {table.name}: a row"):
                table.poll(now)
            for problem, line in table.faults.items():
                self.once((table.name, problem), f"table {table.name}: {line}")
        for source in self.plugs:
            if source.plug.heard is None and source.plug.trouble is None and now - since > MAX_SILENCE:
                topic = source.preset.topics()[0]
                self.once(source.plug.name, f"plug {source.plug.name}: nothing heard on {topic}; is that its topic?")

    def health(self, now: int) -> list[dict[str, object]]:
        """How fresh every source is; never what it shows."""
        plugs = [_health(each, each.appliance, each.stale, now) for each in self._all_plugs]
        tables = [
            _health(table, "table", 24 * 3_600 * SECOND, now) | {"measures": sorted(table.measures)}
            for table in self.tables
        ]
        return plugs + tables + [_no_source(name) for name in sorted(self.answered - self._measures)]

    @property
    def _all_plugs(self) -> list[Plug]:
        return [*(source.plug for source in self.plugs), *self.entities.plugs]

    @property
    def _measures(self) -> set[str]:
        """Appliances that have a plug, or had a row in a table."""
        return {each.appliance for each in self._all_plugs}.union(*(table.measures for table in self.tables))

    def _take(self, source: PlugSource, time: int, measurement: object, retained: bool) -> None:
        if isinstance(measurement, UnitOfMeasurement):
            if measurement.name in UNITS:
                source.preset = replace(source.preset, unit=measurement.name)
            else:
                source.plug.trouble = "its unit is none of power or energy"
        elif isinstance(measurement, Unavailable) or not retained:  # a retained value is not a fresh reading
            source.plug.take(time, measurement)  # type: ignore[arg-type]
            big = source.plug.appliance in self.big and isinstance(measurement, PowerReading)
            if big and source.plug.looks_like_kilowatts:
                name, hint = source.plug.name, 'if so, write unit = "kW" in sources.toml'
                self.once(f"{name} unit", f"plug {name}: its numbers look like kilowatts; {hint}")

    def _learn_plan(self, plan: Plan) -> None:
        self.big |= {each.name for each in plan.appliances if each.edges and each.edges[0] >= MIN_BIG_EDGE}
        self.answered |= set(plan.names if plan.answers_unmeasured else ())
        measured = {each.appliance for each in self._all_plugs} | self.unmeasured
        answer = "not measured" if plan.answers_unmeasured else "0 W"
        for name in (each for each in plan.names if not self.tables and each not in measured):
            self.unmeasured.add(name)
            self.say(f"nobody measures {quoted(name)}: it is reported as {answer}, randomised like all else")


def _health(source: Plug | TableSource, appliance: str, stale: int, now: int) -> dict[str, object]:
    fresh = source.heard is not None and now - source.heard <= stale and source.trouble is None
    return {
        "name": source.name,
        "appliance": appliance,
        "heard": source.heard,
        "fresh": fresh,
        "trouble": source.trouble,
    }


def _no_source(appliance: str) -> dict[str, object]:
    """What stands for the source of an appliance that has none."""
    trouble: dict[str, object] = {"heard": None, "fresh": False, "trouble": "not measured"}
    return {"name": "no source", "appliance": appliance, **trouble, "measured": False}


def _reader(path: Path, known: Mapped[str, RowReader]) -> RowReader:
    reader = known.get(path.suffix.lower())
    if reader is None:
        raise UsageError(f"{path}: not a table that can be read; there are {', '.join(known)}")
    return reader
