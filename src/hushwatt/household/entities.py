"""The home's own entities in Home Assistant: budget left, reports sent, last report, a pause switch.

They are announced by MQTT discovery.  They show what was sent and spent, never a reading.
"""

import asyncio
import json
from collections.abc import Callable

import aiomqtt

from hushwatt.errors import HushwattError
from hushwatt.household.caps import Caps
from hushwatt.household.clock import Clock
from hushwatt.household.join import pause, resume
from hushwatt.household.sources.broker import LONGEST, client
from hushwatt.household.sources.mapping import Broker
from hushwatt.household.status import meters, plans
from hushwatt.household.store import Store
from hushwatt.plan.amounts import plain

STATE, COMMAND = "hushwatt/state", "hushwatt/pause/set"
EVERY = 30.0  # seconds between two states
DEVICE = {"identifiers": ["hushwatt"], "name": "hushwatt", "manufacturer": "hushwatt"}
SENSORS = {
    "budget_left_today": ("Privacy budget left today", "mdi:shield-half-full"),
    "budget_left_year": ("Privacy budget left this year", "mdi:shield-half-full"),
    "reports_sent": ("Reports sent", "mdi:upload"),
    "last_report": ("Last reported slot", "mdi:clock-outline"),
}


def discovery() -> dict[str, dict[str, object]]:
    """What Home Assistant is told once: topics and descriptions."""
    told: dict[str, dict[str, object]] = {}
    for name, (label, icon) in SENSORS.items():
        told[f"homeassistant/sensor/hushwatt/{name}/config"] = {
            "name": label,
            "icon": icon,
            "unique_id": f"hushwatt_{name}",
            "state_topic": STATE,
            "value_template": f"{{{{ value_json.{name} }}}}",
            "device": DEVICE,
        }
    told["homeassistant/switch/hushwatt/pause/config"] = {
        "name": "Pause",
        "icon": "mdi:pause-octagon",
        "unique_id": "hushwatt_pause",
        "state_topic": STATE,
        "value_template": "{{ value_json.paused }}",
        "command_topic": COMMAND,
        "device": DEVICE,
    }
    return told


def state(store: Store, caps: Caps, now: int) -> dict[str, object]:
    """What the entities show now."""
    day, year, _ = meters(store, caps, now)
    every = plans(store, now)
    here = [each for each in every if each.state in ("taking part", "paused")]
    last = [each.last_report for each in here if each.last_report is not None]
    return {
        "budget_left_today": plain(day.left),
        "budget_left_year": plain(year.left),
        "reports_sent": sum(each.reports - each.waiting for each in every),
        "last_report": max(last, default=None),
        "paused": "ON" if here and all(each.state == "paused" for each in here) else "OFF",
    }


async def announce(broker: Broker, store: Store, caps: Callable[[], Caps], clock: Clock) -> None:
    """Keep the entities up to date, and obey the pause switch; never ends by itself.

    `caps` gives those that hold at the time.
    """
    while True:
        try:
            async with client(broker) as connected:
                for topic, told in discovery().items():
                    await connected.publish(topic, json.dumps(told), retain=True)
                await connected.subscribe(COMMAND)
                await asyncio.gather(
                    _publish(connected, store, caps, clock), _obey(connected, store, caps, clock)
                )
        except (aiomqtt.MqttError, OSError):
            await asyncio.sleep(LONGEST / 2)


async def _publish(connected: aiomqtt.Client, store: Store, caps: Callable[[], Caps], clock: Clock) -> None:
    while True:
        await connected.publish(STATE, json.dumps(state(store, caps(), clock.look().wall)), retain=True)
        await asyncio.sleep(EVERY)


async def _obey(connected: aiomqtt.Client, store: Store, caps: Callable[[], Caps], clock: Clock) -> None:
    async for message in connected.messages:
        try:
            if message.payload == b"ON":
                pause(store, None, clock.look().wall)
            elif message.payload == b"OFF":
                resume(store, None)
        except HushwattError:
            continue  # no plan to pause
        await connected.publish(STATE, json.dumps(state(store, caps(), clock.look().wall)), retain=True)
