"""Fetch the next piece while this one is worked on: one more thread, never two."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
END = object()


def ahead(items: Iterator[Item]) -> Iterator[Item]:
    """The same items in the same order; each is fetched while the one before it is in use.

    >>> list(ahead(iter("abc")))
    ['a', 'b', 'c']
    """
    with ThreadPoolExecutor(max_workers=1) as reader:
        waiting = reader.submit(next, items, END)
        while (item := waiting.result()) is not END:
            waiting = reader.submit(next, items, END)
            yield item  # type: ignore[misc]
