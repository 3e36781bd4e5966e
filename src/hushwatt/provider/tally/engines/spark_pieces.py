"""Reports that Spark's workers read themselves: only the addresses of pieces of files travel to them (`pieces`).

Tallies travel back, or the reports that are refused.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from hushwatt.plan.plan import Plan
from hushwatt.privacy.rotation import has_orders
from hushwatt.provider.tally.engines.pieces import (
    PartTally,
    PieceAddress,
    bucket_count,
    deal_piece,
    piece_addresses,
    suspects_in_piece,
    suspects_of_bucket,
    suspects_of_piece,
    tally_address,
    tally_bucket,
    tally_with_turns,
    with_turns,
)
from hushwatt.provider.tally.engines.spark_errors import is_refusal
from hushwatt.provider.tally.engines.spark_files import SparkFile
from hushwatt.provider.tally.engines.turn_check import asks_turns_alone
from hushwatt.provider.tally.label_table import LabelTable
from hushwatt.provider.tally.refused_reports import RefusedReports, Suspects, first_times, judged_in_order
from hushwatt.provider.tally.tally import Tallies

TASKS_A_CORE, PIECES_A_TASK = 3, 8  # at least so many, unless they had more pieces than that
FEW_TASKS = 64  # whose tallies this machine adds up by itself
Parts = Any  # pyspark.RDD of PartTally


def tally_files(spark: Any, plan: Plan, files: Sequence[SparkFile], labels: LabelTable | None) -> Tallies:
    """In one go where they lie, when that is enough."""
    context, addresses = spark.sparkContext, piece_addresses(file.report for file in files)
    if plan.decision == "household" or has_orders(plan):
        return _judged_in_order(context, plan, addresses, labels)
    tallied = _tallied_with_turns if asks_turns_alone(plan) else _tallied_pieces
    whole = _added(tallied(context, plan, addresses, labels))
    if whole.two_turns:
        return _judged_in_order(context, plan, addresses, labels)
    overlapping = whole.again()
    if overlapping:
        again = [address for address in addresses if address.number in overlapping]
        whole = whole.without(_added(_tallied_pieces(context, plan, again, labels)))
        whole = whole.merged(_brought_together(context, plan, again, labels))
    return whole.tallies


def _judged_in_order(context: Any, plan: Plan, addresses: list[PieceAddress], labels: LabelTable | None) -> Tallies:
    """All reports of a home together, for only its earlier ones tell what becomes of a report."""
    try:
        return _brought_together(context, plan, addresses, labels).tallies
    except Exception as error:
        if is_refusal(error):  # a report is, somewhere: its piece is read once more, to name its file and row
            _added(_tallied_pieces(context, plan, addresses))
        raise


def refused_in_files(spark: Any, plan: Plan, files: Sequence[SparkFile]) -> Iterator[RefusedReports]:
    """The reports that are refused, in the order in which they lie.

    What was found waits on the workers' disks, and is fetched task by task: what a lost worker found is found again.
    """
    from pyspark import StorageLevel

    context, addresses = spark.sparkContext, piece_addresses(file.report for file in files)
    if judged_in_order(plan):
        judged = _dealt(context, plan, addresses).mapPartitions(
            lambda some: [suspects_of_bucket(plan, (message for _, message in some))]
        )
    else:
        judged = _spread(context, addresses).map(partial(suspects_of_piece, plan))
    suspects = Suspects.merged(judged.collect())
    told = context.broadcast(suspects)
    rows = _spread(context, addresses).flatMap(lambda address: suspects_in_piece(plan, told.value, address))
    rows.persist(StorageLevel.DISK_ONLY)
    rows.count()
    yield from first_times(suspects, rows.toLocalIterator(prefetchPartitions=True))
    rows.unpersist()


def _tallied_pieces(context: Any, plan: Plan, addresses: list[PieceAddress], labels: LabelTable | None = None) -> Parts:
    """Every piece by itself."""
    return _spread(context, addresses).map(partial(tally_address, plan, labels=labels))


def _tallied_with_turns(
    context: Any, plan: Plan, addresses: list[PieceAddress], labels: LabelTable | None = None
) -> Parts:
    """Every piece by itself, and all turns of a home in one place."""
    buckets = bucket_count(addresses, context.defaultParallelism)
    dealt = _spread(context, addresses).flatMap(partial(tally_with_turns, plan, buckets, labels=labels))
    return dealt.partitionBy(buckets, int).mapPartitions(lambda some: [with_turns(plan, (item for _, item in some))])


def _brought_together(context: Any, plan: Plan, addresses: list[PieceAddress], labels: LabelTable | None) -> PartTally:
    """All reports of a home in one place, put in order and added up."""
    return _added(
        _dealt(context, plan, addresses).mapPartitions(
            lambda some: [tally_bucket(plan, (message for _, message in some), labels)]
        )
    )


def _dealt(context: Any, plan: Plan, addresses: list[PieceAddress]) -> Any:
    """Messages of reports, all those of a home in one place."""
    buckets = bucket_count(addresses, context.defaultParallelism)
    return _spread(context, addresses).flatMap(partial(deal_piece, plan, buckets)).partitionBy(buckets, int)


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
