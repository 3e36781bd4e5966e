"""The whole service in this process, spoken to without a network: many requests in little time.

The same application that a server runs, around a store on disk; only the clock is moved by hand.
"""

import asyncio
import json
from collections.abc import Iterable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

import numpy as np
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from numpy.typing import NDArray

from hushwatt.plan.plan import Plan
from hushwatt.provider.app import make_app
from hushwatt.provider.clock import ManualClock
from hushwatt.provider.service.config import Config
from hushwatt.provider.service.service import Service
from hushwatt.provider.store import open_store
from hushwatt.provider.store.access import add_codes
from hushwatt.wire.signature import public_bytes, sign_request

Headers = Iterable[tuple[str, str]]
JSON = [("Content-Type", "application/json")]


class Said(NamedTuple):
    """What the service answered."""

    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def problem(self) -> str:
        """The name of the problem, when it is one."""
        told = self.json() if "problem+json" in self.headers.get("content-type", "") else {}
        return str(told.get("type", "")).rpartition(":")[2]


class Member(NamedTuple):
    """A signer: its key, its name, and the devices that it speaks for."""

    key: Ed25519PrivateKey
    name: bytes
    devices: NDArray[np.uint8]
    turns: tuple[int, ...] = ()  # offered to the devices, where the plan has turns


class InProcessClient:
    """Somebody who talks to one service all day."""

    def __init__(
        self, folder: Path, *plans: Plan, now: datetime, store: str | None = None, **settings: Any
    ) -> None:
        files = [folder / f"{plan.id}.toml" for plan in plans]
        for file, plan in zip(files, plans, strict=True):
            file.write_text(plan.toml())
        open_doors = {"requests_per_second": 10**9, "strangers_per_second": 10**9}
        self.config = Config(plan=tuple(map(str, files)), data=str(folder), **{**open_doors, **settings})
        self.clock, self.plan = ManualClock(now), plans[0]
        self.app = make_app(self.config, open_store(store or self.config.store_address), self.clock)
        self.service: Service = self.app.state.service
        self._loop = asyncio.new_event_loop()

    @property
    def now(self) -> int:
        return int(self.clock.now().timestamp())

    @property
    def path(self) -> str:
        return f"/v1/plans/{self.plan.id}"

    def at(self, slot: int, later: timedelta = timedelta(0)) -> None:
        """Move the clock to where a slot has just ended."""
        self.clock.set(self.plan.calendar.end_of(slot) + later)

    def ask(self, method: str, target: str, body: bytes = b"", headers: Headers = ()) -> Said:
        """One request and its answer."""
        return self._loop.run_until_complete(self._ask(method, target, body, headers))

    def get(self, where: str = "") -> Said:
        return self.ask("GET", self.path + where)

    def send(self, member: Member, body: bytes, time: int | None = None) -> Said:
        """A signed upload."""
        path = f"{self.path}/reports"
        moment = self.now if time is None else time
        signed = sign_request(member.key, member.name, "POST", path, moment, body)
        return self.ask("POST", path, body, signed.items())

    def leave(self, member: Member, device: bytes) -> Said:
        """A signed wish to be forgotten."""
        path = f"{self.path}/devices/{device.hex()}"
        signed = sign_request(member.key, member.name, "DELETE", path, self.now, b"")
        return self.ask("DELETE", path, b"", signed.items())

    def join(self, homes: int | None = None, plan: Plan | None = None) -> Member:
        """A new home, or a gateway for so many."""
        key, path = Ed25519PrivateKey.generate(), f"/v1/plans/{(plan or self.plan).id}/devices"
        wish: dict[str, Any] = {"public_key": public_bytes(key).hex()}
        if homes is not None:
            wish |= {"homes": homes, "code": self._code(homes, plan or self.plan)}
        told = self.ask("POST", path, json.dumps(wish).encode(), JSON).json()
        devices = np.frombuffer(bytes.fromhex("".join(told["devices"])), np.uint8).reshape(-1, 16)
        return Member(key, bytes.fromhex(told["device"]), devices, tuple(told["turns"] or ()))

    def close(self) -> None:
        """End the service in order."""
        self.service.close()
        self._loop.run_until_complete(self._loop.shutdown_default_executor())
        self._loop.close()

    def __enter__(self) -> "InProcessClient":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _code(self, homes: int, plan: Plan) -> str:
        number = self.service.read.collections[plan.id].number
        with self.service.database.writing() as session:
            (code,) = add_codes(session, number, 1, homes, self.now, self.now + 86400)
        return code

    async def _ask(self, method: str, target: str, body: bytes, headers: Headers) -> Said:
        parts, messages = urlsplit(target), list[Any]()
        told = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers]
        if not any(name == b"host" for name, _ in told):
            told.insert(0, (b"host", b"127.0.0.1"))
        if body and not any(name in (b"content-length", b"transfer-encoding") for name, _ in told):
            told.append((b"content-length", str(len(body)).encode()))
        waiting = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> Any:
            return waiting.pop() if waiting else {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            messages.append(message)

        scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": unquote(parts.path),
            "raw_path": parts.path.encode(),
            "query_string": parts.query.encode(),
            "root_path": "",
            "headers": told,
            "client": ("127.0.0.1", 50000),
            "server": ("127.0.0.1", 80),
            "state": {},
        }
        await self.app(scope, receive, send)
        start, *rest = messages
        found = {name.decode(): value.decode("latin-1") for name, value in start["headers"]}
        return Said(start["status"], found, b"".join(message.get("body", b"") for message in rest))
