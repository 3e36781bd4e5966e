"""A slot's reports in the order of their devices: the order in which files name homes.

Homes are numbered as they come and devices are random, so a slot is gone through once for each stretch of devices; what
is held at a time does not grow with the slot.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from hushwatt.provider.store.reports.segments import all_segments
from hushwatt.provider.store.reports.stored import count_reports
from hushwatt.provider.store.session import (
    HomeNumbers,
    ReportRows,
    Rows,
    Session,
    device_rows,
    joined_rows,
    places_among,
    report_rows,
)
from hushwatt.wire.record import DEVICE_BYTES

HELD_REPORTS = 1 << 19  # reports held at a time, about
DEVICES = "SELECT device, home FROM devices WHERE plan = ? AND device >= ? AND device <= ? ORDER BY device"


class ReportsByDevice(NamedTuple):
    """Reports of one slot, devices ascending."""

    devices: Rows
    reports: ReportRows


def reports_by_device(session: Session, plan: int, slot: int) -> Iterator[ReportsByDevice]:
    """All that is kept of a slot, a stretch of devices at a time."""
    for first, last in _stretches(-(-count_reports(session, plan, slot) // HELD_REPORTS)):
        rows = session.all(DEVICES, plan, first, last)
        devices, homes = device_rows(b"".join(device for device, _ in rows)), [home for _, home in rows]
        reports, places = _of_homes(session, plan, slot, np.array(homes, dtype=np.int64))
        if len(reports):
            yield ReportsByDevice(devices[places], reports)


def _stretches(count: int) -> Iterator[tuple[bytes, bytes]]:
    """The first and the last device of each of some stretches of like length.

    >>> [(first[0], last[0]) for first, last in _stretches(2)]
    [(0, 127), (128, 255)]
    """
    devices = 1 << 8 * DEVICE_BYTES
    for part in range(count):
        first, end = devices * part // count, devices * (part + 1) // count
        yield first.to_bytes(DEVICE_BYTES), (end - 1).to_bytes(DEVICE_BYTES)


def _of_homes(session: Session, plan: int, slot: int, homes: HomeNumbers) -> tuple[ReportRows, HomeNumbers]:
    """The reports of some homes, in the order of these, and the places of those that have one."""
    ranks = np.argsort(homes)
    ascending = homes[ranks]
    parts = [report_rows(session.reports_of(plan, slot, ascending))]
    for segment in all_segments(session, plan, slot):
        _, asked = places_among(ascending, segment.reports.homes)
        parts.append(segment.reports.taken(asked))
    reports = joined_rows(parts)
    places = ranks[np.searchsorted(ascending, reports.homes)]
    return reports.taken(np.argsort(places)), np.sort(places)
