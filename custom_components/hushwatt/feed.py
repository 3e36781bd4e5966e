"""Home Assistant's own states on their way to the agent: changes as they come, and a word that they still hold.

A state goes to the agent's thread and is kept nowhere else.
"""

from collections.abc import Callable
from datetime import datetime

from homeassistant.const import ATTR_DEVICE_CLASS, ATTR_UNIT_OF_MEASUREMENT, STATE_UNAVAILABLE, STATE_UNKNOWN
from homeassistant.core import CALLBACK_TYPE, Event, EventStateChangedData, HomeAssistant, State, callback
from homeassistant.helpers.event import async_track_state_change_event, async_track_time_interval
from homeassistant.helpers.start import async_at_started

from hushwatt.household.home_thread import HomeThread
from hushwatt.household.sources.entities import EntityState

from .const import CONFIRM

SECOND = 1_000_000_000  # nanoseconds


class Feed:
    """What the agent hears, from a start to a stop."""

    def __init__(self, hass: HomeAssistant, thread: HomeThread) -> None:
        self._hass, self._thread = hass, thread
        self._stop: list[CALLBACK_TYPE] = []

    @callback
    def async_start(self) -> None:
        """Tell the agent of every state that is there, and of every change."""
        ids = self._thread.runner.hub.entity_ids
        self._tell_all()
        self._stop = [
            async_track_state_change_event(self._hass, ids, self._changed),
            async_track_time_interval(self._hass, self._confirm, CONFIRM),
        ]
        if not self._hass.is_running:
            self._stop.append(async_at_started(self._hass, self._tell_all))

    @callback
    def async_stop(self) -> None:
        for each in self._stop:
            each()
        self._stop = []

    @callback
    def _changed(self, event: Event[EventStateChangedData]) -> None:
        self._tell(event.data["entity_id"], event.data["new_state"])

    @callback
    def _confirm(self, _: datetime) -> None:
        self._on_agent(self._thread.runner.hub.confirm_entities)

    @callback
    def _tell_all(self, _: HomeAssistant | None = None) -> None:
        for each in self._thread.runner.hub.entity_ids:
            self._tell(each, self._hass.states.get(each))

    def _tell(self, entity_id: str, state: State | None) -> None:
        """Hand a state on; what has none while Home Assistant still starts may only be late."""
        if not self._hass.is_running and (state is None or state.state in (STATE_UNAVAILABLE, STATE_UNKNOWN)):
            return
        self._on_agent(self._thread.runner.hub.on_entity, entity_state(entity_id, state))

    def _on_agent(self, function: Callable[..., None], *values: object) -> None:
        """Have the agent's thread do something, at the time that it is now."""
        self._thread.call(function, self._thread.runner.clock.look().wall, *values)


def entity_state(entity_id: str, state: State | None) -> EntityState:
    """A state as the agent takes it; an entity without one is unavailable."""
    if state is None:
        return EntityState(entity_id, STATE_UNAVAILABLE)
    about = state.attributes
    return EntityState(
        entity_id,
        state.state,
        about.get(ATTR_UNIT_OF_MEASUREMENT),
        about.get(ATTR_DEVICE_CLASS),
        about.get("state_class"),
        int(state.last_updated_timestamp * SECOND),
    )
