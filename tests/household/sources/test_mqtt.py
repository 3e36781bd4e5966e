"""The broker's connection: no message is too large, and an old broker is spoken to in its own version."""

import asyncio
import contextlib

import aiomqtt
import pytest
from tests.household.serving import broker, free_port

from hushwatt.household.sources.mqtt import MAX_MESSAGE, connection, listen
from hushwatt.household.sources.sources_file import Broker


def test_large_messages_stay_at_the_broker(tmp_path):
    """What is larger than any plug's message does not come; what follows does."""

    async def heard(port):
        async with connection(Broker(port=port)) as listening, aiomqtt.Client("127.0.0.1", port) as other:
            await listening.subscribe("plug")
            await other.publish("plug", bytes(4 * MAX_MESSAGE))
            await other.publish("plug", b"12.5")
            async with asyncio.timeout(30):
                return (await anext(listening.messages)).payload

    with broker(tmp_path) as port:
        assert asyncio.run(heard(port)) == b"12.5"


def test_an_old_broker_is_spoken_to_as_it_speaks():
    """One that refuses MQTT 5 is asked in 3.1.1."""
    versions = []

    async def old(reader, writer):
        with contextlib.suppress(asyncio.IncompleteReadError, OSError):
            head = await reader.readexactly(9)
            versions.append(head[8])
            await reader.read(1000)
            writer.write(b"\x20\x02\x00" + (b"\x01" if head[8] == 5 else b"\x00"))
            await writer.drain()
            if head[8] != 5:
                await reader.read(1000)
        writer.close()

    async def connect():
        async with await asyncio.start_server(old, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            async with connection(Broker(port=port)) as connected:
                return connected

    assert asyncio.run(connect()) is not None
    assert versions == [5, 4]


def test_other_refusals_stay_refusals():
    """A broker that refuses for another reason is not asked again in another version."""

    async def strict(reader, writer):
        await reader.read(1000)
        writer.write(b"\x20\x03\x00\x87\x00")  # not authorised
        await writer.drain()
        writer.close()

    async def connect():
        async with await asyncio.start_server(strict, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            async with connection(Broker(port=port)):
                pass

    with pytest.raises(aiomqtt.MqttError):
        asyncio.run(connect())


def test_whether_the_broker_is_there_is_told(tmp_path, monkeypatch):
    """Away as long as nobody answers, there as soon as somebody does, away again when it ends."""
    port, seen = free_port(), []
    monkeypatch.setattr("tests.household.serving.free_port", lambda: port)

    async def until(there):
        async with asyncio.timeout(30):
            while not seen or seen[-1] is not there:
                await asyncio.sleep(0.05)

    async def live():
        listening = asyncio.create_task(listen(Broker(port=port), ["plug"], print, print, seen.append))
        await until(False)
        with broker(tmp_path):
            await until(True)
        await until(False)
        listening.cancel()

    asyncio.run(live())

    assert seen[0] is False
