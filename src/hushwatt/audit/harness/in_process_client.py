"""A client of a service in this process, without a network: many requests in little time."""

import asyncio
import json
from collections.abc import Iterable
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

import numpy as np
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from numpy.typing import NDArray

from hushwatt.audit.harness.local_service import LocalService, config_for
from hushwatt.household.report.report import SlotReports
from hushwatt.plan.plan import Plan
from hushwatt.wire.labels import NO_LABELS, Labels
from hushwatt.wire.record import pack_many
from hushwatt.wire.signature import public_bytes, sign_request

Headers = Iterable[tuple[str, str]]
Rows = slice | NDArray[np.intp]
JSON = [("Content-Type", "application/json")]
NO_LIMITS = {"requests_per_second": 10**9, "strangers_per_second": 10**9}  # a crowd on one machine passes


class ServiceResponse(NamedTuple):
    """What the service answered."""

    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def problem(self) -> str:
        """The name of the problem, when it is one."""
        problem = self.json() if "problem+json" in self.headers.get("content-type", "") else {}
        return str(problem.get("type", "")).rpartition(":")[2]


class EnrolledSigner(NamedTuple):
    """A signer: its key, its name, and the devices that it speaks for."""

    key: Ed25519PrivateKey
    name: bytes
    devices: NDArray[np.uint8]
    turns: tuple[int, ...] = ()  # offered to the devices, where the plan has turns


class InProcessClient(LocalService, AbstractContextManager["InProcessClient"]):
    """Somebody who talks to one service all day."""

    def __init__(self, folder: Path, *plans: Plan, now: datetime, store: str | None = None, **settings: Any) -> None:
        super().__init__(config_for(folder, *plans, **{**NO_LIMITS, **settings}), plans[0], now, store)
        self._loop = asyncio.new_event_loop()

    def ask(self, method: str, target: str, body: bytes = b"", headers: Headers = ()) -> ServiceResponse:
        """One request and its answer."""
        return self._loop.run_until_complete(self._ask(method, target, body, headers))

    def get(self, where: str = "") -> ServiceResponse:
        return self.ask("GET", self.path + where)

    def send(self, signer: EnrolledSigner, body: bytes) -> ServiceResponse:
        """A signed upload."""
        return self._signed(signer, "POST", "reports", body)

    def report(
        self, signer: EnrolledSigner, slot: int, sent: SlotReports, rows: Rows, devices: NDArray[np.uint8] | None = None
    ) -> ServiceResponse:
        """An upload of some rows of what was reported, by all devices of the signer or by some."""
        who = signer.devices if devices is None else devices
        return self.send(signer, pack_many(who, slot, sent.spent[rows], sent.drawn[rows], sent.payloads[rows]))

    def leave(self, signer: EnrolledSigner, device: bytes) -> ServiceResponse:
        """A signed wish to be forgotten."""
        return self._signed(signer, "DELETE", f"devices/{device.hex()}")

    def _signed(self, signer: EnrolledSigner, method: str, where: str, body: bytes = b"") -> ServiceResponse:
        path = f"{self.path}/{where}"
        return self.ask(method, path, body, sign_request(signer.key, signer.name, method, path, self.now, body).items())

    def join(self, homes: int | None = None, plan: Plan | None = None, labels: Labels = NO_LABELS) -> EnrolledSigner:
        """A new home, or a gateway for so many, under labels of a code."""
        key, path = Ed25519PrivateKey.generate(), f"/v1/plans/{(plan or self.plan).id}/devices"
        wish: dict[str, Any] = {"public_key": public_bytes(key).hex()}
        if homes is not None:
            wish["homes"] = homes
        if homes is not None or labels:
            wish["code"] = self.codes(homes=homes or 1, plan=plan, labels=labels)[0]
        place = self.ask("POST", path, json.dumps(wish).encode(), JSON).json()
        devices = np.frombuffer(bytes.fromhex("".join(place["devices"])), np.uint8).reshape(-1, 16)
        return EnrolledSigner(key, bytes.fromhex(place["device"]), devices, tuple(place["turns"] or ()))

    def close(self) -> None:
        """End the service in order."""
        self.service.close()
        self._loop.run_until_complete(self._loop.shutdown_default_executor())
        self._loop.close()

    def __exit__(self, *_: object) -> None:
        self.close()

    async def _ask(self, method: str, target: str, body: bytes, headers: Headers) -> ServiceResponse:
        parts, messages = urlsplit(target), list[Any]()
        sent = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers]
        if not any(name == b"host" for name, _ in sent):
            sent.insert(0, (b"host", b"127.0.0.1"))
        if body and not any(name in (b"content-length", b"transfer-encoding") for name, _ in sent):
            sent.append((b"content-length", str(len(body)).encode()))
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
            "headers": sent,
            "client": ("127.0.0.1", 50000),
            "server": ("127.0.0.1", 80),
            "state": {},
        }
        await self.app(scope, receive, send)
        start, *rest = messages
        received = {name.decode(): value.decode("latin-1") for name, value in start["headers"]}
        return ServiceResponse(start["status"], received, b"".join(message.get("body", b"") for message in rest))
