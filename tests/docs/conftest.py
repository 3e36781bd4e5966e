"""The programs in tools/, for the tests of what they make."""

import importlib.util
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def tool():
    """Give a program of tools/ as a module."""

    def load(path):
        file = ROOT / "tools" / path
        spec = importlib.util.spec_from_file_location(file.stem, file)
        module = importlib.util.module_from_spec(spec)
        sys.modules[file.stem] = module
        spec.loader.exec_module(module)
        return module

    return load
