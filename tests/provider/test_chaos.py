"""A real server process, killed again and again: nothing acknowledged is lost, nothing counts twice."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import httpx2
import numpy as np
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from tests.provider.collecting import histories, records

from hushwatt.plan.slot import SlotLength
from hushwatt.provider.store import open_store
from hushwatt.provider.store.plans import all_plans
from hushwatt.provider.store.reports.stored import stored_payloads
from hushwatt.provider.store.tallies import read_tallies
from hushwatt.wire.payload import Layout
from hushwatt.wire.signature import public_bytes, sign_request

HUSHWATT = [sys.executable, "-c", "from hushwatt.cli.main import run; run()"]
KILLS, HOMES, SLOTS = 5, 12, 40


@pytest.fixture
def server(tmp_path, plan_of):
    """Start the provider as a user does; gives the plan, its address, and ways to start and kill it."""
    start = datetime.now(UTC).replace(microsecond=0, second=0) - timedelta(minutes=SLOTS + 5)
    end, slot = start + timedelta(days=2), SlotLength(1, "m")
    plan = plan_of(3, 4, 2, oracle="oue", start=start, expires=end, slot=slot)
    (tmp_path / "plan.toml").write_text(plan.toml())
    server = Server(tmp_path, plan)
    yield server
    server.end(signal.SIGKILL)
    server.client.close()


class Server:
    def __init__(self, folder, plan):
        self.folder, self.plan, self.process = folder, plan, None
        with closing(socket.socket()) as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.path = f"/v1/plans/{plan.id}"
        self.client = httpx2.Client(base_url=f"http://127.0.0.1:{self.port}", timeout=30)

    def start(self):
        words = ["provider", "serve", "--plan", "plan.toml", "--port", self.port, "--grace", "1d"]
        self.process = subprocess.Popen(
            [*HUSHWATT, *map(str, words)], cwd=self.folder, stderr=subprocess.PIPE, text=True
        )
        for line in self.process.stderr:
            if line.startswith("stop with"):
                return
        raise AssertionError("the service did not start")

    def end(self, how):
        if self.process and self.process.poll() is None:
            self.process.send_signal(how)
            self.process.wait(30)
        if self.process:
            self.process.stderr.close()
        return self.process and self.process.returncode

    def join(self, key):
        answer = self.client.post(f"{self.path}/devices", json={"public_key": public_bytes(key).hex()})
        return bytes.fromhex(answer.json()["device"])

    def send(self, key, device, body):
        path = f"{self.path}/reports"
        headers = sign_request(key, device, "POST", path, int(time.time()), body)
        return self.client.post(path, content=body, headers=headers)


def test_kill_and_start_again(server):
    """Every acknowledged report is there after each kill, and all are counted exactly once in the end."""
    server.start()
    keys = [Ed25519PrivateKey.generate() for _ in range(HOMES)]
    devices = [server.join(key) for key in keys]
    sent = list(histories(server.plan, HOMES, SLOTS))
    waiting = [(home, slot.slot, records(devices, _only(slot, home))) for slot in sent for home in range(HOMES)]
    chance, acknowledged = np.random.default_rng(3), set()
    for _ in range(KILLS):
        timer = threading.Timer(0.15 + 0.2 * chance.random(), server.process.kill)
        timer.start()
        for home, slot, body in waiting:
            try:
                answer = server.send(keys[home], devices[home], body)
            except httpx2.TransportError:
                break
            assert answer.status_code == 200
            acknowledged.add((home, slot))
        timer.join()
        server.end(signal.SIGKILL)
        assert acknowledged <= _kept(server, devices)
        waiting = [each for each in waiting if each[:2] not in acknowledged] + waiting[:5]
        server.start()
    for home, _, body in waiting:
        assert server.send(keys[home], devices[home], body).status_code == 200
    left = server.end(signal.SIGTERM)

    assert left in (0, -signal.SIGTERM)
    assert len(acknowledged) > KILLS
    kept = _kept(server, devices)
    assert len(kept) == HOMES * SLOTS
    tallies = _tallies(server)
    layout = Layout.of(server.plan)
    for slot in sent:
        (found,) = [tally for key, tally in tallies.items() if key.slot == slot.slot]
        _, counts = layout.tally(slot.payloads)
        assert found.rows == HOMES
        assert found.counts.tolist() == counts.tolist()


def test_a_second_service_on_the_same_port_says_so(server):
    """One line, exit code 2, and the first goes on."""
    server.start()
    words = ["provider", "serve", "--plan", "plan.toml", "--port", str(server.port), "--data", "other"]

    second = subprocess.run([*HUSHWATT, *words], cwd=server.folder, capture_output=True, text=True, timeout=60)

    assert second.returncode == 2
    assert second.stderr.count("\n") == 1
    assert "cannot listen" in second.stderr
    assert server.client.get("/healthz").status_code == 200


def test_an_upload_that_never_ends_is_let_go(tmp_path, server):
    """A client that sends a byte now and then is answered 408, and others are served meanwhile."""
    os.environ["HUSHWATT_UPLOAD_SECONDS"] = "1"
    try:
        server.start()
    finally:
        del os.environ["HUSHWATT_UPLOAD_SECONDS"]
    with closing(socket.create_connection(("127.0.0.1", server.port), timeout=20)) as slow:
        slow.sendall(f"POST {server.path}/reports HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\na".encode())
        began = time.monotonic()
        others = server.client.get("/healthz").status_code
        answer = slow.recv(4096)

    assert others == 200
    assert b" 408 " in answer.splitlines()[0]
    assert time.monotonic() - began < 10


def _only(sent, home):
    """What one home sends of what all send."""
    return replace(
        sent,
        homes=sent.homes[home : home + 1],
        spent=sent.spent[home : home + 1],
        drawn=sent.drawn[home : home + 1],
        payloads=sent.payloads[home : home + 1],
    )


def _kept(server, devices):
    """Which reports are in the store, by home and slot."""
    store = open_store(server.folder / "hushwatt-data" / "store.sqlite")
    with store.reading() as session:
        rows = [(device, slot) for device, slot, _ in stored_payloads(session, 1)]
    store.close()
    assert len(rows) == len(set(rows))
    return {(devices.index(device), slot) for device, slot in rows}


def _tallies(server):
    store = open_store(server.folder / "hushwatt-data" / "store.sqlite")
    with store.reading() as session:
        ((number, _),) = all_plans(session).items()
        found = read_tallies(session, number, 0, SLOTS)
    store.close()
    return found
