"""The files of reports that Spark is to read, each looked into before any work begins.

A path of this machine is looked at directly.  An address (s3a://, hdfs://, file:/) is
listed and read by Spark's own file systems, with whatever keys Spark was given.
"""

import io
import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from hushwatt.errors import ReportError
from hushwatt.plan.plan import Plan
from hushwatt.provider.tally.engines.spark_errors import java_reason
from hushwatt.wire.reports.reader import parquet_names, report_files
from hushwatt.wire.reports.report_file import ReportFile

ADDRESS = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]*:/")
SPECIAL = re.compile(r"([\\\[\]{}*?])")  # what Spark takes as a pattern of names


@dataclass(frozen=True)
class SparkFile:
    """A file whose plan and columns have been checked."""

    report: ReportFile
    place: str  # where Spark says it is

    @property
    def homes(self) -> int:
        return self.report.homes

    @property
    def kinds(self) -> tuple[str, ...]:
        """The types of its columns."""
        return self.report.kinds

    @property
    def address(self) -> str:
        """How Spark is asked for it."""
        return SPECIAL.sub(r"\\\1", self.place)


def spark_files(spark: Any, plan: Plan, reports: str) -> list[SparkFile]:
    """The files that a path or address means, in the order in which their reports count."""
    if ADDRESS.match(reports):
        return _listed(spark, plan, reports)
    files = report_files(plan, Path(reports))
    return [SparkFile(file, f"file:{file.path.absolute()}") for file in files]


def _listed(spark: Any, plan: Plan, address: str) -> list[SparkFile]:
    """The files of a file system that only Spark knows."""
    from py4j.protocol import Py4JError

    try:
        system, lengths = _found(spark, address)
    except Py4JError as error:
        raise ReportError(f"{address}: {java_reason(error)}") from None
    return [_opened(spark, system, plan, place, length) for place, length in lengths.items()]


def _found(spark: Any, address: str) -> tuple[Any, dict[str, int]]:
    """The file system of an address, and the files there with their lengths, in their order."""
    root = spark._jvm.org.apache.hadoop.fs.Path(address)
    system = root.getFileSystem(spark._jsc.hadoopConfiguration())
    if not system.exists(root):
        raise ReportError(f"{address}: there is no such file or folder")
    start, inside = system.makeQualified(root).toString(), {}
    files = system.listFiles(root, True)
    while files.hasNext():
        file = files.next()
        inside[file.getPath().toString()] = file.getLen()
    if list(inside) == [start]:
        return system, inside
    names = parquet_names(address, [PurePosixPath(place.removeprefix(start).lstrip("/")) for place in inside])
    places = [f"{start.rstrip('/')}/{name}" for name in names]
    return system, {place: inside[place] for place in places}


def _opened(spark: Any, system: Any, plan: Plan, place: str, length: int) -> SparkFile:
    return SparkFile(
        ReportFile(plan, Path(place), place, lambda: HadoopFile(spark._jvm, system, place, length)), place
    )


class HadoopFile(io.RawIOBase):
    """A file of any file system that Spark knows, for reading a little here and there."""

    def __init__(self, java: Any, system: Any, place: str, length: int) -> None:
        super().__init__()
        self._java, self._length, self._at = java, length, 0
        self._stream = system.open(java.org.apache.hadoop.fs.Path(place))

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._at = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._length}[whence]
        return self._at

    def readinto(self, buffer: Any) -> int:
        count = max(min(len(buffer), self._length - self._at), 0)
        if count:
            self._stream.seek(self._at)
            buffer[:count] = self._java.org.apache.commons.io.IOUtils.toByteArray(self._stream, count)
            self._at += count
        return count

    def close(self) -> None:
        if not self.closed:
            self._stream.close()
        super().close()
