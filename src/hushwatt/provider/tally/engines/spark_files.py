"""The files of reports that Spark is to read, each looked into before any work begins.

A path of this machine, or an object at s3://, is looked at directly, and the workers open it as well.  Other addresses
(s3a://, hdfs://, file:/) are listed and read by Spark's own file systems, with whatever keys Spark was given.
"""

import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from hushwatt.errors import ReportError
from hushwatt.plan.plan import Plan
from hushwatt.provider.tally.engines.spark_errors import java_reason
from hushwatt.wire.reports.reader import parquet_names, report_files
from hushwatt.wire.reports.refused_files import RefusedFile, without_refused
from hushwatt.wire.reports.report_file import ReportFile
from hushwatt.wire.storage import Location, location
from hushwatt.wire.storage.seekable import SeekableFile

URL = re.compile(r"^(?!s3://)[A-Za-z][A-Za-z0-9+.-]*:/")
GLOB_CHARACTERS = re.compile(r"([\\\[\]{}*?])")  # what Spark takes as a pattern of names


@dataclass(frozen=True)
class SparkFile:
    """A file whose plan and columns have been checked."""

    report: ReportFile
    location: str  # where Spark says it is

    @property
    def name(self) -> str:
        return self.report.name

    @property
    def address(self) -> str:
        """How Spark is asked for it."""
        return GLOB_CHARACTERS.sub(r"\\\1", self.location)


def is_address(reports: str) -> bool:
    """Is it for Spark's own file systems?

    >>> is_address("s3a://meters/reports"), is_address("s3://meters/reports"), is_address("reports/march.parquet")
    (True, False, False)
    """
    return URL.match(reports) is not None


def spark_files(spark: Any, plan: Plan, reports: str, refused: list[RefusedFile] | None = None) -> list[SparkFile]:
    """The files that a path or address means, in the order in which their reports count.

    Those in a folder that are no files of reports go to `refused`, when there is such a list.
    """
    if is_address(reports):
        return _remote_files(spark, plan, reports, refused)
    files = report_files(plan, location(reports), refused)
    return [SparkFile(file, _spark_address(file.path)) for file in files]


def _spark_address(path: Location) -> str:
    return f"file:{path.absolute()}" if isinstance(path, Path) else str(path)


def _remote_files(spark: Any, plan: Plan, address: str, refused: list[RefusedFile] | None) -> list[SparkFile]:
    """The files of a file system that only Spark knows."""
    from py4j.protocol import Py4JError

    try:
        system, lengths = _list_remote(spark, address)
    except Py4JError as error:
        raise ReportError(f"{address}: {java_reason(error)}") from None
    return without_refused(list(lengths), lambda place: _open(spark, system, plan, place, lengths[place]), refused)


def _list_remote(spark: Any, address: str) -> tuple[Any, dict[str, int]]:
    """The file system of an address, and the files there with their lengths, in their order."""
    root = spark._jvm.org.apache.hadoop.fs.Path(address)
    system = root.getFileSystem(spark._jsc.hadoopConfiguration())
    if not system.exists(root):
        raise ReportError(f"{address}: there is no such file or folder")
    start, lengths = system.makeQualified(root).toString(), {}
    files = system.listFiles(root, True)
    while files.hasNext():
        file = files.next()
        lengths[file.getPath().toString()] = file.getLen()
    if list(lengths) == [start]:
        return system, lengths
    inside = [PurePosixPath(location.removeprefix(start).lstrip("/")) for location in lengths]
    locations = [f"{start.rstrip('/')}/{name}" for name in parquet_names(address, inside)]
    return system, {location: lengths[location] for location in locations}


def _open(spark: Any, system: Any, plan: Plan, place: str, length: int) -> SparkFile:
    report = ReportFile(plan, Path(place), place, lambda: HadoopFile(spark._jvm, system, place, length))
    return SparkFile(report, place)


class HadoopFile(SeekableFile):
    """A file of any file system that Spark knows, for reading a little here and there."""

    def __init__(self, java: Any, system: Any, location: str, length: int) -> None:
        super().__init__(length)
        self._java = java
        self._stream = system.open(java.org.apache.hadoop.fs.Path(location))

    def readinto(self, buffer: Any) -> int:
        count = max(min(len(buffer), self._length - self._position), 0)
        if count:
            self._stream.seek(self._position)
            buffer[:count] = self._java.org.apache.commons.io.IOUtils.toByteArray(self._stream, count)
            self._position += count
        return count

    def close(self) -> None:
        if not self.closed:
            self._stream.close()
        super().close()
