"""Arrow batches of reports in, those that are refused out: plain functions that any engine can host."""

import pickle
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from hushwatt.plan.plan import Plan
from hushwatt.provider.tally.engines.arrow_tally import Batches, checked
from hushwatt.provider.tally.refused_reports import (
    SuspectRows,
    Suspects,
    judged_in_order,
    suspects_in_order,
    suspects_of,
    verdicts_on,
)
from hushwatt.wire.reports.order import ReportOrder
from hushwatt.wire.reports.schema import REPORT_SCHEMA, ReportBatch

SUSPECT_COLUMNS = (
    "household string, slot int, round tinyint, spent bigint, drawn bigint, payload binary, "
    "folded string, row bigint, verdict tinyint"
)
PLACES = ("folded", "row")


def suspects_in_partition(plan: Plan, batches: Batches) -> Batches:
    """Who is refused; where earlier reports tell, all those of some homes, sorted as for a tally."""
    reports = checked(plan, batches)
    found = suspects_in_order(plan, _once(reports)) if judged_in_order(plan) else suspects_of(plan, reports)
    yield pa.RecordBatch.from_pydict({"suspects": [pickle.dumps((found.hashes, found.verdicts))]})


def decode_suspects(packed: bytes) -> Suspects:
    """What a partition found."""
    return Suspects(*pickle.loads(packed))


def rows_of_suspects(plan: Plan, suspects: Suspects, batches: Batches) -> Batches:
    """The reports that are among the suspects, with where they stand and what is said of each."""
    for batch in batches:
        (reports,) = checked(plan, iter([batch]))
        rows = np.flatnonzero(suspects.places(reports) >= 0)
        if len(rows):
            suspected = reports.taken(rows)
            numbers = [pa.array(getattr(suspected, name)) for name in ("slot", "round", "spent", "drawn")]
            payloads = pa.array([row.tobytes() for row in suspected.payloads], pa.binary())
            places = [batch.column(name).take(pa.array(rows)) for name in PLACES]
            verdicts = pa.array(verdicts_on(plan, suspects, suspected))
            columns = [suspected.households, *numbers, payloads, *places, verdicts]
            yield pa.RecordBatch.from_arrays(columns, [*REPORT_SCHEMA.names, *PLACES, "verdict"])


def suspect_rows_of(file: str, rows: Sequence[Any]) -> SuspectRows:
    """Such rows of one file, as an engine hands them out one by one."""
    columns = {name: [row[name] for row in rows] for name in (*REPORT_SCHEMA.names, "row", "verdict")}
    payloads = np.frombuffer(b"".join(columns["payload"]), np.uint8).reshape(len(rows), -1)
    batch = ReportBatch(
        pa.array(columns["household"], pa.string()),
        np.array(columns["slot"], np.int32),
        np.array(columns["round"], np.int8),
        np.array(columns["spent"], np.int64),
        np.array(columns["drawn"], np.int64),
        payloads,
    )
    return SuspectRows(file, np.array(columns["row"], np.intp), batch, np.array(columns["verdict"], np.int8))


def _once(batches: Iterator[ReportBatch]) -> Iterator[ReportBatch]:
    """Sorted reports, the first of each household, slot and round."""
    order = ReportOrder()
    for batch in batches:
        again = order.repeats(batch.keys)
        assert again is not None, "they are sorted"
        yield batch.without(again)
