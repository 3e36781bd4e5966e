"""The page of one invented home after a month, for its pictures: seeded, nothing is sent anywhere."""

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC
from pathlib import Path

import numpy as np

from hushwatt.audit.harness.home_under_test import HomeUnderTest, SeededSource, join
from hushwatt.audit.harness.machine_clock import MachineClock
from hushwatt.household.home_folder import HomeFolder
from hushwatt.household.ledger.caps import Caps, write_caps
from hushwatt.household.page.server import OwnerPage, serve
from hushwatt.household.sources.hub import Hub
from hushwatt.household.sources.sources_file import SourcesFile
from hushwatt.plan.plan import Plan
from tools.pages import file_on

DAY, DAYS, SEED = 86_400, 30, 4
ADDRESS = "https://energy.example.org"
USUAL = np.array([25.0, 0.0, 40.0, 17.0, 35.0])  # watts of this home
PLUGS = [
    {"appliance": "washing_machine", "preset": "tasmota", "topic": "washer"},
    {"appliance": "fridge_freezer", "preset": "zigbee2mqtt", "topic": "Fridge"},
    {"appliance": "kettle", "preset": "zigbee2mqtt", "topic": "Kettle"},
    {"appliance": "dishwasher", "preset": "zigbee2mqtt", "topic": "Dishwasher"},
]


LIMITS = [
    "epsilon_per_year=2000",
    "epsilon_lifetime=5000",
    "appliance_epsilon_per_year=500",
    "appliance_epsilon_lifetime=1000",
]


class Usual:
    """Readings that scatter around what is usual in this home."""

    def open(self, plan: Plan, slot: int) -> None:
        pass

    def means(self, plan: Plan, slot: int) -> np.ndarray:
        words = SeededSource(SEED + slot).stream("readings").words(len(USUAL))
        return USUAL * (0.4 + words.astype(np.float64) / 2**64 * 1.2)


@contextmanager
def usual_folder(name: str) -> Iterator[None]:
    """Where this home lies is where homes lie, so that no picture names a folder."""
    before = os.environ.get("HUSHWATT_HOME")
    os.environ["HUSHWATT_HOME"] = name
    try:
        yield
    finally:
        if before is None:
            del os.environ["HUSHWATT_HOME"]
        else:
            os.environ["HUSHWATT_HOME"] = before


@contextmanager
def home_page() -> Iterator[str]:
    """The address of the page, while it is served."""
    with tempfile.TemporaryDirectory() as name, usual_folder(name):
        folder = Path(name)
        write_caps(folder / "caps.toml", LIMITS)
        home = HomeUnderTest(
            folder / "ledger.sqlite",
            source=SeededSource(SEED),
            clock=MachineClock(),
            caps=Caps.load(folder / "caps.toml"),
            readings=Usual(),
        )
        join(home.store, Plan.parse(file_on("howto/choose-a-plan.md", "month.toml")), source=home.source)
        home.live((DAYS + 0.4) * DAY, DAY / 5)
        settle(home)
        server = serve(
            OwnerPage(HomeFolder(folder), home.agent, plugs(folder, home.clock.wall), home.clock, zone=UTC),
            "127.0.0.1",
            0,
            lambda line: None,
        )
        assert server
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            server.server_close()
            home.switch_off()


def settle(home: HomeUnderTest) -> None:
    """As if a provider had answered every report but the last."""
    with home.store.transaction() as disk:
        disk.execute("UPDATE plans SET address = 'https://energy.example.org', provider = ?", (bytes(range(32)),))
        disk.execute("UPDATE reports SET answer = 'accepted', due = NULL WHERE slot < (SELECT max(slot) FROM reports)")


def plugs(folder: Path, now: int) -> Hub:
    """Plugs that have just been heard, but for one."""
    hub = Hub.of(SourcesFile.parse({"plug": PLUGS}, folder), lambda line: None)
    for name, watts in (("Fridge", 41.0), ("Kettle", 0.0), ("Dishwasher", 0.0)):
        message = json.dumps({"power": watts}).encode()
        hub.on_message(now - 20 * 10**9, f"zigbee2mqtt/{name}", message, retained=False)
    return hub
