"""Wrong use is told in one line that names the word, the cure, and where to read more."""

import subprocess
import sys
from pathlib import Path
from typing import Annotated, Literal

import pytest
from cyclopts import App, Parameter
from cyclopts.types import ExistingFile

from hushwatt.cli import main
from hushwatt.cli.error_messages import explanation
from hushwatt.cli.options import Json, Output
from hushwatt.errors import OverBudget, UsageError


@pytest.fixture
def explained(monkeypatch):
    """Give what a wrong command line is told, for a command with all kinds of parameters."""
    plan = App(name="plan")

    @plan.command
    def new(
        preset: Literal["paper", "advised"],
        homes: int = 1,
        *,
        output: Output,
        share: float = 0.5,
        source: Annotated[ExistingFile | None, Parameter(name="--from")] = None,
        as_json: Json = False,
    ) -> None:
        """Take any of these."""

    monkeypatch.setattr(main, "COMMANDS", {})
    app = main.app_for()
    app.command(plan)

    def explain(line):
        with pytest.raises(Exception) as wrong:  # noqa: PT011
            app(line.split())
        return explanation(wrong.value)

    return explain


@pytest.mark.parametrize(
    "line, complaint",
    [
        ("plna", "unknown command plna, did you mean plan? (see hushwatt --help)"),
        ("--plan", "unknown option --plan, did you mean plan? (see hushwatt --help)"),
        ("xyz", "unknown command xyz (see hushwatt --help)"),
        ("plan nw", "unknown command nw, did you mean new? (see hushwatt plan --help)"),
        ("plan new", "PRESET is missing (see hushwatt plan new --help)"),
        ("plan new paper", "--output is missing (see hushwatt plan new --help)"),
        ("plan new paper -o", "-o needs a value (see hushwatt plan new --help)"),
        (
            "plan new paper -o x --hmes 3",
            "unknown option --hmes, did you mean --homes? (see hushwatt plan new --help)",
        ),
        ("plan new paper -o x -z", "unknown option -z (see hushwatt plan new --help)"),
        ("plan new paper abc -o x", "HOMES: 'abc' is not a whole number (see hushwatt plan new --help)"),
        ("plan new paper 3 -o x 4", "one word too many: 4 (see hushwatt plan new --help)"),
        (
            "plan new paper --homes 1.5 -o x",
            "--homes: '1.5' is not a whole number (see hushwatt plan new --help)",
        ),
        ("plan new paper --share x -o x", "--share: 'x' is not a number (see hushwatt plan new --help)"),
        (
            "plan new paper --no-json -o x",
            "unknown option --no-json, did you mean --json? (see hushwatt plan new --help)",
        ),
    ],
)
def test_wrong_words(explained, line, complaint):
    """A wrong word is named, with the right one beside it where there is one."""

    assert explained(line) == complaint


@pytest.mark.parametrize("line", ["plan new papr -o x", "plan new paper -o x --from gone", "plan new paper -o x -o y"])
def test_other_mistakes_are_one_line(explained, line):
    """What the parser itself words is one line too, and ends like the others."""

    assert "\n" not in explained(line)
    assert explained(line)[0].islower()
    assert explained(line).endswith(" (see hushwatt plan new --help)")


def test_our_own_errors_speak_for_themselves():
    """An error of hushwatt is shown as it is."""
    over = OverBudget(asked=1, spent=1, epsilon=1, window=2)

    assert explanation(UsageError("no such appliance: kettel")) == "no such appliance: kettel"
    assert explanation(over) == str(over)


@pytest.mark.parametrize(
    "provoke, complaint",
    [
        (lambda folder: (folder / "gone").read_text(), "{}/gone: no such file or directory"),
        (lambda folder: folder.read_text(), "{}: is a directory"),
        (lambda folder: (folder / "file" / "in").read_text(), "{}/file/in: not a directory"),
    ],
)
def test_files_are_named(tmp_path, provoke, complaint):
    """A file that cannot be read is named, with the system's reason."""
    (tmp_path / "file").touch()

    with pytest.raises(OSError) as wrong:  # noqa: PT011
        provoke(tmp_path)

    assert explanation(wrong.value) == complaint.format(tmp_path)


def test_system_errors_without_a_file():
    """An error of the system that names no file gives its reason alone, in one line."""

    assert explanation(OSError(28, "No space left on device")) == "no space left on device"
    assert explanation(OSError("Couldn't deserialize\n thrift.")) == "couldn't deserialize thrift"
    assert explanation(TimeoutError()) == "TimeoutError"


def test_missing_extra():
    """A package that an extra brings is named with the command that installs it."""
    told = "this needs pyarrow, which is not installed: pip install 'hushwatt[provider]'"
    missing = ModuleNotFoundError("No module named 'pyarrow'", name="pyarrow.parquet")
    wrapped = ImportError("Cannot import module 'hushwatt.cli.top'")
    wrapped.__cause__ = missing

    assert explanation(missing) == told
    assert explanation(wrapped) == told


def test_missing_extra_of_a_lazy_command(tmp_path: Path):
    """A command whose file needs an extra that is not installed says so, in one line."""
    (tmp_path / "pyarrow.py").write_text("raise ModuleNotFoundError(\"No module named 'pyarrow'\", name='pyarrow')")
    (tmp_path / "needy.py").write_text("import pyarrow\ndef needy() -> None:\n    '''Need it.'''")
    script = (
        "from hushwatt.cli import main\n"
        "main.COMMANDS['needy'] = main.Command('needy:needy', 'Need it.')\n"
        "main.run(['needy'])"
    )
    answer = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True)

    assert answer.returncode == 2
    assert answer.stderr == "hushwatt: this needs pyarrow, which is not installed: pip install 'hushwatt[provider]'\n"


@pytest.mark.parametrize(
    "bug", [KeyError("x"), ValueError("x"), ModuleNotFoundError(name="hushwatt.nowhere"), ImportError("odd")]
)
def test_bugs_are_not_explained(bug):
    """What only we can mend has no one line."""

    assert explanation(bug) is None
