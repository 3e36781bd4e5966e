"""`hushwatt plan statement PLAN -o FILE.html|.json [--audit FILE …]`."""

import json

import pytest

from hushwatt.plan.presets import preset, preset_text


@pytest.fixture
def plan_file(tmp_path):
    path = tmp_path / "plan.toml"
    path.write_text(preset_text("paper"), encoding="utf-8")
    return path


def test_a_page(hushwatt, plan_file, tmp_path):
    """One HTML file; the verdict on the audits is told on stderr."""
    answer = hushwatt("plan", "statement", plan_file, "-o", "statement.html")
    page = (tmp_path / "statement.html").read_text(encoding="utf-8")

    assert (answer.returncode, answer.stdout) == (0, "")
    assert answer.stderr == (
        "statement.html: No audit was given: this says what is promised, not that anybody checked it.\n"
    )
    assert page.startswith("<!doctype html>")
    assert preset("paper").id in page


def test_with_its_audits(hushwatt, plan_file, tmp_path):
    """What real audits print, kept in files, becomes part of it; several may be given."""
    for name in ("exact", "budget"):
        found = hushwatt("audit", name, "--plan", plan_file, "--json")
        (tmp_path / f"{name}.json").write_text(found.stdout, encoding="utf-8")
    answer = hushwatt("plan", "statement", plan_file, "-o", "s.json", "--audit", "exact.json", "--audit", "budget.json")
    told = json.loads((tmp_path / "s.json").read_text(encoding="utf-8"))

    assert answer.returncode == 0
    assert told["plan"] == preset("paper").id
    assert told["audits"]["verdict"] == "yes"
    assert [each["audit"] for each in told["audits"]["files"]] == ["exact", "budget"]
    assert "audit: C2 C7 C8 exact + budget" in json.dumps(told)
    assert answer.stderr.startswith("s.json: All 2 checks given passed, 2 of them of this very plan")


def test_of_another_plan(hushwatt, plan_file, tmp_path):
    """An audit of another plan is named as such."""
    found = hushwatt("audit", "rounding", "--plan", plan_file, "--json")
    (tmp_path / "audit.json").write_text(found.stdout, encoding="utf-8")
    plan_file.write_text(preset_text("advised"), encoding="utf-8")

    answer = hushwatt("plan", "statement", plan_file, "-o", "s.html", "--audit", "audit.json")

    assert answer.returncode == 0
    assert "No audit of this very plan was given" in answer.stderr
    assert "audit.json looks at another plan" in answer.stderr


@pytest.mark.parametrize(
    "words, said",
    [
        (("plan.toml", "-o", "s.docx"), "cannot write s.docx: a statement is a file that ends in .html or .json"),
        (("plan.toml", "-o", "gone/s.html"), "cannot write gone/s.html: there is no folder gone"),
        (("gone.toml", "-o", "s.html"), "gone.toml: no such file or directory"),
        (("plan.toml", "-o", "s.html", "--audit", "gone.json"), "gone.json: no such file or directory"),
        (("plan.toml", "-o", "s.html", "--audit", "plan.toml"), "plan.toml: is not JSON; `hushwatt audit … --json`"),
        (("plan.toml", "-o", "s.html", "--audit", "."), ".: is a directory"),
    ],
)
def test_wrong_use(hushwatt, plan_file, tmp_path, words, said):
    """One clear line, exit 2, and nothing is written."""
    answer = hushwatt("plan", "statement", *words)

    assert (answer.returncode, answer.stdout) == (2, "")
    assert said in answer.stderr
    assert len(answer.stderr.strip().splitlines()) == 1
    assert not list(tmp_path.glob("s.*"))


def test_an_older_file_stays_when_something_is_wrong(hushwatt, plan_file, tmp_path):
    """What was there is replaced whole or not at all."""
    (tmp_path / "s.html").write_text("signed")
    answer = hushwatt("plan", "statement", plan_file, "-o", "s.html", "--audit", "plan.toml")

    assert answer.returncode == 2
    assert (tmp_path / "s.html").read_text() == "signed"
