"""`hushwatt data` explains the datasets and makes readings of them."""

import json
from typing import get_args

import pyarrow.parquet as pq
import pytest

from hushwatt.cli.data import Name
from hushwatt.evaluate.datasets import ADDRESSES

KETTLE = "home65_kitchen733_sensor3109_electric-appliance_kettle.csv"
MAINS = "home65_hall1183_sensor5718c5722_electric-mains_electric-combined.csv"
ROWS = "2017-06-01 10:00:00,0\n2017-06-01 10:30:00,2000\n2017-06-01 10:33:00,0\n2017-06-01 11:00:00,0\n"


@pytest.fixture
def ideal(tmp_path):
    """A folder of IDEAL with a kettle and the mains of one home."""
    for name in (KETTLE, MAINS):
        (tmp_path / "ideal" / "sensordata").mkdir(parents=True, exist_ok=True)
        (tmp_path / "ideal" / "sensordata" / name).write_text(ROWS)
    return tmp_path / "ideal"


def test_list(hushwatt):
    """Every dataset is listed with what it is, where it is had, its licence and its layout."""
    answer = hushwatt("data", "list")

    assert (answer.returncode, answer.stderr) == (0, "")
    assert all(f"\n{name}: " in f"\n{answer.stdout}" for name in ADDRESSES)
    for label in ("about", "where", "licence", "layout", "gap"):
        assert answer.stdout.count(f"\n  {label:<8}") == len(ADDRESSES)
    assert max(map(len, answer.stdout.splitlines())) <= 110


def test_list_json(hushwatt):
    """Programs get the same as JSON."""
    cards = json.loads(hushwatt("data", "list", "--json").stdout)

    assert [card["name"] for card in cards] == list(ADDRESSES)
    assert set(cards[0]) == {"name", "title", "about", "where", "licence", "layout", "gap"}


def test_names():
    """The command line knows the same datasets as the room behind it."""
    assert get_args(Name) == tuple(ADDRESSES)


def test_convert(hushwatt, tmp_path, ideal):
    """The readings are written, stdout stays free, and stderr says what was converted."""
    answer = hushwatt("data", "convert", "ideal", "ideal", "-o", "r.parquet")
    table = pq.read_table(tmp_path / "r.parquet")

    assert (answer.returncode, answer.stdout) == (0, "")
    assert answer.stderr.splitlines()[-2:] == [
        "3 readings of 1 home, 2017-06-01 10:00 to 2017-06-01 11:00 UTC",
        "1 appliance: kettle",
    ]
    assert table.column_names == ["household", "time", "appliance", "watts"]
    assert table["watts"].to_pylist() == pytest.approx([0, 200, 0])
    assert table.schema.metadata[b"hushwatt.source"] == b'"ideal"'


def test_options(hushwatt, tmp_path, ideal):
    """Periods, homes, mains, coverage, gaps and time zones are as asked."""
    words = ("data", "convert", "ideal", ideal, "-o", "r.csv")
    hushwatt(*words, "--every", "1d", "--timezone", "Asia/Tokyo", "--homes", "65", "--mains")
    days = (tmp_path / "r.csv").read_text().splitlines()
    hushwatt(*words, "--every", "1h", "--coverage", "0.9")
    hours = (tmp_path / "r.csv").read_text().splitlines()
    hushwatt(*words, "--every", "1h", "--longest-gap", "10m")
    short = (tmp_path / "r.csv").read_text().splitlines()

    assert [line.split(",")[:3] for line in days[1:]] == [
        ['"ideal_65"', "2017-05-31 15:00:00Z", '"kettle"'],
        ['"ideal_65"', "2017-05-31 15:00:00Z", '"mains"'],
    ]
    assert [float(line.split(",")[3]) for line in hours[1:]] == pytest.approx([100])
    assert [float(line.split(",")[3]) for line in short[1:]] == pytest.approx([2000])


@pytest.mark.parametrize(
    "words, line",
    [
        (("enron", "ideal"), 'invalid value "enron" for NAME'),
        (("ideal", "gone"), "gone: there is no such file or folder"),
        (("ideal", "ideal", "--homes", "66"), "ideal: there is no home 66 in it; there are 65"),
        (("ideal", "ideal", "--every", "half an hour"), "--every is 'half an hour'; write a whole number"),
        (("ideal", "ideal", "--longest-gap", "2"), "--longest-gap is '2'; write a whole number"),
        (("ideal", "ideal", "--coverage", "80"), "--coverage is 80; it must be a share from 0 to 1"),
        (("ideal", "ideal", "--timezone", "Mars"), "timezone is 'Mars'"),
        (("tidy", "ideal", "--every", "1h"), "leave --every out"),
        (("refit", "ideal"), "ideal: no house of REFIT; expected"),
    ],
)
def test_wrong_use(hushwatt, tmp_path, ideal, words, line):
    """Wrong use and wrong folders end with 2 and one line, and leave no file."""
    answer = hushwatt("data", "convert", *words, "-o", "r.parquet")

    assert (answer.returncode, answer.stdout) == (2, "")
    assert answer.stderr.startswith("hushwatt: ")
    assert line in answer.stderr
    assert answer.stderr.count("\n") == 1
    assert not (tmp_path / "r.parquet").exists()
