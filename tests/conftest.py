"""What all tests share: the real command line, small plans, and the same examples every time."""

import gc
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from hushwatt.plan import Appliance, Plan, SlotLength

settings.register_profile("hushwatt", deadline=None, derandomize=True)  # a red test stays red
settings.load_profile("hushwatt")

os.environ["TZ"] = "Pacific/Chatham"  # 12:45 or 13:45 ahead: no answer may lean on the machine's own zone
time.tzset()

# Whoever started the tests may want no bytecode; the hundreds of programs that they start need not compile for that.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

collect_ignore = ["custom_component"]  # run in Home Assistant's own environment by packaging/test_custom_component.py

Run = Callable[..., subprocess.CompletedProcess[str]]
PlanOf = Callable[..., Plan]


def pytest_collection_finish() -> None:
    """What was read to find the tests stays for good, and is not walked again whenever Python looks for garbage."""
    gc.collect()
    gc.freeze()


TOLD = "told"  # what a test records under this name is printed at the end, from every worker


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print what tests measured."""
    for report in terminalreporter.getreports("passed"):
        for name, words in report.user_properties:
            if name == TOLD:
                terminalreporter.write_line(str(words))


@pytest.fixture
def hushwatt(tmp_path: Path) -> Run:
    """Run `hushwatt …` as a user would, in an empty folder, and give what came out."""

    def run(*words: object, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", "from hushwatt.cli.main import run; run()", *map(str, words)],
            cwd=tmp_path,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            timeout=120,
        )

    return run


@pytest.fixture(scope="session")
def plan_of() -> PlanOf:
    """Make a plan from what a test is about: how many levels each appliance has, and any fields."""

    def plan(*widths: int, method: str = "lbu", mapping: str = "range", **fields: object) -> Plan:
        appliances = tuple(
            Appliance.of(f"appliance {place}", [100 * edge for edge in range(1, width)], mapping=mapping)
            for place, width in enumerate(widths)
        )
        usual: dict[str, Any] = {
            "name": "Kettles of Leeds",
            "description": "How many kettles boil, and when.",
            "contact": "kettles@example.org",
            "start": datetime(2024, 1, 1, tzinfo=UTC),
            "expires": datetime(2025, 1, 1, tzinfo=UTC),
            "timezone": "UTC",
            "slot": SlotLength(1, "d"),
            "epsilon": 4_000_000,
            "window": 3,
            "decision": {"lbd": "household", "lba": "household"}.get(method),
            "oracle": "oue",
            "appliances_per_report": len(widths),
            "minimum_homes": 1,
        }
        return Plan(method=method, mapping=mapping, appliances=appliances, **{**usual, **fields})

    return plan


@pytest.fixture(scope="session")
def s3() -> Iterator[str]:
    """The address of a server with the S3 interface."""
    from tests.object_store import s3_server

    with s3_server() as endpoint:
        yield endpoint


@pytest.fixture
def bucket(s3: str, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> str:
    """The address of an empty folder in a bucket, with the environment that leads there."""
    from tests.object_store import environment

    for name, value in environment(s3).items():
        monkeypatch.setenv(name, value)
    return f"s3://meters/{abs(hash(request.node.nodeid))}"


@pytest.fixture(scope="session")
def google() -> Iterator[str]:
    """The address of a server with the interface of Google Cloud Storage."""
    from tests.object_store import google_server

    with google_server() as endpoint:
        yield endpoint


@pytest.fixture
def google_bucket(google: str, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> str:
    """The address of an empty folder in a bucket of that store, with the environment that leads there."""
    monkeypatch.setenv("CLOUD_STORAGE_EMULATOR_ENDPOINT", google)
    return f"gs://anonymous@meters/{abs(hash(request.node.nodeid))}"


@pytest.fixture(params=["bucket", "google_bucket"])
def any_bucket(request: pytest.FixtureRequest) -> str:
    """The address of an empty folder, in a store of each kind."""
    return str(request.getfixturevalue(request.param))
