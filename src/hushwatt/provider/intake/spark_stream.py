"""A Spark Structured Streaming query feeds the store: a growing prefix of Parquet files, or a topic of Kafka.

Spark finds what is new, and keeps in its checkpoint how far the query has come.  What it finds goes in by the intake
that every file takes: known by its content, in the transaction that counts it.  So a batch that Spark hands out again,
after a kill at any point, changes nothing.

Spark lists and never opens the files: a foreign one is met by our own reader, with its bounds.
"""

import re
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hushwatt.errors import HushwattError, StorageError, UsageError
from hushwatt.plan.plan import Plan
from hushwatt.provider.intake.delivery import open_deliveries
from hushwatt.provider.intake.ingest import Ingest, IngestResult
from hushwatt.provider.store.session import StoreUnavailable
from hushwatt.provider.tally.engines.spark_errors import java_reason
from hushwatt.wire.reports.reader import SUFFIXES
from hushwatt.wire.storage import location

FILES_AT_ONCE = 100  # files of one batch of Spark's
MESSAGES_AT_ONCE = 1_000  # messages of one batch: they wait on disk until they are in
POLL_SECONDS = 0.2
LISTED = "path string, modificationTime timestamp, length bigint, content binary"  # Spark's columns of a listed file
CONNECTOR = "org.apache.spark:spark-sql-kafka-0-10_2.13"  # of Spark 4, which is Scala 2.13; its version is Spark's

LOCAL = re.compile("^file:/+")  # how Spark calls a file of this machine, its letters as they are

DataFrame = Any
Taken = Callable[[str, IngestResult], None]
Aside = Callable[[str], None]


class StreamStopped(Exception):
    """Somebody asked the query to end; the batch at hand is handed out again by the next run."""


@dataclass(frozen=True)
class StreamIntake:
    """Takes what Spark hands out into the store, in Spark's own process."""

    plan: Plan
    ingest: Ingest
    taken: Taken
    aside: Aside  # told, in words, what could not be taken
    stopped: Callable[[], bool]

    def take_files(self, batch: DataFrame, number: int) -> None:
        """The files of a batch, by name; Spark passes hidden ones by."""
        for name in sorted(row.path for row in batch.select("path").toLocalIterator()):
            self._take(LOCAL.sub("/", name))

    def take_messages(self, batch: DataFrame, number: int) -> None:
        """The messages of a batch, each a whole Parquet file of reports."""
        rows = batch.select("topic", "partition", "offset", "value").toLocalIterator()
        with tempfile.TemporaryDirectory(prefix="hushwatt-") as folder:
            for row in rows:
                path = Path(folder, f"{row.topic}-{row.partition}-{row.offset}.parquet")
                path.write_bytes(bytes(row.value or b""))
                self._take(str(path), shown=path.name)
                path.unlink()

    def _take(self, name: str, shown: str = "") -> None:
        """One file; a wrong one is set aside, what the store cannot take now ends the query."""
        try:
            (delivery,) = open_deliveries(self.plan, [location(name)])
            self.taken(shown or name, self.ingest.take([delivery], self._check_stopped))
        except (StorageError, StoreUnavailable):
            raise
        except HushwattError as wrong:
            words = str(wrong).replace(name, shown or name)
            self.aside(f"{words}; set aside: put it there again, under another name, once it is right")

    def _check_stopped(self, rows: int) -> None:
        if self.stopped():
            raise StreamStopped


def listed_files(spark: Any, address: str) -> DataFrame:
    """The files below an address, as they land."""
    endings = ",".join(suffix.lstrip(".") for suffix in SUFFIXES)
    with _java_errors(address):
        return (
            spark.readStream.format("binaryFile")
            .schema(LISTED)
            .option("pathGlobFilter", f"*.{{{endings}}}")
            .option("recursiveFileLookup", "true")
            .option("maxFilesPerTrigger", FILES_AT_ONCE)
            .load(address)
            .select("path")  # here, or Spark reads every file whole before a batch asks for less
        )


def kafka_messages(spark: Any, servers: str, topic: str) -> DataFrame:
    """The messages of a topic, from its first on."""
    from pyspark.errors import PySparkException

    try:
        return (
            spark.readStream.format("kafka")
            .option("kafka.bootstrap.servers", servers)
            .option("subscribe", topic)
            .option("startingOffsets", "earliest")
            .option("maxOffsetsPerTrigger", MESSAGES_AT_ONCE)
            .load()
        )
    except PySparkException as problem:
        if "kafka" in str(problem).lower():
            package = f"{CONNECTOR}:{spark.version}"
            raise UsageError(f"Spark has no Kafka connector: give --spark-conf spark.jars.packages={package}") from None
        raise


@contextmanager
def _java_errors(about: str) -> Iterator[None]:
    """What Spark says of an address that it cannot use, in one line."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError) as problem:
        raise UsageError(f"{about}: {java_reason(problem)}") from None


@contextmanager
def _streaming(source: DataFrame, take: Callable[[DataFrame, int], None], checkpoint: str) -> Iterator[Any]:
    with _java_errors(f"the checkpoint {checkpoint}"):
        query = source.writeStream.foreachBatch(take).option("checkpointLocation", checkpoint).start()
    try:
        yield query
    finally:
        query.stop()


def run_stream(
    source: DataFrame, take: Callable[[DataFrame, int], None], checkpoint: str, stopped: Callable[[], bool], once: bool
) -> None:
    """Run the query until somebody asks to stop; with `once` until all that is there is in."""
    from pyspark.errors import StreamingQueryException

    failed: list[BaseException] = []

    def guarded(batch: DataFrame, number: int) -> None:
        try:
            take(batch, number)
        except BaseException as problem:
            failed.append(problem)
            raise

    with _streaming(source, guarded, checkpoint) as query:
        try:
            if once:
                query.processAllAvailable()
            while not once and not stopped() and query.isActive:
                time.sleep(POLL_SECONDS)
            if query.exception() is not None:
                raise query.exception()
        except StreamingQueryException as problem:
            if stopped() or (failed and isinstance(failed[-1], StreamStopped)):
                return
            if failed and isinstance(failed[-1], HushwattError):
                raise failed[-1] from None
            raise UsageError(f"Spark's query ended: {str(problem).splitlines()[0]}") from None
