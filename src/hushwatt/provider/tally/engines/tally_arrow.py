"""Tallies as Arrow batches that travel from worker to worker, with what must be known beside them."""

import pickle
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from hushwatt.provider.tally.tally import Tallies, Tally, TallyKey
from hushwatt.wire.reports.order import KeyRange

INFO_ROW = -1  # in place of a slot: the row is no tally
NUMBERS, LISTS = (*TallyKey._fields, "rows"), ("reports", "counts")
COLUMNS = (*NUMBERS, *LISTS)
TALLY_SCHEMA = pa.schema(
    [*((name, pa.int64()) for name in NUMBERS), *((name, pa.binary()) for name in (*LISTS, "info"))]
)


@dataclass
class PartitionInfo:
    """What is to be known about a partition's reports beside what they add up to."""

    repeats: int = 0  # reports that were there again
    spans: list[KeyRange] = field(default_factory=list)  # where they lie in the order of all
    ordered: bool = True  # were they in order
    refused: Counter[str] = field(default_factory=Counter)  # reports that are not counted, by reason


def encode_tallies(tallies: Tallies, *infos: PartitionInfo) -> pa.RecordBatch:
    """Tallies and infos, a row each."""
    rows: list[dict[str, Any]] = [
        dict(zip(COLUMNS, (*key, *tally.packed()), strict=True)) for key, tally in tallies.groups.items()
    ]
    rows += [{"slot": INFO_ROW, "info": pickle.dumps(info)} for info in infos]
    return pa.RecordBatch.from_pylist(rows, schema=TALLY_SCHEMA)


def decode_tallies(rows: Iterable[dict[str, Any]]) -> tuple[Tallies, list[PartitionInfo]]:
    """The tallies and the infos again."""
    tallies, infos = Tallies(0, {}), []
    for row in rows:
        if row["slot"] == INFO_ROW:
            infos.append(pickle.loads(row["info"]))
        else:
            key = TallyKey(*(row[name] for name in TallyKey._fields))
            tallies.add(key, Tally.unpacked(*(row[name] for name in ("rows", *LISTS))))
    return tallies, infos
