"""A command ends with one line and the right code, or loudly when the fault is ours."""

import os
import signal
import subprocess
import sys

import pytest

from hushwatt.cli.exit_codes import BAD_INPUT, BROKEN_PIPE, INTERRUPTED, exit_codes
from hushwatt.errors import PlanError


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_went_away(unbuffered):
    """`hushwatt … | head -1` ends quietly, however Python buffers."""
    reader, writer = os.pipe()
    os.close(reader)

    answer = _run("print('x')", stdout=writer, PYTHONUNBUFFERED=unbuffered)
    os.close(writer)

    assert (answer.returncode, answer.stderr) == (BROKEN_PIPE, "")


def test_a_reader_that_went_away_from_rich():
    """Tables that rich prints end as quietly."""
    reader, writer = os.pipe()
    os.close(reader)

    answer = _run("from rich.console import Console; Console().print('x')", stdout=writer)
    os.close(writer)

    assert (answer.returncode, answer.stderr) == (BROKEN_PIPE, "")


def test_a_broken_connection_is_not_a_reader():
    """A broken pipe elsewhere is told, as stdout still has its reader."""
    answer = _run("raise BrokenPipeError(32, 'Broken pipe')")

    assert (answer.returncode, answer.stderr) == (BAD_INPUT, "hushwatt: broken pipe\n")


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_disk(unbuffered):
    """Results that cannot be written are one line and no success."""
    with open("/dev/full", "w") as full:  # noqa: PTH123
        answer = _run("print('x')", stdout=full, PYTHONUNBUFFERED=unbuffered)

    assert (answer.returncode, answer.stderr) == (BAD_INPUT, "hushwatt: no space left on device\n")


def test_closed_streams():
    """A command whose stdout and stderr were closed still does its work."""
    answer = subprocess.run(
        [sys.executable, "-c", "from hushwatt.cli.exit_codes import exit_codes\nwith exit_codes(): print('x')"],
        preexec_fn=lambda: (os.close(1), os.close(2)),
    )

    assert answer.returncode == 0


def test_letters_the_terminal_lacks():
    """An ε on a terminal that cannot show it is a question mark, not a crash."""
    answer = _run("print('ε 1')", PYTHONIOENCODING="ascii")

    assert (answer.returncode, answer.stdout) == (0, "? 1\n")


def test_interrupted():
    """Ctrl-C ends quietly, with the code that shells know."""
    answer = _run(f"import os, time; os.kill(os.getpid(), {int(signal.SIGINT)}); time.sleep(9)")

    assert (answer.returncode, answer.stderr) == (INTERRUPTED, "")


def test_the_answer_is_no():
    """A command's own exit code passes."""
    with pytest.raises(SystemExit) as leaving, exit_codes():
        raise SystemExit(1)

    assert leaving.value.code == 1


def test_what_a_user_can_mend(capsys):
    """An error of hushwatt is one line on stderr, and exit code 2."""
    with pytest.raises(SystemExit) as leaving, exit_codes():
        raise PlanError("kettle: edges[2] is 250 W")

    assert leaving.value.code == BAD_INPUT
    assert capsys.readouterr() == ("", "hushwatt: kettle: edges[2] is 250 W\n")


def test_bugs_stay_loud():
    """Any other exception is not swallowed."""
    with pytest.raises(ZeroDivisionError), exit_codes():
        raise ZeroDivisionError


def _run(body, stdout=subprocess.PIPE, **environment):
    script = f"from hushwatt.cli.exit_codes import exit_codes\nwith exit_codes():\n    {body}"
    return subprocess.run(
        [sys.executable, "-c", script],
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
    )
