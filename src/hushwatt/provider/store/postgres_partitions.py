"""In which table PostgreSQL keeps the reports of a slot."""

import math
import re

PARTITION_SLOTS, OLD_PARTITION_SLOTS = 64, 1024  # slots in a partition, now and in the first version
PARTITION_NAME = re.compile(r"reports_(?P<plan>\d+)_(?P<first>\d+)(_to_(?P<last>\d+))?")


def partition_names(plan: int, slot: int) -> tuple[str, str]:
    """The names of the table for a slot: the one of now, and the wide one that an older version made."""
    first = slot - slot % PARTITION_SLOTS
    return (
        f"reports_{plan}_{first}_to_{first + PARTITION_SLOTS - 1}",
        f"reports_{plan}_{slot - slot % OLD_PARTITION_SLOTS}",
    )


def last_slot(name: str, plan: int) -> float:
    """The last slot of one of a plan's tables; infinite for any other table.

    >>> last_slot("reports_1_128_to_191", 1), last_slot("reports_1_1024", 1), last_slot("reports_12_0_to_63", 1)
    (191, 2047, inf)
    """
    match = PARTITION_NAME.fullmatch(name)
    if match is None or int(match["plan"]) != plan:
        return math.inf
    return int(match["last"]) if match["last"] else int(match["first"]) + OLD_PARTITION_SLOTS - 1
