"""The tables that PostgreSQL keeps reports in: by plan and slot, named so that people find them."""

import math
import re

from hushwatt.provider.store.session import Session

PARTITION_SLOTS, OLD_PARTITION_SLOTS = 64, 1024  # slots in a partition, now and in the first version
PARTITION_NAME = re.compile(r"reports_(?P<plan>\d+)_(?P<first>\d+)(_to_(?P<last>\d+))?")


def partitions_of(plan: int, slot: int) -> tuple[str, str]:
    """The names of the table for a slot: the one of now, and the wide one that an older version made."""
    first = slot - slot % PARTITION_SLOTS
    return (
        f"reports_{plan}_{first}_to_{first + PARTITION_SLOTS - 1}",
        f"reports_{plan}_{slot - slot % OLD_PARTITION_SLOTS}",
    )


def last_slot_of(name: str, plan: int) -> float:
    """The last slot of one of a plan's tables; infinite for any other table.

    >>> [last_slot_of(name, plan=1) for name in ("reports_1_128_to_191", "reports_1_1024", "reports_12_0_to_63")]
    [191, 2047, inf]
    """
    match = PARTITION_NAME.fullmatch(name)
    if match is None or int(match["plan"]) != plan:
        return math.inf
    return int(match["last"]) if match["last"] else int(match["first"]) + OLD_PARTITION_SLOTS - 1


def drop_empty_partitions(session: Session, plan: int) -> int:
    """Drop the tables of published slots that have no reports any more; how many."""
    dropped = 0
    ((published,),) = session.all("SELECT published FROM plans WHERE plan = ?", plan)
    for (name,) in session.all(
        "SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = 'reports'::regclass"
    ):
        if last_slot_of(name, plan) <= published and not session.all(f"SELECT 1 FROM {name} LIMIT 1"):
            session.run(f"DROP TABLE {name}")
            dropped += 1
    return dropped
