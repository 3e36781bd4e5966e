"""What is wrong, as repair issues that vanish when it is mended."""

from collections.abc import Iterable

from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import issue_registry as ir

from hushwatt.household.troubles import Trouble

from .const import DOMAIN
from .devices import Device
from .words import text

NOT_RUNNING, GONE, ERASURE, TROUBLE = "not_running", "entity_gone", "not_erased", "trouble"
KINDS = ("caps", "impostor", "refused", "retired", "silent", "source", "unmeasured", "unreachable")
"""Troubles that have words of their own here; the others say themselves what to do."""


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


@callback
def async_show_troubles(hass: HomeAssistant, troubles: Iterable[Trouble]) -> None:
    """All that the agent knows to be wrong; what is mended vanishes."""
    there = {f"{TROUBLE}_{each.key}": each for each in troubles}
    _forget_others(hass, f"{TROUBLE}_", there)
    for name, each in there.items():
        kind = each.key.partition(" ")[0]
        key = f"{TROUBLE}_{kind}" if kind in KINDS else TROUBLE
        _show(hass, name, key, words=text(each.words), remedy=text(each.remedy))


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
