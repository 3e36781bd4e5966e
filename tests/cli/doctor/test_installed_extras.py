"""What is missing for an errand is told with the command that brings it."""

import pytest

from hushwatt.cli.doctor import installed_extras as checks


def test_missing_extra():
    """A part that is not installed is told with what it is for, and is not essential."""
    check = checks.check_extra("provider", ("numpy", "no-such-package"))

    assert (check.well, check.essential) == (False, False)
    assert check.found == (
        "files of many homes, the service, the dashboard, the demo: pip install 'hushwatt[provider]'"
    )
    assert checks.check_extra("provider", ("numpy",)).well


@pytest.fixture
def java(tmp_path):
    """A program that tells its version as Java does."""

    def telling(line):
        path = tmp_path / "bin" / "java"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\necho '{line}' >&2\n")
        path.chmod(0o755)
        return path

    return telling


@pytest.mark.parametrize(
    "line, well, found",
    [
        ('openjdk version "17.0.15" 2025-04-15', True, "17, "),
        ('openjdk version "21" 2023-09-19', True, "21, "),
        ('java version "1.8.0_402"', False, "8, Spark needs Java 17 or newer"),
        ("nonsense", False, "unknown, Spark needs Java 17 or newer"),
    ],
)
def test_java(java, line, well, found):
    """Spark wants Java 17; older ones and strangers are told so."""
    check = checks.check_java(str(java(line)))

    assert (check.well, check.essential) == (well, False)
    assert check.found.startswith(found)


def test_no_java(monkeypatch, tmp_path):
    """Without Java, or with one that does not start, the line says what to install."""
    monkeypatch.setattr(checks, "find_java", lambda: None)

    assert checks.check_java().found.startswith("not found, Spark needs Java 17 or newer: apt install")
    assert "does not run" in checks.check_java(str(tmp_path / "java")).found


def test_the_java_that_spark_takes(java, monkeypatch, tmp_path):
    """JAVA_HOME comes first, then the path."""
    own = java("")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    by_home = checks.find_java()
    monkeypatch.delenv("JAVA_HOME")
    monkeypatch.setenv("PATH", str(own.parent))
    by_path = checks.find_java()
    monkeypatch.setenv("PATH", str(tmp_path))

    assert (by_home, by_path, checks.find_java()) == (str(own), str(own), None)
