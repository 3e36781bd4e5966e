"""`hushwatt reproduce` end to end, with two small experiments."""

import csv
import json

import pytest


def test_everything_is_written(hushwatt, tmp_path):
    """A folder holds page, JSON, CSV and pictures; stdout has the tables, stderr what was written."""
    answer = hushwatt("reproduce", "floors", "per-slot", "--quick", "-o", "out", "--seed", 5)
    found = json.loads((tmp_path / "out" / "results.json").read_text())
    rows = list(csv.DictReader((tmp_path / "out" / "results.csv").read_text(encoding="utf-8").splitlines()))

    assert (answer.returncode, answer.stderr) == (
        0,
        "wrote page.html, results.json, results.csv and 2 pictures to out\n",
    )
    assert "The printed p-values are a signature of the estimator" in answer.stdout
    assert "synthetic: uniform in [0, 3000] W" in answer.stdout
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        *("page.html", "results.json", "results.csv", "floors.png", "per-slot.png")
    }
    assert [each["name"] for each in found["experiments"]] == ["floors", "per-slot"]
    assert len(rows) == sum(len(each["results"]) for each in found["experiments"])


def test_json_repeats_by_seed(hushwatt):
    """With --json stdout is one JSON document, and the same seed gives the same bytes."""
    words = ("reproduce", "per-slot", "--quick", "--json", "--seed", 6)
    first, again = hushwatt(*words), hushwatt(*words)
    found = json.loads(first.stdout)

    assert first.stdout == again.stdout
    assert (found["seed"], found["quick"], found["data"]) == (6, True, None)
    assert all(goal["reached"] for goal in found["experiments"][0]["goals"])


@pytest.mark.parametrize(
    "words, line",
    [
        (("tops",), "there is no experiment called tops; there are floors"),
        (("per-slot", "--seed", -1), "the seed is -1"),
        (("per-slot", "-o", "here.txt"), "here.txt is a file; --output wants a folder"),
        (("per-slot", "--data", "nowhere"), "`hushwatt data list` says where to get IDEAL"),
        (("real-homes",), "real-homes needs measured homes: give --data a folder of tables"),
        (("real-homes", "--data", "nowhere"), "nowhere: there is no such file or folder"),
    ],
)
def test_wrong_use(hushwatt, tmp_path, words, line):
    """Wrong use ends with 2 and one line, before any work."""
    (tmp_path / "here.txt").write_text("")
    answer = hushwatt("reproduce", *words)

    assert (answer.returncode, answer.stdout) == (2, "")
    assert line in answer.stderr
    assert answer.stderr.count("\n") == 1
