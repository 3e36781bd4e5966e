"""A server that acts as Home Assistant's WebSocket, for all that a real one would not say."""

import asyncio
import json
from contextlib import asynccontextmanager

from websockets.asyncio.server import serve
from websockets.exceptions import ConnectionClosed

TOKEN = "good-token"
NOTHING = object()  # an answer that never comes


class ActingHomeAssistant:
    """Lets in whoever has the token, and answers by a table; states are pushed to whoever subscribed."""

    def __init__(self, **answers):
        self.answers = {"config/entity_registry/list": [], "get_config": {"state": "RUNNING"}, **answers}
        self.token, self.states, self.asked, self.logins, self.sockets = TOKEN, {}, [], 0, {}
        self.greeting = {"type": "auth_required"}
        self.port = 0

    @asynccontextmanager
    async def serving(self, **options):
        async with serve(self._live, "127.0.0.1", self.port, **options) as server:
            self.port = server.sockets[0].getsockname()[1]
            yield self

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    async def push(self, event, kind="subscribe_entities"):
        """Send an event to all who subscribed to such."""
        for socket, subscriptions in list(self.sockets.items()):
            for number, fields in subscriptions:
                if fields["type"] == kind:
                    await self._send(socket, {"id": number, "type": "event", "event": event})

    async def drop(self):
        """End all connections."""
        for socket in list(self.sockets):
            await socket.close()

    async def _live(self, socket):
        self.logins += 1
        try:
            await self._send(socket, self.greeting)
            word = json.loads(await socket.recv())
            if word.get("access_token") != self.token:
                await self._send(socket, {"type": "auth_invalid", "message": "no"})
                return
            await self._send(socket, {"type": "auth_ok"})
            self.sockets[socket] = []
            async for message in socket:
                await self._answer(socket, json.loads(message))
        except ConnectionClosed:
            pass
        finally:
            self.sockets.pop(socket, None)

    async def _answer(self, socket, message):
        number, kind = message["id"], message["type"]
        self.asked.append(message)
        answer = self.answers.get(kind)
        if answer is NOTHING:
            return
        if kind == "ping":
            await self._send(socket, answer or {"id": number, "type": "pong"})
            return
        good = not isinstance(answer, Exception)
        told = {"result": answer} if good else {"error": {"code": str(answer)}}
        await self._send(socket, {"id": number, "type": "result", "success": good, **told})
        if kind.startswith("subscribe"):
            self.sockets[socket].append((number, message))
        if kind == "subscribe_entities":
            there = {name: self.states[name] for name in message["entity_ids"] if name in self.states}
            await self._send(socket, {"id": number, "type": "event", "event": {"a": there}})

    async def _send(self, socket, message):
        await socket.send(message if isinstance(message, str | bytes) else json.dumps(message))


async def until(met, seconds=10.0):
    """Wait until something is so."""
    async with asyncio.timeout(seconds):
        while not met():
            await asyncio.sleep(0.01)


def compressed(state, unit="W", since=0.0):
    """A state as a subscriber is told of it."""
    return {"s": str(state), "a": {"unit_of_measurement": unit, "device_class": "power"}, "lc": since}
