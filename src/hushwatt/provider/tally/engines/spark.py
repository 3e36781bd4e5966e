"""Reports added up on a Spark cluster, for archives that outgrow a machine.

First every part of the files is tallied where it is read.  When parts are in order
and do not overlap, no report can be there twice, and that is all.  Else, and where
homes decide for themselves, take turns or walk orders, the reports of a home are
brought together, sorted, and tallied with each report once.  Spark reads, moves, and starts again what a
lost worker did; what is counted, and how, is `kernel`'s.
"""

from collections import Counter
from dataclasses import dataclass
from functools import reduce
from typing import Any

from hushwatt.plan.plan import Plan
from hushwatt.provider.checks.rotation import rotates
from hushwatt.provider.tally.engines import arrow_tally as kernel
from hushwatt.provider.tally.engines.overlaps import contested
from hushwatt.provider.tally.engines.spark_errors import explained
from hushwatt.provider.tally.engines.spark_files import SparkFile, spark_files
from hushwatt.provider.tally.engines.spark_session import spark_session
from hushwatt.provider.tally.engines.tally_arrow import LISTS, NUMBERS, Note, unpacked
from hushwatt.provider.tally.tally import Tallies, TallyKey, settled
from hushwatt.wire.reports.schema import REPORT_SCHEMA

TRAVELS = ", ".join(
    [*(f"{name} bigint" for name in NUMBERS), *(f"{name} binary" for name in (*LISTS, "note"))]
)

# A path as it was given: Spark writes it as an address, with %20 for a space but + for itself.
FILE = "url_decode(replace(_metadata.file_path, '+', '%2B'))"

Frame = Any  # pyspark.sql.DataFrame


@dataclass(frozen=True)
class Spark:
    """A Spark cluster, or Spark on this machine."""

    master: str
    settings: dict[str, str]

    def tallies(self, plan: Plan, reports: str) -> Tallies:
        """What the reports of a file, or of a folder of them, add up to."""
        with spark_session(self.master, self.settings) as spark:
            files = spark_files(spark, plan, reports)
            tallies = Tallies(max(file.homes for file in files), {})
            try:
                tallies.merge(_tallied(plan, _rows(spark, files)))
            except Exception as error:
                raise explained(error, plan, files) from None
        return settled(plan, tallies)


def _tallied(plan: Plan, rows: Frame) -> Tallies:
    """In one go where they lie, when that is enough."""
    if plan.decision != "household" and not rotates(plan):
        tallies, notes = _collected(rows.mapInArrow(lambda batches: kernel.look(plan, batches), TRAVELS))
        if all(note.ordered for note in notes) and not contested(
            [[span] for note in notes for span in note.spans]
        ):
            return tallies
    homes = rows.repartition("household").sortWithinPartitions("slot", "household", "round", "folded", "row")
    return _collected(homes.mapInArrow(lambda batches: kernel.settle(plan, batches), TRAVELS))[0]


def _collected(parts: Frame) -> tuple[Tallies, list[Note]]:
    """All parts added up, by the cluster first: there may be more of them than one machine holds."""
    whole = parts.repartition(*TallyKey._fields).mapInArrow(lambda batches: kernel.add(batches), TRAVELS)
    tallies, notes = unpacked(row.asDict() for row in whole.collect())
    tallies.repeats = sum(note.repeats for note in notes)
    tallies.refused = sum((note.refused for note in notes), Counter())
    return tallies, notes


def _rows(spark: Any, files: list[SparkFile]) -> Frame:
    """The reports of all files and where each stands; files of one kind are read together."""
    kinds = dict.fromkeys(file.kinds for file in files)
    frames = [_frame(spark, [file.address for file in files if file.kinds == kind]) for kind in kinds]
    return reduce(lambda some, more: some.unionAll(more), frames)


def _frame(spark: Any, addresses: list[str]) -> Frame:
    """The reports of files whose columns have the same types."""
    numbers = dict.fromkeys(("slot", "round", "spent", "drawn"), "bigint")
    columns = [
        f"cast({name} as {numbers[name]}) as {name}" if name in numbers else name
        for name in REPORT_SCHEMA.names
    ]
    places = [
        f"{FILE} as file",
        f"translate({FILE}, '/', '\\u0001') as folded",  # sorts as folders and names do
        "_metadata.row_index as row",
    ]
    reader = spark.read.option("recursiveFileLookup", "true")  # a folder named slot=3 adds no column
    return reader.parquet(*addresses).selectExpr(*columns, *places)
