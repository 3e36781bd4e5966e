"""`hushwatt stream`: Spark Structured Streaming feeds the store."""

import signal
import threading
from contextlib import closing
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from hushwatt.cli.estimate import Master, SparkConf, spark_settings
from hushwatt.cli.provider.store_options import USUAL_STORE, PlanName, StoreOptions
from hushwatt.cli.terminal import say
from hushwatt.errors import UsageError


def stream(
    reports: str | None = None,
    /,
    *,
    checkpoint: str,
    kafka: str | None = None,
    topic: str | None = None,
    once: Annotated[bool, Parameter(negative="")] = False,
    homes: int | None = None,
    plan: PlanName = None,
    where: StoreOptions = USUAL_STORE,
    master: Master = None,
    spark_conf: SparkConf = None,
) -> None:
    """Let Spark find new REPORTS, and take them into the provider's store, each once.

    What is found goes in as by `hushwatt provider ingest`: killed anywhere and started again with the same
    checkpoint, it ends with the same numbers. Slots are published by the service, or by `provider export`.

    Parameters
    ----------
    reports
        The folder that grows, or its address, as s3a://bucket/folder; files are moved there when they are complete.
    checkpoint
        The folder or address where Spark keeps how far it has come.
    kafka
        Kafka's servers, as host:9092,host:9092, instead of REPORTS; every message is a Parquet file of reports.
    topic
        The topic, with --kafka.
    once
        Take in what is there, and end.
    homes
        How many homes take part, instead of what the files say.
    """
    from hushwatt.cli.provider.import_export import check_homes, open_collection
    from hushwatt.provider.clock import SystemUtcClock
    from hushwatt.provider.intake.ingest import Ingest, IngestResult
    from hushwatt.provider.intake.spark_stream import StreamIntake, kafka_messages, listed_files, run_stream
    from hushwatt.provider.tally.engines import LOCAL_MASTER
    from hushwatt.provider.tally.engines.spark_session import spark_session

    if (reports is None) == (kafka is None) or (kafka is None) != (topic is None):
        raise UsageError("give REPORTS, or --kafka with --topic")
    if reports is not None and "://" not in reports and not Path(reports).is_dir():
        raise UsageError(f"{reports}: there is no such folder")
    check_homes(homes)
    stop = threading.Event()

    def taken(name: str, result: IngestResult) -> None:
        counts = f"{result.accepted:,} accepted, {result.repeated:,} repeated, {result.late:,} late"
        print(f"{name}: {counts}, {result.rejected.total():,} rejected, {result.known:,} known", flush=True)

    database, collection, schedule = open_collection(where.settings(), plan)
    with closing(database), spark_session(master or LOCAL_MASTER, spark_settings(spark_conf)) as spark:
        ingest = Ingest(database, collection, schedule, SystemUtcClock(), homes)
        intake = StreamIntake(collection.plan, ingest, taken, say, stop.is_set)
        if kafka is not None and topic is not None:
            source, take = kafka_messages(spark, kafka, topic), intake.take_messages
        else:
            source, take = listed_files(spark, str(reports)), intake.take_files
        for number in (signal.SIGTERM, signal.SIGINT):  # only now: Spark has set its own
            signal.signal(number, lambda *_: stop.set())
        say(f"streaming {reports or topic}; stop with Ctrl-C")
        run_stream(source, take, checkpoint, stop.is_set, once)
    say("stopped; what was taken in stays")
