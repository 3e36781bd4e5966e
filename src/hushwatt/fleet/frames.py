"""From a data frame of readings to a table of estimates, without files of one's own.

Frames of pandas, polars and pyarrow are all welcome: whatever Arrow can take.
"""

from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from hushwatt.errors import UsageError
from hushwatt.fleet.randomise import randomise_file
from hushwatt.plan.plan import Plan
from hushwatt.provider.document import document
from hushwatt.provider.estimate import estimate as estimated
from hushwatt.provider.export import tidy
from hushwatt.provider.results import Estimates
from hushwatt.provider.tally import tally_reports
from hushwatt.wire.report_schema import HOMES, PLAN

Frame = Any  # a pyarrow table, a pandas or polars data frame, or the path of a file or folder


@dataclass(frozen=True)
class Answer:
    """What the reports say: `top`, `period` and `slots` as tables, `json` as everything at once."""

    estimates: Estimates

    @property
    def top(self) -> list[str]:
        """The appliances, those with the most watts first."""
        return list(self.estimates.top)

    @property
    def period(self) -> pa.Table:
        """A row for each appliance: its mean watts, share and rank over all slots, with 95 % limits."""
        rows = []
        for name, found in self.json["appliances"].items():
            found = found or {}
            limits = {"watts": "ci95", "share": "share_ci95", "rank": "rank_ci95"}
            row = {"appliance": name, "mean_watts": found.get("mean_watts"), "se": found.get("mean_watts_se")}
            row |= {key: found.get(key) for key in ("share", "rank")}
            for column, key in limits.items():
                row[f"{column}_low"], row[f"{column}_high"] = found.get(key, (None, None))
            rows.append(row)
        return pa.Table.from_pylist(rows)

    @property
    def slots(self) -> pa.Table:
        """A row for each slot, appliance and level: how many homes, and how sure."""
        return tidy(self.estimates)

    @property
    def json(self) -> dict[str, Any]:
        """The document that `hushwatt estimate --json` prints."""
        return document(self.estimates)


def randomise(plan: Plan, readings: Frame, *, seed: int | None = None) -> pa.Table:
    """The reports of all homes in `readings`: household, time, appliance, watts.

    With a seed it is a repeatable simulation; without, the randomness is the system's.
    """
    with TemporaryDirectory() as folder:
        path = _as_file(readings, Path(folder) / "readings.parquet")
        randomise_file(plan, path, Path(folder) / "reports.parquet", seed=seed)
        return pq.read_table(Path(folder) / "reports.parquet", memory_map=False)


def estimate(plan: Plan, reports: Frame, *, consistency: str = "norm-sub", smooth: bool = False) -> Answer:
    """What `reports` say about all homes, every number with its uncertainty."""
    with TemporaryDirectory() as folder:
        labelled = reports if isinstance(reports, str | PathLike) else _labelled(plan, _table(reports))
        tallies = tally_reports(plan, _as_file(labelled, Path(folder) / "reports.parquet"))
    return Answer(estimated(plan, tallies, consistency=consistency, smooth=smooth))


def _as_file(frame: Frame, path: Path) -> Path:
    """The path of a file that holds the frame; a path stays as it is."""
    if isinstance(frame, str | PathLike):
        return Path(frame)
    pq.write_table(_table(frame), path)
    return path


def _labelled(plan: Plan, reports: pa.Table) -> pa.Table:
    """The reports with the plan's id and the number of homes, which a data frame may have dropped."""
    told = reports.schema.metadata or {}
    if PLAN in told or "household" not in reports.column_names:
        return reports
    homes = pc.count_distinct(reports["household"].cast(pa.string())).as_py()
    return reports.replace_schema_metadata({PLAN: plan.id, HOMES: str(homes)})


def _table(frame: Frame) -> pa.Table:
    if isinstance(frame, pa.Table):
        return frame
    try:
        return pa.table(frame)
    except (TypeError, pa.ArrowException) as wrong:
        raise UsageError(
            f"a {type(frame).__name__} is no table; "
            "give a pyarrow table, a pandas or polars data frame, or a path"
        ) from wrong
