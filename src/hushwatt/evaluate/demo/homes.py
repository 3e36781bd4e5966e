"""Invented homes that speak HTTP: each has its own key, joins, and signs what it sends."""

import http.client
import json
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from hushwatt.errors import HushwattError
from hushwatt.evaluate.demo.server import LocalServer
from hushwatt.household.report.report import SlotReports
from hushwatt.plan.plan import Plan
from hushwatt.wire.record import pack
from hushwatt.wire.signature import public_bytes, sign_request

CONCURRENT_HOMES = 12  # homes that speak at the same time


@dataclass
class HttpHomes:
    """Homes that joined a service."""

    plan: Plan
    server: LocalServer
    keys: list[Ed25519PrivateKey]
    devices: list[bytes] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._own = threading.local()
        self._connections: list[http.client.HTTPConnection] = []
        self._pool = ThreadPoolExecutor(CONCURRENT_HOMES)

    @classmethod
    def joined(cls, plan: Plan, server: LocalServer, count: int, advance: Callable[[int], None]) -> "HttpHomes":
        """So many new homes, each enrolled with a key of its own."""
        homes = cls(plan, server, [Ed25519PrivateKey.generate() for _ in range(count)])
        try:
            homes.devices = homes._all(homes._join, range(count), advance)
        except BaseException:
            homes.close()
            raise
        return homes

    def send(self, sent: SlotReports, advance: Callable[[int], None]) -> int:
        """Each home uploads its report; how many were accepted."""
        return sum(self._all(lambda row: self._upload(sent, row), range(len(sent.homes)), advance))

    def _all(self, work: Callable[[int], Any], places: Iterable[int], advance: Callable[[int], None]) -> list[Any]:
        results = []
        for result in self._pool.map(work, places):
            results.append(result)
            advance(1)
        return results

    def _join(self, home: int) -> bytes:
        body = json.dumps({"public_key": public_bytes(self.keys[home]).hex()}).encode()
        answer = self._post(f"/v1/plans/{self.plan.id}/devices", body, {"Content-Type": "application/json"})
        return bytes.fromhex(answer["device"])

    def _upload(self, sent: SlotReports, row: int) -> int:
        home = int(sent.homes[row])
        payload = sent.payloads[row].tobytes()
        body = pack(self.devices[home], sent.slot, int(sent.spent[row]), int(sent.drawn[row]), payload)
        path = f"/v1/plans/{self.plan.id}/reports"
        moment = int(self.server.clock.now().timestamp())
        headers = sign_request(self.keys[home], self.devices[home], "POST", path, moment, body)
        return int(self._post(path, body, headers)["accepted"])

    def _post(self, path: str, body: bytes, headers: dict[str, str]) -> Any:
        if not hasattr(self._own, "connection"):
            self._own.connection = http.client.HTTPConnection(self.server.host, self.server.port, timeout=30)
            self._connections.append(self._own.connection)
        self._own.connection.request("POST", path, body, headers)
        answer = self._own.connection.getresponse()
        text = answer.read()
        if answer.status >= 300:
            raise HushwattError(f"the service answered {answer.status}: {text.decode(errors='replace')[:200]}")
        return json.loads(text)

    def close(self) -> None:
        """Let those that speak finish, and those that wait for their turn go."""
        self._pool.shutdown(cancel_futures=True)
        for connection in self._connections:
            connection.close()
