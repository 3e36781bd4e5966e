"""Work on several pieces at once: a thread for each core, results in the order of the pieces.

For work that leaves Python's lock while it runs, as reading Parquet and NumPy do.
"""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import TypeVar

Item = TypeVar("Item")
Found = TypeVar("Found")


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def beside(work: Callable[[Item], Found], items: Iterable[Item]) -> Iterator[Found]:
    """What `work` makes of each item; a few are under way at once, and no more, however many there are.

    >>> list(beside(len, ["kettle", "tv"]))
    [6, 2]
    """
    threads, rest = cores(), iter(items)
    with ThreadPoolExecutor(threads) as pool:
        waiting: deque[Future[Found]] = deque(pool.submit(work, item) for item in islice(rest, 2 * threads))
        try:
            while waiting:
                found = waiting.popleft().result()
                waiting.extend(pool.submit(work, item) for item in islice(rest, 1))
                yield found
        finally:
            for future in waiting:
                future.cancel()
