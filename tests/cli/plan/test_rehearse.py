"""`hushwatt plan rehearse` shows what very many homes would report, beside the truth."""

import json
import re

import pytest

PLAN = """
name = "Kettles of Leeds"
description = "How many kettles boil, and when."
contact = "kettles@example.org"
start = 2024-06-01
expires = 2024-07-01
slot = "1d"
epsilon = 6
window = 3
method = "{method}"
oracle = "grr"
mapping = "dither"

[[appliance]]
name = "kettle"
values = [0, 20, 60]

[[appliance]]
name = "toaster"
values = [0, 5]
"""


@pytest.fixture
def rehearse(hushwatt, tmp_path):
    """Rehearse with invented homes; gives the answer."""

    def run(method, *words):
        (tmp_path / "plan.toml").write_text(PLAN.format(method=method))
        hushwatt(
            *("simulate", "ideal", "-o", "r.parquet", "--homes", 50, "--slots", 4, "--seed", 1),
            *("--plan", "plan.toml"),
        )
        return hushwatt("plan", "rehearse", "plan.toml", "r.parquet", *words)

    return run


def test_table_beside_the_truth(rehearse):
    """The table has estimate and truth of every appliance, and says that nobody reported."""
    answer = rehearse("lpu", "--homes", 100_000_000, "--seed", 1)

    assert answer.returncode == 0
    assert "Kettles of Leeds: 100,000,000 homes, 4 slots" in answer.stdout
    assert answer.stdout.count("truly") == 3
    assert "Each of the 50 homes of the readings stands for as many as the others." in answer.stdout
    assert "of 2 real means lie within their limits." in answer.stdout
    assert re.search(r"The levels alone would count up to \d+% less than homes really use \(\w+\)", answer.stdout)
    assert answer.stderr.strip() == "a rehearsal with seed 1: no home reported anything"


def test_json_is_that_of_estimate_and_the_truth(rehearse):
    """Programs get the keys of `estimate --json`, and the truth beside them."""
    found = json.loads(rehearse("lbu", "--homes", 1_000_000, "--json").stdout)

    assert {"plan", "homes", "slots", "appliances", "top", "like", "truth"} <= set(found)
    assert found["like"] == 50
    kettle, truth = found["appliances"]["kettle"], found["truth"]["kettle"]
    assert abs(kettle["mean_watts"] - truth["counted_watts"]) < 6 * kettle["mean_watts_se"]
    assert truth["counted_watts"] < truth["mean_watts"]
    assert set(truth) == {"mean_watts", "share", "rank", "counted_watts"}


def test_too_few_homes_are_said(rehearse):
    """Below the plan's minimum there is no answer, in a rehearsal neither."""
    answer = rehearse("lpu", "--homes", 60)

    assert "too few homes: at most 20 reported in a slot, and the plan needs 100" in answer.stdout


def test_method_that_decides_is_one_line(rehearse):
    """A method that cannot be drawn at once is wrong use."""
    answer = rehearse("lba", "--homes", 1000)

    assert (answer.returncode, answer.stdout) == (2, "")
    assert answer.stderr.startswith("hushwatt: lba decides by each home's own past")
