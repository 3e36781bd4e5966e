"""Whether every home keeps to one turn, found out without bringing its reports together.

Of a report only 64 bits travel: the last ones are its turn, the others are of a hash of its home.  Where no hash has
two turns, no home has, whatever other homes share it: then every report is in its turn.  Where one has, nothing is
known, and all reports of a home have to meet.
"""

from collections.abc import Iterable, Iterator

import numpy as np

from hushwatt.plan.plan import Plan
from hushwatt.privacy.rotation import has_orders, has_turns
from hushwatt.wire.reports.columns import hash_names
from hushwatt.wire.reports.schema import ReportBatch


def asks_turns_alone(plan: Plan) -> bool:
    """Whether turns are all that a home's reports have to agree about."""
    return has_turns(plan) and not has_orders(plan)


def deal_claims(plan: Plan, batch: ReportBatch, buckets: int) -> Iterator[tuple[int, bytes]]:
    """Which home says that which turn is its own, by bucket: all that a home says comes into one."""
    homes = hash_names(batch.households)
    bucket = (homes % np.uint64(buckets)).astype(np.uint16)
    claims = homes & ~_turn_bits(plan) | (batch.slot % plan.window).astype(np.uint64)
    parts = np.split(claims[np.argsort(bucket, kind="stable")], np.cumsum(np.bincount(bucket, minlength=buckets))[:-1])
    return ((number, part.astype("<u8").tobytes()) for number, part in enumerate(parts) if len(part))


def disagree(plan: Plan, messages: Iterable[bytes]) -> bool:
    """Whether a home of a bucket claims two turns."""
    claims = np.sort(np.frombuffer(b"".join(messages), dtype="<u8"))
    apart = claims[1:] ^ claims[:-1]
    return bool(((apart != 0) & (apart <= _turn_bits(plan))).any())


def _turn_bits(plan: Plan) -> np.uint64:
    """Ones where a turn stands."""
    return np.uint64((1 << (plan.window - 1).bit_length()) - 1)
