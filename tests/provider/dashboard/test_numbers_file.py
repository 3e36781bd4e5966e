"""The numbers of a page as a file."""

from hushwatt.provider.dashboard.numbers_file import NumbersFile


def test_no_cell_is_a_formula():
    """What a spreadsheet would work out is quoted, in names too; numbers below zero stay numbers."""
    text = NumbersFile("top", ("appliance", "watts"), [("=1+1", -2.5), ("kettle, old", None)]).text

    assert text == 'appliance,watts\n\'=1+1,-2.5\n"kettle, old",\n'


def test_a_file_has_a_name():
    """A browser keeps it under the page's name, and never sniffs what it is."""
    response = NumbersFile("top", ("appliance",), []).response({"X-Test": "1"})

    assert response.headers["content-disposition"] == 'attachment; filename="hushwatt-top.csv"'
    assert response.headers["content-type"] == "text/csv; charset=utf-8"
    assert response.headers["x-test"] == "1"
