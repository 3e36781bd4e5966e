"""What the tests of packaging share: the wheel and the sdist, built from a copy of the checkout."""

import fcntl
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
MOMENT = "1700000000"  # of the commit, as far as the build can tell


@dataclass(frozen=True)
class Built:
    """A copy of the checkout, and what was built from it."""

    source: Path
    wheel: Path
    sdist: Path

    @classmethod
    def at(cls, place: Path) -> "Built":
        return cls(place / "source", next(place.glob("dist/*.whl")), next(place.glob("dist/*.tar.gz")))


def build(checkout: Path, place: Path, umask: int, **environment: str) -> Built:
    """Copy what the sdist is to hold, with new times and by `umask`, and build both from the copy."""
    before = os.umask(umask)
    try:
        source = place / "source"
        source.mkdir(parents=True)
        for pattern in PROJECT["tool"]["hatch"]["build"]["targets"]["sdist"]["include"] + ["pyproject.toml"]:
            for path in checkout.glob(pattern):
                copy(path, source / path.name)
        subprocess.run(
            [sys.executable, "-m", "hatchling", "build", "--directory", str(place / "dist")],
            cwd=source,
            env={**os.environ, "SOURCE_DATE_EPOCH": MOMENT, **environment},
            capture_output=True,
            check=True,
        )
    finally:
        os.umask(before)
    return Built.at(place)


def copy(path: Path, to: Path) -> None:
    """The file or the folder without what running it leaves behind."""
    if path.is_dir():
        junk = shutil.ignore_patterns("__pycache__", "*.pyc", ".*_cache", ".hypothesis")
        shutil.copytree(path, to, ignore=junk, copy_function=shutil.copyfile)
    else:
        shutil.copyfile(path, to)


@pytest.fixture(scope="session")
def once(tmp_path_factory):
    """Make a folder once for all processes that run tests, however many ask for it."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base

    def made(name: str, make: Callable[[Path], object]) -> Path:
        with (shared / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not (shared / name).exists():
                (shared / f"{name}-half").mkdir()
                make(shared / f"{name}-half")
                (shared / f"{name}-half").rename(shared / name)
        return shared / name

    return made


@pytest.fixture(scope="session")
def built(once) -> Built:
    """The wheel and the sdist."""
    return Built.at(once("built", lambda place: build(ROOT, place, umask=0o022, TZ="UTC")))


@pytest.fixture(scope="session")
def built_elsewhere(built, tmp_path_factory) -> Built:
    """The same by another person on another machine."""
    folder = tmp_path_factory.mktemp("elsewhere") / "a deeper" / "folder"
    return build(built.source, folder, umask=0o077, TZ="Asia/Tokyo", LC_ALL="C", PYTHONHASHSEED="7")


@pytest.fixture(scope="session")
def supply():
    """Run a program of tools/supply."""

    def run(name: str, *words: object, **options: Any) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-W", "error", "-m", f"tools.supply.{name}", *map(str, words)]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, **options)

    return run
