"""What the provider's tests share lies beside them: `simulated.py` and `collecting.py`."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.provider.collecting import collecting, postgres_server, store_address  # noqa: F401  fixtures

MEMORY = Path("/dev/shm")
ROOM = 1 << 30  # bytes; a test needs far less


@pytest.fixture
def tmp_path(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """An empty folder in memory where there is room: stores wait for a disk at every commit, and fear no power loss."""
    if not MEMORY.is_dir() or shutil.disk_usage(MEMORY).free < ROOM:
        yield tmp_path_factory.mktemp("test")
        return
    with tempfile.TemporaryDirectory(dir=MEMORY, ignore_cleanup_errors=True) as name:
        yield Path(name)
