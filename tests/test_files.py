"""A file is written whole or not at all."""

import os

import pytest

from hushwatt.errors import UsageError
from hushwatt.files import atomic_write


def test_takes_its_place(tmp_path):
    """What was written is there under its name, and nothing else is left."""
    with atomic_write(tmp_path / "plan.toml") as temporary:
        temporary.write_text("epsilon = 1")

    assert (tmp_path / "plan.toml").read_text() == "epsilon = 1"
    assert [file.name for file in tmp_path.iterdir()] == ["plan.toml"]


def test_takes_a_name_as_text(tmp_path, monkeypatch):
    """A bare name is a file in the current folder."""
    monkeypatch.chdir(tmp_path)

    with atomic_write("plan.toml") as temporary:
        temporary.write_text("epsilon = 1")

    assert (tmp_path / "plan.toml").read_text() == "epsilon = 1"


def test_replaces_what_was_there(tmp_path):
    """An older file stays readable until the new one is whole."""
    (tmp_path / "plan.toml").write_text("old")

    with atomic_write(tmp_path / "plan.toml") as temporary:
        temporary.write_text("new")
        during = (tmp_path / "plan.toml").read_text()

    assert during == "old"
    assert (tmp_path / "plan.toml").read_text() == "new"


@pytest.mark.parametrize("failure", [ValueError("half-way"), KeyboardInterrupt(), SystemExit(3)])
def test_failure_leaves_no_trace(tmp_path, failure):
    """When the writing fails, the older file is untouched and the temporary is gone."""
    (tmp_path / "plan.toml").write_text("old")

    with pytest.raises(type(failure)), atomic_write(tmp_path / "plan.toml") as temporary:
        temporary.write_text("half of the n")
        raise failure

    assert (tmp_path / "plan.toml").read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["plan.toml"]


def test_failed_sync_leaves_no_trace(tmp_path, monkeypatch):
    """A disk that cannot promise to keep the new file does not get to replace the old one."""
    (tmp_path / "plan.toml").write_text("old")

    def failing(descriptor):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fsync", failing)
    with pytest.raises(OSError, match="Input/output"), atomic_write(tmp_path / "plan.toml") as temporary:
        temporary.write_text("new")

    assert (tmp_path / "plan.toml").read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["plan.toml"]


def test_order_of_promises(tmp_path, monkeypatch):
    """The bytes are on disk before the name, and the name before we say so."""
    order = []
    sync, replace = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda it: (order.append(_kind(it)), sync(it)))
    monkeypatch.setattr(os, "replace", lambda *its: (order.append("rename"), replace(*its)))

    with atomic_write(tmp_path / "plan.toml") as temporary:
        temporary.write_text("new")

    assert order == ["file", "rename", "folder"]


def _kind(descriptor):
    return "folder" if os.path.isdir(f"/proc/self/fd/{descriptor}") else "file"  # noqa: PTH112


def test_nothing_written_is_an_error(tmp_path):
    """A block that writes nothing has failed; the older file stays."""
    (tmp_path / "plan.toml").write_text("old")

    with pytest.raises(FileNotFoundError), atomic_write(tmp_path / "plan.toml"):
        pass

    assert (tmp_path / "plan.toml").read_text() == "old"


def test_a_link_is_followed(tmp_path):
    """Writing to a link changes the file it points to, and the link stays one."""
    (tmp_path / "real.toml").write_text("old")
    (tmp_path / "link.toml").symlink_to("real.toml")

    with atomic_write(tmp_path / "link.toml") as temporary:
        temporary.write_text("new")

    assert (tmp_path / "link.toml").is_symlink()
    assert (tmp_path / "real.toml").read_text() == "new"


def test_two_writers_do_not_meet(tmp_path):
    """Two that write the same file at once each have their own temporary; the last one wins."""
    with atomic_write(tmp_path / "plan.toml") as slow:
        with atomic_write(tmp_path / "plan.toml") as quick:
            quick.write_text("quick")
        slow.write_text("slow")

    assert (tmp_path / "plan.toml").read_text() == "slow"


@pytest.mark.parametrize("name", ["n" * 255, "ε" * 127])
def test_a_long_name_fits(tmp_path, name):
    """A name as long as the file system allows can still be written."""
    with atomic_write(tmp_path / name) as temporary:
        temporary.write_text("new")

    assert (tmp_path / name).read_text() == "new"


def test_the_ending_is_kept(tmp_path):
    """The temporary ends as the file will, so that writers which look at endings are not misled."""
    with atomic_write(tmp_path / "readings.csv.gz") as temporary:
        temporary.write_text("new")

    assert temporary.name.endswith(".csv.gz")
    assert temporary.name.startswith(".")


@pytest.mark.parametrize(
    "name, complaint",
    [("", "is a folder"), ("missing/plan.toml", "there is no folder"), ("pipe", "not a regular file")],
)
def test_bad_destinations(tmp_path, name, complaint):
    """A destination that cannot be a file is refused before any work is done."""
    os.mkfifo(tmp_path / "pipe")

    with pytest.raises(UsageError, match=complaint), atomic_write(tmp_path / name):
        raise AssertionError("the block must not run")


def test_devices_are_refused():
    """Writing to /dev/null would replace it, if one may; say no instead."""

    with pytest.raises(UsageError, match="not a regular file"), atomic_write("/dev/null"):
        raise AssertionError("the block must not run")
