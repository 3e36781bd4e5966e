"""Labels and the cells they divide homes into."""

import pytest

from hushwatt.errors import UsageError
from hushwatt.provider.tally.labels import Cells, group_name

CELLS = Cells(("tariff", "region"), (("B", "north"), ("A", "north"), ("A", ""), ("A", "south")))


def test_groups_come_in_the_order_of_their_values():
    """However cells are numbered; homes that lack a label come last."""
    assert [group_name(each) for each in CELLS.groups(["tariff"])] == ["tariff=A", "tariff=B", "tariff=(none)"]
    assert [group_name(each) for each in CELLS.groups(["region", "tariff"])][:2] == [
        "region=north,tariff=A",
        "region=north,tariff=B",
    ]


def test_cells_that_match():
    """A missing value is asked for like any other."""
    assert CELLS.matching({"tariff": "A"}).tolist() == [False, False, True, True, True]
    assert CELLS.matching({"region": "(none)"}).tolist() == [True, False, False, True, False]
    assert CELLS.matching({}).all()


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (lambda: CELLS.matching({"tariff": "Z"}), "no home has “tariff=Z”; tariff is one of A, B"),
        (lambda: CELLS.groups(["house"]), "there is no label “house”; the labels are tariff, region"),
        (lambda: Cells().groups(["house"]), "these homes have no labels"),
        (lambda: CELLS.groups(["tariff", "tariff"]), "each once"),
        (lambda: Cells(tuple("abcdefghi")), "9 labels; there may be 8 at most"),
        (lambda: Cells(("a",), tuple((f"{n}",) for n in range(1001))), "1,001 combinations of values"),
        (lambda: Cells(("a",), (("x=y",),)), "it must not hold = or ,"),
        (lambda: Cells(("hours",)), "label “hours”"),
    ],
)
def test_what_is_refused(asked, said):
    """In one line that says what there is."""
    with pytest.raises(UsageError) as refused:
        asked()

    assert said in str(refused.value)
