"""Which entities of a Home Assistant could measure an appliance, the Energy dashboard's devices first.

Unit and device class decide.  Where a device tells of its power and counts its energy, its power is
offered: both would count twice.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from hushwatt.household.clock import SECOND
from hushwatt.household.sources.candidate import ENTITY, SourceCandidate, in_order
from hushwatt.household.sources.entities import EntityState, unfit
from hushwatt.household.sources.home_assistant.session import open_session
from hushwatt.household.sources.home_assistant.states import entity_state
from hushwatt.household.sources.home_assistant.statistics import question, rows
from hushwatt.household.sources.home_assistant_login import HomeAssistantLogin
from hushwatt.household.sources.json_path import parse_number
from hushwatt.household.sources.measurement import watts_in
from hushwatt.household.untrusted_json import Malformed, as_list, as_table, as_text

MAINS = "mains"
MAX_ENTITIES = 1_000  # that are told of
RECENT = 900 * SECOND  # how far back the rise of a counter tells of watts


@dataclass(frozen=True)
class MeterEntity:
    """An entity that measures power or counts energy, and what belongs to it."""

    state: EntityState
    name: str
    device: str | None  # which device it belongs to, if Home Assistant knows
    device_name: str

    @property
    def is_power(self) -> bool:
        return watts_in(self.state.unit or "") is not None

    @property
    def stem(self) -> str:
        """What the ids of a device's power and of its energy have in common."""
        words = self.state.entity_id.replace("energy", "power").replace("consumption", "power")
        return words.removesuffix("_total").removesuffix("_today")


async def candidates(login: HomeAssistantLogin, now: int, appliances: Iterable[str] = ()) -> list[SourceCandidate]:
    """All of them, with present watts and a guessed appliance."""
    async with open_session(login) as session:
        states = await session.result("get_states")
        entries = await session.result("config/entity_registry/list")
        devices = await session.result("config/device_registry/list")
        preferences = await session.result("energy/get_prefs")
        meters = meter_entities(states, entries, devices)
        counters = [each.state.entity_id for each in meters if not each.is_power]
        asked = question(counters, now - RECENT, now)
        answer = await session.result("recorder/statistics_during_period", **asked) if counters else {}
    return offered(meters, preferences, answer, list(appliances))


def meter_entities(states: Any, entries: Any, devices: Any) -> list[MeterEntity]:
    """The entities that measure power or count energy."""
    device_of = {
        as_text(each.get("entity_id")): as_text(each.get("device_id")) or None
        for each in map(as_table, as_list(entries))
    }
    names = {as_text(each.get("id")): _device_name(each) for each in map(as_table, as_list(devices))}
    meters: list[MeterEntity] = []
    for table in map(as_table, as_list(states)):
        state, attributes = entity_state(table), as_table(table.get("attributes"))
        if state.entity_id.startswith("sensor.") and unfit(state) is None and len(meters) < MAX_ENTITIES:
            device = device_of.get(state.entity_id)
            name = as_text(attributes.get("friendly_name")) or state.entity_id
            meters.append(MeterEntity(state, name[:200], device, names.get(device or "", "")))
    return meters


def offered(
    meters: list[MeterEntity], preferences: Any, statistics: Any, appliances: list[str]
) -> list[SourceCandidate]:
    """What is offered of them, and in which order."""
    by_id = {each.state.entity_id: each for each in meters}
    wanted = {
        _power_of(by_id[name], meters).state.entity_id: (label, appliance)
        for name, label, appliance in _dashboard(preferences)
        if name in by_id
    }
    found = []
    for each in meters:
        name = each.state.entity_id
        if name not in wanted and not each.is_power and _power_of(each, meters) is not each:
            continue
        label, appliance = wanted.get(name, ("", None))
        made = SourceCandidate(ENTITY, name, label or each.name, _watts(each, statistics), chosen_there=name in wanted)
        guessed = made.guessed(appliances, label, each.name, each.device_name)
        found.append(
            guessed if appliance not in appliances else SourceCandidate(**(vars(guessed) | {"appliance": appliance}))
        )
    return in_order(found)


def _power_of(meter: MeterEntity, meters: list[MeterEntity]) -> MeterEntity:
    """The entity that tells of the power of the same device, where that is one; otherwise the same entity."""
    if meter.is_power:
        return meter
    alike = [each for each in meters if each.is_power and each.stem == meter.stem]
    same = [each for each in meters if each.is_power and meter.device and each.device == meter.device]
    both = [each for each in same if each in alike]
    return (both or (same if len(same) == 1 else []) or ([] if same else alike) or [meter])[0]


def _dashboard(preferences: Any) -> Iterable[tuple[str, str, str | None]]:
    """Every statistic of the Energy dashboard about consumption: its id, its name there, and `mains` for the grid."""
    table = as_table(preferences)
    for device in map(as_table, as_list(table.get("device_consumption"))):
        yield as_text(device.get("stat_consumption")), as_text(device.get("name"))[:200], None
    for source in map(as_table, as_list(table.get("energy_sources"))):
        for flow in map(as_table, as_list(source.get("flow_from")) if source.get("type") == "grid" else []):
            yield as_text(flow.get("stat_energy_from")), "", MAINS


def _watts(meter: MeterEntity, statistics: Any) -> float | None:
    """The watts of now; of a counter, those since its last rise in the recorder."""
    if not meter.is_power:
        recent = list(rows(statistics, meter.state.entity_id))
        return recent[-1].watts if recent else None
    try:
        number = parse_number(meter.state.state)
    except Malformed:
        return None
    return None if number is None else number * (watts_in(meter.state.unit or "") or 0.0)


def _device_name(device: dict[str, Any]) -> str:
    return (as_text(device.get("name_by_user")) or as_text(device.get("name")))[:200]
