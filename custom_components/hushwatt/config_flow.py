"""Joining in the browser: who asks, what for, your caps, your devices, your consent; and asking again."""

from typing import Any

import voluptuous as vol
from homeassistant.config_entries import ConfigEntry, ConfigFlowResult
from homeassistant.core import callback
from homeassistant.helpers.selector import SelectOptionDict, SelectSelector, SelectSelectorConfig, SelectSelectorMode
from homeassistant.util import dt as dt_util

from hushwatt.errors import HushwattError
from hushwatt.household.upload.home_labels import OtherLabels

from . import joining, words
from .asking_again import AskingAgain
from .choosing import async_dashboard_devices, async_guesses, chosen_in, devices_form, problem_with
from .const import CONF_ADDRESS, CONF_AGREE, CONF_CODE, CONF_HOME, CONF_KEY, CONF_PLAN, CONF_RAISE, DOMAIN
from .errors import error_of
from .fields import ADDRESS, CODE, RAISE
from .home import Home, async_get_home
from .leaving import async_finish_leaving
from .options_flow import HushwattOptionsFlow
from .succession import async_move_entry


class HushwattConfigFlow(AskingAgain, domain=DOMAIN):
    """One plan becomes one entry."""

    VERSION = 1

    def __init__(self) -> None:
        self._code: str | None = None
        self._settings: list[str] = []  # caps that the owner raises with the consent
        self._chosen: dict[str, list[str]] = {}

    @property
    def home(self) -> Home:
        return async_get_home(self.hass)

    @staticmethod
    @callback
    def async_get_options_flow(config_entry: ConfigEntry) -> HushwattOptionsFlow:
        return HushwattOptionsFlow()

    async def async_step_user(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Where the provider is, and what it gave the owner."""
        errors, problem = {}, ""
        if user_input is None:
            erasure = async_finish_leaving(self.hass, self.home)
            self.hass.async_create_background_task(erasure, "hushwatt erasure")
        else:
            self._code = (user_input.get(CONF_CODE) or "").strip() or None
            try:
                self._found = await self.hass.async_add_executor_job(
                    joining.find, self.home.folder, user_input[CONF_ADDRESS], user_input.get(CONF_KEY)
                )
                return await self.async_step_plan()
            except HushwattError as wrong:
                errors["base"], problem = error_of(wrong), str(wrong)
                if errors["base"] in ("cannot_connect", "invalid_address") and "://" not in user_input[CONF_ADDRESS]:
                    errors["base"] = "no_scheme"
        schema = {vol.Required(CONF_ADDRESS): ADDRESS, vol.Optional(CONF_CODE): CODE, vol.Optional(CONF_KEY): CODE}
        return self.async_show_form(
            step_id="user",
            data_schema=self.add_suggested_values_to_schema(vol.Schema(schema), user_input),
            errors=errors,
            description_placeholders={"problem": words.text(problem)},
            last_step=False,
        )

    async def async_step_plan(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Which plan, where there are several."""
        plans = self._found.plans
        if not plans:
            return self.async_abort(reason="no_plans")
        if len(plans) > 1 and user_input is None:
            options = [SelectOptionDict(value=each, label=f"{name} ({each[:12]})") for each, name in plans]
            selector = SelectSelector(SelectSelectorConfig(options=options, mode=SelectSelectorMode.LIST))
            return self.async_show_form(
                step_id="plan", data_schema=vol.Schema({vol.Required(CONF_PLAN): selector}), last_step=False
            )
        plan_id = user_input[CONF_PLAN] if user_input else plans[0][0]
        return await self._async_weigh(plan_id)

    async def _async_weigh(self, plan_id: str) -> ConfigFlowResult:
        """Fetch the plan, verify it, and weigh it against the owner's caps."""
        folder = self.home.folder
        here = await self.hass.async_add_executor_job(joining.membership, folder, plan_id)
        entry = await self.async_set_unique_id(plan_id)
        if here is not None and entry is not None:
            return self.async_abort(reason="already_configured")
        try:
            await self._async_propose(plan_id)
        except HushwattError as wrong:
            return self.async_abort(reason=error_of(wrong), description_placeholders={"problem": str(wrong)})
        if self._proposal.plan.expires <= dt_util.utcnow():
            return self.async_abort(reason="plan_over")
        self._here = here
        return await self.async_step_devices() if here else await self.async_step_terms()

    async def _async_propose(self, plan_id: str) -> None:
        weighed = await self.hass.async_add_executor_job(
            joining.weigh,
            self.home.folder,
            self._found,
            plan_id,
            self._settings,
            dt_util.get_default_time_zone(),
            self._code,
        )
        self._proposal, self._sentences = weighed.proposal, weighed.sentences

    async def async_step_terms(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """The plan in words."""
        if user_input is None:
            shown = await self.hass.async_add_executor_job(words.plan_words, self._proposal, self._sentences)
            return self.async_show_form(
                step_id="terms",
                data_schema=vol.Schema({}),
                description_placeholders={"name": words.plan_name(self._proposal), "terms": shown},
                last_step=False,
            )
        return await self.async_step_caps() if self._proposal.objections else await self.async_step_devices()

    async def async_step_caps(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Where the owner's caps refuse the plan: what raising them means, and the choice."""
        refusal = {"refusal": await self.hass.async_add_executor_job(words.refusal_text, self._proposal)}
        if joining.settings_for(self._proposal, whole=False) is None:
            return self.async_abort(reason="no_cap_allows", description_placeholders=refusal)
        if user_input is None:
            schema = vol.Schema({vol.Required(CONF_RAISE, default="keep"): RAISE})
            return self.async_show_form(
                step_id="caps", data_schema=schema, description_placeholders=refusal, last_step=False
            )
        if user_input[CONF_RAISE] == "keep":
            return self.async_abort(reason="caps_kept")
        self._settings = joining.settings_for(self._proposal, user_input[CONF_RAISE] == "whole") or []
        await self._async_propose(self._proposal.plan.id)
        return await (self.async_step_terms() if self._proposal.labels else self.async_step_devices())

    async def async_step_devices(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Which entities measure which appliance."""
        names, errors, problem = self._proposal.plan.names, {}, ""
        if user_input is not None:
            self._chosen = chosen_in(names, user_input)
            wrong = problem_with(self.hass, self._chosen)
            if wrong is None:
                return await self._async_adopt() if self._here else await self.async_step_consent()
            errors["base"], problem = wrong
        else:
            known = await self.home.devices.async_by_appliance()
            self._chosen = await async_guesses(self.hass, names) | known
        dashboard = ", ".join(name for _, name in await async_dashboard_devices(self.hass)) or "–"
        return self.async_show_form(
            step_id="devices",
            data_schema=devices_form(names, self._chosen),
            errors=errors,
            description_placeholders={"problem": problem, "dashboard": words.text(dashboard)},
            last_step=bool(self._here),
        )

    async def async_step_consent(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """The owner agrees to the plan that was shown, or not."""
        errors, problem = {}, ""
        if user_input is not None:
            self._code = (user_input.get(CONF_CODE) or "").strip() or self._code
            if not user_input[CONF_AGREE]:
                errors[CONF_AGREE] = "not_agreed"
            else:
                try:
                    return await self._async_join()
                except OtherLabels:  # a code that was given only now: what hangs on it is shown before
                    await self._async_propose(self._proposal.plan.id)
                    return await self.async_step_terms()
                except HushwattError as wrong:
                    errors["base"], problem = error_of(wrong, "not_joined"), str(wrong)
        schema: dict[Any, Any] = {vol.Required(CONF_AGREE, default=False): bool}
        if "base" in errors:
            schema[vol.Optional(CONF_CODE, description={"suggested_value": self._code})] = CODE
        plan = self._proposal.plan
        return self.async_show_form(
            step_id="consent",
            data_schema=vol.Schema(schema),
            errors=errors,
            description_placeholders={
                "name": words.plan_name(self._proposal),
                "plan": plan.id,
                "address": words.text(self._proposal.client.address),
                "key": self._proposal.offer.key.hex(),
                "problem": words.text(problem),
            },
            last_step=True,
        )

    async def _async_join(self) -> ConfigFlowResult:
        """Enrol, and keep what was chosen."""
        self._here = await self.hass.async_add_executor_job(
            joining.join, self.home.folder, self._proposal, self._settings, self._code
        )
        return await self._async_adopt()

    async def _async_adopt(self) -> ConfigFlowResult:
        """An entry for a plan that the home takes part in; one that it replaces becomes it."""
        assert self._here is not None
        await self.home.devices.async_choose(self._chosen)
        await self.home.async_devices_changed()
        data = {
            CONF_ADDRESS: self._proposal.client.address,
            CONF_HOME: self._here.home,
            CONF_PLAN: self._here.plan_id,
        }
        before = [self._here.plan_id, *([self._proposal.replaces.id] if self._proposal.replaces else [])]
        for entry in self._async_current_entries(include_ignore=False):
            if entry.data[CONF_PLAN] in before:
                async_move_entry(self.hass, entry, self._here.plan_id, self._here.name)
                return await self.async_keep(entry, data, reason="moved_on")
        return self.async_create_entry(title=self._here.name, data=data)
