"""The tables that PostgreSQL keeps reports in: by plan and slot, named so that people find them."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from hushwatt.provider.store.session import Session

PARTITION_SLOTS, OLD_PARTITION_SLOTS = 64, 1024  # slots in a partition, now and in the first version
PARTITIONED = ("reports", "segments")
PARTITION_NAME = re.compile(r"(?P<table>[a-z]+)_(?P<plan>\d+)_(?P<first>\d+)(_to_(?P<last>\d+))?")


class Partition(NamedTuple):
    """A table of some slots of a plan."""

    name: str
    first: int
    last: int


def partition_of(table: str, plan: int, slot: int) -> Partition:
    """The partition of a table for a slot.

    >>> partition_of("segments", plan=1, slot=130)
    Partition(name='segments_1_128_to_191', first=128, last=191)
    """
    first = slot - slot % PARTITION_SLOTS
    last = first + PARTITION_SLOTS - 1
    return Partition(f"{table}_{plan}_{first}_to_{last}", first, last)


def old_partition_of(plan: int, slot: int) -> str:
    """The wide partition that an older version made for a slot's reports."""
    return f"reports_{plan}_{slot - slot % OLD_PARTITION_SLOTS}"


def named_partition(name: str, plan: int) -> Partition | None:
    """The partition of that name, if it is one of the plan's.

    >>> named_partition("reports_1_1024", plan=1), named_partition("reports_12_0_to_63", plan=1)
    (Partition(name='reports_1_1024', first=1024, last=2047), None)
    """
    match = PARTITION_NAME.fullmatch(name)
    if match is None or match["table"] not in PARTITIONED or int(match["plan"]) != plan:
        return None
    first = int(match["first"])
    return Partition(name, first, int(match["last"] or first + OLD_PARTITION_SLOTS - 1))


def make_partition(session: Session, table: str, plan: int, slot: int) -> str:
    """The name of a table's partition for a slot, which is made unless there is one."""
    name, first, last = partition_of(table, plan, slot)
    if table == "reports" and session.all("SELECT to_regclass(?)", old_partition_of(plan, slot)) != [(None,)]:
        return name
    slots = f"FROM ({plan}, {first}) TO ({plan}, {last + 1})"
    session.run(f"CREATE TABLE IF NOT EXISTS {name} PARTITION OF {table} FOR VALUES {slots}")
    return name


def drop_empty_partitions(session: Session, plan: int) -> int:
    """Drop the tables of published slots that have nothing left in them, and nothing to come; how many."""
    ((published,),) = session.all("SELECT published FROM plans WHERE plan = ?", plan)
    dropped = 0
    for table in PARTITIONED:
        for name, first, last in list(_partitions(session, table, plan)):
            if last <= published and not _is_needed(session, table, plan, first, last):
                session.run(f"DROP TABLE {name}")
                dropped += 1
    return dropped


def _is_needed(session: Session, table: str, plan: int, first: int, last: int) -> bool:
    """Whether a table has anything of some slots, or will: rows of reports become segments."""
    statement = "SELECT 1 FROM {} WHERE plan = ? AND slot BETWEEN ? AND ? LIMIT 1"
    return any(session.all(statement.format(each), plan, first, last) for each in ("reports", table))


def _partitions(session: Session, table: str, plan: int) -> Iterator[Partition]:
    """The partitions of a table that are a plan's."""
    names = session.all("SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = ?::regclass", table)
    yield from filter(None, (named_partition(name, plan) for (name,) in names))
