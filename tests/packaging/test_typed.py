"""A script that uses hushwatt passes `mypy --strict`, and mypy knows what it gets back."""

import subprocess
import sys

import pytest

FIVE_LINES = """
import hushwatt

plan = hushwatt.preset("advised")
readings = hushwatt.simulate("ideal", plan, homes=1000, slots=30, seed=1)
reports = hushwatt.randomise(plan, readings, seed=2)
answer = hushwatt.estimate(plan, reports)
print(answer.top[0], answer.period)
"""
KINDS = """
import hushwatt
import polars

plan = hushwatt.Plan.load("plan.toml")
mine = polars.DataFrame()
reports = hushwatt.randomise(plan, mine)
answer = hushwatt.estimate(plan, reports, smooth=True)
reveal_type(reports)
reveal_type(answer.period)
reveal_type(answer.top)
reveal_type(hushwatt.promise(plan).kept)
reveal_type(hushwatt.compare(answer.only("tariff=A"), answer.only("tariff=B")))
frames: list[polars.DataFrame] = [answer.fold("hour"), answer.by("tariff"), answer.totals(7), answer.above(500)]
promised: hushwatt.Answer[polars.DataFrame] = answer
try:
    hushwatt.advise(plan, homes=1000)
except hushwatt.HushwattError as refused:
    print(refused)
"""
MISTAKES = """
import hushwatt

hushwatt.randomise("plan.toml", "readings.parquet")
hushwatt.estimate(hushwatt.preset("paper"), "reports.parquet", homes="many")
hushwatt.guess()
"""


SCRIPTS = {"five_lines": FIVE_LINES, "kinds": KINDS, "mistakes": MISTAKES}


@pytest.fixture(scope="module")
def checked(once):
    """What mypy says of each script, all in one go."""
    lines = (once("typed", judged) / "said.txt").read_text().splitlines()
    return {name: [line.split(": ", 1)[1] for line in lines if line.startswith(f"{name}.py")] for name in SCRIPTS}


def judged(folder):
    """Let mypy read the scripts, as strictly as it can."""
    for name, text in SCRIPTS.items():
        (folder / f"{name}.py").write_text(text)
    options = ["--strict", "--no-error-summary", "--config-file", "", "--cache-dir", str(folder / "cache")]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *options, *(f"{name}.py" for name in SCRIPTS)],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert done.stderr == ""
    (folder / "said.txt").write_text(done.stdout)


def test_the_five_lines(checked):
    """The five lines that every page shows are typed throughout."""
    assert checked["five_lines"] == []


def test_what_is_given_is_what_comes_back(checked):
    """mypy knows that a polars frame comes back as one, and what each name is."""
    revealed = [line.split('"')[1] for line in checked["kinds"] if line.startswith("note: Revealed")]

    assert [line for line in checked["kinds"] if line.startswith("error")] == []
    frame = "polars.dataframe.frame.DataFrame"
    assert [kind.replace("builtins.", "") for kind in revealed] == [frame, frame, "list[str]", "bool", frame]


def test_mistakes_are_found(checked):
    """A path for a plan, words for a number and a name that is not there are errors."""
    errors = [line for line in checked["mistakes"] if line.startswith("error")]

    assert len(errors) >= 3
    assert any("guess" in line for line in errors)
