"""What pages have in common is worked out once: what was published never changes, so it is kept for the next page.

Whoever goes from page to page with the same filters waits for it once.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import TypeVar, cast

MOST = 8  # kept: each may have numbers of a thousand slots

Answer = TypeVar("Answer")


class KeptAnswers:
    """The answers that were asked for last."""

    def __init__(self, most: int = MOST) -> None:
        self._most, self._lock = most, threading.Lock()
        self._kept: OrderedDict[Hashable, object] = OrderedDict()

    def get(self, question: Hashable, work_out: Callable[[], Answer]) -> Answer:
        """The answer to a question, as it was or worked out; two who ask at once may both work it out."""
        with self._lock:
            if question in self._kept:
                self._kept.move_to_end(question)
                return cast(Answer, self._kept[question])
        answer = work_out()
        with self._lock:
            self._kept[question] = answer
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return answer
