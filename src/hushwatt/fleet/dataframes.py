"""From a data frame of readings to a table of estimates, without files of one's own.

Frames of pandas, polars and pyarrow are all welcome, and so is the path of a file or a folder.  What is given
is what comes back; for a path it is a pyarrow table.
"""

import warnings
from os import PathLike, fspath
from typing import Any, TypeVar, overload

import pyarrow as pa
import pyarrow.compute as pc

from hushwatt.errors import UsageError
from hushwatt.fleet.dataframe_kinds import FilePath, Frame, from_arrow, library_of, to_arrow
from hushwatt.fleet.randomise import randomise_table
from hushwatt.fleet.result import Result
from hushwatt.plan.plan import Plan
from hushwatt.provider.estimate.estimate import estimate as estimated
from hushwatt.provider.tally.engines import tally_reports
from hushwatt.provider.tally.engines.embedded import tally_sources
from hushwatt.provider.tally.label_table import LabelTable, read_labels
from hushwatt.provider.tally.tally import Tallies
from hushwatt.wire.reports.report_table import ReportTable
from hushwatt.wire.reports.schema import HOMES, PLAN
from hushwatt.wire.storage import location

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
    table = location(readings) if isinstance(readings, str | PathLike) else to_arrow(readings)
    reports, done = randomise_table(plan, table, seed=seed)
    for line in done.lines()[1:]:
        warnings.warn(line, stacklevel=2)
    return from_arrow(library_of(readings), reports)


@overload
def estimate(
    plan: Plan,
    reports: FilePath,
    *,
    consistency: str = "norm-sub",
    smooth: bool = False,
    homes: int | None = None,
    labels: Frame | None = None,
) -> Result[pa.Table]: ...


@overload
def estimate(
    plan: Plan,
    reports: F,
    *,
    consistency: str = "norm-sub",
    smooth: bool = False,
    homes: int | None = None,
    labels: Frame | None = None,
) -> Result[F]: ...


def estimate(
    plan: Plan,
    reports: Frame,
    *,
    consistency: str = "norm-sub",
    smooth: bool = False,
    homes: int | None = None,
    labels: Frame | None = None,
) -> Result[Any]:
    """What `reports` say about all homes, every number with its uncertainty.

    `homes` is how many take part.  Files, and the pyarrow tables and pandas frames of `randomise`, know it;
    for other frames it is the number of homes that sent a report.  `labels` is what is known of them anyway: a column
    `household`, and one for each label.

    >>> import hushwatt
    >>> plan = hushwatt.preset("advised")
    >>> readings = hushwatt.simulate("ideal", plan, homes=1000, slots=30, seed=1)
    >>> answer = hushwatt.estimate(plan, hushwatt.randomise(plan, readings, seed=2))
    >>> answer.top[0], answer.period.num_rows
    ('fridge_freezer', 15)
    """
    _check_plan(plan)
    tallies = _tallies(plan, reports, homes, None if labels is None else _label_table(labels))
    estimates = estimated(plan, tallies, consistency=consistency, smooth=smooth)
    return Result(estimates, library_of(reports), tallies)


def _check_plan(plan: Plan) -> None:
    if not isinstance(plan, Plan):
        raise UsageError(f"the plan is a {type(plan).__name__}; hushwatt.Plan.load(path) reads one from a file")


def _label_table(labels: Frame) -> LabelTable:
    return read_labels(fspath(labels)) if isinstance(labels, str | PathLike) else LabelTable.of(to_arrow(labels))


def _tallies(plan: Plan, reports: Frame, homes: int | None, labels: LabelTable | None) -> Tallies:
    if not isinstance(reports, str | PathLike):
        return tally_sources(plan, [ReportTable(plan, _labelled(plan, to_arrow(reports), homes))], labels)
    if homes is not None:
        raise UsageError("a file of reports says itself how many homes there are; leave homes out")
    return tally_reports(plan, fspath(reports), labels)


def _labelled(plan: Plan, table: pa.Table, homes: int | None) -> pa.Table:
    """The reports with the plan's id and the number of homes, which a data frame may have dropped."""
    labels = table.schema.metadata or {}
    if "household" not in table.column_names:
        return table
    present = pc.count_distinct(table["household"].cast(pa.string())).as_py()
    count = int(labels.get(HOMES, present)) if homes is None else homes
    if count < present:
        raise UsageError(f"homes is {count}, but {present} homes sent reports")
    return table.replace_schema_metadata({**labels, PLAN: labels.get(PLAN, plan.id), HOMES: str(count)})
