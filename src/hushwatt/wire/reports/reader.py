"""Read tables of reports, checking every row, slot by slot, each report once.

A report that is there again is left out: the first one counts, by the names of
the files and then by rows.  Tables in the right order stream.  Tables in any
other order go through a place on disk, and are read all the same.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from os import PathLike
from pathlib import PurePath
from typing import TypeVar

from hushwatt.errors import ReportError
from hushwatt.parallel import map_ordered, prefetch
from hushwatt.plan.plan import Plan
from hushwatt.wire.reports.external_sort import ExternalSort, slot_counts
from hushwatt.wire.reports.order import KeyRange, ReportOrder, SortKey, key_at
from hushwatt.wire.reports.refused_files import RefusedFile, without_refused
from hushwatt.wire.reports.report_file import ReportFile, RowGroups
from hushwatt.wire.reports.rows import unchecked_keys
from hushwatt.wire.reports.schema import ReportBatch
from hushwatt.wire.storage.location import Location, absence, inside, location

SUFFIXES = (".parquet", ".pq", ".parq")
KEYS = ("household", "slot", "round")

Name = TypeVar("Name", bound=PurePath)
OnRepeats = Callable[[int], None]  # told how many reports were left out


def read_reports(
    plan: Plan, path: str | PathLike[str] | Location, size: int, on_repeats: OnRepeats = lambda repeats: None
) -> Iterator[ReportBatch]:
    """The reports of a Parquet file, or of a folder of them, slots ascending, each once.

    `size` is the bytes of one payload; `on_repeats` hears of reports that are left out because
    the same household, slot and round was there before.  Whatever is wrong is a ReportError.
    """
    row_groups = [row_group for file in report_files(plan, location(path)) for row_group in file.row_groups()]
    return read_row_groups(row_groups, size, on_repeats)


def read_row_groups(
    row_groups: list[RowGroups], size: int, on_repeats: OnRepeats = lambda repeats: None
) -> Iterator[ReportBatch]:
    """The reports of some row groups, slots ascending, each once."""
    if is_sorted(row_groups):
        return _read_streamed(row_groups, size, on_repeats)
    return _read_sorted(row_groups, size, on_repeats)


def homes_of(plan: Plan, path: str | PathLike[str] | Location) -> int:
    """How many homes take part, as a file of reports says; in a folder, the most that one says."""
    return max(file.homes for file in report_files(plan, location(path)))


def report_files(plan: Plan, path: Location, refused: list[RefusedFile] | None = None) -> list[ReportFile]:
    """The files that a path means; those that are no files of reports go to `refused`, when there is such a list."""
    return without_refused(report_paths(path), lambda file: ReportFile(plan, file), refused)


def report_paths(path: Location) -> list[Location]:
    """The files that a path means: itself, or every Parquet file in a folder but hidden ones, by name.

    Names that begin with . or _ are hidden, as they are for other programs that read Parquet.
    """
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise ReportError(f"{path}: {absence(path)}")
    names = parquet_names(str(path), inside(path))
    return [path / name for name in names]


def parquet_names(folder: str, inside: Sequence[Name]) -> list[Name]:
    """The Parquet files among the names in a folder, but hidden ones, in their order."""
    names = [name for name in sorted(inside) if name.suffix.lower() in SUFFIXES]
    shown = [name for name in names if not any(part.startswith((".", "_")) for part in name.parts)]
    if not shown:
        raise ReportError(f"{folder}: there is no Parquet file in this folder")
    return shown


def is_sorted(row_groups: list[RowGroups]) -> bool:
    """Is no report below one before it?  Only the columns that tell are read for it."""
    last: SortKey | None = None
    for ends in map_ordered(_end_keys, row_groups):
        if ends is None or (last is not None and ends[0] < last):
            return False
        last = ends[1]
    return True


def spill_reports(row_groups: list[RowGroups], size: int) -> ExternalSort:
    """The reports of these pieces, dealt into buckets; whoever asks for it closes it."""
    slots = (batch.column(0) for group in row_groups for batch in group.file.columns(("slot",), group.groups))
    spill = ExternalSort(slot_counts(column.drop_null().to_numpy() for column in slots), size)

    def add(index: int) -> None:
        for number, batch in enumerate(row_groups[index].batches(size)):
            spill.add(index << 32 | number, batch)

    try:
        for _ in map_ordered(add, range(len(row_groups))):
            pass
    except BaseException:
        spill.close()
        raise
    return spill


def _end_keys(row_group: RowGroups) -> KeyRange | None:
    """The first and the last report of a piece; None when they are not in order."""
    order, ends = ReportOrder(), []
    for batch in row_group.file.columns(KEYS, row_group.groups):
        keys = unchecked_keys(batch)
        if keys is None or order.repeats(keys) is None:
            return None
        ends += [key_at(keys, row) for row in (0, -1)] if len(keys[1]) else []
    return ends[0], ends[-1]


def _read_streamed(row_groups: list[RowGroups], size: int, on_repeats: OnRepeats) -> Iterator[ReportBatch]:
    order = ReportOrder()
    for batch in prefetch(batch for row_group in row_groups for batch in row_group.batches(size)):
        again = order.repeats(batch.keys)
        assert again is not None, "it was in order a moment ago"
        on_repeats(int(again.sum()))
        yield batch.without(again)


def _read_sorted(row_groups: list[RowGroups], size: int, on_repeats: OnRepeats) -> Iterator[ReportBatch]:
    with closing(spill_reports(row_groups, size)) as spill:
        for batch, repeats in prefetch(map(spill.bucket, spill.buckets())):
            on_repeats(repeats)
            yield batch
