"""What a plan keeps, for how long it may, and what it will still need: retention against storage."""

import shutil
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from hushwatt.provider.schedule import SlotSchedule
from hushwatt.provider.store.plans import plan_state
from hushwatt.provider.store.session import Session
from hushwatt.provider.store.slots import unscrubbed_slots

RECENT_SLOTS = 30  # published slots that say how many reports a slot brings


@dataclass(frozen=True)
class PlanStorage:
    """What the store keeps of one plan."""

    over_for: timedelta  # since its last slot is closed; below zero while it runs
    kept: bool  # whether any report is there
    payload_slots: int  # published slots that have their payloads
    slots_left: int  # not published yet
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
        usage = shutil.disk_usage(folder)
        return cls(usage.free, usage.total)


def plan_storage(session: Session, number: int, schedule: SlotSchedule, now: datetime) -> PlanStorage:
    """Look at one plan: by indices and tallies alone, whatever the number of reports."""
    slots = schedule.plan.calendar.slots
    published = plan_state(session, number).published
    first = max(0, published - RECENT_SLOTS + 1)
    ((total,),) = session.all("SELECT sum(homes) FROM tallies WHERE plan = ?", number)
    ((recent,),) = session.all(
        "SELECT sum(homes) FROM tallies WHERE plan = ? AND slot BETWEEN ? AND ?", number, first, max(published, 0)
    )
    return PlanStorage(
        over_for=now - schedule.closes(slots - 1),
        kept=bool(session.all("SELECT 1 FROM reports WHERE plan = ? LIMIT 1", number)),
        payload_slots=unscrubbed_slots(session, number),
        slots_left=max(0, slots - 1 - published),
        reports=int(total or 0),
        reports_per_slot=int(recent or 0) / max(1, published - first + 1),
    )


def bytes_needed(plans: Collection[PlanStorage], store_bytes: int) -> int:
    """How many bytes all plans of a store will add until their ends, at the bytes a report has taken up to now."""
    reports = sum(each.reports for each in plans)
    return round(store_bytes / reports * sum(each.reports_to_come for each in plans)) if reports else 0
