"""A progress bar shows itself to people only."""

import os
import pty
import subprocess
import sys

SCRIPT = """
from hushwatt.cli.progress import progress
with progress("randomising", total=10) as advance:
    advance(4)
    advance(6)
print("done")
"""


def test_silent_in_a_pipe():
    """Nobody watches: nothing is written beside the result."""
    answer = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True)

    assert (answer.stdout, answer.stderr) == ("done\n", "")


def test_shown_on_a_terminal():
    """On a terminal the bar is on stderr, reaches its end, and the result stays clean."""
    terminal, end = pty.openpty()
    answer = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        stdout=subprocess.PIPE,
        stderr=end,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "80"},
    )
    os.close(end)
    shown = os.read(terminal, 100_000).decode()
    os.close(terminal)

    assert answer.stdout == b"done\n"
    assert "randomising" in shown
    assert "100%" in shown
