"""The number of customers as a person writes it, or a table of kinds."""

import pytest

from hushwatt.errors import UsageError
from hushwatt.provider.estimate.totals.customers import Customers
from hushwatt.provider.tally.labels import Cells

TABLE = "tariff,region,customers\nA,north,700\nA,south,200\nB,,100\n"


def file(tmp_path, text):
    path = tmp_path / "customers.csv"
    path.write_text(text, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("text", ["1200000", " 1_200_000 "])
def test_a_number(text):
    assert (Customers.parse(text).homes, Customers.parse(text).kinds) == (1_200_000, ())


def test_a_table(tmp_path):
    """Rows of labels, an empty one for none, and how many customers have them."""
    found = Customers.parse(file(tmp_path, TABLE))

    assert found.homes == 1000
    assert found.kinds[2] == ({"tariff": "B", "region": "(none)"}, 100)
    assert (found.with_labels({"tariff": "A"}), found.with_labels({})) == (900, 1000)
    assert Customers(50).with_labels({}) == 50


@pytest.mark.parametrize(
    "text, refusal",
    [
        ("many", "write a number as 1200000, or a .csv file"),
        ("0", "customers is 0; it must be between 1 and"),
        ("9" * 20, "it must be between 1 and"),
        ("-5", "write a number"),
        ("nowhere.csv", "nowhere.csv: No such file"),
        ("nowhere.parquet", "write a number"),
    ],
)
def test_no_number(text, refusal):
    with pytest.raises(UsageError, match=refusal):
        Customers.parse(text)


@pytest.mark.parametrize(
    "text, refusal",
    [
        ("tariff,homes\nA,3\n", "row 1: write a number as"),
        ("customers\n3\n", "row 1: write a number as"),
        ("tariff,customers\nA,3,4\n", "row 1: write a number as"),
        ("tariff,customers\nA,3.5\n", "row 1, column customers: “3.5” is no whole number of homes"),
        ("tariff,customers\nA,\n", "row 1, column customers: “” is no whole number"),
        ("tariff,customers\nA,3\nA,4\n", "tariff=A is there twice"),
        ("tariff,customers\n", "no rows"),
        ("tariff,customers\nA,0\n", "customers is 0"),
        ("hours,customers\nA,3\n", "row 1: label “hours”"),
        ("tariff,customers\nA=B,3\n", "row 1: value “A=B”"),
        ('tariff,customers\n"A,3\n', "not a CSV file"),
    ],
)
def test_tables_that_are_none(tmp_path, text, refusal):
    with pytest.raises(UsageError, match=refusal):
        Customers.parse(file(tmp_path, text))


def test_bytes_that_are_no_text(tmp_path):
    path = tmp_path / "customers.csv"
    path.write_bytes(b"tariff,customers\n\xff,3\n")

    with pytest.raises(UsageError, match="not a CSV file in UTF-8"):
        Customers.parse(str(path))


def test_labels_that_homes_do_not_have(tmp_path):
    with pytest.raises(UsageError, match="there is no label “region”"):
        Customers.parse(file(tmp_path, TABLE)).check(Cells(("tariff",), (("A",),)))
