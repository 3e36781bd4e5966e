"""Each check sees the trouble it is there for."""

import os
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import apsw
import pytest

from hushwatt.cli import checkup as checks

NOW = datetime(2026, 6, 1, tzinfo=UTC)


def test_old_python():
    """A Python that is too old is told, with the one that is needed."""

    assert not checks.check_python((3, 10, 13)).well
    assert checks.check_python((3, 11, 0)).well
    assert checks.check_python((4, 0, 0)).well


def test_missing_package(monkeypatch):
    """A package that does not load is essential and wrong."""
    monkeypatch.setitem(sys.modules, "numpy", None)
    check = checks.check_package("numpy")

    assert (check.well, check.essential) == (False, True)


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
    assert check.found.startswith(f"{version}, {'free of' if well else 'has'} the WAL-reset bug")


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


@pytest.mark.parametrize(
    "now, well",
    [
        (NOW, True),
        (NOW - timedelta(seconds=1), False),
        (datetime(1970, 1, 1, tzinfo=UTC), False),
        (datetime(2099, 12, 31, tzinfo=UTC), True),
        (datetime(2100, 1, 1, tzinfo=UTC), False),
    ],
)
def test_clock(now, well):
    """A clock from before the installation, or from another century, is wrong."""

    assert checks.check_clock(now, earliest=NOW).well is well


def test_clock_of_this_machine():
    """The time of the installation is found where none is given."""

    assert checks.check_clock(datetime.now(UTC)).well
    assert not checks.check_clock(datetime(2001, 1, 1, tzinfo=UTC)).well


def test_disk_leaves_nothing(tmp_path):
    """The disk is tried by a file that is gone afterwards."""
    check = checks.check_disk(tmp_path)

    assert "ms to write durably" in check.found
    assert list(tmp_path.iterdir()) == []


def test_disk_missing(tmp_path):
    """A folder that is not there is told in its own words."""
    check = checks.check_disk(tmp_path / "gone")

    assert (check.well, check.essential) == (False, True)
    assert check.found == f"there is no folder {tmp_path / 'gone'}"


def test_disk_that_fails(tmp_path, monkeypatch):
    """A disk that cannot sync is essential and wrong, and no file is left on it."""

    def failing(descriptor):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fsync", failing)
    check = checks.check_disk(tmp_path)

    assert (check.well, check.essential) == (False, True)
    assert check.found == f"cannot write in {tmp_path}: Input/output error"
    assert list(tmp_path.iterdir()) == []


def test_disk_in_memory(tmp_path, monkeypatch):
    """A folder in memory is told, but does not stop a demonstration."""
    monkeypatch.setattr(checks, "filesystem", lambda folder: "tmpfs")
    check = checks.check_disk(tmp_path)

    assert (check.well, check.essential) == (False, False)
    assert "lost when the machine stops" in check.found


def test_filesystem(tmp_path):
    """The nearest mount around a folder says what kind it is; the last of two on one place counts."""
    mounts = tmp_path / "mounts"
    mounts.write_text(
        "disk / ext4 rw 0 0\n"
        f"old {tmp_path}/my\\040state xfs rw 0 0\n"
        f"new {tmp_path}/my\\040state btrfs rw 0 0\n"
    )

    assert checks.filesystem(tmp_path, mounts) == "ext4"
    assert checks.filesystem(tmp_path / "my state" / "deep", mounts) == "btrfs"
    assert checks.filesystem(tmp_path, tmp_path / "no-mounts") == "unknown file system"


def test_missing_extra():
    """A part that is not installed is told with the command that installs it, and is not essential."""
    check = checks.check_extra("provider", ("numpy", "no-such-package"))

    assert (check.well, check.essential) == (False, False)
    assert check.found == "pip install 'hushwatt[provider]' adds no-such-package"


def test_checkup_is_complete(tmp_path: Path):
    """The whole checkup covers what hushwatt stands on, and every extra."""
    names = [check.name for check in checks.checkup(tmp_path)]

    assert names[:8] == [
        "python",
        "numpy",
        "cryptography",
        "sqlite",
        "entropy",
        "time zones",
        "clock",
        "disk",
    ]
    assert set(names[8:]) == {"[provider]", "[evaluate]", "[spark]", "[dev]"}
