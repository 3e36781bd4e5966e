"""The command `hushwatt` starts quickly, knows its commands, and ends with the right code."""

import os
import subprocess
import sys

import pytest

import hushwatt as package
from hushwatt.cli.main import COMMANDS, app_for

HEAVY = {"numpy", "pyarrow", "scipy", "pandas", "polars", "apsw", "cryptography", "sqlite3", "asyncio"}


def test_help_names_every_command(hushwatt):
    """`hushwatt --help` lists all commands with their one line, on stdout."""
    answer = hushwatt("--help", COLUMNS="200")

    assert answer.returncode == 0
    assert answer.stderr == ""
    assert all(f"{name} " in answer.stdout and about in answer.stdout for name, (_, about) in COMMANDS.items())


def test_no_words_is_help(hushwatt):
    """`hushwatt` alone says what it can do."""

    assert hushwatt().stdout == hushwatt("--help").stdout


def test_version(hushwatt):
    """`hushwatt --version` is one line that a script can read."""

    assert hushwatt("--version").stdout == f"{package.__version__}\n"


def test_help_loads_nothing_heavy():
    """The help is shown without loading numpy, pyarrow, or the file of any command."""
    script = """
import sys
from hushwatt.cli.main import run
try:
    run(["--help"])
except SystemExit:
    print(*sys.modules, file=sys.stderr)
"""
    answer = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = set(answer.stderr.split())

    assert "hushwatt.cli.main" in loaded
    assert HEAVY & loaded == set()
    assert {command.address.partition(":")[0] for command in COMMANDS.values()} & loaded == set()


def test_help_is_quick(hushwatt):
    """The help is there within 0.3 seconds of processor time at the best of three tries."""

    assert min(_seconds(hushwatt) for _ in range(3)) < 0.3


def _seconds(hushwatt):
    """Processor time, as the wall clock would also measure the tests beside this one."""
    before = _children()
    hushwatt("--help")
    return _children() - before


def _children():
    times = os.times()
    return times.children_user + times.children_system


@pytest.mark.parametrize("name", COMMANDS)
def test_commands_are_where_the_table_says(name):
    """Each command loads from its address, and the table's line is the first of its own help."""
    command = app_for(called=name)[name]

    assert command.help.strip().splitlines()[0] == COMMANDS[name].about


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(hushwatt, name):
    """`hushwatt NAME --help` works for every command."""
    answer = hushwatt(name, "--help")

    assert answer.returncode == 0
    assert answer.stdout.startswith(f"Usage: hushwatt {name}")
