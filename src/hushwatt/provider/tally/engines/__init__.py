"""What adds reports up: this machine, or a Spark cluster.  One door, the same answer.

    engine("embedded").tallies(plan, "reports.parquet")
    engine("spark", master="spark://head:7077").tallies(plan, "s3a://meters/reports")

Both count every report once, the first one by the names of the files and then by
rows, and refuse the same files with the same words.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from hushwatt.errors import UsageError
from hushwatt.plan.plan import Plan
from hushwatt.provider.tally.tally import Tallies

if TYPE_CHECKING:
    from hushwatt.provider.tally.label_table import LabelTable
    from hushwatt.provider.tally.refused_reports import KeepRefused

ENGINES = ("embedded", "spark")
LOCAL_MASTER = "local[*]"  # Spark without a cluster, on all cores of this machine


class Engine(Protocol):
    """Adds up the reports of a path, and names those that are refused to whoever keeps them."""

    def tallies(
        self, plan: Plan, reports: str, labels: "LabelTable | None" = None, keep: "KeepRefused | None" = None
    ) -> Tallies: ...


def engine(name: str, *, master: str | None = None, settings: Mapping[str, str] | None = None) -> Engine:
    """The engine of this name; a master and settings are for Spark.

    >>> engine("embedded")
    EmbeddedEngine()
    """
    if name == "spark":
        from hushwatt.provider.tally.engines.spark import SparkEngine

        return SparkEngine(master or LOCAL_MASTER, dict(settings or {}))
    if name != "embedded":
        raise UsageError(f"there is no engine {name}; there are {', '.join(ENGINES)}")
    if master or settings:
        raise UsageError("a master and settings are for the engine spark")
    from hushwatt.provider.tally.engines.embedded import EmbeddedEngine

    return EmbeddedEngine()


def tally_reports(plan: Plan, path: str | Path, labels: "LabelTable | None" = None) -> Tallies:
    """The tallies of a file of reports, or of a folder of them, made on this machine."""
    return engine("embedded").tallies(plan, str(path), labels)
