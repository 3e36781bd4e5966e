"""Read tables of reports, checking every row, slot by slot.

Tables in the right order stream.  Tables in any other order are read all the
same, and no report is counted twice.
"""

from collections.abc import Iterator
from itertools import accumulate
from os import PathLike
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hushwatt.ahead import ahead
from hushwatt.errors import ReportError
from hushwatt.plan.plan import Plan
from hushwatt.wire.report_file import ROWS, ReportFile
from hushwatt.wire.report_order import Places, ReportOrder, ascending_order
from hushwatt.wire.report_schema import ReportBatch

SUFFIXES = (".parquet", ".pq", ".parq")


def read_reports(plan: Plan, path: str | PathLike[str], size: int) -> Iterator[ReportBatch]:
    """The reports of a Parquet file, or of a folder of them, slots ascending.

    Within a slot they come as the files have them, normally by household.
    `size` is the bytes of one payload.  Whatever is wrong is a ReportError.
    """
    files = report_files(plan, Path(path))
    return _streamed(files, size) if _slots_ascend(files) else _sorted(files, size)


def homes_of(plan: Plan, path: str | PathLike[str]) -> int:
    """How many homes take part, as a file of reports says; in a folder, the most that one says."""
    return max(file.homes for file in report_files(plan, Path(path)))


def report_files(plan: Plan, path: Path) -> list[ReportFile]:
    """The files that a path means: itself, or every Parquet file in a folder but hidden ones, by name."""
    if path.is_file():
        return [ReportFile(plan, path)]
    if not path.is_dir():
        raise ReportError(f"{path}: there is no such file or folder")
    inside = [file.relative_to(path) for file in path.rglob("*") if file.suffix.lower() in SUFFIXES]
    shown = [name for name in sorted(inside) if not any(part.startswith(".") for part in name.parts)]
    if not shown:
        raise ReportError(f"{path}: there is no Parquet file in this folder")
    return [ReportFile(plan, path / name) for name in shown]


def _slots_ascend(files: list[ReportFile]) -> bool:
    """Does no slot come after a later one?  Only that column is read for it."""
    last = None
    for file in files:
        for batch in file.columns(("slot",)):
            slots = batch.column(0).drop_null().to_numpy()
            if len(slots):
                if (last is not None and slots[0] < last) or (slots[1:] < slots[:-1]).any():
                    return False
                last = slots[-1]
    return True


def _streamed(files: list[ReportFile], size: int) -> Iterator[ReportBatch]:
    order: ReportOrder | None = ReportOrder()
    for file in files:
        for batch in ahead(file.batches(size)):
            if order and order.first_break(_places(batch)) is not None:
                _whole_order(files, [_places(batch) for file in files for batch in file.batches(size)])
                order = None  # nothing is there twice
            yield batch


def _sorted(files: list[ReportFile], size: int) -> Iterator[ReportBatch]:
    """All reports held in memory, put into order."""
    batches = [batch for file in files for batch in file.batches(size)]
    order = _whole_order(files, [_places(batch) for batch in batches])
    households = pa.concat_arrays([batch.households for batch in batches])
    columns = [
        np.concatenate([getattr(batch, name) for batch in batches])
        for name in ("slot", "round", "spent", "drawn", "payloads")
    ]
    for start in range(0, len(order), ROWS):
        rows = order[start : start + ROWS]
        yield ReportBatch(households.take(pa.array(rows)), *(column[rows] for column in columns))


def _whole_order(files: list[ReportFile], parts: list[Places]) -> NDArray[np.intp]:
    """The order that all reports should have; refuses one that is there twice."""
    households = pa.concat_arrays([part[0] for part in parts])
    slots, rounds = (np.concatenate([part[place] for part in parts]) for place in (1, 2))
    order = ascending_order((households, slots, rounds))
    twice = ReportOrder().first_break((households.take(pa.array(order)), slots[order], rounds[order]))
    if twice is not None:
        raise _twice(files, *sorted((int(order[twice - 1]), int(order[twice]))))
    return order


def _places(batch: ReportBatch) -> Places:
    return batch.households, batch.slot, batch.round


def _twice(files: list[ReportFile], first: int, second: int) -> ReportError:
    file, row = _found(files, second)
    other, earlier = _found(files, first)
    where = f"row {earlier + 1}" if other is file else f"row {earlier + 1} of {other.path}"
    return file.refusal(row, f"the same household, slot and round as {where}")


def _found(files: list[ReportFile], row: int) -> tuple[ReportFile, int]:
    """The file of a row that is counted through all files, and the row in it."""
    ends = list(accumulate(file.rows for file in files))
    place = next(place for place, end in enumerate(ends) if row < end)
    return files[place], row - ends[place] + files[place].rows
