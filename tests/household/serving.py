"""A real provider and a real broker, each in a process of its own."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

HUSHWATT = [sys.executable, "-c", "from hushwatt.cli.main import run; run()"]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def plan_text(slot: str = "1h", name: str = "Kettles", **fields) -> str:
    """A plan that began today."""
    keys = {
        "name": f'"{name}"',
        "description": '"How many kettles boil."',
        "contact": '"kettles@example.org"',
        "start": f'"{datetime.now(UTC) - timedelta(minutes=10):%Y-%m-%dT%H:%M:%SZ}"',
        "expires": f'"{datetime.now(UTC) + timedelta(days=30):%Y-%m-%d}"',
        "slot": f'"{slot}"',
        "epsilon": "3",
        "window": "3",
        "method": '"lbu"',
        "minimum_homes": "10",
        **fields,
    }
    appliances = ("kettle", "[100, 1000]"), ("fridge", "[50, 100]"), ("tv", "[30, 60]")
    lines = [f"{key} = {value}" for key, value in keys.items()]
    return "\n".join(lines + [f'[[appliance]]\nname = "{a}"\nedges = {e}' for a, e in appliances]) + "\n"


class Provider:
    """`hushwatt provider serve`, started and stopped at will."""

    options: tuple[str, ...] = ()

    def __init__(self, folder: Path, *plans: str) -> None:
        self.folder, self.port = folder, free_port()
        self.plans = []
        for place, text in enumerate(plans):
            self.plans.append(folder / f"plan{place}.toml")
            self.plans[-1].write_text(text)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self, data: str = "data") -> None:
        plans = [word for plan in self.plans for word in ("--plan", str(plan))]
        words = ["provider", "serve", *plans, "--data", str(self.folder / data), "--port", str(self.port)]
        words += self.options
        self.log = (self.folder / "provider.log").open("w")
        self.process = subprocess.Popen([*HUSHWATT, *words], stdout=self.log, stderr=self.log)
        for _ in range(300):
            try:
                urllib.request.urlopen(f"{self.address}/healthz", timeout=1).close()
                return
            except OSError:
                if self.process.poll() is not None:
                    break
                time.sleep(0.1)
        raise AssertionError((self.folder / "provider.log").read_text())

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(20)
        self.log.close()


@contextmanager
def broker(folder: Path):
    """A mosquitto of its own; gives its port."""
    program = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin")
    if program is None:
        if os.environ.get("CI"):
            pytest.fail("mosquitto is not installed: apt install mosquitto")
        pytest.skip("MQTT IS NOT TESTED: mosquitto is not installed (apt install mosquitto)")
    port = free_port()
    config = folder / "mosquitto.conf"
    owner = "user root\n" if os.geteuid() == 0 else ""
    config.write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\npersistence false\n{owner}")
    process = subprocess.Popen([program, "-c", str(config)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(100):
            with socket.socket() as knock:
                if knock.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        yield port
    finally:
        process.terminate()
        process.wait(10)
