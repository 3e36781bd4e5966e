"""The provider under load: durable uploads a second, one by one and in batches, beside the disk's fsync.

A real server process with its embedded store, and this process as the homes: requests are
signed beforehand and sent over keep-alive connections.  Both share the machine's cores.
"""

import asyncio
import json
import os
import sys
import tempfile
import time
import urllib.request
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from subprocess import DEVNULL, Popen
from typing import Any

import numpy as np
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from benchmarks.measure import Row, show
from hushwatt.plan.plan import Plan
from hushwatt.plan.presets import preset
from hushwatt.plan.slot import SlotLength
from hushwatt.privacy.laws import law_for
from hushwatt.provider.checks.plausible import amounts_fit
from hushwatt.provider.store import open_store
from hushwatt.provider.store.enrolment_codes import add_codes
from hushwatt.wire.payload import Layout
from hushwatt.wire.record import pack, pack_many
from hushwatt.wire.signature import public_bytes, sign_request

PORT = 18043
HOMES, SLOTS = 1_000, 20  # one by one
CONNECTIONS = 64
GATEWAY, BATCH, BATCHES = 5_000, 5_000, 100
HUSHWATT = [sys.executable, "-c", "from hushwatt.cli.main import run; run()"]


@dataclass(frozen=True)
class Load:
    """What some requests took."""

    seconds: float
    latencies: list[float]

    @property
    def p99(self) -> float:
        return float(np.percentile(self.latencies, 99))


def main() -> bool:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        plan = _plan(folder)
        server = _start(folder)
        try:
            return show("the provider's service", _measured(folder, plan, server))
        finally:
            server.terminate()
            server.wait()


def _measured(folder: Path, plan: Plan, server: "Popen[bytes]") -> list[Row]:
    singles = asyncio.run(_send(_singles(plan), CONNECTIONS))
    batches = asyncio.run(_send(_batches(plan, folder), 4))
    sync = fsync_seconds(folder)
    rate, bulk = HOMES * SLOTS / singles.seconds, BATCH * BATCHES / batches.seconds
    answer = _timed_get(f"/v1/plans/{plan.id}/estimates")
    memory = _peak_memory(server.pid)
    return [
        Row("fsync of the disk, median", f"{sync * 1000:.2f} ms"),
        Row(f"durable single uploads ({CONNECTIONS} connections)", f"{rate:,.0f} /s", rate / 2000, 1),
        Row("  99 % answered within", f"{singles.p99 * 1000:.0f} ms", singles.p99 / 0.1, 1, lower=True),
        Row(f"durable reports in batches of {BATCH:,}", f"{bulk:,.0f} /s", bulk / 50_000, 1),
        Row("  99 % answered within", f"{batches.p99 * 1000:.0f} ms"),
        Row("an answer of estimates", f"{answer * 1000:.0f} ms", answer / 0.1, 1, lower=True),
        Row("peak memory of the service", f"{memory:.0f} MiB", memory / 256, 1, lower=True),
    ]


def _plan(folder: Path) -> Plan:
    """The paper's 15 appliances, a report a minute, begun long enough ago for all slots."""
    start = datetime.now(UTC).replace(second=0, microsecond=0) - timedelta(minutes=BATCHES + SLOTS + 5)
    paper = preset("paper")
    plan = replace(
        paper,
        start=start,
        expires=start + timedelta(days=2),
        slot=SlotLength(1, "m"),
        method="lbu",
        decision=None,
    )
    (folder / "plan.toml").write_text(plan.toml())
    return plan


def _start(folder: Path) -> "Popen[bytes]":
    words = ["provider", "serve", "--plan", folder / "plan.toml", "--data", folder / "data", "--port", PORT]
    settings = {"HUSHWATT_GRACE": "1d", "HUSHWATT_REQUESTS_PER_SECOND": "100000"}
    process = Popen([*HUSHWATT, *map(str, words)], stderr=DEVNULL, env=os.environ | settings)
    for _ in range(600):
        time.sleep(0.1)
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{PORT}/readyz"):
                return process
        except OSError:
            pass
    raise SystemExit("the service did not start")


def _payloads(plan: Plan, count: int) -> tuple[int, np.ndarray]:
    """Random answers, and the budget they would be drawn with."""
    share = plan.epsilon // plan.window
    one = np.array([share])
    assert amounts_fit(plan, one * 0, one, one).all()
    law = law_for(plan.oracle, share, plan.appliances_per_report, plan.widths[0])
    bits = np.random.default_rng(1).random((count, 8 * Layout.of(plan).size)) < float(law.rise)
    bits[:, plan.width :] = False
    return share, np.packbits(bits, axis=1, bitorder="little")


def _singles(plan: Plan) -> list[bytes]:
    """One signed request for each home and slot."""
    share, payloads = _payloads(plan, HOMES)
    keys = [Ed25519PrivateKey.generate() for _ in range(HOMES)]
    joining = [_join(plan, {"public_key": public_bytes(key).hex()}) for key in keys]
    devices = [bytes.fromhex(answer["device"]) for answer in asyncio.run(_answers(joining))]
    return [
        _post(plan, key, device, pack(device, slot, share, share, payload.tobytes()))
        for slot in range(SLOTS)
        for key, device, payload in zip(keys, devices, payloads, strict=True)
    ]


def _batches(plan: Plan, folder: Path) -> list[bytes]:
    """Signed requests of a gateway, a slot each."""
    share, payloads = _payloads(plan, GATEWAY)
    key, now, store = (
        Ed25519PrivateKey.generate(),
        int(time.time()),
        open_store(folder / "data" / "store.sqlite"),
    )
    with store.writing() as session:
        (code,) = add_codes(session, 1, 1, GATEWAY, now, now + 3600)
    store.close()
    wish = {"public_key": public_bytes(key).hex(), "code": code, "homes": GATEWAY}
    (answer,) = asyncio.run(_answers([_join(plan, wish)]))
    devices = np.frombuffer(bytes.fromhex("".join(answer["devices"])), np.uint8).reshape(-1, 16)
    name = bytes.fromhex(answer["device"])
    return [_post(plan, key, name, pack_many(devices, slot, share, share, payloads)) for slot in range(BATCHES)]


def _join(plan: Plan, wish: dict[str, Any]) -> bytes:
    body = json.dumps(wish).encode()
    return _request("POST", f"/v1/plans/{plan.id}/devices", body, {"Content-Type": "application/json"})


def _post(plan: Plan, key: Ed25519PrivateKey, name: bytes, body: bytes) -> bytes:
    path = f"/v1/plans/{plan.id}/reports"
    return _request("POST", path, body, sign_request(key, name, "POST", path, int(time.time()), body))


def _request(method: str, path: str, body: bytes, headers: dict[str, str]) -> bytes:
    told = {"Host": f"127.0.0.1:{PORT}", "Content-Length": str(len(body))} | headers
    head = f"{method} {path} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in told.items())
    return head.encode() + b"\r\n" + body


async def _send(requests: list[bytes], connections: int) -> Load:
    """Send all over a few connections, each waiting for its answer before the next."""
    latencies: list[float] = []
    waiting = iter(requests)

    async def client() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", PORT, limit=1 << 22)
        for request in waiting:
            began = time.perf_counter()
            writer.write(request)
            status, body = await _answer(reader)
            latencies.append(time.perf_counter() - began)
            if status != 200 or b'"repeated":0,"rejected":[]' not in body:
                raise SystemExit(f"refused: {status} {body[:200]!r}")
        writer.close()

    began = time.perf_counter()
    await asyncio.gather(*(client() for _ in range(connections)))
    return Load(time.perf_counter() - began, latencies)


async def _answers(requests: list[bytes]) -> list[dict[str, Any]]:
    """The JSON answers, in order."""
    found: list[dict[str, Any]] = [{}] * len(requests)
    waiting = iter(enumerate(requests))

    async def client() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", PORT, limit=1 << 22)
        for place, request in waiting:
            writer.write(request)
            status, body = await _answer(reader)
            if status != 201:
                raise SystemExit(f"refused: {status} {body[:200]!r}")
            found[place] = json.loads(body)
        writer.close()

    await asyncio.gather(*(client() for _ in range(CONNECTIONS)))
    return found


async def _answer(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    head = await reader.readuntil(b"\r\n\r\n")
    length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
    return int(head[9:12]), await reader.readexactly(length)


def fsync_seconds(folder: Path) -> float:
    """The median time to write 4 KiB durably."""
    times = []
    with (folder / "probe").open("wb", buffering=0) as file:
        for _ in range(100):
            began = time.perf_counter()
            file.write(bytes(4096))
            os.fdatasync(file.fileno())
            times.append(time.perf_counter() - began)
    return float(np.median(times))


def _timed_get(path: str) -> float:
    times = []
    for _ in range(5):
        began = time.perf_counter()
        with urllib.request.urlopen(f"http://127.0.0.1:{PORT}{path}") as answer:
            answer.read()
        times.append(time.perf_counter() - began)
    return min(times)


def _peak_memory(process: int) -> float:
    """MiB that a process has held at most."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


if __name__ == "__main__":
    raise SystemExit(not main())
