"""A small collection, spoken to over its real routes: what was asked, and what was answered.

Keys, clock and homes are fixed, so that the same code always says the same.  The few values that a
service draws at random are shown as stand-ins.
"""

import hashlib
import json
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from fastapi import FastAPI

from hushwatt.household.report.homes import enrol
from hushwatt.household.report.report import levels_of, report
from hushwatt.plan.plan import Plan
from hushwatt.privacy.entropy import Simulation
from hushwatt.provider.app import make_app
from hushwatt.provider.clock import ManualClock
from hushwatt.provider.service.config import Config
from hushwatt.provider.service.keys import KEY
from hushwatt.provider.store import open_store
from hushwatt.provider.store.enrolment_codes import add_codes
from hushwatt.wire.labels import NO_LABELS, Labels
from hushwatt.wire.record import pack, pack_many
from hushwatt.wire.signature import public_bytes, sign_request
from tools.pages import tour_plan
from tools.reference.forms import document, fenced

with warnings.catch_warnings(action="ignore"):
    from starlette.testclient import TestClient

HOMES, SLOTS = 400, 8
PEM = (Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
WIDE = 90  # characters of a list that stays on one line


@dataclass
class Exchange:
    """A client that remembers one conversation for each route."""

    client: TestClient
    app: FastAPI
    plan: Plan
    clock: ManualClock
    said: dict[tuple[str, str], str] = field(default_factory=dict)  # (method, route) → request and answer
    hidden: dict[str, str] = field(default_factory=dict)  # what is drawn at random → its stand-in

    def ask(
        self,
        method: str,
        route: str,
        query: str = "",
        body: Any = None,
        headers: dict[str, str] | None = None,
        show: str = "",
        **names: str,
    ) -> Any:
        path = route.format(plan_id=self.plan.id, **names)
        sent = {"json": body} if isinstance(body, dict) else {"content": body}
        answer = self.client.request(method, path + query, headers=headers, **sent)
        self.said[method, route] = told(method, path + query, headers, body, answer, show)
        return answer

    def signed(self, method: str, route: str, key: Ed25519PrivateKey, signer: bytes, body: bytes, **names: str) -> Any:
        path = route.format(plan_id=self.plan.id, **names)
        now = int(self.clock.now().timestamp())
        return self.ask(method, route, body=body, headers=sign_request(key, signer, method, path, now, body), **names)

    def shown(self, method: str, route: str) -> str:
        text = self.said[method, route]
        for value, other in self.hidden.items():
            text = text.replace(value, other)
        return text if route == "/v1/plans" else text.replace(self.plan.id, f"{self.plan.id[:8]}…")


def told(method: str, path: str, headers: dict[str, str] | None, body: Any, answer: Any, show: str) -> str:
    """A request and its answer, as they would be seen on the wire."""
    asked = [f"{method} {path}", *lines_of(headers or {})]
    if isinstance(body, dict):
        asked += ["", json.dumps(body)]
    elif body:
        asked += ["", f"({len(body)} bytes, here in hex) {body.hex()}"]
    is_json = "json" in answer.headers["content-type"]
    head = {name: value for name, value in answer.headers.items() if name.startswith("hushwatt-")}
    status = [f"{answer.status_code} {answer.headers['content-type']}", *lines_of(head)]
    text = show or (pretty(answer.json()) if is_json else answer.text)
    return document(
        fenced("text", "\n".join([*asked, "", *status])), fenced("json" if is_json else "text", text)
    ).strip()


def lines_of(headers: Mapping[str, str]) -> list[str]:
    return [
        f"{name}: {'(64 bytes in hex)' if 'signature' in name.lower() else value}" for name, value in headers.items()
    ]


def pretty(value: Any) -> str:
    """JSON for people: numbers of four digits, one member for many, what is short on a line."""
    return laid_out(shortened(value), "")


def laid_out(value: Any, indent: str) -> str:
    line = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, dict | list) or (len(line) <= WIDE and "{" not in line):
        return line
    deeper = indent + "  "
    if isinstance(value, list):
        inner = [f"{deeper}{laid_out(each, deeper)}" for each in value]
    else:
        inner = [f"{deeper}{json.dumps(key)}: {laid_out(each, deeper)}" for key, each in value.items()]
    start, end = "[]" if isinstance(value, list) else "{}"
    return "\n".join([start, ",\n".join(inner), f"{indent}{end}"])


def shortened(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.4g}")
    if isinstance(value, dict):
        return {key: shortened(each) for key, each in value.items()}
    if isinstance(value, list):
        return [*map(shortened, value[:1]), "…"] if len(value) > 3 else [*map(shortened, value)]
    return value


@contextmanager
def conversation() -> Iterator[Exchange]:
    """A service with a plan, and a client of it; the clock stands at the plan's first moment."""
    plan = Plan.parse(tour_plan())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "plan.toml").write_text(tour_plan())
        (folder / KEY).write_bytes(key_of("the provider").private_bytes(*PEM))
        config = Config(plan=(str(folder / "plan.toml"),), data=name)
        clock = ManualClock(plan.start)
        app = make_app(config, open_store(config.store_address), clock)
        with TestClient(app, base_url="http://127.0.0.1:8040") as client:
            yield Exchange(client, app, plan, clock)


def key_of(whose: str) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(hashlib.sha256(whose.encode()).digest())


def new_code(talk: Exchange, homes: int, labels: Labels = NO_LABELS) -> str:
    service = talk.app.state.service
    with service.database.writing() as session:
        number = service.collection(talk.plan.id).number
        (code,) = add_codes(session, number, 1, homes, 0, 2**31, labels)
    return code


def fleet_reports(talk: Exchange) -> None:
    """Let many homes report through a gateway, for some hours."""
    code = new_code(talk, HOMES)
    key, route = key_of("a gateway"), f"/v1/plans/{talk.plan.id}"
    wish = {"public_key": public_bytes(key).hex(), "homes": HOMES, "code": code}
    joined = talk.client.post(f"{route}/devices", json=wish).json()
    gateway, devices = bytes.fromhex(joined["device"]), [bytes.fromhex(each) for each in joined["devices"]]
    source = Simulation(1, "reference")
    homes = enrol(talk.plan, HOMES, 0, source)
    watts = np.tile([[150.0, 60.0]], (HOMES, 1))
    watts[: HOMES * 3 // 4, 0] = 0
    for slot in range(SLOTS):
        talk.clock.set(talk.plan.calendar.end_of(slot))
        sent = report(homes, slot, levels_of(talk.plan, slot, watts, source), source)
        rows = np.frombuffer(b"".join(devices[home] for home in sent.homes), np.uint8).reshape(-1, 16)
        body = pack_many(rows, slot, sent.spent, sent.drawn, sent.payloads)
        now = int(talk.clock.now().timestamp())
        headers = sign_request(key, gateway, "POST", f"{route}/reports", now, body)
        talk.client.post(f"{route}/reports", content=body, headers=headers).raise_for_status()


def converse() -> Exchange:
    """Use every route once."""
    with conversation() as talk:
        plan, key = "/v1/plans/{plan_id}", key_of("a home")
        talk.ask("GET", "/v1/plans")
        talk.ask("GET", plan, show=talk.plan.canonical().decode())
        talk.ask("GET", "/v1/keys")
        code = new_code(talk, 1, Labels.of({"tariff": "A", "region": "north"}))
        talk.hidden[code] = "RVM37-HAWZB-2JDPP-9XZ8P"
        talk.ask("POST", f"{plan}/labels", body={"code": code})
        joined = talk.ask("POST", f"{plan}/devices", body={"public_key": public_bytes(key).hex(), "code": code}).json()
        device = bytes.fromhex(joined["device"])
        talk.hidden[device.hex()] = hashlib.sha256(b"a home").hexdigest()[:32]
        record = pack(device, slot=0, spent=2_000_000, drawn=2_000_000, payload=b"\x01")
        talk.signed("POST", f"{plan}/reports", key, device, record)
        fleet_reports(talk)
        talk.ask("POST", f"{plan}/publish", body={"until": SLOTS - 1})
        hours = "?from=2024-01-01T00:00&to=2024-01-01T03:00"
        talk.ask("GET", f"{plan}/estimates", hours)
        talk.ask("GET", f"{plan}/compare", "?a=hours=0-1&b=hours=1-3")
        talk.ask("GET", f"{plan}/top", "?k=1")
        talk.ask("GET", f"{plan}/slots", "?from=2024-01-01T00:00&to=2024-01-01T00:00")
        talk.ask("GET", f"{plan}/results")
        talk.ask("GET", f"{plan}/health")
        csv = talk.client.get(f"{plan.format(plan_id=talk.plan.id)}/export.csv{hours}").text.splitlines()
        talk.ask("GET", f"{plan}/export.{{form}}", hours, form="csv", show="\n".join([*map(brief, csv[:3]), "…"]))
        talk.signed("DELETE", f"{plan}/devices/{{device}}", key, device, b"", device=device.hex())
        for route in ("/v1/healthz", "/v1/readyz"):
            talk.ask("GET", route)
        metrics = talk.client.get("/v1/metrics").text.splitlines()
        kept = [line for line in metrics if line.startswith(("hushwatt_homes", "hushwatt_reports_total"))]
        talk.ask("GET", "/v1/metrics", show="\n".join(["…", *kept, "…"]))
        talk.ask("GET", "/v1/plans/unknown/top")
    return talk


def brief(row: str) -> str:
    """A row of CSV with numbers of four digits."""
    return ",".join(f"{float(each):.4g}" if "." in each else each for each in row.split(","))
