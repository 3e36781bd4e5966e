"""`--by` and `--labels`: groups on paper, as JSON and in files, and why some are not shown."""

import csv
import json

import pytest
from tests.cli.test_compare import reports as reports

TARIFFS = {"A": range(12), "B": range(12, 27), "C": range(27, 30)}


@pytest.fixture
def labels(tmp_path):
    """Two tariffs with enough homes, and one of three."""
    rows = [f"home{home},{tariff}" for tariff, homes in TARIFFS.items() for home in homes]
    (tmp_path / "labels.csv").write_text("\n".join(["household,tariff", *rows]) + "\n")
    return "--labels", "labels.csv"


def test_groups_as_json(hushwatt, reports, labels):
    """One that is too small says so; the one that would give it away says why; the rest is as without."""
    told = json.loads(hushwatt("estimate", *reports, *labels, "--by", "tariff", "--json").stdout)
    whole = hushwatt("estimate", *reports, "--json").stdout
    labelled = hushwatt("estimate", *reports, *labels, "--json").stdout
    groups = told.pop("groups")

    assert whole == labelled
    assert told == json.loads(whole)
    assert list(groups) == ["tariff=A", "tariff=B", "tariff=C"]
    assert groups["tariff=C"] == {"homes": 3, "too_few_homes": {"have": 3, "need": 10}}
    assert groups["tariff=A"].keys() == {"homes", "withheld"}
    assert groups["tariff=B"].keys() == {"homes", "appliances", "totals", "top"}
    assert groups["tariff=B"]["appliances"]["oven"]["mean_watts"] == pytest.approx(500, abs=5)
    assert groups["tariff=B"]["top"] == ["oven", "kettle"]


def test_groups_on_paper(hushwatt, reports, labels):
    """A table for each that is answered, with its profile, and a line for each that is not."""
    shown = hushwatt("estimate", *reports, *labels, "--by", "tariff", "--fold", "hour").stdout
    told = json.loads(hushwatt("estimate", *reports, *labels, "--by", "tariff", "--fold", "hour", "--json").stdout)

    assert "tariff=B: 15 homes" in shown
    assert "tariff=A: not shown, as the answer would give away a group of too few homes." in shown
    assert "tariff=C: too few homes: at most 3 spoke at once, and the plan needs 10." in shown
    assert shown.count("00 … 18") == 2
    assert [each["key"] for each in told["groups"]["tariff=B"]["folds"]] == ["00", "06", "12", "18"]
    assert told["groups"]["tariff=B"]["folds"][3]["appliances"]["kettle"]["mean_watts"] == pytest.approx(125, abs=5)


def test_groups_in_files(hushwatt, reports, labels, tmp_path):
    """Below the slots, a row for each group, appliance and level; what is withheld is empty."""
    hushwatt("estimate", *reports, *labels, "--by", "tariff", "-o", "found.csv")
    hushwatt("estimate", *reports, *labels, "-o", "whole.csv")
    with (tmp_path / "found.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    ovens = {row["group"]: row for row in rows if row["group"] and row["appliance"] == "oven" and row["level"] == "1"}
    with (tmp_path / "whole.csv").open(newline="") as file:
        slots = list(csv.DictReader(file))

    assert "group" not in slots[0]
    assert [{key: row[key] for key in slots[0]} for row in rows if not row["group"]] == slots
    assert list(ovens) == ["tariff=A", "tariff=B", "tariff=C"]
    assert float(ovens["tariff=B"]["homes"]) == pytest.approx(15, abs=0.5)
    assert float(ovens["tariff=B"]["mean_watts_low"]) < 501
    assert ovens["tariff=A"]["homes"] == ovens["tariff=C"]["mean_watts"] == ovens["tariff=B"]["slot"] == ""


def test_kinds_of_homes_compared(hushwatt, reports, labels):
    """Whether homes are on both sides is said, and why there is no answer."""
    same = hushwatt("compare", *reports, *labels, "--a", "tariff=B,hours=18-24", "--b", "tariff=B,hours=0-6").stdout
    few = hushwatt("compare", *reports, *labels, "--a", "tariff=B", "--b", "tariff=C").stdout
    near = hushwatt("compare", *reports, *labels, "--a", "tariff=A", "--b", "tariff=B").stdout

    assert "a: tariff=B,hours=18-24  (4 slots, 15 homes)" in same
    assert "The same homes may speak on both sides" in same
    assert "No home is on both sides." in few
    assert "b: too few homes spoke of kettle, oven; the plan needs 10." in few
    assert "a: kettle, oven are withheld: too few homes, here or in the rest." in near


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (["--by", "tariff"], "--by wants --labels"),
        (["--labels", "labels.csv", "--by", "region"], "there is no label “region”; the labels are tariff"),
    ],
)
def test_what_cannot_be_asked(hushwatt, reports, labels, asked, said):
    """One line, and nothing on paper."""
    found = hushwatt("estimate", *reports, *asked)

    assert (found.returncode, found.stdout) == (2, "")
    assert said in found.stderr
