"""A real Home Assistant in a process of its own: onboarded, with a token, and plugs whose watts a test sets.

It is installed by `make home-assistant`.  Nothing is fetched when it starts: its plugs are template sensors over
numbers, its broker and its provider are processes of this machine.
"""

import json
import os
import shutil
import signal
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import connect

from tools.supply.home_assistant import PYTHONS, environment

NEW, OLD = PYTHONS  # the newest release for Python 3.13, and for 3.11
PLUGS = ("kettle", "fridge", "tv")
SPARE = "spare"  # one more plug, whose own statistics no other test has a part in
USER = {"username": "anna", "password": "a long password", "name": "Anna", "language": "en"}
START_SECONDS = 120.0  # seconds that a start may take on a busy machine
# Where the house is and which weather is shown: questions whose answers would fetch something.
ASKED_ALREADY = {
    **{"version": 4, "minor_version": 1, "key": "onboarding"},
    "data": {"done": ["core_config", "analytics", "integration"]},
}
COMPONENTS = Path(__file__).parents[2] / "custom_components"

CONFIGURATION = """
homeassistant:
  name: Home
  time_zone: UTC
http:
  server_host: 127.0.0.1
  server_port: {port}
frontend:
config:
history:
energy:
logger:
  default: warning
recorder:
  commit_interval: 1
input_number:
{numbers}
template:
  - sensor:
{sensors}
"""
NUMBER = "  {name}: {{min: 0, max: 100000, step: 0.0001, mode: box}}"
POWER = """
      - {{name: {title} power, unique_id: {name}_power, unit_of_measurement: W, device_class: power,
         state_class: measurement, state: "{{{{ states('input_number.{name}') | float(0) }}}}"}}
"""
ENERGY = """
      - {{name: {title} energy, unique_id: {name}_energy, unit_of_measurement: kWh, device_class: energy,
         state_class: total_increasing, state: "{{{{ states('input_number.{name}_meter') | float(0) }}}}"}}
"""


def required(version: str) -> None:
    """Skip loudly where this Home Assistant is not installed; in CI that is a failure."""
    if (environment(version) / ".ready").exists():
        return
    words = f"Home Assistant {version} is not installed: make home-assistant (it needs Python {PYTHONS[version]})"
    if os.environ.get("CI"):
        pytest.fail(words)
    pytest.skip(f"NOT TESTED WITH HOME ASSISTANT {version}: {words}")


def configuration(port: int, plugs: Iterable[str] = PLUGS) -> str:
    """The owner's configuration.yaml: a web page, a recorder, and for each plug its watts and its meter."""
    plugs = tuple(plugs)
    titles = {name: name.capitalize().replace("_", " ") for name in plugs}
    sensors = [form.format(name=name, title=titles[name]).strip("\n") for name in plugs for form in (POWER, ENERGY)]
    numbers = [NUMBER.format(name=each) for name in plugs for each in (name, f"{name}_meter")]
    return CONFIGURATION.format(port=port, numbers="\n".join(numbers), sensors="\n".join(sensors))


def until(what: str, so: Callable[[], Any], seconds: float = 60.0, every: float = 0.1) -> Any:
    """Wait until something is so, and give it."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if answer := so():
            return answer
        time.sleep(every)
    raise AssertionError(f"not within {seconds:.0f} seconds: {what}")


class RunningHomeAssistant:
    """One Home Assistant with its folder, started, stopped and killed at will."""

    def __init__(self, version: str, folder: Path, port: int, plugs: Iterable[str] = PLUGS) -> None:
        required(version)
        self.version, self.folder, self.port = version, folder, port
        self.program = environment(version) / "bin" / "hass"
        self.token = ""
        self.process: subprocess.Popen[bytes] | None = None
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "configuration.yaml").write_text(configuration(port, (*plugs, SPARE)))
        (folder / ".storage").mkdir()
        (folder / ".storage" / "onboarding").write_text(json.dumps(ASKED_ALREADY))

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def log(self) -> str:
        """What it wrote, over all its starts."""
        return (self.folder / "output.log").read_text(errors="replace")

    def start(self) -> None:
        """Start it, and wait until it has started all of its integrations."""
        with (self.folder / "output.log").open("ab") as output:
            self.process = subprocess.Popen(
                [self.program, "--config", self.folder, "--skip-pip"],
                stdout=output,
                stderr=output,
                env=_surroundings(),
                start_new_session=True,
            )
        until(f"Home Assistant {self.version} answers", self._answers, START_SECONDS)
        if self.token:
            until("Home Assistant is running", self._runs, START_SECONDS)

    def _answers(self) -> bool:
        assert self.process is not None
        if self.process.poll() is not None:
            raise AssertionError(f"Home Assistant ended by itself:\n{self.log[-3000:]}")
        try:
            urllib.request.urlopen(f"{self.address}/manifest.json", timeout=2).close()
        except OSError:
            return False
        return True

    def _runs(self) -> bool:
        return self.get("/api/config")["state"] == "RUNNING"

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        """End it and whatever it started."""
        if self.process is None:
            return
        self.process.send_signal(how)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait(10)
        self.process = None

    def kill(self) -> None:
        """As if the power had failed."""
        self.stop(signal.SIGKILL)

    def onboard(self) -> None:
        """What a new owner's first visit does, an account; then a token that lasts."""
        client = f"{self.address}/"
        code = self.post("/api/onboarding/users", {"client_id": client, **USER})["auth_code"]
        grant = {"grant_type": "authorization_code", "code": code, "client_id": client}
        self.token = self.post("/auth/token", grant, form=True)["access_token"]
        self.token = self.new_token("tests")
        until("Home Assistant is running", self._runs, START_SECONDS)

    def new_token(self, name: str) -> str:
        """A long-lived access token, as the owner's profile page makes them."""
        with self.websocket() as ask:
            return ask("auth/long_lived_access_token", client_name=name, lifespan=365)

    def revoke_token(self, name: str) -> None:
        """What the bin beside a token on the owner's profile page does."""
        with self.websocket() as ask:
            ask("auth/delete_refresh_token", refresh_token_id=self.tokens()[name])

    def tokens(self) -> dict[str, str]:
        """The tokens on the owner's profile page, by their names."""
        with self.websocket() as ask:
            return {each["client_name"]: each["id"] for each in ask("auth/refresh_tokens")}

    def get(self, path: str) -> Any:
        return self._ask("GET", path)

    def post(self, path: str, content: object, form: bool = False) -> Any:
        return self._ask("POST", path, content, form)

    def delete(self, path: str) -> Any:
        return self._ask("DELETE", path)

    def _ask(self, method: str, path: str, content: Any = None, form: bool = False) -> Any:
        body = urllib.parse.urlencode(content) if form else json.dumps(content)
        kind = "application/x-www-form-urlencoded" if form else "application/json"
        headers = {"Content-Type": kind} | ({"Authorization": f"Bearer {self.token}"} if self.token else {})
        data = None if content is None else body.encode()
        asked = urllib.request.Request(self.address + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(asked, timeout=30) as answer:
                return json.loads(answer.read() or b"null")
        except urllib.error.HTTPError as refused:
            raise AssertionError(f"{method} {path}: {refused.code} {refused.read()[:500]!r}") from None

    @contextmanager
    def websocket(self) -> Iterator[Callable[..., Any]]:
        """Ask its WebSocket: `ask("energy/get_prefs")`."""
        with connect(f"ws://127.0.0.1:{self.port}/api/websocket", max_size=2**24) as socket:
            json.loads(socket.recv(30))
            socket.send(json.dumps({"type": "auth", "access_token": self.token}))
            assert json.loads(socket.recv(30))["type"] == "auth_ok"
            asked = 0

            def ask(kind: str, **fields: object) -> Any:
                nonlocal asked
                asked += 1
                socket.send(json.dumps({"id": asked, "type": kind, **fields}))
                answer = json.loads(socket.recv(30))
                while answer.get("type") != "result" or answer["id"] != asked:
                    answer = json.loads(socket.recv(30))
                assert answer["success"], answer
                return answer["result"]

            yield ask

    def states(self, start: str = "") -> dict[str, dict[str, Any]]:
        """Every entity whose id starts so, with its state and attributes."""
        return {each["entity_id"]: each for each in self.get("/api/states") if each["entity_id"].startswith(start)}

    def state(self, entity: str) -> str | None:
        return self.states().get(entity, {}).get("state")

    def call(self, service: str, **fields: object) -> None:
        """Call a service, such as switch.turn_on."""
        self.post(f"/api/services/{service.replace('.', '/')}", fields)

    def watts(self, **plugs: float) -> None:
        """Let plugs measure these watts from now on; `kettle_meter` is a meter's kWh."""
        for name, value in plugs.items():
            self.call("input_number.set_value", entity_id=f"input_number.{name}", value=value)

    def rename(self, entity: str, new: str) -> None:
        """What the owner does in an entity's settings."""
        with self.websocket() as ask:
            ask("config/entity_registry/update", entity_id=entity, new_entity_id=new)

    def energy_dashboard(self, *meters: str) -> None:
        """Name the single devices of the Energy dashboard."""
        with self.websocket() as ask:
            ask("energy/save_prefs", device_consumption=[{"stat_consumption": each} for each in meters])

    def entries(self, domain: str) -> list[dict[str, Any]]:
        return self.get(f"/api/config/config_entries/entry?domain={domain}")

    def begin_flow(self, handler: str) -> dict[str, Any]:
        """Begin a config flow, as *Add integration* does."""
        return self.post("/api/config/config_entries/flow", {"handler": handler, "show_advanced_options": False})

    def continue_flow(self, flow: dict[str, Any], **answers: object) -> dict[str, Any]:
        return self.post(f"/api/config/config_entries/flow/{flow['flow_id']}", answers)

    def use_broker(self, port: int) -> None:
        """Add the MQTT integration."""
        made = self.continue_flow(self.begin_flow("mqtt"), broker="127.0.0.1", port=port)
        assert made["type"] == "create_entry", made

    def forget(self, domain: str) -> None:
        """Remove an integration's entries."""
        for entry in self.entries(domain):
            self.delete(f"/api/config/config_entries/entry/{entry['entry_id']}")

    def install_component(self) -> None:
        """Copy the integration as HACS does: the folder hushwatt into custom_components."""
        ignore = shutil.ignore_patterns("__pycache__")
        place = self.folder / "custom_components" / "hushwatt"
        shutil.copytree(COMPONENTS / "hushwatt", place, ignore=ignore, dirs_exist_ok=True)


def _surroundings() -> dict[str, str]:
    """The environment of its process: nothing of the tests', and no way out."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "PYTHON", "COV"))}
    nowhere = "http://127.0.0.1:9"
    return kept | {"http_proxy": nowhere, "https_proxy": nowhere, "no_proxy": "127.0.0.1,localhost", "TZ": "UTC"}
