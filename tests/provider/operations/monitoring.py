"""Services on loopback, watched by a real Prometheus that warns a real Alertmanager."""

import asyncio
import os
import re
import shutil
import socket
import subprocess
import threading
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx2
import pytest
import uvicorn
import yaml
from tests.provider.collecting import ServiceClient

from hushwatt.audit.harness.local_service import config_for
from hushwatt.provider.app import make_app
from hushwatt.provider.clock import ManualClock
from hushwatt.provider.store import open_store

DEPLOY = Path(__file__).parents[3] / "deploy"
ALERTS = DEPLOY / "prometheus" / "alerts.yml"
PATIENCE = 60  # seconds, for machines that have much else to do
PROGRAMS = ("prometheus", "prometheus-alertmanager", "promtool")


def needs_prometheus():
    """Skip loudly where Debian's packages are not installed; the build fails."""
    missing = [name for name in PROGRAMS if shutil.which(name) is None]
    if missing and "CI" in os.environ:
        pytest.fail(f"{missing[0]} is not here: make system")
    if missing:
        pytest.skip(
            f"THE ALERTS ARE NOT TESTED: {missing[0]} is not here (apt install prometheus prometheus-alertmanager)"
        )


def free_port():
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        return door.getsockname()[1]


def hurried(rules):
    """The same rules with short times: a range of five seconds, and no patience; the conditions stay."""
    rules = re.sub(r"\[\d+[mhd]\]", "[5s]", rules)
    return re.sub(r"for: \d+[mh]", "for: 1s", rules)


class Crowd:
    """Any number of services, each on a port of its own, on one loop in one thread."""

    def __init__(self):
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="services", daemon=True)
        self._thread.start()
        self._servers, self.services = [], {}

    def add(self, name, folder, plan, opened=open_store, **settings):
        """Serve a plan from a folder, and give a client of it."""
        folder.mkdir(exist_ok=True)
        config = config_for(folder, plan, **settings)
        client = ServedClient(config, plan, opened(config.store_address))
        server = uvicorn.Server(uvicorn.Config(client.app, port=free_port(), log_level="critical", access_log=False))
        self._servers.append((server, asyncio.run_coroutine_threadsafe(server.serve(), self._loop)))
        until = time.monotonic() + PATIENCE
        while not server.started:
            assert time.monotonic() < until, f"{name} did not start"
            time.sleep(0.01)
        client.begin(server.config.port)
        self.services[name] = client
        return client

    def stop(self):
        for server, _ in self._servers:
            server.should_exit = True
        for _, done in self._servers:
            done.result(PATIENCE)
        for client in self.services.values():
            client.client.close()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(PATIENCE)
        self._loop.close()


class ServedClient(ServiceClient):
    """The same client, over real HTTP."""

    def __init__(self, config, plan, database):
        self.config, self.plan, self.clock = config, plan, ManualClock(plan.calendar.start_of(0))
        self.app = make_app(config, database, self.clock)
        self.service = self.app.state.service

    def begin(self, port):
        self.address = f"127.0.0.1:{port}"
        self.client = httpx2.Client(base_url=f"http://{self.address}", timeout=PATIENCE)  # type: ignore[assignment]


@contextmanager
def running(folder, name, *words):
    """A program until the block ends; what it says is kept in a file."""
    with (folder / f"{name}.log").open("w") as log:
        process = subprocess.Popen([name, *words], stdout=log, stderr=log, cwd=folder)
        try:
            yield
        finally:
            process.terminate()
            process.wait(PATIENCE)


class Watch:
    """What Prometheus and Alertmanager have seen of some services."""

    def __init__(self, folder, services):
        self._stack, self._services = ExitStack(), services
        self._prometheus, self._manager = (f"127.0.0.1:{free_port()}" for _ in range(2))
        (folder / "alerts.yml").write_text(hurried(ALERTS.read_text()))
        targets = [{"targets": [each.address], "labels": {"service": name}} for name, each in services.items()]
        settings = {
            "global": {"scrape_interval": "500ms", "scrape_timeout": "500ms", "evaluation_interval": "500ms"},
            "rule_files": ["alerts.yml"],
            "scrape_configs": [{"job_name": "hushwatt", "static_configs": targets}],
            "alerting": {"alertmanagers": [{"static_configs": [{"targets": [self._manager]}]}]},
        }
        (folder / "prometheus.yml").write_text(yaml.safe_dump(settings))
        (folder / "alertmanager.yml").write_text("route: {receiver: nobody}\nreceivers: [{name: nobody}]\n")
        self._stack.enter_context(
            running(
                folder,
                "prometheus-alertmanager",
                "--config.file=alertmanager.yml",
                f"--web.listen-address={self._manager}",
                "--cluster.listen-address=",
                "--storage.path=alertmanager",
            )
        )
        self._stack.enter_context(
            running(
                folder,
                "prometheus",
                "--config.file=prometheus.yml",
                f"--web.listen-address={self._prometheus}",
                "--storage.tsdb.path=series",
                "--log.level=error",
            )
        )

    def stop(self):
        self._stack.close()

    def ready(self):
        """Whether every service has been scraped."""
        found = self._ask(self._prometheus, "/api/v1/query?query=sum(up)")
        return bool(found and found["data"]["result"]) and float(found["data"]["result"][0]["value"][1]) == len(
            self._services
        )

    def alerts(self):
        """What Alertmanager was told: pairs of service and alert."""
        by_plan = {each.plan.id: name for name, each in self._services.items()}
        by_port = {each.address: name for name, each in self._services.items()}
        labels = [each["labels"] for each in self._ask(self._manager, "/api/v2/alerts") or ()]
        return {
            (each.get("service") or by_plan.get(each.get("plan")) or by_port[each["instance"]], each["alertname"])
            for each in labels
        }

    def _ask(self, where, path):
        try:
            return httpx2.get(f"http://{where}{path}", timeout=PATIENCE).json()
        except (httpx2.HTTPError, ValueError):
            return None
