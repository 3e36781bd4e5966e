"""Reports that only Spark's own file systems reach: Spark reads them, and hands their rows to our functions.

Every row goes from Java to Python, which takes many times as long as reading a file there.  A row says where it stands
only when it is asked, which costs more: what is wrong with a file is looked for again by whoever asked.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from itertools import groupby, islice
from operator import attrgetter
from typing import Any

import pyarrow as pa

from hushwatt.plan.plan import Plan
from hushwatt.provider.checks.rotation import rotates
from hushwatt.provider.tally.engines.arrow_refused import (
    SUSPECT_COLUMNS,
    decode_suspects,
    rows_of_suspects,
    suspect_rows_of,
    suspects_in_partition,
)
from hushwatt.provider.tally.engines.arrow_tally import merge_tallies, tally_partition, tally_sorted
from hushwatt.provider.tally.engines.overlaps import overlapping
from hushwatt.provider.tally.engines.spark_files import SparkFile
from hushwatt.provider.tally.engines.tally_arrow import TALLY_SCHEMA, PartitionInfo, decode_tallies
from hushwatt.provider.tally.label_table import LabelTable
from hushwatt.provider.tally.refused_reports import RefusedReports, SuspectRows, Suspects, first_times, judged_in_order
from hushwatt.provider.tally.tally import Tallies, TallyKey
from hushwatt.wire.reports.schema import REPORT_SCHEMA

SPARK_SCHEMA = ", ".join(f"{field.name} {'bigint' if field.type == pa.int64() else 'binary'}" for field in TALLY_SCHEMA)

# A path as it was given: Spark writes it as an address, with %20 for a space but + for itself.
FILE_PATH = "url_decode(replace(_metadata.file_path, '+', '%2B'))"
FOLD = "\u0001"
PLACE = {  # what the first of several repeats is told by: folded sorts as folders and names do
    "folded": f"translate({FILE_PATH}, '/', '{FOLD}')",
    "row": "_metadata.row_index",
}

LEADING_SLASHES = re.compile(":/+")
ROWS_AT_ONCE = 1 << 12  # of what is refused

DataFrame = Any  # pyspark.sql.DataFrame


def tally_files(spark: Any, plan: Plan, files: Sequence[SparkFile], labels: LabelTable | None) -> Tallies:
    """In one go where they lie, when that is enough."""
    if plan.decision != "household" and not rotates(plan):
        rows = _rows(spark, files)
        partitions = rows.mapInArrow(lambda batches: tally_partition(plan, batches, labels), SPARK_SCHEMA)
        tallies, infos = _collected(partitions)
        if all(info.ordered for info in infos) and not overlapping([[span] for info in infos for span in info.spans]):
            return tallies
    homes = _homes(spark, files)
    return _collected(homes.mapInArrow(lambda batches: tally_sorted(plan, batches, labels), SPARK_SCHEMA))[0]


def refused_in_files(spark: Any, plan: Plan, files: Sequence[SparkFile]) -> Iterator[RefusedReports]:
    """The reports that are refused, in the order in which they lie.

    What was found waits on the workers' disks, and is fetched task by task: what a lost worker found is found again.
    """
    from pyspark import StorageLevel

    rows = _homes(spark, files) if judged_in_order(plan) else _rows(spark, files)
    judged = rows.mapInArrow(lambda batches: suspects_in_partition(plan, batches), "suspects binary")
    suspects = Suspects.merged(decode_suspects(row.suspects) for row in judged.collect())
    told = spark.sparkContext.broadcast(suspects)
    found = _rows(spark, files, PLACE).mapInArrow(
        lambda batches: rows_of_suspects(plan, told.value, batches), SUSPECT_COLUMNS
    )
    kept = found.persist(StorageLevel.DISK_ONLY)
    ordered = kept.orderBy(*PLACE).toLocalIterator(prefetchPartitions=True)
    yield from first_times(suspects, _suspect_rows(files, ordered))
    kept.unpersist()


def _suspect_rows(files: Sequence[SparkFile], rows: Iterable[Any]) -> Iterator[SuspectRows]:
    """Rows as Spark hands them out, those of a file together, and the file's own name."""
    names = {_plain(file.location): file.report.name for file in files}
    for folded, of_file in groupby(rows, attrgetter("folded")):
        while some := list(islice(of_file, ROWS_AT_ONCE)):
            yield suspect_rows_of(names[_plain(folded.replace(FOLD, "/"))], some)


def _plain(place: str) -> str:
    """A file of this machine has one / behind its scheme for some, and three for others."""
    return LEADING_SLASHES.sub(":/", place, count=1)


def _homes(spark: Any, files: Sequence[SparkFile]) -> DataFrame:
    """The reports of each home in one place and in order, and repeats by where they stood."""
    placed = _rows(spark, files, PLACE).repartition("household")
    return placed.sortWithinPartitions("slot", "household", "round", *PLACE).drop(*PLACE)


def _collected(partitions: DataFrame) -> tuple[Tallies, list[PartitionInfo]]:
    """All partitions added up, by the cluster first: there may be more than one machine holds."""
    keyed = partitions.repartition(*TallyKey._fields)
    merged = keyed.mapInArrow(lambda batches: merge_tallies(batches), SPARK_SCHEMA)
    tallies, infos = decode_tallies(row.asDict() for row in merged.collect())
    tallies.repeats = sum(info.repeats for info in infos)
    tallies.refused = sum((info.refused for info in infos), Counter())
    return tallies, infos


def _rows(spark: Any, files: Sequence[SparkFile], more: dict[str, str] | None = None) -> DataFrame:
    """The reports of all files, and what more is asked of each; files of one kind are read together."""
    kinds = dict.fromkeys(file.report.kinds for file in files)
    frames = [
        _frame(spark, [file.address for file in files if file.report.kinds == kind], more or {}) for kind in kinds
    ]
    return reduce(lambda some, others: some.unionAll(others), frames)


def _frame(spark: Any, addresses: list[str], more: dict[str, str]) -> DataFrame:
    """The reports of files whose columns have the same types."""
    numbers = dict.fromkeys(("slot", "round", "spent", "drawn"), "bigint")
    columns = [
        f"cast({name} as {numbers[name]}) as {name}" if name in numbers else name for name in REPORT_SCHEMA.names
    ]
    reader = spark.read.option("recursiveFileLookup", "true")  # a folder named slot=3 adds no column
    return reader.parquet(*addresses).selectExpr(*columns, *(f"{told} as {name}" for name, told in more.items()))
