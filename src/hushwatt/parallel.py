"""Work on several pieces at once: map in order with a thread for each core, and prefetch one piece.

For work that leaves Python's lock while it runs, as reading Parquet and NumPy do.
"""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")
END = object()


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def map_ordered(work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
    """What `work` makes of each item; a few are under way at once, and no more, however many there are.

    >>> list(map_ordered(len, ["kettle", "tv"]))
    [6, 2]
    """
    threads, rest = cores(), iter(items)
    with ThreadPoolExecutor(threads) as pool:
        waiting: deque[Future[Result]] = deque(pool.submit(work, item) for item in islice(rest, 2 * threads))
        try:
            while waiting:
                result = waiting.popleft().result()
                waiting.extend(pool.submit(work, item) for item in islice(rest, 1))
                yield result
        finally:
            for future in waiting:
                future.cancel()


def prefetch(items: Iterator[Item]) -> Iterator[Item]:
    """The same items in the same order; each is fetched while the one before it is in use.

    >>> list(prefetch(iter("abc")))
    ['a', 'b', 'c']
    """
    with ThreadPoolExecutor(max_workers=1) as reader:
        waiting = reader.submit(next, items, END)
        while (item := waiting.result()) is not END:
            waiting = reader.submit(next, items, END)
            yield item  # type: ignore[misc]
