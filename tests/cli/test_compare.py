"""`hushwatt compare`: differences on paper and as JSON, and one line for what cannot be compared."""

import json

import pytest

from hushwatt.fleet.randomise import randomise_file
from hushwatt.plan.plan import Plan

PLAN = """
name = "Evenings of Leeds"
description = "When kettles run."
contact = "kettles@example.org"
start = 2024-01-01
expires = 2024-02-01
timezone = "Europe/London"
slot = "6h"
epsilon = 60
window = 1
method = "lbu"
oracle = "grr"
minimum_homes = 10
[[appliance]]
name = "kettle"
edges = [50, 200]
[[appliance]]
name = "oven"
values = [0, 500, 2000]
"""


@pytest.fixture
def reports(tmp_path):
    """Kettles that run in the evening, and ovens that never change."""
    rows = [
        f"home{home},2024-01-{day:02}T{hour:02}:00:00Z,{name},{watts}"
        for day in range(1, 5)
        for hour in (0, 6, 12, 18)
        for home in range(30)
        for name, watts in (("kettle", 120 if hour == 18 else 0), ("oven", 500))
    ]
    (tmp_path / "readings.csv").write_text("\n".join(["household,time,appliance,watts", *rows]) + "\n")
    (tmp_path / "plan.toml").write_text(PLAN)
    randomise_file(Plan.load(tmp_path / "plan.toml"), tmp_path / "readings.csv", tmp_path / "reports.parquet", seed=1)
    return "plan.toml", "reports.parquet"


def test_evening_against_night(hushwatt, reports):
    told = json.loads(hushwatt("compare", *reports, "--a", "hours=18-24", "--b", "hours=0-6", "--json").stdout)
    shown = hushwatt("compare", *reports, "--a", "hours=18-24", "--b", "hours=0-6").stdout
    kettle, oven = told["appliances"]["kettle"], told["appliances"]["oven"]

    assert told["a"] == {"what": "hours=18-24", "homes": 30, "slots": 4}
    assert kettle["difference"] == pytest.approx(100, abs=5)
    assert kettle["p_adjusted"] < 0.01
    assert kettle["ci95"][0] > 0
    assert oven["difference"] == pytest.approx(0, abs=5)
    assert "a: hours=18-24  (4 slots, 30 homes)" in shown
    assert [line.split()[-3] for line in shown.splitlines() if line.strip().startswith(("kettle", "oven"))] == [
        "yes",
        "no",
    ]


def test_versus(hushwatt, reports):
    """The evenings' difference is the same in both halves."""
    sides = ["2024-01-01..2024-01-02,hours=18-24", "2024-01-01..2024-01-02,hours=0-6"]
    later = [side.replace("01..2024-01-02", "03..2024-01-04") for side in sides]
    words = ("--a", sides[0], "--b", sides[1], "--versus", *later, "--json")
    told = json.loads(hushwatt("compare", *reports, *words).stdout)

    assert [side["what"] for side in told["versus"]] == later
    assert told["appliances"]["kettle"]["difference"] == pytest.approx(0, abs=5)


@pytest.mark.parametrize(
    "a, says",
    [
        ("tariff=A", "there is no tariff in these reports"),
        ("hours=3-4", "no slot lies in that whole"),
        ("2024-01-20", "there are no reports in that time"),
    ],
)
def test_what_cannot_be_compared(hushwatt, reports, a, says):
    answer = hushwatt("compare", *reports, "--a", a, "--b", "hours=0-6")

    assert (answer.returncode, answer.stdout) == (2, "")
    assert says in answer.stderr
    assert answer.stderr.count("\n") == 1
