"""Pieces are worked on beside each other, a few at a time, and errors arrive in their place."""

import threading

import pytest

from hushwatt.beside import beside, cores


def test_results_in_order():
    """However long each piece takes, results come in the order of the pieces."""
    turns = {piece: threading.Event() for piece in range(2)}

    def work(piece):
        if cores() > 1 and piece == 0:
            turns[1].wait(timeout=30)
        turns[piece].set()
        return piece

    assert list(beside(work, range(2))) == [0, 1]


def test_a_few_at_a_time():
    """Pieces are taken from the list as results are, never all at once."""
    taken = []

    def pieces():
        for piece in range(1000):
            taken.append(piece)
            yield piece

    walk = beside(lambda piece: piece, pieces())
    next(walk)

    assert len(taken) <= 2 * cores() + 1
    walk.close()


def test_errors_in_their_place():
    """What one piece raises arrives where its result would have been."""

    def work(piece):
        if piece == 3:
            raise ValueError("piece 3")
        return piece

    found = []
    with pytest.raises(ValueError, match="piece 3"):
        found.extend(beside(work, range(1000)))

    assert found == [0, 1, 2]
