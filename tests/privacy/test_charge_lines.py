"""Lines of charges: what was written is there, by slot, however it is cut and put together."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from hushwatt.privacy.charge_lines import ChargeBook, ChargeLines

HOMES = 4

payments = st.lists(
    st.tuples(st.integers(0, 3), st.dictionaries(st.integers(0, HOMES - 1), st.integers(1, 9), max_size=HOMES)),
    max_size=30,
)


def written(payments, empty):
    """The payments in a form, and as plain lines; each tuple says how many slots later, and who pays what."""
    slot, plain = 0, []
    for later, paid in payments:
        slot += later
        homes = np.array(sorted(paid), dtype=np.int32)
        empty = empty.added(slot, homes, np.array([paid[home] for home in sorted(paid)], dtype=np.int64))
        plain += [(slot, home, paid[home]) for home in sorted(paid)]
    return empty, plain


def plainly(lines):
    return list(zip(lines.slots.tolist(), lines.homes.tolist(), lines.amounts.tolist(), strict=True))


@settings(max_examples=100)
@given(payments=payments, slot=st.integers(-1, 40))
def test_a_book_is_its_lines(payments, slot):
    """Before and since a slot, in all and by home, a book of parts says what the plain list does."""
    book, plain = written(payments, ChargeBook())

    assert plainly(book.lines) == plain
    assert plainly(book.before(slot).lines) == [line for line in plain if line[0] < slot]
    assert plainly(book.since(slot).lines) == [line for line in plain if line[0] >= slot]
    assert book.sums(HOMES).tolist() == [sum(paid for _, who, paid in plain if who == home) for home in range(HOMES)]
    assert book.last == max((at for at, _, _ in plain), default=None)
    assert len(book) == len(plain)


@given(payments=payments, places=st.permutations(range(HOMES)), later=st.integers(-5, 5))
def test_lines_follow_their_homes(payments, places, later):
    """Moved, each line has its home's new place; later, its slot is later."""
    lines, plain = written(payments, ChargeLines.none())

    moved = lines.later(later).moved(np.array(places, dtype=np.int32))

    assert sorted(plainly(moved)) == sorted((at + later, places[home], paid) for at, home, paid in plain)
    assert moved.slots.tolist() == sorted(moved.slots.tolist())


def test_named_appliances_stay_with_their_lines():
    """Where lines name appliances, they keep them when homes move and when older lines go."""
    book = ChargeBook()
    for slot in range(9):
        book = book.added(slot, np.array([0, 1]), np.array([1, 2]), np.array([[slot, 9], [slot, 8]], dtype=np.uint16))

    swapped = book.since(3).moved(np.array([1, 0], dtype=np.int32)).lines

    assert swapped.members.tolist() == [[slot, last] for slot in range(3, 9) for last in (8, 9)]


def test_a_book_has_few_parts():
    """However many slots were written one by one, the parts are about as many as the lines have binary digits."""
    book = ChargeBook()
    for slot in range(5_000):
        book = book.added(slot, np.array([slot % HOMES]), np.array([1]))

    assert len(book.parts) <= 13
    assert len(book.since(4_990).parts) <= 4
