"""What an owner changes later: devices, caps, successors."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import voluptuous as vol
from homeassistant.config_entries import ConfigFlowResult, OptionsFlow
from homeassistant.helpers.selector import NumberSelector, NumberSelectorConfig, NumberSelectorMode

from hushwatt.errors import HushwattError
from hushwatt.household.compare import set_comparison, wants_comparison
from hushwatt.household.home_folder import HomeFolder
from hushwatt.household.ledger.caps import AMOUNTS, UNLIMITED, Caps, write_caps
from hushwatt.plan.amounts import MICRO, plain
from hushwatt.plan.plan import Plan
from hushwatt.privacy.long_run import long_run_words

from . import words
from .choosing import async_dashboard_devices, chosen_in, devices_form, problem_with
from .const import CONF_PLAN
from .home import Home, async_get_home

COMPARE, FOLLOW, HOMES = "compare", "follow_successors", "smallest_minimum_homes"
AMOUNT = NumberSelector(NumberSelectorConfig(min=0, step="any", mode=NumberSelectorMode.BOX, unit_of_measurement="ε"))
COUNT = NumberSelector(NumberSelectorConfig(min=1, step=1, mode=NumberSelectorMode.BOX))


class HushwattOptionsFlow(OptionsFlow):
    """Devices and caps hold for all plans of the home, and are the same behind every entry."""

    @property
    def home(self) -> Home:
        return async_get_home(self.hass)

    async def async_step_init(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        plan = await self._async_plan()
        return self.async_show_menu(
            step_id="init", menu_options=["devices", "caps", *(["compare"] if plan.share_results else [])]
        )

    async def async_step_devices(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Other entities for this plan's appliances; slots that are open stay honest."""
        names, errors, problem = (await self._async_plan()).names, dict[str, str](), ""
        chosen = await self.home.devices.async_by_appliance()
        if user_input is not None:
            chosen = chosen_in(names, user_input)
            wrong = problem_with(self.hass, chosen)
            if wrong is None:
                await self.home.devices.async_choose(chosen)
                await self.home.async_devices_changed()
                return self.async_create_entry(data={})
            errors["base"], problem = wrong
        dashboard = ", ".join(name for _, name in await async_dashboard_devices(self.hass)) or "–"
        return self.async_show_form(
            step_id="devices",
            data_schema=devices_form(names, chosen),
            errors=errors,
            description_placeholders={"problem": problem, "dashboard": words.text(dashboard)},
        )

    async def async_step_caps(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """What this home lets anyone ask; an agent that runs heeds it at once."""
        errors, problem, folder = dict[str, str](), "", self.home.folder
        if user_input is not None:
            try:
                await self.hass.async_add_executor_job(_set_caps, folder, user_input)
                return self.async_create_entry(data={})
            except HushwattError as wrong:
                errors["base"], problem = "caps_refused", str(wrong)
        caps = await self.hass.async_add_executor_job(folder.caps)
        plan = await self._async_plan()
        meaning = await self.hass.async_add_executor_job(long_run_words, plan)
        return self.async_show_form(
            step_id="caps",
            data_schema=caps_form(caps),
            errors=errors,
            description_placeholders={
                "name": words.text(plan.name),
                "meaning": "\n\n".join(words.text(f"{each[:1].upper()}{each[1:]}.") for each in meaning),
                "problem": words.text(problem),
            },
        )

    async def async_step_compare(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Whether this home keeps its own means, to be compared with what was published."""
        folder = self.home.folder
        if user_input is not None:
            await self.hass.async_add_executor_job(_set_comparison, folder, user_input[COMPARE])
            if self.home.wanted:
                await self.home.coordinator.async_refresh()  # entities that compare come or go with it
            return self.async_create_entry(data={})
        on = await self.hass.async_add_executor_job(_compares, folder)
        return self.async_show_form(
            step_id="compare", data_schema=vol.Schema({vol.Required(COMPARE, default=on): bool})
        )

    async def _async_plan(self) -> Plan:
        return await self.hass.async_add_executor_job(_plan, self.home.folder, self.config_entry.data[CONF_PLAN])


def caps_form(caps: Caps) -> vol.Schema:
    """A field for each cap; one without a limit is empty."""
    fields: dict[Any, Any] = {}
    for name in AMOUNTS:
        amount = getattr(caps, name)
        shown = {} if amount >= UNLIMITED else {"suggested_value": amount / MICRO}
        fields[vol.Optional(name, description=shown)] = AMOUNT
    fields[vol.Required(HOMES, default=caps.smallest_minimum_homes)] = COUNT
    fields[vol.Required(FOLLOW, default=caps.follow_successors)] = bool
    return vol.Schema(fields)


def _set_caps(folder: HomeFolder, wanted: dict[str, Any]) -> None:
    """Write what changed into the owner's file, and nothing else."""
    before = folder.caps()
    settings = [
        f"{name}={Decimal(str(wanted[name])):f}"
        for name in AMOUNTS
        if name in wanted and Decimal(str(wanted[name])) != Decimal(plain(getattr(before, name)))
    ]
    if int(wanted[HOMES]) != before.smallest_minimum_homes:
        settings.append(f"{HOMES}={int(wanted[HOMES])}")
    if wanted[FOLLOW] != before.follow_successors:
        settings.append(f"{FOLLOW}={str(wanted[FOLLOW]).lower()}")
    if settings:
        write_caps(folder.caps_path, settings)
        folder.restrict_to_owner()


def _compares(folder: HomeFolder) -> bool:
    with folder.store() as store:
        return wants_comparison(store)


def _set_comparison(folder: HomeFolder, on: bool) -> None:
    with folder.store() as store:
        set_comparison(store, on)


def _plan(folder: HomeFolder, plan_id: str) -> Plan:
    with folder.store() as store:
        return Plan.parse(store.value("SELECT canonical FROM plans WHERE plan = ?", (plan_id,)))
