"""Reports added up on a Spark cluster, for archives that outgrow a machine.

First every part of the files is tallied where it is read.  When parts are in order
and do not overlap, no report can be there twice, and that is all.  Else, and where
homes decide for themselves, take turns or walk orders, the reports of a home are
brought together, sorted, and tallied with each report once.  Spark reads, moves, and
starts again what a lost worker did; what is counted, and how, is `arrow_tally`'s.
"""

from collections import Counter
from dataclasses import dataclass
from functools import reduce
from typing import Any

import pyarrow as pa

from hushwatt.plan.plan import Plan
from hushwatt.provider.checks.rotation import rotates
from hushwatt.provider.tally.engines.arrow_tally import merge_tallies, tally_partition, tally_sorted
from hushwatt.provider.tally.engines.overlaps import overlapping
from hushwatt.provider.tally.engines.spark_errors import explain_error
from hushwatt.provider.tally.engines.spark_files import SparkFile, spark_files
from hushwatt.provider.tally.engines.spark_session import spark_session
from hushwatt.provider.tally.engines.tally_arrow import TALLY_SCHEMA, PartitionInfo, decode_tallies
from hushwatt.provider.tally.tally import Tallies, TallyKey, finish_tallies
from hushwatt.wire.reports.schema import REPORT_SCHEMA

SPARK_SCHEMA = ", ".join(f"{field.name} {'bigint' if field.type == pa.int64() else 'binary'}" for field in TALLY_SCHEMA)

# A path as it was given: Spark writes it as an address, with %20 for a space but + for itself.
FILE_PATH = "url_decode(replace(_metadata.file_path, '+', '%2B'))"

DataFrame = Any  # pyspark.sql.DataFrame


@dataclass(frozen=True)
class SparkEngine:
    """A Spark cluster, or Spark on this machine."""

    master: str
    settings: dict[str, str]

    def tallies(self, plan: Plan, reports: str) -> Tallies:
        """What the reports of a file, or of a folder of them, add up to."""
        with spark_session(self.master, self.settings) as spark:
            files = spark_files(spark, plan, reports)
            tallies = Tallies(max(file.report.homes for file in files), {})
            try:
                tallies.merge(_tallied(plan, _rows(spark, files)))
            except Exception as error:
                raise explain_error(error, plan, files) from None
        return finish_tallies(plan, tallies)


def _tallied(plan: Plan, rows: DataFrame) -> Tallies:
    """In one go where they lie, when that is enough."""
    if plan.decision != "household" and not rotates(plan):
        partitions = rows.mapInArrow(lambda batches: tally_partition(plan, batches), SPARK_SCHEMA)
        tallies, infos = _collected(partitions)
        if all(info.ordered for info in infos) and not overlapping([[span] for info in infos for span in info.spans]):
            return tallies
    homes = rows.repartition("household").sortWithinPartitions("slot", "household", "round", "folded", "row")
    return _collected(homes.mapInArrow(lambda batches: tally_sorted(plan, batches), SPARK_SCHEMA))[0]


def _collected(partitions: DataFrame) -> tuple[Tallies, list[PartitionInfo]]:
    """All partitions added up, by the cluster first: there may be more than one machine holds."""
    keyed = partitions.repartition(*TallyKey._fields)
    merged = keyed.mapInArrow(lambda batches: merge_tallies(batches), SPARK_SCHEMA)
    tallies, infos = decode_tallies(row.asDict() for row in merged.collect())
    tallies.repeats = sum(info.repeats for info in infos)
    tallies.refused = sum((info.refused for info in infos), Counter())
    return tallies, infos


def _rows(spark: Any, files: list[SparkFile]) -> DataFrame:
    """The reports of all files and where each stands; files of one kind are read together."""
    kinds = dict.fromkeys(file.report.kinds for file in files)
    frames = [_frame(spark, [file.address for file in files if file.report.kinds == kind]) for kind in kinds]
    return reduce(lambda some, more: some.unionAll(more), frames)


def _frame(spark: Any, addresses: list[str]) -> DataFrame:
    """The reports of files whose columns have the same types."""
    numbers = dict.fromkeys(("slot", "round", "spent", "drawn"), "bigint")
    columns = [
        f"cast({name} as {numbers[name]}) as {name}" if name in numbers else name for name in REPORT_SCHEMA.names
    ]
    location = [
        f"{FILE_PATH} as file",
        f"translate({FILE_PATH}, '/', '\\u0001') as folded",  # sorts as folders and names do
        "_metadata.row_index as row",
    ]
    reader = spark.read.option("recursiveFileLookup", "true")  # a folder named slot=3 adds no column
    return reader.parquet(*addresses).selectExpr(*columns, *location)
