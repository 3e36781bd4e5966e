"""A folder is tried by really writing, and judged by what it lies on."""

import os

import pytest

from hushwatt.cli.doctor import disk as checks
from hushwatt.cli.doctor.disk import Mount, check_disk, mount_of


def test_disk_leaves_nothing(tmp_path):
    """The disk is tried by a file that is gone afterwards."""
    check = check_disk(tmp_path)

    assert check.found.startswith(f"{tmp_path}: ")
    assert "ms to write and sync" in check.found
    assert list(tmp_path.iterdir()) == []


def test_it_really_syncs(tmp_path, monkeypatch):
    """Each try waits until the disk has the file and its folder."""
    synced, sync = [], os.fsync
    monkeypatch.setattr(os, "fsync", lambda descriptor: synced.append(sync(descriptor)))
    check_disk(tmp_path)

    assert len(synced) == 2 * checks.SYNCS


def test_disk_missing(tmp_path):
    """A folder that is not there is told in its own words."""
    check = check_disk(tmp_path / "gone")

    assert (check.well, check.essential) == (False, True)
    assert check.found == f"there is no folder {tmp_path / 'gone'}"


def test_disk_that_fails(tmp_path, monkeypatch):
    """A disk that cannot sync is essential and wrong, and no file is left on it."""

    def failing(descriptor):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fsync", failing)
    check = check_disk(tmp_path)

    assert (check.well, check.essential) == (False, True)
    assert check.found == f"cannot write in {tmp_path}: Input/output error"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "mount, well, essential, words",
    [
        (Mount("ext4", frozenset({"rw", "relatime"})), True, True, "to write and sync"),
        (Mount("unknown file system"), True, True, "to write and sync"),
        (Mount("tmpfs"), False, True, "all is lost when the machine stops"),
        (Mount("nfs4"), False, True, "SQLite needs a local disk"),
        (Mount("ext4", frozenset({"rw", "nobarrier"})), False, True, "power loss takes what was synced"),
        (Mount("overlay"), False, False, "keep state in a volume"),
    ],
)
def test_what_it_lies_on(tmp_path, monkeypatch, mount, well, essential, words):
    """Memory, other machines and disks without barriers lose a ledger; a container's layer goes with it."""
    monkeypatch.setattr(checks, "mount_of", lambda folder: mount)
    check = check_disk(tmp_path)

    assert (check.well, check.essential) == (well, essential)
    assert check.found.endswith(words)


def test_mount_of(tmp_path):
    """The nearest mount around a folder says what kind it is; the last of two on one place counts."""
    mounts = tmp_path / "mounts"
    mounts.write_text(
        "disk / ext4 rw,nobarrier 0 0\n"
        f"old {tmp_path}/my\\040state xfs rw 0 0\n"
        f"new {tmp_path}/my\\040state btrfs rw 0 0\n"
    )

    assert mount_of(tmp_path, mounts) == Mount("ext4", frozenset({"rw", "nobarrier"}))
    assert mount_of(tmp_path / "my state" / "deep", mounts) == Mount("btrfs", frozenset({"rw"}))
    assert mount_of(tmp_path, tmp_path / "no-mounts") == Mount("unknown file system")
