"""What a plan keeps, for how long it may, and what it will still need: retention against storage."""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from hushwatt.errors import UsageError
from hushwatt.provider.schedule import SlotSchedule
from hushwatt.provider.store.plans import plan_state
from hushwatt.provider.store.reports.stored import drop_reports, has_reports
from hushwatt.provider.store.session import Database, Session
from hushwatt.provider.store.slots import unscrubbed_slots
from hushwatt.provider.store.tallies import reported_slots

RECENT_SLOTS = 30  # closed slots that say how many reports a slot brings


@dataclass(frozen=True)
class PlanStorage:
    """What the store keeps of one plan."""

    over_for: timedelta  # since its last slot is closed; below zero while it runs
    kept: bool  # whether any report is there
    payload_slots: int  # published slots that have their payloads
    slots_left: int  # that still take reports, or will
    reports: int  # counted since it began
    reports_per_slot: float  # of late

    @property
    def reports_to_come(self) -> float:
        return self.slots_left * self.reports_per_slot

    def too_long(self, retention: timedelta) -> timedelta:
        """How much longer than allowed its reports have been kept; 0: not at all."""
        return max(timedelta(0), self.over_for - retention) if self.kept else timedelta(0)


@dataclass(frozen=True)
class Disk:
    """The disk that a folder is on."""

    free: int  # bytes
    size: int  # bytes

    @classmethod
    def of(cls, folder: Path) -> "Disk":
        """The disk of a folder, which may not have been made yet."""
        place = folder.resolve()
        usage = shutil.disk_usage(next(each for each in (place, *place.parents) if each.is_dir()))
        return cls(usage.free, usage.total)


@dataclass(frozen=True)
class StorageReport:
    """What a store keeps, and the disk that it is on."""

    plans: dict[int, PlanStorage]
    store_bytes: int
    disk: Disk
    local: bool  # whether the store is on that disk

    @property
    def needed_bytes(self) -> int:
        """What all plans will add until their ends, at the bytes a report has taken up to now."""
        reports = sum(each.reports for each in self.plans.values())
        to_come = sum(each.reports_to_come for each in self.plans.values())
        return round(self.store_bytes / reports * to_come) if reports else 0

    @property
    def too_small(self) -> bool:
        return self.local and self.needed_bytes > self.disk.free


def look_at_storage(
    database: Database, schedules: Mapping[int, SlotSchedule], folder: Path, now: datetime
) -> StorageReport:
    """What all plans of a store keep and need."""
    with database.reading() as session:
        plans = {number: plan_storage(session, number, schedule, now) for number, schedule in schedules.items()}
    return StorageReport(plans, database.size(), Disk.of(folder), database.is_local)


def plan_storage(session: Session, number: int, schedule: SlotSchedule, now: datetime) -> PlanStorage:
    """Look at one plan: by indices and tallies alone, whatever the number of reports."""
    slots = schedule.plan.calendar.slots
    closed = schedule.last_closed(now)
    first = max(0, closed - RECENT_SLOTS + 1)
    ((total,),) = session.all("SELECT sum(homes) FROM tallies WHERE plan = ?", number)
    ((recent,),) = session.all(
        "SELECT sum(homes) FROM tallies WHERE plan = ? AND slot BETWEEN ? AND ?", number, first, max(closed, 0)
    )
    return PlanStorage(
        over_for=now - schedule.closes(slots - 1),
        kept=has_reports(session, number),
        payload_slots=unscrubbed_slots(session, number),
        slots_left=slots - 1 - closed,
        reports=int(total or 0),
        reports_per_slot=int(recent or 0) / max(1, closed - first + 1),
    )


def remove_reports(database: Database, number: int) -> int:
    """Take all reports of a plan that is over out of the store, a slot at a time; how many.

    Published numbers come from tallies, and stay.  A report that comes again is then late, and counts no more.
    """
    removed = 0
    with database.reading() as session:
        slots, published = reported_slots(session, number), plan_state(session, number).published
    if slots and slots[-1] > published:
        raise UsageError(
            f"reports cannot be removed up to slot {slots[-1]}: published is up to slot {published}, and what is not "
            "could count twice; start the service or run `hushwatt provider export`, which publish what is over"
        )
    for slot in slots:
        with database.writing() as session:
            removed += drop_reports(session, number, slot)
    with database.writing() as session:
        for table in ("reports", "segments", "draws", "rotations"):
            session.run(f"DELETE FROM {table} WHERE plan = ?", number)
        session.run("UPDATE slots SET scrubbed = 1 WHERE plan = ? AND published_at IS NOT NULL", number)
    database.purge()
    database.drop_empty_partitions(number)
    return removed
