"""Compaction: reports of published slots are packed into segments, a little at a time, so that others get their turn.

What is published changes no more, but for homes that are erased.  Where payloads are to be scrubbed they are left out,
and of the slots in which a home drew only the last is remembered: nothing repeats an earlier one.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from hushwatt.provider.store.cells import NO_CELL
from hushwatt.provider.store.reports.segments import SEGMENT_ROWS, add_segments
from hushwatt.provider.store.session import Database, Session, StoredReport, first_row, report_rows

STEP_REPORTS = 10_000  # reports that a transaction packs or empties, at most
STEP_SLOTS = 8  # slots that it works on, at most
STEP_HOMES = 20_000  # homes whose draws it looks through
PAUSE_SECONDS = 0.01  # seconds after a transaction, so that a service beside gets its turn
OF_SLOT = "plan = ? AND slot = ?"
FIRST_ROWS = (
    "SELECT home, spent, drawn, as_of, payload, delivery FROM reports "
    f"WHERE {OF_SLOT} AND home > ? ORDER BY home LIMIT ?"
)
EMPTY = (
    f"UPDATE segments SET payloads = ? WHERE {OF_SLOT} AND first_home IN "
    f"(SELECT first_home FROM segments WHERE {OF_SLOT} AND length(payloads) > 0 ORDER BY first_home LIMIT ?)"
)
PRUNE = (
    "DELETE FROM draws WHERE plan = ? AND home >= ? AND home < ? AND slot < (SELECT max(slot) FROM draws AS last "
    "WHERE last.plan = draws.plan AND last.home = draws.home AND last.slot <= ?)"
)


@dataclass
class Compacted:
    """What was done; nothing, when there was nothing to do."""

    slots: set[int] = field(default_factory=set)  # worked on
    reports: int = 0  # packed, or emptied
    homes: int = 0  # whose draws were looked through
    draws: int = 0  # forgotten

    def __bool__(self) -> bool:
        return bool(self.slots or self.homes)

    def add(self, other: "Compacted") -> None:
        self.slots |= other.slots
        self.reports += other.reports
        self.homes += other.homes
        self.draws += other.draws


class Compaction:
    """Packs what is published of one plan, step by step; a new one goes on where another stopped."""

    def __init__(self, plan: int, scrub: bool, reports: int = STEP_REPORTS) -> None:
        """`scrub`: without payloads; a step handles so many `reports`."""
        self._plan, self._scrub, self._reports = plan, scrub, reports
        self._slot, self._after = -1, -1  # the slot that is being packed, and up to which home it is

    def step(self, session: Session) -> Compacted:
        """Pack and empty about so many reports; when none is left, look through the draws of some homes."""
        done, wanted = Compacted(), "(packed = 0 OR scrubbed = 0)" if self._scrub else "packed = 0"
        statement = f"SELECT slot, packed FROM slots WHERE plan = ? AND published_at IS NOT NULL AND {wanted}"
        for slot, packed in session.all(f"{statement} ORDER BY slot LIMIT ?", self._plan, STEP_SLOTS):
            if done.reports < self._reports:
                done.slots.add(int(slot))
                done.reports += self._compact_slot(session, int(slot), bool(packed), self._reports - done.reports)
        if not done:
            self._prune_draws(session, done)
        return done

    def _compact_slot(self, session: Session, slot: int, packed: bool, reports: int) -> int:
        """Go on with a slot by up to so many reports, and note what is complete; how many it were."""
        done = 0 if packed else self._pack(session, slot, reports)
        if done < reports and not packed:
            session.run(f"UPDATE slots SET packed = 1 WHERE {OF_SLOT}", self._plan, slot)
        if done < reports and self._scrub:
            segments = -(-(reports - done) // SEGMENT_ROWS)
            emptied = session.run(EMPTY, b"", *(self._plan, slot) * 2, segments)
            if emptied < segments:
                session.run(f"UPDATE slots SET scrubbed = 1 WHERE {OF_SLOT}", self._plan, slot)
            done += emptied * SEGMENT_ROWS
        return done

    def _pack(self, session: Session, slot: int, reports: int) -> int:
        """Move the next rows of a slot into segments; how many."""
        after = self._after if slot == self._slot else -1
        rows = session.all(FIRST_ROWS, self._plan, slot, after, reports)
        if not rows:
            return 0
        self._slot, self._after = slot, int(rows[-1][0])
        for delivery in sorted({delivery for *_, delivery in rows}):
            packed = report_rows([StoredReport._make((*row[:5], NO_CELL)) for row in rows if row[5] == delivery])
            add_segments(session, self._plan, slot, packed.scrubbed() if self._scrub else packed, delivery)
        session.run(f"DELETE FROM reports WHERE {OF_SLOT} AND home <= ?", self._plan, slot, self._after)
        return len(rows)

    def _prune_draws(self, session: Session, done: Compacted) -> None:
        """Forget all draws of some homes up to the last published slot but the last of each."""
        columns = "published, draws_pruned, draws_swept, next_home"
        ((published, pruned, swept, homes),) = session.all(f"SELECT {columns} FROM plans WHERE plan = ?", self._plan)
        if pruned >= published:
            return
        end = (
            swept + STEP_HOMES
            if first_row(session, "SELECT 1 FROM draws WHERE plan = ? LIMIT 1", self._plan)
            else homes
        )
        done.draws, done.homes = session.run(PRUNE, self._plan, swept, end, published), max(1, end - swept)
        pruned, swept = (published, 0) if end >= homes else (pruned, end)
        statement = "UPDATE plans SET draws_pruned = ?, draws_swept = ? WHERE plan = ?"
        session.run(statement, pruned, swept, self._plan)


def compact(database: Database, plan: int, scrub: bool, stopped: Callable[[], bool] = lambda: False) -> Compacted:
    """Pack all that is published of a plan, and give back the space that it took; a service may run beside it.

    It ends early when it is `stopped`, and goes on the next time.
    """
    total, work = Compacted(), Compaction(plan, scrub)
    while not stopped() and (done := _committed_step(database, work)):
        total.add(done)
        time.sleep(PAUSE_SECONDS)
    give_back(database, plan, total)
    return total


def _committed_step(database: Database, work: Compaction) -> Compacted:
    with database.writing() as session:
        return work.step(session)


def give_back(database: Database, plan: int, done: Compacted) -> None:
    """Let others use the space that compaction has freed, also what another left that was killed."""
    for slot in sorted(done.slots):
        database.vacuum_slot(plan, slot)
    database.drop_empty_partitions(plan)
