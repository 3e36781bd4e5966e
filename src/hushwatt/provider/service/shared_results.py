"""What homes may fetch: the published means of plans that share their results, as the same bytes for everyone.

They are worked out once when more has been published, by the one reader of what was collected, and given out as
they are until then.  Whoever asks, and how often, changes nothing.
"""

import asyncio
import json
from typing import Any

from starlette.concurrency import run_in_threadpool

from hushwatt.plan.plan import Plan
from hushwatt.plan.sharing import SlotRange, shared_ranges
from hushwatt.plan.times import show_instant
from hushwatt.provider.estimate.document import means_document
from hushwatt.provider.service.collection_reader import CollectionReader


class SharedResults:
    """The answers that are ready, by plan; one at a time is worked out, however many ask for it."""

    def __init__(self, read: CollectionReader) -> None:
        self._read = read
        self._ready: dict[str, tuple[int, bytes]] = {}  # up to which slot, and what is told
        self._locks: dict[str, asyncio.Lock] = {}

    async def body(self, plan: Plan) -> bytes:
        """The answer about a plan that shares its results."""
        published = (await run_in_threadpool(self._read.state, plan)).published
        async with self._locks.setdefault(plan.id, asyncio.Lock()):
            ready = self._ready.get(plan.id)
            if ready is None or ready[0] < published:
                document = await run_in_threadpool(shared_document, self._read, plan, published)
                ready = published, json.dumps(document, allow_nan=False).encode()
                self._ready[plan.id] = ready
        return ready[1]


def shared_document(read: CollectionReader, plan: Plan, published: int) -> dict[str, Any]:
    """The means over every range that is shared when the slots up to `published` are."""
    results = [_result(read, plan, each) for each in shared_ranges(plan, published)]
    return {"plan": plan.id, "results": results}


def _result(read: CollectionReader, plan: Plan, span: SlotRange) -> dict[str, Any]:
    start, end = plan.calendar.start_of(span.first), plan.calendar.end_of(span.last)
    when = {"slot": span.first, "slots": span.slots, "start": show_instant(start), "end": show_instant(end)}
    means = means_document(read.estimates(plan, span.first, span.last))
    return {**when, **{key: value for key, value in means.items() if key != "plan"}}
