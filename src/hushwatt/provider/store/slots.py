"""What the store remembers of a slot: when it was published, for how many homes, and what came late."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from hushwatt.provider.store.cells import note_cells
from hushwatt.provider.store.session import Session
from hushwatt.provider.store.tallies import reported_slots


@dataclass(frozen=True)
class PublishedSlot:
    """A slot whose numbers no longer change."""

    slot: int
    at: int  # seconds since 1970
    homes: int  # enrolled at that moment


def publish(session: Session, plan: int, until: int, now: int) -> list[int]:
    """Publish every slot up to `until` that has not been; those with reports, by number.

    The last is noted even without reports, so that the homes of the others before it are known.
    """
    ((homes, before),) = session.all("SELECT homes, published FROM plans WHERE plan = ?", plan)
    if until <= before:
        return []
    slots = reported_slots(session, plan, before, until)
    statement = (
        "INSERT INTO slots (plan, slot, late, published_at, homes, scrubbed) VALUES (?, ?, 0, ?, ?, 0) "
        "ON CONFLICT (plan, slot) DO UPDATE SET published_at = excluded.published_at, homes = excluded.homes"
    )
    for slot in sorted({*slots, until}):
        session.run(statement, plan, slot, now, homes)
    note_cells(session, plan, before + 1)
    session.run("UPDATE plans SET published = ? WHERE plan = ?", until, plan)
    return slots


def published_slots(session: Session, plan: int) -> list[PublishedSlot]:
    """The slots that were noted when they were published: all with reports, and some others, ascending."""
    rows = session.all(
        "SELECT slot, published_at, homes FROM slots WHERE plan = ? AND published_at IS NOT NULL ORDER BY slot", plan
    )
    return [PublishedSlot(*map(int, row)) for row in rows]


def homes_when_published(noted: Sequence[PublishedSlot], slot: int) -> int | None:
    """How many homes were enrolled when a slot was published: as for the next that was noted.

    >>> homes_when_published([PublishedSlot(2, at=0, homes=7)], 1)
    7
    """
    index = bisect_left(noted, slot, key=lambda each: each.slot)
    return noted[min(index, len(noted) - 1)].homes if noted else None


def count_late(session: Session, plan: int, slot: int, count: int) -> None:
    """Reports that came after their slot was closed: counted, not merged."""
    statement = (
        "INSERT INTO slots (plan, slot, late, scrubbed) VALUES (?, ?, ?, 0) "
        "ON CONFLICT (plan, slot) DO UPDATE SET late = slots.late + excluded.late"
    )
    session.run(statement, plan, slot, count)


def late_reports(session: Session, plan: int) -> dict[int, int]:
    """How many came late, for each slot where any did."""
    rows = session.all("SELECT slot, late FROM slots WHERE plan = ? AND late > 0 ORDER BY slot", plan)
    return {int(slot): int(late) for slot, late in rows}


def unscrubbed_slots(session: Session, plan: int) -> int:
    """How many published slots with reports have their payloads still."""
    statement = (
        "SELECT count(*) FROM slots WHERE plan = ? AND published_at IS NOT NULL AND scrubbed = 0 "
        "AND slot IN (SELECT slot FROM tallies WHERE plan = ?)"
    )
    return int(session.all(statement, plan, plan)[0][0])
