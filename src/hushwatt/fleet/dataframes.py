"""From a data frame of readings to a table of estimates, without files of one's own.

Frames of pandas, polars and pyarrow are all welcome, and so is the path of a file or a folder.  What is given
is what comes back; for a path it is a pyarrow table.
"""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar, overload

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from hushwatt.errors import ReadingsError, ReportError, UsageError
from hushwatt.fleet.dataframe_kinds import FilePath, Frame, from_arrow, library_of, to_arrow
from hushwatt.fleet.randomise import randomise_file
from hushwatt.fleet.result import Result
from hushwatt.plan.plan import Plan
from hushwatt.provider.estimate.estimate import estimate as estimated
from hushwatt.provider.tally.engines import tally_reports
from hushwatt.wire.reports.schema import HOMES, PLAN

F = TypeVar("F")


@overload
def randomise(plan: Plan, readings: FilePath, *, seed: int | None = None) -> pa.Table: ...


@overload
def randomise(plan: Plan, readings: F, *, seed: int | None = None) -> F: ...


def randomise(plan: Plan, readings: Frame, *, seed: int | None = None) -> Frame:
    """The reports of all homes in `readings`: household, time, appliance, watts.

    With a seed it is a repeatable simulation; without, the randomness is the system's.  Rows that the plan
    does not ask for are skipped, with a warning that counts them.

    >>> import hushwatt
    >>> plan = hushwatt.preset("advised")
    >>> readings = hushwatt.simulate("ideal", plan, homes=300, slots=3, seed=1)
    >>> hushwatt.randomise(plan, readings, seed=2).column_names
    ['household', 'slot', 'round', 'spent', 'drawn', 'payload']
    >>> type(hushwatt.randomise(plan, readings.to_pandas(), seed=2)).__name__
    'DataFrame'
    """
    _check_plan(plan)
    with _as_file(readings, "readings") as path, TemporaryDirectory() as folder:
        reports = Path(folder, "reports.parquet")
        done = randomise_file(plan, path, reports, seed=seed)
        for line in done.lines()[1:]:
            warnings.warn(line, stacklevel=2)
        return from_arrow(library_of(readings), pq.read_table(reports, memory_map=False))


@overload
def estimate(
    plan: Plan,
    reports: FilePath,
    *,
    consistency: str = "norm-sub",
    smooth: bool = False,
    homes: int | None = None,
) -> Result[pa.Table]: ...


@overload
def estimate(
    plan: Plan, reports: F, *, consistency: str = "norm-sub", smooth: bool = False, homes: int | None = None
) -> Result[F]: ...


def estimate(
    plan: Plan,
    reports: Frame,
    *,
    consistency: str = "norm-sub",
    smooth: bool = False,
    homes: int | None = None,
) -> Result[Any]:
    """What `reports` say about all homes, every number with its uncertainty.

    `homes` is how many take part.  Files, and the pyarrow tables and pandas frames of `randomise`, know it;
    for other frames it is the number of homes that sent a report.

    >>> import hushwatt
    >>> plan = hushwatt.preset("advised")
    >>> readings = hushwatt.simulate("ideal", plan, homes=1000, slots=30, seed=1)
    >>> answer = hushwatt.estimate(plan, hushwatt.randomise(plan, readings, seed=2))
    >>> answer.top[0], answer.period.num_rows
    ('fridge_freezer', 15)
    """
    _check_plan(plan)
    with _as_file(_labelled(plan, reports, homes), "reports") as path:
        tallies = tally_reports(plan, path)
    return Result(estimated(plan, tallies, consistency=consistency, smooth=smooth), kind=library_of(reports))


def _check_plan(plan: Plan) -> None:
    if not isinstance(plan, Plan):
        raise UsageError(
            f"the plan is a {type(plan).__name__}; hushwatt.Plan.load(path) reads one from a file"
        )


@contextmanager
def _as_file(frame: Frame, called: str) -> Iterator[Path]:
    """The path of a file that holds the frame, which errors do not name; a path stays as it is."""
    if isinstance(frame, str | PathLike):
        yield Path(frame)
        return
    with TemporaryDirectory() as folder:
        path = Path(folder, f"{called}.parquet")
        pq.write_table(to_arrow(frame), path)
        try:
            yield path
        except (ReadingsError, ReportError) as wrong:
            raise type(wrong)(str(wrong).replace(str(path), called)) from None


def _labelled(plan: Plan, reports: Frame, homes: int | None) -> Frame:
    """The reports with the plan's id and the number of homes, which a data frame may have dropped."""
    if isinstance(reports, str | PathLike):
        if homes is not None:
            raise UsageError("a file of reports says itself how many homes there are; leave homes out")
        return reports
    table = to_arrow(reports)
    told = table.schema.metadata or {}
    if "household" not in table.column_names:
        return table
    present = pc.count_distinct(table["household"].cast(pa.string())).as_py()
    count = int(told.get(HOMES, present)) if homes is None else homes
    if count < present:
        raise UsageError(f"homes is {count}, but {present} homes sent reports")
    return table.replace_schema_metadata({**told, PLAN: told.get(PLAN, plan.id), HOMES: str(count)})
