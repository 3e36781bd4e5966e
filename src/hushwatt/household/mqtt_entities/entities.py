"""The home's own entities for Home Assistant, announced by MQTT discovery: what they are called and what they show.

A home has a device, and each of its plans another: budget left, next and last report, reports sent, troubles, a
pause switch.  They show what was sent and spent, never a reading.  Ids and topics carry a short name that is
derived from the home's own, so that neither two homes on one broker nor two plans of a home overwrite each other.

Anyone on the broker can pause by a switch.  Nobody can end a pause by it: that needs the owner's page or a
command, so the switch stays on and says so.
"""

import hashlib
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from hushwatt import __version__
from hushwatt.errors import HushwattError
from hushwatt.household.home_folder import HomeFolder
from hushwatt.household.join import pause
from hushwatt.household.ledger.caps import Caps
from hushwatt.household.ledger.store import Store
from hushwatt.household.status import PlanStatus, meters, plan_statuses
from hushwatt.household.troubles import Health, Trouble, troubles
from hushwatt.plan.amounts import plain
from hushwatt.plan.times import EPOCH, show_instant
from hushwatt.sanitise import sanitised

PREFIX = "homeassistant"  # where Home Assistant looks for announcements, unless it is told otherwise
ONLINE, OFFLINE = "online", "offline"
SHOWN = ("taking part", "paused", "retired")  # states of plans that have entities
MAX_TROUBLES = 20  # that are told one by one
ORIGIN = {"name": "hushwatt", "sw_version": __version__}
SHIELD, CLOCK = {"icon": "mdi:shield-half-full"}, {"device_class": "timestamp"}
COMMON_SENSORS: dict[str, tuple[str, dict[str, str]]] = {
    "taking_part": ("Taking part", {"icon": "mdi:home-heart"}),
    "reports_sent": ("Reports sent", {"icon": "mdi:upload", "state_class": "total_increasing"}),
    "last_report": ("Last report", CLOCK),
    "next_report": ("Next report", CLOCK),
}
HOME_SENSORS = {
    "budget_left_today": ("Privacy budget left today", SHIELD),
    "budget_left_year": ("Privacy budget left this year", SHIELD),
    "budget_left_lifetime": ("Privacy budget left for a lifetime", SHIELD),
    **COMMON_SENSORS,
}
PLAN_SENSORS = {"budget_left_window": ("Privacy budget left in this window", SHIELD), **COMMON_SENSORS}
Config = dict[str, Any]


@dataclass(frozen=True)
class EntityNames:
    """The ids and topics of one home, or of one of its plans.

    >>> EntityNames.of("secret").command, EntityNames.of("secret").of_plan("0123456789abcdef").device
    ('hushwatt/546fa10dc193/pause/set', 'hushwatt_546fa10dc193_0123456789ab')
    """

    home: str
    plan: str | None = None

    @classmethod
    def of(cls, home: str) -> "EntityNames":
        """Derived from the random name of a home, which itself stays in the ledger."""
        return cls(hashlib.sha256(b"hushwatt-mqtt-v1\n" + home.encode()).hexdigest()[:12])

    def of_plan(self, plan_id: str) -> "EntityNames":
        return EntityNames(self.home, plan_id[:12])

    @property
    def device(self) -> str:
        return "_".join(["hushwatt", *self._parts])

    @property
    def state(self) -> str:
        return "/".join(["hushwatt", *self._parts, "state"])

    @property
    def command(self) -> str:
        return "/".join(["hushwatt", *self._parts, "pause", "set"])

    @property
    def availability(self) -> str:
        """One for the home and all its plans."""
        return f"hushwatt/{self.home}/availability"

    @property
    def _parts(self) -> list[str]:
        return [self.home] if self.plan is None else [self.home, self.plan]


@dataclass(frozen=True)
class EntityMessages:
    """What the broker is told: configurations, those that are taken back, states, and whom each command is about."""

    configs: dict[str, Config]
    removed: tuple[str, ...]  # topics of configurations
    states: dict[str, Config]
    commands: dict[str, str | None]  # the plan's id, or None for all of them


def entity_messages(store: Store, caps: Caps, health: Health, now: int) -> EntityMessages:
    """Everything at one time."""
    names, every = EntityNames.of(store.home), plan_statuses(store, now, caps)
    wrong = troubles(store, caps, health, now, every)
    states = {names.state: home_state(store, caps, every, wrong, now)}
    configs, commands = discovery(names, "hushwatt", HOME_SENSORS), dict[str, str | None]({names.command: None})
    removed = list[str]()
    for each in every:
        own = names.of_plan(each.plan.id)
        described = discovery(own, f"hushwatt: {sanitised(each.plan.name, 60)}", PLAN_SENSORS)
        if each.state in SHOWN:
            configs |= described
            mine = [one for one in wrong if one.plan == each.plan.id]
            states[own.state] = plan_state(each, mine, to_resume(store))
            commands[own.command] = each.plan.id
        else:
            removed += described
    return EntityMessages(configs, tuple(removed), states, commands)


def discovery(names: EntityNames, label: str, sensors: dict[str, tuple[str, dict[str, str]]]) -> dict[str, Config]:
    """The configurations of one device, by their topics."""
    device: Config = {"identifiers": [names.device], "name": label, "manufacturer": "hushwatt"}
    if names.plan is not None:
        device["via_device"] = EntityNames(names.home).device

    def config(kind: str, key: str, name: str, **more: Any) -> tuple[str, Config]:
        about = {"name": name, "unique_id": f"{names.device}_{key}", "device": device, "origin": ORIGIN}
        topics = {"state_topic": names.state, "availability_topic": names.availability}
        template = {"value_template": f"{{{{ value_json.{key} }}}}"}
        return f"{PREFIX}/{kind}/{names.device}/{key}/config", {**about, **topics, **template, **more}

    configs = [config("sensor", key, name, **more) for key, (name, more) in sensors.items()]
    told = {"json_attributes_topic": names.state}
    words = told | {"json_attributes_template": "{{ {'troubles': value_json.troubles} | tojson }}"}
    configs.append(config("binary_sensor", "trouble", "Trouble", device_class="problem", **words))
    resume = told | {"json_attributes_template": "{{ {'to_resume': value_json.to_resume} | tojson }}"}
    switch = {"icon": "mdi:pause-octagon", "command_topic": names.command, **resume}
    return dict([*configs, config("switch", "paused", "Pause", **switch)])


def home_state(store: Store, caps: Caps, every: Sequence[PlanStatus], wrong: Sequence[Trouble], now: int) -> Config:
    """What the entities of the home show now."""
    day, year, life = meters(store, caps, now)
    here = [each for each in every if each.state in ("taking part", "paused")]
    retired = any(each.state == "retired" for each in every)
    return {
        "budget_left_today": plain(day.left),
        "budget_left_year": plain(year.left),
        "budget_left_lifetime": plain(life.left) if life.cap else "no limit",
        "taking_part": "yes" if here else "retired" if retired else "no",
        **_common(every, wrong, to_resume(store)),
        "paused": "ON" if here and all(each.state == "paused" for each in here) else "OFF",
    }


def plan_state(each: PlanStatus, wrong: Sequence[Trouble], resume: str) -> Config:
    """What the entities of one plan show now."""
    return {
        "budget_left_window": plain(max(0, each.plan.epsilon - each.window_spent)),
        "taking_part": "yes" if each.state == "taking part" else each.state,
        **_common([each], wrong, resume),
        "paused": "ON" if each.state == "paused" else "OFF",
    }


def to_resume(store: Store) -> str:
    """How a pause is ended."""
    command = HomeFolder(store.path.parent).command("resume")
    return f"only on hushwatt's own page, or by `{command}`: the broker alone is not enough"


def _common(every: Sequence[PlanStatus], wrong: Sequence[Trouble], resume: str) -> Config:
    """Reports and troubles of some plans together."""
    return {
        "reports_sent": sum(each.sent for each in every),
        "last_report": _time(max((each.last_report_at for each in every if each.last_report_at), default=None)),
        "next_report": _time(min((each.next_report_at for each in every if each.next_report_at), default=None)),
        "trouble": "ON" if wrong else "OFF",
        "troubles": _sentences(wrong),
        "to_resume": resume,
    }


def _sentences(wrong: Iterable[Trouble]) -> list[str]:
    return [f"{sanitised(each.words)}; {sanitised(each.remedy)}" for each in wrong][:MAX_TROUBLES]


def _time(moment: int | None) -> str | None:
    return None if moment is None else show_instant(EPOCH + timedelta(microseconds=moment // 1_000))


def obey(store: Store, payload: object, retained: bool, now: int, plan_id: str | None = None) -> bool:
    """Pause a plan, or all, when its switch is put on; False for the wish to resume, which no broker can grant.

    What the broker has kept from before is no command.
    """
    if payload == b"ON" and not retained:
        with suppress(HushwattError):  # no plan to pause
            pause(store, plan_id, now)
    return payload != b"OFF" or retained
