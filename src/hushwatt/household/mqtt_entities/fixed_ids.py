"""Entities under fixed ids, as homes announced them before ids carried the home's name: taken back once.

Only what is word for word such an announcement is removed, and only if no home speaks under those ids any more: a
neighbour on the same broker may not be updated yet.
"""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field

import aiomqtt

from hushwatt.household.untrusted_json import Malformed, as_table, parse_json

STATE = "hushwatt/state"
CONFIGS = {
    **{
        f"homeassistant/sensor/hushwatt/{name}/config": f"hushwatt_{name}"
        for name in (
            "budget_left_today",
            "budget_left_year",
            "budget_left_lifetime",
            "taking_part",
            "reports_sent",
            "last_report",
        )
    },
    "homeassistant/switch/hushwatt/pause/config": "hushwatt_pause",
}
RETAINED_SECONDS = 1.0  # until what the broker keeps has arrived
ALIVE_SECONDS = 45.0  # a home under fixed ids tells its state every 30


@dataclass
class FixedIds:
    """What is heard of them on one connection."""

    kept: set[str] = field(default_factory=set)  # topics with a retained message of ours
    alive: asyncio.Event = field(default_factory=asyncio.Event)  # a home still speaks under them

    @property
    def topics(self) -> list[str]:
        return [STATE, *CONFIGS]

    def hear(self, topic: str, payload: object, retained: bool) -> None:
        """Take in one message on these topics, or on any other."""
        if topic == STATE and not retained:
            self.alive.set()
        elif retained and is_ours(topic, payload):
            self.kept.add(topic)

    async def remove(self, connected: aiomqtt.Client) -> None:
        """Take back what nobody speaks under; new entities come after, so that they get the names that are free."""
        await asyncio.sleep(RETAINED_SECONDS)
        if self.kept & CONFIGS.keys():
            with suppress(TimeoutError):
                await asyncio.wait_for(self.alive.wait(), ALIVE_SECONDS)
            for topic in () if self.alive.is_set() else sorted(self.kept):
                await connected.publish(topic, b"", qos=1, retain=True)
        for topic in self.topics:
            await connected.unsubscribe(topic)


def is_ours(topic: str, payload: object) -> bool:
    """Whether a retained message is an announcement, or a state, of a home under fixed ids."""
    if not isinstance(payload, bytes) or topic not in (STATE, *CONFIGS):
        return False
    try:
        table = as_table(parse_json(payload))
    except Malformed:
        return False
    if topic == STATE:
        return {"budget_left_today", "taking_part", "reports_sent", "paused"} <= table.keys()
    device = as_table(table.get("device"))
    own = table.get("unique_id") == CONFIGS[topic] and table.get("state_topic") == STATE
    return own and device.get("identifiers") == ["hushwatt"]
