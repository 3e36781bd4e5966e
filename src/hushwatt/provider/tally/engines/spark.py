"""Reports added up on a Spark cluster, for archives that outgrow a machine.

Files that a path names are read by the workers themselves (`spark_pieces`).  Files that only Spark's own file systems
reach are read by Spark, row by row (`spark_rows`).  Either way every part is tallied where it is read first.  When
parts are in order and do not overlap, no report can be there twice, and that is all.  Else, and where homes decide for
themselves, take turns or walk orders, the reports of a home are brought together, sorted, and tallied with each report
once.  Spark starts again what a lost worker did.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from hushwatt.plan.plan import Plan
from hushwatt.provider.tally.engines import spark_pieces, spark_rows
from hushwatt.provider.tally.engines.embedded import first_fault
from hushwatt.provider.tally.engines.sound_files import tally_sound
from hushwatt.provider.tally.engines.spark_errors import explain_error
from hushwatt.provider.tally.engines.spark_files import SparkFile, is_address, spark_files
from hushwatt.provider.tally.engines.spark_session import spark_session
from hushwatt.provider.tally.label_table import LabelTable
from hushwatt.provider.tally.refused_reports import KeepRefused, RefusedReports
from hushwatt.provider.tally.tally import Tallies, finish_tallies
from hushwatt.wire.reports.refused_files import RefusedFile


@dataclass(frozen=True)
class SparkEngine:
    """A Spark cluster, or Spark on this machine."""

    master: str
    settings: dict[str, str]

    def tallies(
        self, plan: Plan, reports: str, labels: LabelTable | None = None, keep: KeepRefused | None = None
    ) -> Tallies:
        """What the reports of a file, or of a folder of them, add up to; `keep` is given those that do not."""
        with spark_session(self.master, self.settings) as spark:
            return tally_with(spark, plan, reports, labels, keep)


def tally_with(
    spark: Any, plan: Plan, reports: str, labels: LabelTable | None = None, keep: KeepRefused | None = None
) -> Tallies:
    """The same in a session that is there already; labels travel to the workers with what they are asked."""
    path = spark_rows if is_address(reports) else spark_pieces
    refused: list[RefusedFile] | None = None if keep is None else []

    def tally(files: Sequence[SparkFile]) -> Tallies:
        tallies = Tallies(max(file.report.homes for file in files), {})
        try:
            tallies.merge(path.tally_files(spark, plan, files, labels))
        except Exception as error:
            raise explain_error(error, plan, files) from None
        return tallies

    found = spark_files(spark, plan, reports, refused)
    tallies, files = tally_sound(found, tally, lambda file: first_fault(plan, file.report), refused)
    finished = finish_tallies(plan, tallies, labels)
    if keep is not None:
        rows = path.refused_in_files(spark, plan, files) if tallies.refused else ()
        keep(tallies.homes, chain(refused or (), _explained(rows, plan, files)))
    return finished


def _explained(refused: Iterable[RefusedReports], plan: Plan, files: Sequence[SparkFile]) -> Iterator[RefusedReports]:
    """The same, with errors told as those of a tally are."""
    try:
        yield from refused
    except Exception as error:
        raise explain_error(error, plan, files) from None
