"""What all entities of a plan share."""

from homeassistant.helpers.device_registry import DeviceEntryType, DeviceInfo
from homeassistant.helpers.entity import EntityDescription
from homeassistant.helpers.update_coordinator import CoordinatorEntity

from hushwatt.household.status import PlanStatus

from .const import CONF_ADDRESS, CONF_HOME, CONF_PLAN, DOMAIN
from .coordinator import HomeCoordinator, HushwattEntry


class PlanEntity(CoordinatorEntity[HomeCoordinator]):
    """Belongs to one plan of one home, whose ids are in its own: two homes and two plans do not meet."""

    _attr_has_entity_name = True

    def __init__(self, entry: HushwattEntry, description: EntityDescription) -> None:
        super().__init__(entry.runtime_data)
        self.entity_description, self._entry = description, entry
        self._attr_device_info = DeviceInfo(
            identifiers={(DOMAIN, self._place)},
            name=entry.title,
            manufacturer="hushwatt",
            model=entry.data[CONF_ADDRESS],
            entry_type=DeviceEntryType.SERVICE,
            configuration_url="homeassistant://hushwatt",  # the owner's page
        )

    @property
    def _plan(self) -> str:
        """The plan that the entry stands for now: it may follow its home to another."""
        plan: str = self._entry.data[CONF_PLAN]
        return plan

    @property
    def _place(self) -> str:
        return f"{self._entry.data[CONF_HOME]}_{self._plan}"

    @property
    def unique_id(self) -> str:
        return f"{self._place}_{self.entity_description.key}"

    @property
    def available(self) -> bool:
        return super().available and self.coordinator.home.alive and self._plan in self.coordinator.data.plans

    @property
    def status(self) -> PlanStatus:
        return self.coordinator.data.plans[self._plan]
