"""Tallies as Arrow batches that travel from worker to worker, and what must be known beside them."""

import pickle
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hushwatt.provider.tally.tally import Tallies, Tally, TallyKey
from hushwatt.wire.reports.order import KeyRange

NOTE = -1  # in place of a slot: the row is a note
NUMBERS = (*TallyKey._fields, "rows")
LISTS = ("reports", "counts")
PARCEL = pa.schema(
    [*((name, pa.int64()) for name in NUMBERS), *((name, pa.binary()) for name in (*LISTS, "note"))]
)


@dataclass
class Note:
    """What is to be known about some reports beside what they add up to."""

    repeats: int = 0  # reports that were there again
    spans: list[KeyRange] = field(default_factory=list)  # where they lie in the order of all
    ordered: bool = True  # were they in order
    refused: Counter[str] = field(default_factory=Counter)  # reports that are not counted, by reason


def packed(tallies: Tallies, *notes: Note) -> pa.RecordBatch:
    """Tallies and notes, a row each."""
    rows: list[dict[str, Any]] = [
        {
            **key._asdict(),
            "rows": tally.rows,
            **{name: getattr(tally, name).astype("<i8").tobytes() for name in LISTS},
        }
        for key, tally in tallies.groups.items()
    ]
    rows += [{"slot": NOTE, "note": pickle.dumps(note)} for note in notes]
    return pa.RecordBatch.from_pylist(rows, schema=PARCEL)


def unpacked(rows: Iterable[dict[str, Any]]) -> tuple[Tallies, list[Note]]:
    """The tallies and the notes again."""
    tallies, notes = Tallies(0, {}), []
    for row in rows:
        if row["slot"] == NOTE:
            notes.append(pickle.loads(row["note"]))
        else:
            key = TallyKey(*(row[name] for name in TallyKey._fields))
            tallies.add(key, Tally(row["rows"], *(_numbers(row[name]) for name in LISTS)))
    return tallies, notes


def _numbers(content: bytes) -> NDArray[np.int64]:
    return np.frombuffer(content, dtype="<i8").astype(np.int64)
