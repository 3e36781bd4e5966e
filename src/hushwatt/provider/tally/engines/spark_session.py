"""A Spark session of our own: started quietly, given our code, and stopped."""

import os
import re
import shutil
import socket
import sys
import tempfile
import time
import warnings
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import hushwatt
from hushwatt.errors import UsageError
from hushwatt.provider.tally.engines.spark_errors import java_reason
from hushwatt.wire.reports.report_file import BATCH_ROWS

MASTER_TIMEOUT = 5.0  # seconds for a master to answer
WORKER_TIMEOUT = 60.0  # seconds for the first of its workers
SAID = re.compile(r"^(?!\s+at ).*(rror|Exception)")  # a line of Java's that says why, and is no step of a trace
JAVA_MISSING = "Spark needs Java 17 or newer, and there is none: apt install default-jre-headless, or set JAVA_HOME"

DEFAULT_SETTINGS = {
    "spark.app.name": "hushwatt",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "OFF",
    "spark.sql.execution.arrow.maxRecordsPerBatch": str(BATCH_ROWS),
    "spark.hadoop.parquet.page.verify-checksum.enabled": "true",
}
LOCAL_SETTINGS = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}


@contextmanager
def spark_session(master: str, settings: dict[str, str]) -> Iterator[Any]:
    """A session on `master` whose workers have our code; `settings` are Spark's own."""
    with (
        warnings.catch_warnings(action="ignore"),  # of versions that pyspark does not know yet
        tempfile.TemporaryDirectory(prefix="hushwatt-") as folder,
    ):
        import pyspark.sql

        _check_java()
        _check_master(master)
        session = _start(pyspark.sql.SparkSession.builder, master, settings, Path(folder))
        try:
            if master.startswith("spark://"):
                _wait_for_workers(session, master)
            session.sparkContext.addPyFile(str(_package_zip(Path(folder))))
            yield session
        finally:
            with suppress(Exception):  # a lost cluster cannot be left politely
                session.stop()


def _start(builder: Any, master: str, settings: dict[str, str], folder: Path) -> Any:
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    local = _host(master) in ("127.0.0.1", "localhost", "")
    for name, value in {**DEFAULT_SETTINGS, **(LOCAL_SETTINGS if local else {}), **settings}.items():
        builder = builder.config(name, value)
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    output = folder / "output"
    try:
        with _output_into(output):
            return builder.master(master).getOrCreate()
    except (PySparkException, Py4JError) as error:
        lines = [line for line in output.read_text(errors="replace").splitlines() if SAID.search(line)]
        reason = lines[-1].strip() if "GATEWAY" in str(error) and lines else java_reason(error)
        raise UsageError(f"Spark did not start on {master}: {reason}") from None


@contextmanager
def _output_into(file: Path) -> Iterator[None]:
    """Let Java, which inherits our output for life, talk into a file."""
    sys.stdout.flush()
    sys.stderr.flush()
    kept = os.dup(1), os.dup(2)
    with file.open("wb") as output:
        os.dup2(output.fileno(), 1)
        os.dup2(output.fileno(), 2)
    try:
        yield
    finally:
        for number, old in enumerate(kept, start=1):
            os.dup2(old, number)
            os.close(old)


def _check_java() -> None:
    home = os.environ.get("JAVA_HOME")
    if not (shutil.which("java", path=f"{home}/bin") if home else shutil.which("java")):
        raise UsageError(JAVA_MISSING)


def _check_master(master: str) -> None:
    """Spark itself would knock for a minute."""
    if not master.startswith("spark://"):
        return
    for address in master.removeprefix("spark://").split(","):
        host, _, port = address.rpartition(":")
        with suppress(OSError, ValueError), socket.create_connection((host, int(port)), MASTER_TIMEOUT):
            return
    raise UsageError(f"no Spark master answers at {master}")


def _wait_for_workers(session: Any, master: str) -> None:
    """A job without workers waits for ever."""
    context, until = session.sparkContext._jsc.sc(), time.monotonic() + WORKER_TIMEOUT
    while context.getExecutorMemoryStatus().size() < 2:  # the driver is one
        if time.monotonic() > until:
            raise UsageError(f"the Spark master at {master} gave no worker in {WORKER_TIMEOUT:.0f} s")
        time.sleep(0.1)


def _package_zip(folder: Path) -> Path:
    """Our own package as a file that Spark hands to its workers."""
    package, target = Path(hushwatt.__file__).parent, folder / "hushwatt.zip"
    with zipfile.ZipFile(target, "w") as archive:
        for file in sorted(package.rglob("*.py")):
            archive.write(file, file.relative_to(package.parent))
    return target


def _host(master: str) -> str:
    return urlsplit(master.split(",")[0]).hostname or ""
