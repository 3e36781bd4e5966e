"""Segments: up to a thousand reports of a slot in one row of the database.

A row of its own costs a report five times its payload, most of it the database's book-keeping and index.  The homes of
different segments may interleave; no home is in two of a slot, which who adds has looked up.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hushwatt.provider.store.reports.segment_bytes import PackedReports, pack_reports, unpack_homes, unpack_reports
from hushwatt.provider.store.session import HomeNumbers, ReportRows, Session

SEGMENT_ROWS = 1_024  # reports in a segment, at most: one that is changed is written anew
SEGMENTS_AT_ONCE = 64  # segments fetched together
MARKED_HOMES = 1 << 26  # numbers of homes that have a mark at a time, a byte each
OF_SLOT = "FROM segments WHERE plan = ? AND slot = ?"
INSERT = (
    "INSERT INTO segments (plan, slot, first_home, last_home, reports, delivery, homes, amounts, payloads) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
)


@dataclass(frozen=True)
class Segment:
    """Some reports of a slot, as they lie together."""

    delivery: int  # that brought them; 0: none
    reports: ReportRows

    @property
    def first_home(self) -> int:
        return int(self.reports.homes[0])


def add_segments(session: Session, plan: int, slot: int, reports: ReportRows, delivery: int = 0) -> None:
    """Keep reports of homes that have none in the slot."""
    session.make_partition("segments", plan, slot)
    parts = np.array_split(np.arange(len(reports)), ceil(len(reports) / SEGMENT_ROWS))
    slices = (reports.taken(slice(part[0], part[-1] + 1)) for part in parts)
    session.run_each(INSERT, [_row(plan, slot, Segment(delivery, each)) for each in slices])


def _row(plan: int, slot: int, segment: Segment) -> tuple[Any, ...]:
    homes = segment.reports.homes
    ends = int(homes[0]), int(homes[-1])
    return plan, slot, *ends, len(homes), segment.delivery, *pack_reports(segment.reports)


def find_in_segments(session: Session, plan: int, slot: int, homes: HomeNumbers) -> NDArray[np.bool_]:
    """Which of these homes, ascending, have a report in a segment of a slot."""
    stretches = np.split(homes, np.flatnonzero(np.diff(homes // MARKED_HOMES)) + 1)
    return np.concatenate([_find_in_stretch(session, plan, slot, stretch) for stretch in stretches])


def _find_in_stretch(session: Session, plan: int, slot: int, homes: HomeNumbers) -> NDArray[np.bool_]:
    """The same of homes that are close together: whoever is heard gets a mark, and nothing is searched for."""
    if not len(homes):
        return np.zeros(0, dtype=bool)
    lowest, highest = int(homes[0]), int(homes[-1])
    heard = np.zeros(highest - lowest + 1, dtype=bool)
    for others in _fetched_homes(session, plan, slot, _first_homes(session, plan, slot, homes)):
        first, end = np.searchsorted(others, (lowest, highest + 1))
        heard[others[first:end] - lowest] = True
    return heard[homes - lowest]


def segments_with(session: Session, plan: int, slot: int, homes: HomeNumbers) -> Iterator[Segment]:
    """The segments of a slot that may have reports of these homes, ascending."""
    yield from _read(session, plan, slot, _first_homes(session, plan, slot, homes))


def all_segments(session: Session, plan: int, slot: int, delivery: int | None = None) -> Iterator[Segment]:
    """The segments of a slot; of one delivery alone, if one is named."""
    of_delivery, values = ("", ()) if delivery is None else (" AND delivery = ?", (delivery,))
    rows = session.all(f"SELECT first_home {OF_SLOT}{of_delivery} ORDER BY first_home", plan, slot, *values)
    yield from _read(session, plan, slot, [int(first_home) for (first_home,) in rows])


def segment_homes(session: Session, plan: int, slot: int, of_files: bool = False) -> Iterator[HomeNumbers]:
    """The homes of every segment of a slot; of those that files brought alone, if these are asked for."""
    brought = " AND delivery > 0" if of_files else ""
    rows = session.all(f"SELECT first_home {OF_SLOT}{brought}", plan, slot)
    yield from _fetched_homes(session, plan, slot, [int(row[0]) for row in rows])


def put_segment(session: Session, plan: int, slot: int, segment: Segment, reports: ReportRows) -> None:
    """Keep other reports in place of a segment's; it goes when there are none."""
    session.run(f"DELETE {OF_SLOT} AND first_home = ?", plan, slot, segment.first_home)
    if len(reports):
        session.run(INSERT, *_row(plan, slot, replace(segment, reports=reports)))


def _first_homes(session: Session, plan: int, slot: int, homes: HomeNumbers) -> list[int]:
    """By what the segments are known that may have reports of these homes, ascending."""
    if not len(homes):
        return []
    statement = f"SELECT first_home, last_home {OF_SLOT} AND first_home <= ? AND last_home >= ?"
    rows = session.all(statement, plan, slot, int(homes[-1]), int(homes[0]))
    first, last = np.array(rows, dtype=np.int64).reshape(-1, 2).T
    asked = np.searchsorted(homes, first) < np.searchsorted(homes, last, side="right")
    return [int(each) for each in first[asked]]


def _fetched_homes(session: Session, plan: int, slot: int, first_homes: Sequence[int]) -> Iterator[HomeNumbers]:
    """The homes of some segments, each segment's ascending; its payloads stay where they are."""
    for first_home, count, packed in _fetched(session, "first_home, reports, homes", plan, slot, first_homes):
        yield unpack_homes(packed, first_home, count)


def _read(session: Session, plan: int, slot: int, first_homes: Sequence[int]) -> Iterator[Segment]:
    columns = "first_home, delivery, reports, homes, amounts, payloads"
    for first_home, delivery, count, *packed in _fetched(session, columns, plan, slot, first_homes):
        yield Segment(int(delivery), unpack_reports(PackedReports(*packed), int(count), int(first_home)))


def _fetched(
    session: Session, columns: str, plan: int, slot: int, first_homes: Sequence[int]
) -> Iterator[tuple[Any, ...]]:
    """Some columns of segments, a few segments at a time."""
    for start in range(0, len(first_homes), SEGMENTS_AT_ONCE):
        part = first_homes[start : start + SEGMENTS_AT_ONCE]
        places = ", ".join("?" * len(part))
        yield from session.all(f"SELECT {columns} {OF_SLOT} AND first_home IN ({places})", plan, slot, *part)
