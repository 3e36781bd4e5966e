"""What all tests share: one way to run the real command line, and the same examples every time."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("hushwatt", deadline=None, derandomize=True)  # a red test stays red
settings.load_profile("hushwatt")

Run = Callable[..., subprocess.CompletedProcess[str]]


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
