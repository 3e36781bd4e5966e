"""A home's folder is its owner's: 0600 in 0700, or a line that says why not."""

import os
import stat
from pathlib import Path

import pytest

from hushwatt.household.home_folder import HomeFolder
from hushwatt.household.private_files import restrict_to_owner, write_private


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def home(folder):
    """A home as an older version, or a careless copy, has left it."""
    path = folder / "home"
    path.mkdir()
    for name in ("caps.toml", "sources.toml", "health.json", "ledger.sqlite.lock", "ledger.sqlite-wal"):
        (path / name).touch()
        (path / name).chmod(0o644)
    (path / "sources.toml").write_text("[mqtt]\npassword = 'secret'\n")
    path.chmod(0o755)
    return path


def test_what_was_open_is_closed(home):
    """An existing folder and all of the home's files, whatever they were before."""
    assert restrict_to_owner(home) == []

    assert mode(home) == 0o700
    assert {mode(file) for file in home.iterdir()} == {0o600}


def test_a_ledger_is_closed_with_its_log(home):
    """Opening the ledger to join makes nothing that others can read."""
    with HomeFolder(home).store(make=True) as store:
        store.write_value("a", 1)
        modes = {mode(file) for file in home.iterdir()}

    assert modes == {0o600}
    assert mode(home) == 0o700


def test_notes_are_private_from_the_first_byte(home, monkeypatch):
    """health.json and its temporary, even where the umask is open."""
    before = os.umask(0)
    seen = []
    monkeypatch.setattr(Path, "replace", lambda self, path: seen.append(mode(self)))
    try:
        write_private(home / "note", "text")
    finally:
        os.umask(before)

    assert seen == [0o600]


@pytest.mark.parametrize("shared", ["folder", "sticky"])
def test_a_shared_folder_is_left_and_said(home, shared):
    """A folder that is not only this home's stays open to others; its files are closed, and it is said."""
    if shared == "folder":
        (home / "else").mkdir()
    else:
        home.chmod(0o1777)
    (line,) = restrict_to_owner(home)

    assert "a folder of its own" in line
    assert mode(home) & 0o077
    assert mode(home / "sources.toml") == 0o600


def test_what_cannot_be_changed_is_said(home, monkeypatch):
    """Another's file, or a file system without rights, gets one line with what to do."""

    def refuse(self, mode):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(Path, "chmod", refuse)
    lines = restrict_to_owner(home)
    monkeypatch.setattr(Path, "chmod", lambda self, mode: None)
    ignored = restrict_to_owner(home)

    assert f"as its owner: chmod 600 {home / 'sources.toml'}" in "\n".join(lines)
    assert "knows no rights" in ignored[0]


def test_an_open_password_file_is_said(home, folder):
    """The broker's password in a file that others can read."""
    secret = folder / "password"
    secret.write_text("x")
    secret.chmod(0o644)
    (home / "sources.toml").write_text(f"[mqtt]\npassword_file = '{secret}'\n")

    assert HomeFolder(home).restrict_to_owner() == [
        f"{secret} holds the broker's password and is open to others; chmod 600 {secret}"
    ]


def test_an_open_token_file_is_said(home, folder):
    """Home Assistant's token likewise; the token itself is not."""
    secret = folder / "token"
    secret.write_text("a-token")
    secret.chmod(0o640)
    (home / "sources.toml").write_text(f"[home_assistant]\nurl = 'http://ha:8123'\ntoken_file = '{secret}'\n")

    assert HomeFolder(home).restrict_to_owner() == [
        f"{secret} holds Home Assistant's token and is open to others; chmod 600 {secret}"
    ]


def test_a_link_is_not_followed(home, folder):
    """What only bears one of our names is left alone."""
    other = folder / "other"
    other.touch()
    other.chmod(0o644)
    (home / "caps.toml").unlink()
    (home / "caps.toml").symlink_to(other)
    restrict_to_owner(home)

    assert mode(other) == 0o644


def test_sources_that_cannot_be_read_are_only_said(home):
    """A home that has just joined is told of a broken file, and has joined all the same."""
    (home / "sources.toml").write_text("[mqtt")
    (line,) = HomeFolder(home).restrict_to_owner()

    assert line.startswith(f"{home / 'sources.toml'}: ")
