"""What is wrong, as repair issues that vanish when it is mended."""

from collections.abc import Iterable

from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import issue_registry as ir

from .const import DOMAIN
from .devices import Device

NOT_RUNNING, GONE, ERASURE = "not_running", "entity_gone", "not_erased"


@callback
def async_show_failure(hass: HomeAssistant, problem: str) -> None:
    """The agent does not run, such as when another one runs on the same ledger."""
    _show(hass, NOT_RUNNING, NOT_RUNNING, ir.IssueSeverity.ERROR, problem=problem)


@callback
def async_clear_failure(hass: HomeAssistant) -> None:
    ir.async_delete_issue(hass, DOMAIN, NOT_RUNNING)


@callback
def async_show_gone(hass: HomeAssistant, devices: Iterable[Device]) -> None:
    """Entities that the owner chose and that were removed."""
    there = {f"{GONE}_{each.appliance}_{each.entity_id}": each for each in devices}
    _forget_others(hass, f"{GONE}_", there)
    for name, each in there.items():
        _show(hass, name, GONE, appliance=each.appliance, entity=each.entity_id)


@callback
def async_show_erasure(hass: HomeAssistant, plan: str, title: str, problem: str) -> None:
    """A plan was left, and its provider could not be asked to erase what it has."""
    _show(hass, f"{ERASURE}_{plan}", ERASURE, plan=title, problem=problem)


@callback
def async_clear_erasure(hass: HomeAssistant, plan: str) -> None:
    ir.async_delete_issue(hass, DOMAIN, f"{ERASURE}_{plan}")


def _forget_others(hass: HomeAssistant, prefix: str, there: Iterable[str]) -> None:
    known = [name for domain, name in ir.async_get(hass).issues if domain == DOMAIN and name.startswith(prefix)]
    for name in set(known) - set(there):
        ir.async_delete_issue(hass, DOMAIN, name)


def _show(
    hass: HomeAssistant, name: str, key: str, severity: ir.IssueSeverity = ir.IssueSeverity.WARNING, **words: str
) -> None:
    ir.async_create_issue(
        hass,
        DOMAIN,
        name,
        is_fixable=False,
        severity=severity,
        translation_key=key,
        translation_placeholders=words,
    )
