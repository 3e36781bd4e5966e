"""Answers that were given before, as bytes: what is published never changes, so neither do they.

A slot is told in the same words in every answer that it stands in, so these are kept by themselves.
"""

import json
import threading
from collections import OrderedDict
from collections.abc import Hashable, Iterable, Iterator

from hushwatt.provider.estimate.document import Document, slot_document
from hushwatt.provider.estimate.results import Estimates

MAX_CACHED_BYTES = 1 << 26  # of all that one cache holds
NO_SLOTS = b'"slots":[]'  # before every other text of an answer


class ByteCache:
    """What was asked for last, in a bounded memory."""

    def __init__(self, largest: int = MAX_CACHED_BYTES) -> None:
        self._largest, self._size = largest, 0
        self._kept: OrderedDict[Hashable, bytes] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> bytes | None:
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def keep(self, key: Hashable, content: bytes) -> None:
        """Keep it, and let go of what was not asked for the longest.

        >>> cache = ByteCache(largest=3)
        >>> for key in "abc":
        ...     cache.keep(key, b"xx")
        >>> [key for key in "abc" if cache.get(key)]
        ['c']
        """
        with self._lock:
            self._size += len(content) - len(self._kept.pop(key, b""))
            self._kept[key] = content
            while self._size > self._largest:
                self._size -= len(self._kept.popitem(last=False)[1])


class SlotTexts:
    """The JSON of single published slots."""

    def __init__(self, largest: int = MAX_CACHED_BYTES) -> None:
        self._cache = ByteCache(largest)

    def texts(self, estimates: Estimates, kind: tuple[str, ...]) -> Iterator[bytes]:
        """Every slot of an answer, in whichever others it stood; `kind` tells plans and consistencies apart."""
        for index, slot in enumerate(estimates.slots):
            key = *kind, estimates.smoothed, slot.slot, slot.homes != estimates.homes
            text = self._cache.get(key)
            if text is None:
                text = as_json(slot_document(estimates, index))
                self._cache.keep(key, text)
            yield text


def with_slots(document: Document, slots: Iterable[bytes]) -> bytes:
    """An answer whose slots have been written already.

    >>> with_slots({"homes": 3, "slots": [], "top": []}, [b"1", b"2"])
    b'{"homes":3,"slots":[1,2],"top":[]}'
    """
    return as_json(document).replace(NO_SLOTS, b'"slots":[' + b",".join(slots) + b"]", 1)


def as_json(document: Document) -> bytes:
    return json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
