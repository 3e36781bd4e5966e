"""Small fleets for the tests of this room."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hushwatt.plan.plan import Plan

START = datetime(2024, 1, 1, tzinfo=UTC)


def make_plan(method: str = "lbu", *, appliances: int = 3, edges: str = "[100, 200]", **more: object) -> Plan:
    """A plan with daily slots; `more` are lines of its file."""
    settings = {"epsilon": 3, "window": 3, "minimum_homes": 1} | more
    lines = "\n".join(f"{key} = {value!r}".replace("'", '"') for key, value in settings.items())
    asked = "\n".join(f'[[appliance]]\nname = "a{i}"\nedges = {edges}' for i in range(appliances))
    return Plan.parse(
        'name = "t"\ndescription = "d"\ncontact = "c"\nstart = 2024-01-01\nexpires = 2025-01-01\n'
        f'slot = "1d"\nmethod = "{method}"\n{lines}\n{asked}\n'
    )


def write_readings(path: Path, watts: np.ndarray, names: tuple[str, ...], first: int = 0, homes: int = 0) -> Path:
    """A table of slots × homes × appliances, one row each; the first home is number `homes`."""
    slots, count, appliances = watts.shape
    days = np.repeat([START + timedelta(days=first + slot) for slot in range(slots)], count * appliances)
    households = np.tile(np.repeat([f"home-{homes + h:05d}" for h in range(count)], appliances), slots)
    table = {
        "household": households,
        "time": pa.array(days.tolist(), pa.timestamp("s", "UTC")),
        "appliance": np.tile(names, slots * count),
        "watts": watts.ravel(),
    }
    pq.write_table(pa.table(table), path)
    return path


@pytest.fixture
def plan_for() -> Callable[..., Plan]:
    return make_plan


@pytest.fixture
def readings_at() -> Callable[..., Path]:
    return write_readings
