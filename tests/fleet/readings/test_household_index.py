"""Households keep their numbers, whether they are compared or looked up."""

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from hushwatt.fleet.readings.household_index import HouseholdIndex

NAMES = st.lists(st.sampled_from([f"home {number}" for number in range(12)]), unique=True, min_size=1)


def names(*texts):
    """A column of names."""
    return pa.array(texts, pa.string())


@given(known=NAMES, batches=st.lists(NAMES, max_size=6), sort=st.booleans())
def test_every_name_has_one_number(known, batches, sort):
    """The sorted homes at the places of the numbers are the names again, and each is there once."""
    batches = sorted(sorted(batch) for batch in batches) if sort else batches
    numbering, numbers = HouseholdIndex(names(*known)), []
    for batch in batches:
        found = numbering.in_order(names(*batch))
        numbers.append(numbering.numbers([names(*batch)])[0] if found is None else found)
    homes, places = numbering.sorted()

    assert homes.to_pylist() == sorted(set(known).union(*batches))
    assert [[homes[int(place)].as_py() for place in places[found]] for found in numbers] == batches


def test_a_sorted_table_is_never_looked_up():
    """Ascending batches continue each other, also with a home split by two, and begin again."""
    numbering = HouseholdIndex()
    batches = [
        names("a", "b"),
        names("b", "c"),
        names("d"),
        names("a", "b", "c"),
        names("d", "a"),
        names("a", "b"),
    ]
    found = [numbering.in_order(batch).tolist() for batch in batches]

    assert found == [[0, 1], [1, 2], [3], [0, 1, 2], [3, 0], [0, 1]]


def test_what_must_be_looked_up():
    """Names that go back, leave one out or stand in between are not guessed."""
    numbering = HouseholdIndex(names("a", "c", "e"))

    assert numbering.in_order(names("c", "e")) is None
    assert numbering.in_order(names("a", "e")) is None
    assert numbering.in_order(names("a", "b")) is None
    assert numbering.in_order(names("g", "f")) is None
    assert len(numbering) == 3


def test_looked_up_together():
    """Several batches at once get the numbers that one after the other would get."""
    together = HouseholdIndex(names("m")).numbers([names("z", "m"), names("a", "z"), names("m")])
    one = HouseholdIndex(names("m"))
    apart = [one.numbers([batch])[0] for batch in (names("z", "m"), names("a", "z"), names("m"))]

    assert [found.tolist() for found in together] == [found.tolist() for found in apart] == [[1, 0], [2, 1], [0]]


def test_after_a_look_up_the_order_is_known_again():
    """An order that is not alphabetical is recognised the second time round."""
    numbering = HouseholdIndex()
    numbering.numbers([names("h2", "h10", "h1")])

    assert numbering.in_order(names("h2", "h10")).tolist() == [0, 1]
    assert numbering.in_order(names("h1")).tolist() == [2]
    assert numbering.numbers([names("h2")])[0].tolist() == [0]
    assert numbering.in_order(names("h10", "h1")).tolist() == [1, 2]
    assert numbering.sorted()[0].to_pylist() == ["h1", "h10", "h2"]
