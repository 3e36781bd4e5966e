"""`hushwatt simulate` writes invented readings and says that they are invented."""

import json

import pyarrow.parquet as pq
import pytest

KINDS = ("ideal", "normal", "uniform", "left-skewed", "right-skewed")

PLAN = """
name = "Kettles of Leeds"
description = "How many kettles boil, and when."
contact = "kettles@example.org"
start = 2024-06-01
expires = 2024-06-02
timezone = "Europe/London"
slot = "30m"
epsilon = 1
window = 7
method = "lpu"

[[appliance]]
name = "kettle"
edges = [10, 40]

[[appliance]]
name = "teasmade"
edges = [10, 40]
"""


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind(hushwatt, tmp_path, kind):
    """Each kind writes its table; stdout stays free, stderr and the schema say synthetic."""
    answer = hushwatt("simulate", kind, "-o", "r.parquet", "--homes", 20, "--slots", 3, "--seed", 7)
    table = pq.read_table(tmp_path / "r.parquet")

    assert (answer.returncode, answer.stdout) == (0, "")
    assert "wrote 900 synthetic readings of 20 invented homes to r.parquet" in answer.stderr
    assert f"kind: {kind} (" in answer.stderr
    assert answer.stderr.endswith("seed: 7\n")
    assert table.num_rows == 900
    assert json.loads(table.schema.metadata[b"hushwatt.synthetic"]) == {"kind": kind, "seed": 7}


def test_plan(hushwatt, tmp_path):
    """With a plan, its appliances and slots are used, and slots after its end are remarked upon."""
    (tmp_path / "plan.toml").write_text(PLAN)
    words = ("simulate", "ideal", "--plan", "plan.toml", "-o", "r.csv", "--homes", 2)
    within = hushwatt(*words, "--slots", 48)
    beyond = hushwatt(*words, "--slots", 50)
    lines = (tmp_path / "r.csv").read_text().splitlines()

    assert (within.returncode, beyond.returncode) == (0, 0)
    assert "expires" not in within.stderr
    assert "note: the plan expires after 48 slots" in beyond.stderr
    assert within.stderr.endswith("seed: none\n")
    assert lines[1].startswith('"home-0000001",2024-05-31 23:00:00Z,"kettle",')
    assert lines[-1].startswith('"home-0000002",2024-06-01 23:30:00Z,"teasmade",')


def test_measured(hushwatt, tmp_path):
    """Homes without a plug leave their watts empty, and the readings are randomised as they are."""
    (tmp_path / "plan.toml").write_text(PLAN.replace("epsilon", 'unmeasured = "answer"\nepsilon'))
    (tmp_path / "other.toml").write_text(PLAN)
    words = ("simulate", "uniform", "-o", "r.csv", "--homes", 200, "--slots", 7, "--measured", 0.6, "--seed", 7)
    done = hushwatt(*words, "--plan", "plan.toml")
    refused = hushwatt(*words, "--plan", "other.toml")
    lines = (tmp_path / "r.csv").read_text().splitlines()[1:]

    assert done.returncode == 0
    assert 0.3 < sum(line.endswith(",") for line in lines) / len(lines) < 0.5
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert hushwatt("randomise", "plan.toml", "r.csv", "-o", "reports.parquet", "--seed", 7).returncode == 0
    assert "column watts: missing" in hushwatt("randomise", "other.toml", "r.csv", "-o", "x.parquet").stderr


def test_same_seed_same_bytes(hushwatt, tmp_path):
    """Two runs with one seed write the same bytes."""
    for name in ("a.parquet", "b.parquet"):
        hushwatt("simulate", "ideal", "-o", name, "--homes", 30, "--slots", 2, "--seed", 5)

    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()


@pytest.mark.parametrize(
    "words, line",
    [
        (("lognormal", "-o", "r.parquet", "--homes", 1, "--slots", 1), 'invalid value "lognormal" for KIND'),
        (("ideal", "-o", "r.parquet", "--homes", 0, "--slots", 1), "asked for 0 homes"),
        (("ideal", "-o", "r.parquet", "--homes", 1, "--slots", 0), "asked for 0 slots"),
        (("ideal", "-o", "no/r.parquet", "--homes", 1, "--slots", 1), "there is no folder no"),
        (("ideal", "-o", "r.parquet", "--homes", 1, "--slots", 1, "--seed", -1), "the seed is -1"),
        (
            ("ideal", "-o", "r.parquet", "--homes", 1, "--slots", 1, "--plan", "no.toml"),
            "no.toml: ",
        ),
    ],
)
def test_wrong_use(hushwatt, tmp_path, words, line):
    """Wrong use ends with 2 and one line, and leaves no file."""
    answer = hushwatt("simulate", *words)

    assert (answer.returncode, answer.stdout) == (2, "")
    assert answer.stderr.startswith("hushwatt: ")
    assert line in answer.stderr
    assert answer.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
