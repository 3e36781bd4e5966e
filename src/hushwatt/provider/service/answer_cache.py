"""Answers that were given before, as bytes: what is published never changes, so neither do they."""

import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable

from hushwatt.provider.estimate.document import Document

MAX_CACHED_BYTES = 1 << 26  # of all answers together


class AnswerCache:
    """The answers asked for last, in a bounded memory."""

    def __init__(self, largest: int = MAX_CACHED_BYTES) -> None:
        self._largest, self._size = largest, 0
        self._answers: OrderedDict[Hashable, bytes] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, question: Hashable, answer: Callable[[], Document]) -> bytes:
        """The answer to a question, which names how far slots are published; one that may still change is not kept."""
        with self._lock:
            known = self._answers.get(question)
            if known is not None:
                self._answers.move_to_end(question)
                return known
        document = answer()
        body = json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
        if "not_yet" not in document:
            self._keep(question, body)
        return body

    def _keep(self, question: Hashable, body: bytes) -> None:
        with self._lock:
            self._size += len(body) - len(self._answers.pop(question, b""))
            self._answers[question] = body
            while self._size > self._largest:
                self._size -= len(self._answers.popitem(last=False)[1])
