"""One piece is fetched ahead, in another thread, and errors arrive in their place."""

import threading

import pytest

from hushwatt.ahead import ahead


def test_one_ahead_and_no_more():
    """While an item is in use the next one is fetched, and no further one."""
    fetched = []

    def items():
        for number in range(5):
            fetched.append(number)
            yield number

    walk = ahead(items())
    first = next(walk)
    walk.close()  # waits for what is under way

    assert first == 0
    assert fetched == [0, 1]


def test_another_thread():
    """Items are fetched outside the thread that uses them, always in the same one."""
    threads = set(ahead(threading.get_ident() for _ in range(5)))

    assert len(threads) == 1
    assert threading.get_ident() not in threads


def test_errors_come_after_the_items_before_them():
    """An error is raised where the failing item would have been."""

    def items():
        yield 1
        raise ValueError("broken")

    walk = ahead(items())

    assert next(walk) == 1
    with pytest.raises(ValueError, match="broken"):
        next(walk)
