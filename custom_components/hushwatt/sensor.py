"""What a plan costs and when it speaks: budget, reports and state.  Nothing here is a reading."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from homeassistant.components.sensor import (
    SensorDeviceClass,
    SensorEntity,
    SensorEntityDescription,
    SensorStateClass,
)
from homeassistant.const import UnitOfPower
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback
from homeassistant.helpers.typing import StateType

from hushwatt.household.compare import Comparison
from hushwatt.household.status import PlanStatus
from hushwatt.plan.amounts import MICRO
from hushwatt.plan.summary import any_window

from .const import CONF_PLAN
from .coordinator import HushwattEntry
from .entity import PlanEntity

PARALLEL_UPDATES = 0
COMPARE = "compare"
STATES = ["taking_part", "paused", "retired", "left", "not_enrolled", "over"]


@dataclass(frozen=True, kw_only=True)
class PlanSensorDescription(SensorEntityDescription):
    """A sensor, and what it shows of a plan's status."""

    value: Callable[[PlanStatus], StateType | datetime]
    about: Callable[[PlanStatus], Mapping[str, Any]] = lambda status: {}


def _time(nanoseconds: int | None) -> datetime | None:
    """Whole seconds: a time that is read as a time."""
    return None if nanoseconds is None else datetime.fromtimestamp(nanoseconds // 1_000_000_000, UTC)


def _budget(status: PlanStatus) -> dict[str, Any]:
    return {
        "spent": status.window_spent / MICRO,
        "of": status.plan.epsilon / MICRO,
        "over": any_window(status.plan),
        "why": status.window_why,
        "spent_ever": status.spent / MICRO,
    }


SENSORS = (
    PlanSensorDescription(
        key="budget_left",
        translation_key="budget_left",
        native_unit_of_measurement="ε",
        value=lambda status: (status.plan.epsilon - status.window_spent) / MICRO,
        about=_budget,
    ),
    PlanSensorDescription(
        key="next_report",
        translation_key="next_report",
        device_class=SensorDeviceClass.TIMESTAMP,
        value=lambda status: _time(status.next_report_at),
    ),
    PlanSensorDescription(
        key="last_report",
        translation_key="last_report",
        device_class=SensorDeviceClass.TIMESTAMP,
        value=lambda status: _time(status.last_report_at),
    ),
    PlanSensorDescription(
        key="reports_sent",
        translation_key="reports_sent",
        state_class=SensorStateClass.TOTAL_INCREASING,
        value=lambda status: status.sent,
        about=lambda status: {"waiting": status.waiting},
    ),
    PlanSensorDescription(
        key="taking_part",
        translation_key="taking_part",
        device_class=SensorDeviceClass.ENUM,
        options=STATES,
        value=lambda status: status.state.replace(" ", "_"),
        about=lambda status: {"notice": "; ".join(filter(None, (status.retired, *status.successors)))},
    ),
)


async def async_setup_entry(
    hass: HomeAssistant, entry: HushwattEntry, async_add_entities: AddConfigEntryEntitiesCallback
) -> None:
    async_add_entities(PlanSensor(entry, description) for description in SENSORS)
    shown = set[str]()

    @callback
    def compare() -> None:
        """Add what the owner wants to compare now, and remove what not; the agent does not notice."""
        wanted = {name: ComparisonSensor(entry, name) for name in entry.runtime_data.compared(entry.data[CONF_PLAN])}
        _forget_comparisons(hass, entry, {each.unique_id for each in wanted.values()})
        async_add_entities(each for name, each in wanted.items() if name not in shown)
        shown.clear()
        shown.update(wanted)

    compare()
    entry.async_on_unload(entry.runtime_data.async_add_listener(compare))


class PlanSensor(PlanEntity, SensorEntity):
    """One fact about a plan."""

    entity_description: PlanSensorDescription

    @property
    def native_value(self) -> StateType | datetime:
        return self.entity_description.value(self.status)

    @property
    def extra_state_attributes(self) -> Mapping[str, Any]:
        return self.entity_description.about(self.status)


class ComparisonSensor(PlanEntity, SensorEntity):
    """This home's own mean for an appliance beside that of all homes: there only if the owner asked for it."""

    _attr_native_unit_of_measurement = UnitOfPower.WATT
    _attr_device_class = SensorDeviceClass.POWER
    _attr_suggested_display_precision = 0

    def __init__(self, entry: HushwattEntry, appliance: str) -> None:
        super().__init__(entry, SensorEntityDescription(key=f"{COMPARE}_{appliance}", translation_key=COMPARE))
        self._appliance = appliance
        self._attr_translation_placeholders = {"appliance": appliance.replace("_", " ")}

    @property
    def _comparison(self) -> Comparison | None:
        return self.coordinator.data.comparisons.get(self._plan, {}).get(self._appliance)

    @property
    def native_value(self) -> StateType:
        return None if self._comparison is None else self._comparison.own_watts

    @property
    def extra_state_attributes(self) -> Mapping[str, Any]:
        here = self._comparison
        if here is None:
            return {}
        shown = {"homes_low": here.low, "homes_high": here.high, "verdict": here.verdict}
        return {**shown, "words": here.words, "when": here.when, "homes": here.homes}


def _forget_comparisons(hass: HomeAssistant, entry: HushwattEntry, wanted: set[str | None]) -> None:
    """Remove those that the owner does not want any more."""
    registry = er.async_get(hass)
    for each in er.async_entries_for_config_entry(registry, entry.entry_id):
        if f"_{COMPARE}_" in each.unique_id and each.unique_id not in wanted:
            registry.async_remove(each.entity_id)
