"""Reports to put into a store, and what is in it."""

import numpy as np

from hushwatt.provider.store.reports.segments import all_segments
from hushwatt.provider.store.session import ReportRows

SIZE = 4  # bytes of a payload


def report_rows_of(homes, spent=5, drawn=5, as_of=0):
    """Reports of some homes; the payload tells whose each is."""
    homes = np.asarray(homes, dtype=np.int64)
    one = np.ones(len(homes), dtype=np.int64)
    payloads = (homes[:, None] + np.arange(SIZE)).astype(np.uint8)
    return ReportRows(homes, spent * one, drawn * one, as_of * one, payloads)


def plainly(reports):
    """Columns that can be compared."""
    return {name: column.tolist() for name, column in vars(reports).items()}


def where_they_lie(session, plan, slot):
    """The homes of a slot that have rows, and those of each segment."""
    rows = session.all("SELECT home FROM reports WHERE plan = ? AND slot = ? ORDER BY home", plan, slot)
    return [home for (home,) in rows], [each.reports.homes.tolist() for each in all_segments(session, plan, slot)]
