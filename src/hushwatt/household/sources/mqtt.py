"""Listen to the MQTT broker, and try again for as long as it takes."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import aiomqtt
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from hushwatt.errors import HushwattError
from hushwatt.household.sources.sources_file import Broker
from hushwatt.sanitise import sanitised

MAX_MESSAGE = 1 << 18  # bytes of a message
OLD_BROKER = 132  # MQTT 5's reason code for a version that is not spoken
MAX_QUEUED = 1_000  # messages that wait to be read; more are dropped
MIN_BACKOFF, MAX_BACKOFF = 1.0, 60.0  # seconds between two attempts

Say = Callable[[str], None]
OnMessage = Callable[[str, bytes, bool], None]  # topic, payload, retained


@asynccontextmanager
async def connection(broker: Broker, will: aiomqtt.Will | None = None) -> AsyncIterator[aiomqtt.Client]:
    """A connection to the owner's broker, which keeps larger messages to itself where it speaks MQTT 5.

    The broker publishes `will` when the connection ends without a goodbye.
    """
    bounded = _client(broker, aiomqtt.ProtocolVersion.V5, will)
    try:
        await bounded.__aenter__()
    except aiomqtt.MqttCodeError as wrong:
        if getattr(wrong.rc, "value", wrong.rc) != OLD_BROKER:
            raise
        async with _client(broker, aiomqtt.ProtocolVersion.V311, will) as plain:
            yield plain
        return
    try:
        yield bounded
    finally:
        await bounded.__aexit__(None, None, None)


def _client(broker: Broker, version: aiomqtt.ProtocolVersion, will: aiomqtt.Will | None) -> aiomqtt.Client:
    bounds = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
    bounds.MaximumPacketSize = MAX_MESSAGE
    return aiomqtt.Client(
        broker.host,
        broker.port,
        username=broker.username,
        password=broker.secret(),
        tls_context=ssl.create_default_context() if broker.tls else None,
        timeout=10,
        will=will,
        max_queued_incoming_messages=MAX_QUEUED,
        protocol=version,
        properties=bounds if version is aiomqtt.ProtocolVersion.V5 else None,
    )


def broker_failure(wrong: Exception) -> str:
    """Why the broker cannot be asked, in a few words."""
    return sanitised(getattr(wrong, "strerror", None) or wrong, 200)


async def listen(
    broker: Broker,
    topics: list[str],
    on_message: OnMessage,
    say: Say,
    on_broker: Callable[[bool], None] = lambda there: None,
) -> None:
    """Hand every message on these topics to `on_message`; never ends by itself.

    `on_broker` is told whether the broker is there, whenever that was tried.
    """
    pause, told = MIN_BACKOFF, False
    while True:
        try:
            async with connection(broker) as connected:
                for topic in topics:
                    await connected.subscribe(topic)
                if told:
                    say(f"the broker {broker.host}:{broker.port} is back")
                on_broker(True)
                pause, told = MIN_BACKOFF, False
                async for message in connected.messages:
                    payload = message.payload
                    sent = payload if isinstance(payload, bytes) else str(payload).encode()
                    on_message(message.topic.value, sent, message.retain)
        except (aiomqtt.MqttError, HushwattError, OSError, ValueError) as wrong:
            on_broker(False)
            if not told:
                reason = broker_failure(wrong)
                say(
                    f"the broker {broker.host}:{broker.port} does not answer ({reason}); "
                    "plugs count as 0 W, or as not measured, until it does"
                )
                told = True
        await asyncio.sleep(pause)
        pause = min(2 * pause, MAX_BACKOFF)
