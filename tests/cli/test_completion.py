"""Real shells complete what is typed."""

import os
import pty
import select
import shutil
import subprocess
import time

import pytest

BASH = """
source "$1"
COMP_WORDS=({words}) COMP_CWORD={place} COMP_LINE="{line}" COMP_POINT={length}
complete -p hushwatt >/dev/null || exit 1
_hushwatt
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.fixture
def script(hushwatt, tmp_path):
    """The script for a shell, in a file of the name that the shell looks for."""

    def made(shell, name):
        answer = hushwatt("completion", shell)
        assert (answer.returncode, answer.stderr) == (0, "")
        (tmp_path / name).write_text(answer.stdout)
        return tmp_path / name

    return made


def the(shell):
    """Where the shell is; a machine without it is told, and CI must have it."""
    found = shutil.which(shell)
    if found is None and "CI" not in os.environ:
        pytest.skip(f"{shell} is not here: apt install {shell}")
    assert found is not None, f"{shell} is not here: apt install {shell}"
    return found


def in_bash(script, line):
    """What bash offers for the line as far as it is typed."""
    words = line.split(" ")
    quoted = " ".join(f"'{word}'" for word in words)
    program = BASH.format(words=quoted, place=len(words) - 1, line=line, length=len(line))
    done = subprocess.run([the("bash"), "-c", program, "bash", script], capture_output=True, text=True, check=True)
    return {offer.strip() for offer in done.stdout.splitlines()} - {""}


def in_fish(script, line):
    """What fish offers for the line as far as it is typed."""
    program = f"source {script}; complete --do-complete '{line}'"
    done = subprocess.run([the("fish"), "--no-config", "-c", program], capture_output=True, text=True, check=True)
    return {offer.partition("\t")[0] for offer in done.stdout.splitlines()}


@pytest.mark.parametrize("shell, offers", [("bash", in_bash), ("fish", in_fish)])
def test_commands_options_and_choices(script, shell, offers):
    """Commands, commands of commands, options and fixed choices are offered, and only those that fit."""
    file = script(shell, "hushwatt.fish")

    assert {"demo", "plan", "household", "completion"} <= offers(file, "hushwatt ")
    assert offers(file, "hushwatt pro") == {"provider"}
    assert {"new", "show", "check", "advise"} <= offers(file, "hushwatt plan ")
    assert offers(file, "hushwatt plan new --pre") == {"--preset"}
    assert offers(file, "hushwatt completion ") >= {"bash", "zsh", "fish"}
    assert offers(file, "hushwatt estimate --consistency ") >= {"none", "norm-sub"}
    assert offers(file, "hushwatt nonsense") == set()


def test_zsh(script):
    """A person at zsh types `hushwatt pro`, presses Tab, and reads `provider`."""
    file = script("zsh", "_hushwatt")
    person, screen = pty.openpty()
    shell = subprocess.Popen(
        [the("zsh"), "-f", "-i"], stdin=screen, stdout=screen, stderr=screen, start_new_session=True
    )
    try:
        type_in(
            person,
            f"PS1=; fpath=({file.parent} $fpath); autoload -U compinit; compinit -u -D; echo RE''ADY\n",
        )
        read_until(person, "READY")
        type_in(person, "hushwatt pro\t")

        assert "provider" in read_until(person, "provider")
    finally:
        shell.kill()
        shell.wait()
        os.close(person)
        os.close(screen)


def type_in(person, text):
    os.write(person, text.encode())


def read_until(person, text, patience=60.0):
    """What the shell has shown when `text` appears, or when patience ends."""
    shown, until = "", time.monotonic() + patience
    while text not in shown and time.monotonic() < until:
        if select.select([person], [], [], 1.0)[0]:
            shown += os.read(person, 4096).decode(errors="replace")
    return shown


def test_other_shells_are_refused(hushwatt):
    """A shell that nobody wrote a script for is refused in one line."""
    answer = hushwatt("completion", "tcsh")

    assert (answer.returncode, answer.stdout) == (2, "")
    assert answer.stderr.count("\n") == 1
    assert 'Choose from: "bash", "zsh", "fish"' in answer.stderr
