"""The home's own entities in Home Assistant: budget left, reports sent, last report, a pause switch.

They are announced by MQTT discovery.  They show what was sent and spent, never a reading.
Anyone on the broker can pause a home by the switch.  Nobody can end a pause by it: that
needs the owner's page or a command, so the switch stays on and says so.
"""

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress

import aiomqtt

from hushwatt.errors import HushwattError
from hushwatt.household.clock import HomeClock
from hushwatt.household.guard import Guard
from hushwatt.household.join import pause
from hushwatt.household.ledger.caps import Caps
from hushwatt.household.ledger.store import Store
from hushwatt.household.sources.mqtt import MAX_BACKOFF, connection
from hushwatt.household.sources.sources_file import Broker
from hushwatt.household.status import meters, plan_statuses
from hushwatt.plan.amounts import plain

STATE, COMMAND = "hushwatt/state", "hushwatt/pause/set"
STATE_SECONDS = 30.0  # seconds between two states
MIN_STATE_SECONDS = 1.0  # seconds between two states that were asked for
RESUME = "only on hushwatt's own page, or by `hushwatt household resume`: the broker alone is not enough"
DEVICE = {"identifiers": ["hushwatt"], "name": "hushwatt", "manufacturer": "hushwatt"}
SENSORS = {
    "budget_left_today": ("Privacy budget left today", "mdi:shield-half-full"),
    "budget_left_year": ("Privacy budget left this year", "mdi:shield-half-full"),
    "budget_left_lifetime": ("Privacy budget left for a lifetime", "mdi:shield-half-full"),
    "taking_part": ("Taking part", "mdi:home-heart"),
    "reports_sent": ("Reports sent", "mdi:upload"),
    "last_report": ("Last reported slot", "mdi:clock-outline"),
}


def discovery() -> dict[str, dict[str, object]]:
    """What Home Assistant is told once: topics and descriptions."""
    configs: dict[str, dict[str, object]] = {}
    for name, (label, icon) in SENSORS.items():
        configs[f"homeassistant/sensor/hushwatt/{name}/config"] = {
            "name": label,
            "icon": icon,
            "unique_id": f"hushwatt_{name}",
            "state_topic": STATE,
            "value_template": f"{{{{ value_json.{name} }}}}",
            "device": DEVICE,
        }
    configs["homeassistant/sensor/hushwatt/taking_part/config"] |= {
        "json_attributes_topic": STATE,
        "json_attributes_template": "{{ {'notice': value_json.notice} | tojson }}",
    }
    configs["homeassistant/switch/hushwatt/pause/config"] = {
        "name": "Pause",
        "icon": "mdi:pause-octagon",
        "unique_id": "hushwatt_pause",
        "state_topic": STATE,
        "value_template": "{{ value_json.paused }}",
        "command_topic": COMMAND,
        "json_attributes_topic": STATE,
        "json_attributes_template": "{{ {'to_resume': value_json.to_resume} | tojson }}",
        "device": DEVICE,
    }
    return configs


def state(store: Store, caps: Caps, now: int) -> dict[str, object]:
    """What the entities show now."""
    day, year, life = meters(store, caps, now)
    every = plan_statuses(store, now)
    here = [each for each in every if each.state in ("taking part", "paused")]
    last = [each.last_report for each in here if each.last_report is not None]
    retired = [each.retired for each in every if each.state == "retired" and each.retired]
    return {
        "budget_left_today": plain(day.left),
        "budget_left_year": plain(year.left),
        "budget_left_lifetime": plain(life.left) if life.cap else "no limit",
        "taking_part": "yes" if here else "retired" if retired else "no",
        "notice": "; ".join(retired),
        "reports_sent": sum(each.sent for each in every),
        "last_report": max(last, default=None),
        "paused": "ON" if here and all(each.state == "paused" for each in here) else "OFF",
        "to_resume": RESUME,
    }


async def announce(broker: Broker, store: Store, caps: Callable[[], Caps], clock: HomeClock, guard: Guard) -> None:
    """Keep the entities up to date, and obey the pause switch; never ends by itself.

    `caps` gives those that hold at the time.
    """

    def current() -> dict[str, object]:
        return state(store, caps(), clock.look().wall)

    while True:
        try:
            async with connection(broker) as connected:
                for topic, config in discovery().items():
                    await connected.publish(topic, json.dumps(config), retain=True)
                await connected.subscribe(COMMAND)
                asked = asyncio.Event()
                await asyncio.gather(
                    _publish(connected, current, asked, guard), _listen(connected, store, clock, asked, guard)
                )
        except (aiomqtt.MqttError, OSError, ValueError):
            await asyncio.sleep(MAX_BACKOFF / 2)


async def _publish(
    connected: aiomqtt.Client, current: Callable[[], dict[str, object]], asked: asyncio.Event, guard: Guard
) -> None:
    """Tell the state every now and then, and soon after it was asked for."""
    while True:
        asked.clear()
        message = None
        with guard("the state for Home Assistant"):
            message = json.dumps(current())
        if message is not None:
            await connected.publish(STATE, message, retain=True)
        await asyncio.sleep(MIN_STATE_SECONDS)
        with suppress(TimeoutError):
            await asyncio.wait_for(asked.wait(), STATE_SECONDS)


async def _listen(
    connected: aiomqtt.Client, store: Store, clock: HomeClock, asked: asyncio.Event, guard: Guard
) -> None:
    said = False
    async for message in connected.messages:
        with guard("a command of the broker"):
            obeyed = obey(store, message.payload, message.retain, clock.look().wall)
            if not obeyed and not said:
                guard.say(f"someone on the broker wants to end the pause; that can be done {RESUME}")
                said = True
        asked.set()  # a switch that was not obeyed goes back to where it was


def obey(store: Store, payload: object, retained: bool, now: int) -> bool:
    """Pause when the switch is put on; False for the wish to resume, which is not the broker's to grant.

    What the broker has kept from before is no command.
    """
    if payload == b"ON" and not retained:
        with suppress(HushwattError):  # no plan to pause
            pause(store, None, now)
    return payload != b"OFF" or retained
