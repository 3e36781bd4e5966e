"""Pieces are worked on map_ordered each other, a few at a time, and errors arrive in their place."""

import threading

import pytest

from hushwatt.parallel import cores, map_ordered, prefetch


def test_results_in_order():
    """However long each piece takes, results come in the order of the pieces."""
    turns = {piece: threading.Event() for piece in range(2)}

    def work(piece):
        if cores() > 1 and piece == 0:
            turns[1].wait(timeout=30)
        turns[piece].set()
        return piece

    assert list(map_ordered(work, range(2))) == [0, 1]


def test_a_few_at_a_time():
    """Pieces are taken from the list as results are, never all at once."""
    taken = []

    def pieces():
        for piece in range(1000):
            taken.append(piece)
            yield piece

    walk = map_ordered(lambda piece: piece, pieces())
    next(walk)

    assert len(taken) <= 2 * cores() + 1
    walk.close()  # type: ignore[attr-defined]


def test_errors_in_their_place():
    """What one piece raises arrives where its result would have been."""

    def work(piece):
        if piece == 3:
            raise ValueError("piece 3")
        return piece

    found = []
    with pytest.raises(ValueError, match="piece 3"):
        found.extend(map_ordered(work, range(1000)))

    assert found == [0, 1, 2]


def test_one_ahead_and_no_more():
    """While an item is in use the next one is fetched, and no further one."""
    fetched = []

    def items():
        for number in range(5):
            fetched.append(number)
            yield number

    walk = prefetch(items())
    first = next(walk)
    walk.close()  # type: ignore[attr-defined]  # waits for what is under way

    assert first == 0
    assert fetched == [0, 1]


def test_another_thread():
    """Items are fetched outside the thread that uses them, always in the same one."""
    threads = set(prefetch(threading.get_ident() for _ in range(5)))

    assert len(threads) == 1
    assert threading.get_ident() not in threads


def test_prefetch_errors_come_after_the_items_before_them():
    """An error is raised where the failing item would have been."""

    def items():
        yield 1
        raise ValueError("broken")

    walk = prefetch(items())

    assert next(walk) == 1
    with pytest.raises(ValueError, match="broken"):
        next(walk)
