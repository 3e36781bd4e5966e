"""`pip install hushwatt` alone: each command works, or says in one line what it needs."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from hushwatt.cli.main import app_for

ROOT = Path(__file__).parents[2]
LIGHT = Path(__file__).parent / "light.py"
NEEDS = {  # None: it works without an extra
    "plan new --preset advised -o plan.toml": None,
    "plan show plan.toml": None,
    "plan check plan.toml": None,
    "plan statement plan.toml -o statement.html": None,
    "plan advise plan.toml --homes 1000": None,
    "household status": None,
    "household join http://127.0.0.1:1": None,
    "household run": None,
    "household sent": None,
    "household sources": None,
    "household compare": None,
    "household pause": None,
    "household resume": None,
    "household leave": None,
    "audit exact": None,
    "audit budget": None,
    "audit sampler": None,
    "audit rounding": None,
    "audit selftest": None,
    "provider keys show": None,
    "provider keys rotate --yes": None,
    "provider keys code": None,
    "provider keys token me": None,
    "provider backup copy": None,
    "doctor": None,
    "completion bash": None,
    "simulate ideal -o readings.parquet --homes 300 --slots 3": "provider",
    "randomise plan.toml readings.parquet -o reports.parquet": "provider",
    "compare plan.toml reports.parquet --a hours=17-21 --b hours=0-6": "provider",
    "estimate plan.toml reports.parquet": "provider",
    "top plan.toml reports.parquet": "provider",
    "provider serve --plan plan.toml": "provider",
    "demo --exit": "provider",
    "data list": "provider",
    "data convert tidy . -o readings.parquet": "provider",
    "reproduce floors --quick": "provider",
    "reproduce floors --quick -o folder": "evaluate",
    "estimate plan.toml reports.parquet --engine spark": "provider",
}
EITHER = (  # they may work for a while before they need more
    "plan rehearse plan.toml readings.parquet --homes 1000",
    "provider ingest reports.parquet --plan plan.toml",
    "provider export estimates.csv",
    "provider erase home",
    "provider restore copy",
    "audit empirical --quick",
    "audit leaks --quick",
    "audit forged --quick",
    "audit forgers --quick",
    "audit habit --quick",
    "provider deliveries",
    "provider migrate",
    "provider retention",
    "provider compact",
    "stream reports",
    "audit chaos --quick",
    "audit all --quick",
)
FLOW = ("plan new --preset advised -o plan.toml", "plan check plan.toml", "doctor")


@pytest.fixture(scope="module")
def answers(built, once):
    """What each command does where the wheel and its light dependencies are all there is."""
    place = once("light", lambda place: tried(built.wheel, place))
    return json.loads((place / "answers.json").read_text())


def tried(wheel, place):
    """Install the wheel alone, and try every command."""
    options = ["--no-index", "--no-deps", "--no-compile", "--quiet", "--target", str(place / "package")]
    subprocess.run([sys.executable, "-m", "pip", "install", *options, str(wheel)], check=True)
    patience = {line: 1 if extra is None else 100 for line, extra in NEEDS.items()}  # to run; to refuse
    patience |= dict.fromkeys(EITHER, 1)
    patience |= dict.fromkeys(FLOW, 100)
    audits = {line: seconds for line, seconds in patience.items() if line.startswith("audit ")}
    rest = {line: seconds for line, seconds in patience.items() if line not in audits}
    running = [started(place, "audits", audits), started(place, "rest", rest)]  # audits need no file of the others
    answers = {}
    for process in running:
        out, err = process.communicate(timeout=600)
        assert process.returncode == 0, err
        answers |= json.loads(out)
    (place / "answers.json").write_text(json.dumps(answers))


def started(place, name, patience):
    """One command after the other, in a folder of their own."""
    (place / name).mkdir()
    return subprocess.Popen(
        [sys.executable, str(LIGHT), str(place / "package"), json.dumps(patience)],
        cwd=place / name,
        env={**os.environ, "HUSHWATT_HOME": str(place / name / "home")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("line", [line for line, extra in NEEDS.items() if extra is None])
def test_works(answers, line):
    """It runs, or refuses for a reason of its own in one line; nothing is missing."""
    answer = answers[line]

    assert answer["code"] in (0, 1, 2, None), answer["err"]
    assert "Traceback" not in answer["err"]
    assert "pip install" not in answer["err"]
    assert answer["code"] != 2 or answer["err"].startswith("hushwatt: ")


@pytest.mark.parametrize("line", [line for line, extra in NEEDS.items() if extra is not None])
def test_says_what_it_needs(answers, line):
    """One line names the extra, and the exit code is 2."""
    answer = answers[line]

    assert answer["code"] == 2, answer["err"]
    assert answer["out"] == ""
    assert answer["err"].count("\n") == 1
    assert answer["err"].endswith(f"which is not installed: pip install 'hushwatt[{NEEDS[line]}]'\n")


@pytest.mark.parametrize("line", EITHER)
def test_never_more_than_a_line(answers, line):
    """Whatever is missing, a user never sees a traceback."""
    answer = answers[line]

    assert answer["code"] in (0, 1, 2, None), answer["err"]
    assert "Traceback" not in answer["err"]
    assert answer["code"] != 2 or answer["err"].splitlines()[-1].startswith("hushwatt: ")


def test_the_plan_was_really_made(answers):
    """The commands that follow one another worked on each other's files."""
    assert answers["plan new --preset advised -o plan.toml"]["code"] == 0
    assert answers["plan check plan.toml"]["code"] == 0
    assert "the promise is kept" in answers["plan check plan.toml"]["out"]
    assert "✓ packages" in answers["doctor"]["out"]
    assert "pip install 'hushwatt[provider]'" in answers["doctor"]["out"]


def test_no_command_is_forgotten():
    """Every command of the command line is tried here."""

    def leaves(app, path=()):
        names = [name for name in app if not name.startswith("-")]
        return [leaf for name in names for leaf in leaves(app[name], (*path, name))] if names else [path]

    tried = {tuple(line.split()) for line in (*NEEDS, *EITHER)}
    untried = [leaf for leaf in leaves(app_for()) if not any(words[: len(leaf)] == leaf for words in tried)]

    assert untried == []


def test_an_empty_environment(built, tmp_path):
    """A stock pip installs the pinned light install and the wheel; nothing is missing, and it runs."""
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "env")], check=True)
    pip = [str(tmp_path / "env" / "bin" / "pip"), "--disable-pip-version-check", "--no-cache-dir"]
    lock = ["--require-hashes", "--no-deps", "-r", str(ROOT / "requirements" / "light.txt")]
    got = subprocess.run([*pip, "install", "--no-compile", *lock], capture_output=True, text=True)
    if got.returncode and "CI" not in os.environ:
        pytest.skip(f"nothing can be downloaded here: {got.stderr.splitlines()[-1]}")
    assert got.returncode == 0, got.stderr
    subprocess.run([*pip, "install", "--quiet", "--no-index", "--no-deps", str(built.wheel)], check=True)
    checked = subprocess.run([*pip, "check"], capture_output=True, text=True)
    answer = subprocess.run(
        [str(tmp_path / "env" / "bin" / "hushwatt"), "plan", "new", "--preset", "advised", "-o", "plan.toml"],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
    )

    assert checked.stdout == "No broken requirements found.\n"
    assert answer.returncode == 0, answer.stderr
    assert (tmp_path / "plan.toml").exists()
