"""What an owner is asked again: a provider whose key changed or who forgot this home, or one that moved."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import voluptuous as vol
from homeassistant.config_entries import ConfigEntry, ConfigEntryState, ConfigFlow, ConfigFlowResult

from hushwatt.errors import HushwattError

from . import renewing, words
from .const import CONF_ADDRESS, CONF_AGREE, CONF_CODE, CONF_PLAN
from .errors import error_of
from .fields import ADDRESS, CODE
from .succession import async_show_address

if TYPE_CHECKING:
    from .home import Home


class AskingAgain(ConfigFlow):
    """Two more ways into the config flow; neither believes anyone whom the owner has not looked at."""

    _shown: renewing.Shown

    @property
    def home(self) -> Home:
        raise NotImplementedError

    async def async_keep(self, entry: ConfigEntry, data: Mapping[str, Any], reason: str) -> ConfigFlowResult:
        """Keep what was changed.  An entry that is shown is shown on: a reload would stop the agent in its slot."""
        self.hass.config_entries.async_update_entry(entry, data=data)
        if entry.state is ConfigEntryState.LOADED:
            async_show_address(self.hass, entry)
            await self.home.coordinator.async_refresh()
        else:
            self.hass.config_entries.async_schedule_reload(entry.entry_id)
        return self.async_abort(reason=reason)

    async def async_step_reauth(self, entry_data: Mapping[str, Any]) -> ConfigFlowResult:
        return await self.async_step_reauth_confirm()

    async def async_step_reauth_confirm(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Show who answers now, and take a place anew only with the owner's word."""
        entry, errors, problem, code = self._get_reauth_entry(), dict[str, str](), "", None
        plan_id, folder = entry.data[CONF_PLAN], self.home.folder
        if user_input is not None and not user_input[CONF_AGREE]:
            errors[CONF_AGREE] = "not_agreed"
        elif user_input is not None:
            try:
                code = (user_input.get(CONF_CODE) or "").strip() or None
                async with self.home.async_stopped():
                    await self.hass.async_add_executor_job(renewing.take_place, folder, self._shown, code)
                return await self.async_keep(entry, entry.data, "reauth_successful")
            except HushwattError as wrong:
                errors["base"], problem = error_of(wrong, "not_joined"), str(wrong)
        try:
            self._shown = await self.hass.async_add_executor_job(renewing.look_again, folder, plan_id, code)
        except HushwattError as wrong:
            return self.async_abort(reason=error_of(wrong), description_placeholders={"problem": str(wrong)})
        schema = {vol.Required(CONF_AGREE, default=False): bool, vol.Optional(CONF_CODE): CODE}
        shown = {"old_key": self._shown.old_key, "new_key": self._shown.new_key, "problem": words.text(problem)}
        return self.async_show_form(
            step_id="reauth_confirm",
            data_schema=vol.Schema(schema),
            errors=errors,
            description_placeholders={"name": words.text(entry.title), **shown},
        )

    async def async_step_reconfigure(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Another address, where the same plan and key must be."""
        entry, errors, problem = self._get_reconfigure_entry(), dict[str, str](), ""
        if user_input is not None:
            try:
                address = await self.hass.async_add_executor_job(
                    renewing.move, self.home.folder, entry.data[CONF_PLAN], user_input[CONF_ADDRESS]
                )
                return await self.async_keep(entry, {**entry.data, CONF_ADDRESS: address}, "reconfigure_successful")
            except HushwattError as wrong:
                errors["base"], problem = error_of(wrong), str(wrong)
        schema = vol.Schema({vol.Required(CONF_ADDRESS): ADDRESS})
        return self.async_show_form(
            step_id="reconfigure",
            data_schema=self.add_suggested_values_to_schema(schema, user_input or entry.data),
            errors=errors,
            description_placeholders={"problem": words.text(problem)},
        )
