"""Whether every home keeps to one turn, found out without bringing its reports together.

Of a report only the hash of its home and its turn travel, 12 bytes.  Where no hash has two turns, no home has, whatever
other homes share it: then every report is in its turn.  Where one has, nothing is known, and all reports of a home have
to meet.
"""

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from hushwatt.plan.plan import Plan
from hushwatt.privacy.rotation import has_orders, has_turns
from hushwatt.wire.reports.columns import hash_names
from hushwatt.wire.reports.schema import ReportBatch

CLAIM = np.dtype([("home", "<u8"), ("turn", "<u4")])
Claims = NDArray[np.void]


def asks_turns_alone(plan: Plan) -> bool:
    """Whether turns are all that a home's reports have to agree about."""
    return has_turns(plan) and not has_orders(plan)


def claims_of(plan: Plan, batch: ReportBatch) -> Claims:
    """Which home says that which turn is its own."""
    claims = np.empty(len(batch), dtype=CLAIM)
    claims["home"], claims["turn"] = hash_names(batch.households), batch.slot % plan.window
    return claims


def deal_claims(claims: Claims, buckets: int) -> Iterator[tuple[int, bytes]]:
    """Each bucket's claims: those of a home all come into one."""
    bucket = claims["home"] % np.uint64(buckets)
    order = np.argsort(bucket.astype(np.uint16), kind="stable")
    parts = np.split(claims[order], np.cumsum(np.bincount(bucket.astype(np.intp), minlength=buckets))[:-1])
    return ((number, part.tobytes()) for number, part in enumerate(parts) if len(part))


def disagree(messages: Iterable[bytes]) -> bool:
    """Whether a home of a bucket claims two turns.

    >>> claims = np.array([(7, 1), (8, 2), (7, 1)], dtype=CLAIM)
    >>> disagree([claims.tobytes()]), disagree([claims.tobytes(), np.array((8, 0), dtype=CLAIM).tobytes()])
    (False, True)
    """
    claims = np.frombuffer(b"".join(messages), dtype=CLAIM)
    order = np.argsort(claims["home"])
    homes, turns = claims["home"][order], claims["turn"][order]
    return bool(((homes[1:] == homes[:-1]) & (turns[1:] != turns[:-1])).any())
