"""`make` installs what is pinned, shows how far it is, and says what went wrong."""

import sys

import pytest

from hushwatt import __version__
from tools.supply import home_assistant, install
from tools.supply.pins import Pin


def test_pins_for_other_machines_do_not_count():
    """A pin for another system or Python is not waited for."""

    def pin(marker):
        return Pin("x", "1", marker, (), ())

    assert install.applies(pin(None))
    assert install.applies(pin("python_full_version >= '3.11'"))
    assert not install.applies(pin("sys_platform == 'win32'"))


def test_a_person_sees_how_far_it_is(monkeypatch, capsys):
    """Each package is named and counted as it comes."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    lines = ["Collecting numpy==2.4 (from -r x)\n", "  Downloading numpy\n", "Collecting rich==15\n"]
    assert list(install.followed([*lines, "Installing collected packages: numpy, rich\n"], 2))[:3] == lines
    told = capsys.readouterr().err

    assert "1 of 2  numpy" in told
    assert "2 of 2  rich" in told
    assert "unpacking" in told


def test_a_log_is_not_filled(capsys):
    """Where nobody watches there is no counter."""
    list(install.followed(["Collecting numpy==2.4\n"], 1))

    assert capsys.readouterr().err == ""


def test_what_went_wrong(capsys, tmp_path):
    """When pip fails, its last words and one line are shown, and the exit code is not 0."""
    lock = tmp_path / "lock.txt"
    lock.write_text("hushwatt-no-such-package==1.0 --hash=sha256:" + "0" * 64)
    with pytest.raises(SystemExit, match="pip could not install what is pinned"):
        install.install("what is pinned", ["--no-index", "--require-hashes", "-r", str(lock)], 1)

    assert "No matching distribution found for hushwatt-no-such-package" in capsys.readouterr().err


def test_a_changed_file_is_refused(capsys, tmp_path, built):
    """A wheel whose hash is not the pinned one is not installed."""
    lock = tmp_path / "lock.txt"
    lock.write_text(f"hushwatt=={__version__} --hash=sha256:{'0' * 64}\n")
    options = ["--no-index", "--find-links", str(built.wheel.parent), "--target", str(tmp_path / "there")]
    with pytest.raises(SystemExit):
        install.install("a changed file", [*options, "--require-hashes", "--no-deps", "-r", str(lock)], 1)

    assert "DO NOT MATCH THE HASHES" in capsys.readouterr().err
    assert not (tmp_path / "there").exists()


def test_a_python_that_does_not_start_is_passed_over(monkeypatch, tmp_path):
    """A shim on the path that leads nowhere is not taken for a Python; the next one that starts is."""
    ours = "{}.{}".format(*sys.version_info[:2])
    shims, real = tmp_path / "shims", tmp_path / "versions" / f"{ours}.1" / "bin"
    for folder in (shims, real):
        folder.mkdir(parents=True)
    (shims / f"python{ours}").write_text("#!/bin/sh\nexit 127\n")
    (shims / f"python{ours}").chmod(0o755)
    (real / "python").symlink_to(sys.executable)
    monkeypatch.setenv("PATH", str(shims))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))

    assert home_assistant.find_python(ours) == real / "python"
    assert home_assistant.find_python("3.1") is None


def test_without_the_python_it_is_said(monkeypatch, capsys):
    """Where Home Assistant's Python is missing one loud line says so; in CI that is a failure."""
    monkeypatch.setattr(home_assistant, "places", lambda wanted: iter(()))
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(SystemExit) as calm:
        home_assistant.main("2025.4.4")
    monkeypatch.setenv("CI", "true")
    with pytest.raises(SystemExit) as strict:
        home_assistant.main("2025.4.4")

    assert calm.value.code == 0
    assert "NOT TESTED WITH HOME ASSISTANT 2025.4.4: " in capsys.readouterr().err
    assert "needs Python 3.13" in str(strict.value.code)


def test_which_home_assistants():
    """`make home-assistant` installs the ones that are locked, each where `make clean` removes it."""
    text = (install.HERE / "Makefile").read_text()
    named = next(line for line in text.splitlines() if line.startswith("HOME_ASSISTANTS :="))

    assert named.split()[2:] == [home_assistant.environment(version).name for version in home_assistant.PYTHONS]
