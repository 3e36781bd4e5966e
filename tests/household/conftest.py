"""What the tests of the home share."""

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from hushwatt.household import mark

sys.path.insert(0, str(Path(__file__).parent))  # for living and serving, the tests' own helpers


@pytest.fixture
def folder() -> Iterator[Path]:
    """An empty folder in memory where there is one: many commits, and no power loss to fear."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as name:
        yield Path(name)


@pytest.fixture(autouse=True)
def marks(tmp_path_factory, monkeypatch):
    """The high-water marks of tests stay out of the machine's memory."""
    monkeypatch.setattr(mark, "MEMORY", tmp_path_factory.getbasetemp())
