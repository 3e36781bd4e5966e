"""Reports added up on a Spark cluster, for archives that outgrow a machine.

Files that a path names are read by the workers themselves: only the addresses of their pieces travel
to them (`pieces`), and tallies travel back.  Files that only Spark's own file systems reach are read
by Spark, row by row (`spark_rows`).  Either way every part is tallied where it is read first.  When
parts are in order and do not overlap, no report can be there twice, and that is all.  Else, and where
homes decide for themselves, take turns or walk orders, the reports of a home are brought together,
sorted, and tallied with each report once.  Spark starts again what a lost worker did.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from hushwatt.plan.plan import Plan
from hushwatt.provider.checks.rotation import rotates
from hushwatt.provider.tally.engines.pieces import (
    PartTally,
    PieceAddress,
    bucket_count,
    deal_piece,
    piece_addresses,
    tally_address,
    tally_bucket,
)
from hushwatt.provider.tally.engines.spark_errors import explain_error, is_refusal
from hushwatt.provider.tally.engines.spark_files import SparkFile, is_address, spark_files
from hushwatt.provider.tally.engines.spark_rows import tally_rows_of
from hushwatt.provider.tally.engines.spark_session import spark_session
from hushwatt.provider.tally.label_table import LabelTable
from hushwatt.provider.tally.tally import Tallies, finish_tallies

TASKS_A_CORE, PIECES_A_TASK = 3, 8  # at least so many, unless they had more pieces than that
FEW_TASKS = 64  # whose tallies this machine adds up by itself
Parts = Any  # pyspark.RDD of PartTally


@dataclass(frozen=True)
class SparkEngine:
    """A Spark cluster, or Spark on this machine."""

    master: str
    settings: dict[str, str]

    def tallies(self, plan: Plan, reports: str, labels: LabelTable | None = None) -> Tallies:
        """What the reports of a file, or of a folder of them, add up to."""
        with spark_session(self.master, self.settings) as spark:
            return tally_with(spark, plan, reports, labels)


def tally_with(spark: Any, plan: Plan, reports: str, labels: LabelTable | None = None) -> Tallies:
    """The same in a session that is there already; labels travel to the workers with what they are asked."""
    files = spark_files(spark, plan, reports)
    tallies = Tallies(max(file.report.homes for file in files), {})
    try:
        tally = tally_rows_of if is_address(reports) else _tally_pieces
        found = tally(spark, plan, files, labels)
    except Exception as error:
        raise explain_error(error, plan, files) from None
    tallies.merge(found)
    return finish_tallies(plan, tallies, labels)


def _tally_pieces(spark: Any, plan: Plan, files: Sequence[SparkFile], labels: LabelTable | None) -> Tallies:
    """In one go where they lie, when that is enough."""
    context, addresses = spark.sparkContext, piece_addresses(file.report for file in files)
    if plan.decision == "household" or rotates(plan):
        try:
            return _brought_together(context, plan, addresses, labels).tallies
        except Exception as error:
            if is_refusal(error):  # a report is, somewhere: its piece is read once more, to name its file and row
                _added(_tallied_pieces(context, plan, addresses))
            raise
    whole = _added(_tallied_pieces(context, plan, addresses, labels))
    overlapping = whole.again()
    if overlapping:
        again = [address for address in addresses if address.number in overlapping]
        whole = whole.without(_added(_tallied_pieces(context, plan, again, labels)))
        whole = whole.merged(_brought_together(context, plan, again, labels))
    return whole.tallies


def _tallied_pieces(context: Any, plan: Plan, addresses: list[PieceAddress], labels: LabelTable | None = None) -> Parts:
    """Every piece by itself."""
    return _spread(context, addresses).map(partial(tally_address, plan, labels=labels))


def _brought_together(context: Any, plan: Plan, addresses: list[PieceAddress], labels: LabelTable | None) -> PartTally:
    """All reports of a home in one place, put in order."""
    buckets = bucket_count(addresses, context.defaultParallelism)
    dealt = _spread(context, addresses).flatMap(partial(deal_piece, plan, buckets))
    homes = dealt.partitionBy(buckets, int).mapPartitions(
        lambda some: [tally_bucket(plan, (message for _, message in some), labels)]
    )
    return _added(homes)


def _spread(context: Any, addresses: list[PieceAddress]) -> Any:
    """The pieces, neighbours together: a task costs as much as some ten thousand reports."""
    tasks = max(TASKS_A_CORE * context.defaultParallelism, -(-len(addresses) // PIECES_A_TASK))
    return context.parallelize(addresses, max(1, min(len(addresses), tasks)))


def _added(parts: Parts) -> PartTally:
    """All parts in one, by the cluster first: there may be more than one machine holds.

    Of several problems, the first one in the order of the files is raised.
    """
    depth = 1 if parts.getNumPartitions() <= FEW_TASKS else 2
    whole: PartTally = parts.treeAggregate(PartTally(), PartTally.merged, PartTally.merged, depth)
    if whole.problems:
        raise whole.problems[min(whole.problems)]
    return whole
