"""The reports of a slot, in rows and in segments alike: found, added, changed, taken out."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hushwatt.provider.store.reports.segments import (
    add_segments,
    all_segments,
    find_in_segments,
    put_segment,
    segment_homes,
    segments_with,
)
from hushwatt.provider.store.session import HomeNumbers, ReportRows, Session, StoredReport, places_among

TOGETHER = 512  # reports of a slot that come together are a segment; fewer get rows of their own
BATCH_ROWS = 1 << 15  # rows read at a time
OF_SLOT = "plan = ? AND slot = ?"
ROWS = "SELECT reports.home, spent, drawn, as_of, payload, cell FROM reports JOIN devices USING (plan, home)"


def find_reports(session: Session, plan: int, slot: int, homes: HomeNumbers) -> NDArray[np.bool_]:
    """Which of these homes, ascending, have a report in a slot.

    Homes mostly come in the same order in every slot, so that none above the highest needs to be looked for.
    """
    found = np.zeros(len(homes), dtype=bool)
    in_rows, in_segments = _highest_homes(session, plan, slot)
    if below := _up_to(homes, in_rows):
        found[:below] |= session.find_reports(plan, slot, homes[:below])
    if below := _up_to(homes, in_segments):
        found[:below] |= find_in_segments(session, plan, slot, homes[:below])
    return found


def _highest_homes(session: Session, plan: int, slot: int) -> tuple[int | None, int | None]:
    """The highest home of a slot that has a row, and the highest in a segment."""
    columns = (
        f"(SELECT max(home) FROM reports WHERE {OF_SLOT})",
        f"(SELECT max(last_home) FROM segments WHERE {OF_SLOT})",
    )
    ((in_rows, in_segments),) = session.all(f"SELECT {', '.join(columns)}", *(plan, slot) * 2)
    return in_rows, in_segments


def _up_to(homes: HomeNumbers, highest: int | None) -> int:
    """How many of some homes are up to the highest; none where there is none."""
    return 0 if highest is None else int(np.searchsorted(homes, highest, side="right"))


def add_reports(session: Session, plan: int, slot: int, reports: ReportRows, delivery: int = 0) -> int:
    """Keep the reports of homes, ascending, that have none in the slot: the first write wins; how many.

    Who adds has looked already; this looks once more, as a segment cannot refuse a home that another has.
    """
    new = reports.taken(~find_reports(session, plan, slot, reports.homes))
    if len(new) >= TOGETHER:
        add_segments(session, plan, slot, new, delivery)
        return len(new)
    session.make_partition("reports", plan, slot)
    return session.add_reports(plan, slot, new, delivery)


def reports_of(session: Session, plan: int, slot: int, homes: HomeNumbers) -> list[StoredReport]:
    """What is kept of these homes, ascending, in a slot."""
    reports = session.reports_of(plan, slot, homes)
    for segment in segments_with(session, plan, slot, homes):
        _, asked = places_among(homes, segment.reports.homes)
        reports += _one_by_one(session, plan, segment.reports.taken(asked))
    return reports


def _one_by_one(session: Session, plan: int, reports: ReportRows) -> list[StoredReport]:
    numbers = (reports.homes, reports.spent, reports.drawn, reports.as_of)
    payloads = [row.tobytes() for row in reports.payloads]
    cells = session.home_cells(plan, reports.homes).tolist()
    return [StoredReport(*row) for row in zip(*(each.tolist() for each in numbers), payloads, cells, strict=True)]


def remove_reports(session: Session, plan: int, slot: int, homes: HomeNumbers) -> int:
    """Take the reports of these homes, ascending, out of a slot; how many there were."""
    rows = [(plan, slot, home) for home in homes.tolist()]
    removed = session.run_each(f"DELETE FROM reports WHERE {OF_SLOT} AND home = ?", rows)
    for segment in segments_with(session, plan, slot, homes):
        _, going = places_among(homes, segment.reports.homes)
        if going.any():
            put_segment(session, plan, slot, segment, segment.reports.taken(~going))
            removed += int(going.sum())
    return removed


def set_drawn_in(session: Session, plan: int, slot: int, homes: HomeNumbers, as_of: HomeNumbers) -> None:
    """Note in which slots the reports of these homes, ascending, were drawn."""
    rows = [(when, plan, slot, home) for home, when in zip(homes.tolist(), as_of.tolist(), strict=True)]
    session.run_each(f"UPDATE reports SET as_of = ? WHERE {OF_SLOT} AND home = ?", rows)
    for segment in segments_with(session, plan, slot, homes):
        places, named = places_among(homes, segment.reports.homes)
        drawn_in = segment.reports.as_of.copy()
        drawn_in[named] = as_of[places[named]]
        put_segment(session, plan, slot, segment, replace(segment.reports, as_of=drawn_in))


def count_reports(session: Session, plan: int, slot: int) -> int:
    """How many reports a slot has."""
    ((count,),) = session.all(
        f"SELECT (SELECT count(*) FROM reports WHERE {OF_SLOT}) + "
        f"(SELECT coalesce(sum(reports), 0) FROM segments WHERE {OF_SLOT})",
        *(plan, slot) * 2,
    )
    return int(count)


def has_reports(session: Session, plan: int) -> bool:
    """Whether there is any report of a plan."""
    statement = "SELECT 1 WHERE EXISTS (SELECT 1 FROM {} WHERE plan = ?)"
    return any(session.all(statement.format(table), plan) for table in ("reports", "segments"))


def drop_reports(session: Session, plan: int, slot: int) -> int:
    """Take all reports of a slot out; how many there were."""
    count = count_reports(session, plan, slot)
    for table in ("reports", "segments"):
        session.run(f"DELETE FROM {table} WHERE {OF_SLOT}", plan, slot)
    return count


def count_brought(session: Session, plan: int, delivery: int, until: int) -> tuple[int, int]:
    """How many reports a delivery has brought that are in the slots up to one, and how many in all."""
    counts = np.zeros(2, dtype=np.int64)
    for table, one in (("reports", "1"), ("segments", "reports")):
        columns = f"coalesce(sum(CASE WHEN slot <= ? THEN {one} ELSE 0 END), 0), coalesce(sum({one}), 0)"
        rows = session.all(f"SELECT {columns} FROM {table} WHERE plan = ? AND delivery = ?", until, plan, delivery)
        counts += np.array([int(each) for each in rows[0]])
    return int(counts[0]), int(counts[1])


def take_out_brought(session: Session, plan: int, slot: int, delivery: int) -> Iterator[list[StoredReport]]:
    """The reports of a slot that a delivery brought, a part at a time; each part is gone before the next."""
    select = f"{ROWS} WHERE {OF_SLOT} AND reports.delivery = ? ORDER BY home LIMIT ?"
    delete = f"DELETE FROM reports WHERE {OF_SLOT} AND delivery = ? AND home <= ?"
    while rows := session.all(select, plan, slot, delivery, BATCH_ROWS):
        yield [StoredReport(*row) for row in rows]
        session.run(delete, plan, slot, delivery, rows[-1][0])
    for segment in all_segments(session, plan, slot, delivery):
        yield _one_by_one(session, plan, segment.reports)
        put_segment(session, plan, slot, segment, segment.reports.taken(slice(0)))


def unreported(session: Session, plan: int, slots: list[int], homes: HomeNumbers, of_files: bool) -> HomeNumbers:
    """Those of some homes, ascending, that have no report in these slots; or none that a file brought."""
    rows = f"SELECT DISTINCT home FROM reports WHERE plan = ?{' AND delivery > 0' if of_files else ''}"
    left = np.setdiff1d(homes, np.array(session.all(rows, plan), dtype=np.int64).ravel())
    for slot in slots:
        for part in segment_homes(session, plan, slot, of_files) if len(left) else ():
            places, known = places_among(left, part)
            left = np.delete(left, places[known])
    return left


def every_report(session: Session, plan: int, slot: int) -> Iterator[StoredReport]:
    """All reports of a slot, one by one."""
    for row in session.all(f"{ROWS} WHERE {OF_SLOT} ORDER BY home", plan, slot):
        yield StoredReport(*row)
    for segment in all_segments(session, plan, slot):
        yield from _one_by_one(session, plan, segment.reports)


def stored_payloads(session: Session, plan: int) -> list[tuple[bytes, int, bytes]]:
    """The device, the slot and the payload of every report of a plan."""
    names = session.all("SELECT home, device FROM devices WHERE plan = ?", plan)
    devices = {home: bytes(device) for home, device in names}
    return [
        (devices[each.home], slot, bytes(each.payload))
        for slot in stored_slots(session, plan)
        for each in every_report(session, plan, slot)
    ]


def stored_slots(session: Session, plan: int) -> list[int]:
    """The slots that have reports, ascending; whatever has been counted."""
    statement = "SELECT slot FROM reports WHERE plan = ? UNION SELECT slot FROM segments WHERE plan = ? ORDER BY slot"
    return [int(slot) for (slot,) in session.all(statement, plan, plan)]
