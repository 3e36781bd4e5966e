"""The last line of defence: what nobody foresaw is said once, and life goes on.

Everything that arrives is read with care elsewhere.  Should that fail all the same, the kind
of the failure and its place in our own code are said, never what had arrived.
"""

import asyncio
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hushwatt.household.log_once import LogOnce

MAX_FAILURES = 1_000  # different failures that are told apart


@dataclass
class Guard:
    """Keeps one failure from ending everything.

    >>> guard = Guard(lambda line: print(line.partition(" (")[0]))
    >>> for number in (1, 0, 0):
    ...     with guard("a message"):
    ...         _ = 1 // number
    a message could not be handled
    >>> guard.count
    2
    """

    say: Callable[[str], None]
    count: int = 0  # failures so far

    def __post_init__(self) -> None:
        self.once = LogOnce(self.say)

    @contextmanager
    def __call__(self, what: str) -> Iterator[None]:
        try:
            yield
        except Exception as surprise:
            self.note(what, surprise)

    def note(self, what: str, surprise: BaseException) -> None:
        """Say a failure, unless it was said before."""
        self.count += 1
        kind = describe_failure(surprise)
        line = f"{what} could not be handled ({kind}); it is passed over, please report this"
        if len(self.once.last) < MAX_FAILURES:
            self.once(line, line)

    def on_loop(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """What an event loop does with a failure that nobody waits for."""
        surprise = context.get("exception")
        if isinstance(surprise, Exception):
            self.note("something in the background", surprise)


def describe_failure(surprise: BaseException) -> str:
    """The kind of a failure and where it happened; never its words, which may repeat what came in."""
    places = traceback.extract_tb(surprise.__traceback__)
    where = f" at {Path(places[-1].filename).name}:{places[-1].lineno}" if places else ""
    return f"{type(surprise).__name__}{where}"
