"""Each check sees the trouble it is there for."""

import sys
from pathlib import Path

import apsw
import pytest

from hushwatt.cli.doctor import machine as checks


def test_old_python():
    """A Python that is too old is told, with the one that is needed."""

    assert not checks.check_python((3, 10, 13)).well
    assert checks.check_python((3, 11, 0)).well
    assert checks.check_python((4, 0, 0)).well


def test_missing_package():
    """A package that is not installed is essential, wrong and named."""
    check = checks.check_packages(("numpy", "no-such-package"))

    assert (check.well, check.essential) == (False, True)
    assert check.found == "pip install --upgrade hushwatt brings no-such-package"


def test_package_that_does_not_load(monkeypatch):
    """A package that is installed but does not load, as on another kind of processor, is told."""
    monkeypatch.setitem(sys.modules, "numpy", None)
    check = checks.check_packages(("numpy",))

    assert (check.well, check.essential) == (False, True)
    assert check.found.startswith("numpy does not load: ")


@pytest.mark.parametrize(
    "version, well",
    [
        ("3.6.23", True),
        ("3.7.0", False),
        ("3.40.1", False),
        ("3.44.5", False),
        ("3.44.6", True),
        ("3.45.0", False),
        ("3.50.6", False),
        ("3.50.7", True),
        ("3.51.2", False),
        ("3.51.3", True),
        ("3.53", True),
        ("4.0.0", True),
    ],
)
def test_sqlite_with_the_wal_reset_bug(monkeypatch, version, well):
    """The releases that can corrupt a database in a checkpoint are told from the mended ones."""
    monkeypatch.setattr(apsw, "sqlite_lib_version", lambda: version)
    check = checks.check_sqlite()

    assert (check.well, check.essential) == (well, True)
    assert check.found.startswith(f"{version}, {'loses nothing' if well else 'can lose data'} in a checkpoint")


def test_sqlite_missing(monkeypatch):
    """Without apsw there is no ledger."""
    monkeypatch.setitem(sys.modules, "apsw", None)

    assert not checks.check_sqlite().well


def test_entropy_not_ready():
    """A system that has not gathered randomness yet is told, and not waited for."""

    def blocking():
        raise BlockingIOError

    assert not checks.check_entropy(blocking).well
    assert checks.check_entropy().well


def test_time_zones_missing():
    """A zone that nobody has is told."""

    assert not checks.check_time_zones("Mars/Olympus").well
    assert checks.check_time_zones().well


def test_time_zones_from_the_package(monkeypatch):
    """Where the system has no zones, those of the package serve."""
    monkeypatch.setattr(checks, "TZPATH", ())

    assert checks.check_time_zones().found.startswith("tzdata 20")


def test_checkup_is_complete(tmp_path: Path):
    """The whole checkup covers what hushwatt stands on, and every errand."""
    names = [check.name for check in checks.run_checks(tmp_path)]

    assert names[:7] == ["python", "packages", "sqlite", "randomness", "time zones", "clock", "disk"]
    assert names[7:10] == ["provider", "evaluate", "spark"]
