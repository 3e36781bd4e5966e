"""What the tests of the home share."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from hushwatt.household.ledger import high_water_mark


@pytest.fixture
def folder() -> Iterator[Path]:
    """An empty folder in memory where there is one: many commits, and no power loss to fear."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as name:
        yield Path(name)


@pytest.fixture(autouse=True)
def marks(tmp_path_factory, monkeypatch):
    """The high-water marks of tests stay out of the machine's memory."""
    monkeypatch.setattr(high_water_mark, "SHARED_MEMORY", tmp_path_factory.getbasetemp())
