"""What went wrong on a cluster, in one line: the reason lies under many lines of Java."""

import re
from collections.abc import Sequence
from typing import Any, Protocol

from hushwatt.errors import HushwattError, ReportError, UsageError
from hushwatt.plan.plan import Plan
from hushwatt.provider.tally.engines.embedded import first_fault
from hushwatt.wire.reports.report_file import ReportFile

REFUSAL = re.compile(r"hushwatt\.[\w.]+Error: (.+)")
MISSING_MODULE = re.compile(r"ModuleNotFoundError: No module named '([^']+)'")
NO_PYTHON = re.compile(r'Cannot run program "([^"]+)"')
OTHER_PYTHON = re.compile(r"Python in worker has different version:? (\S+) than that in driver:? ([\d.]+\d)")
NOT_FOUND = ("FileNotFoundException", "FILE_NOT_EXIST", "PATH_NOT_FOUND")
JAVA_PREFIX = re.compile(r"^(?:[\w.$]+(?:Exception|Error): )+|^\[[A-Z_.]+\] ")
PYTHON_HINT = "PYSPARK_PYTHON names the Python they run"


class SparkInput(Protocol):
    """A file that Spark was to read."""

    @property
    def report(self) -> ReportFile: ...
    @property
    def location(self) -> str: ...  # where Spark says it is


def explain_error(error: Exception, plan: Plan, files: Sequence[SparkInput]) -> Exception:
    """The error to show in place of what Spark raised; a bug of ours stays as it is."""
    if isinstance(error, HushwattError) or not _is_from_spark(error):
        return error
    text = _text(error)
    if match := REFUSAL.search(text):
        return _first_refusal(plan, files) or ReportError(match[1])
    if match := MISSING_MODULE.search(text):
        return UsageError(f"the Python of Spark's workers has no {match[1]}; {PYTHON_HINT}")
    if match := NO_PYTHON.search(text):
        return UsageError(f"Spark's workers have no Python at {match[1]}; {PYTHON_HINT}")
    if match := OTHER_PYTHON.search(text):
        return UsageError(f"Spark's workers run Python {match[1]}, this is {match[2]}; {PYTHON_HINT}")
    return _file_error(text, plan, files) or UsageError(f"Spark gave up: {_reason(text)}")


def java_reason(error: Any) -> str:
    """What a Java exception says, in one line."""
    thrown = getattr(error, "java_exception", None)
    return _reason(thrown.toString() if thrown is not None else str(error))


def _file_error(text: str, plan: Plan, files: Sequence[SparkInput]) -> HushwattError | None:
    """Read the file that Spark could not read once more, here, for its row group and column."""
    for file in files:
        path = file.location.partition(":")[2].lstrip("/")
        if path not in text.replace("%20", " "):
            continue
        if any(word in text for word in NOT_FOUND):
            return UsageError(f"{file.report.name}: Spark's workers do not see it")
        return _first_refusal(plan, [file]) or ReportError(f"{file.report.name}: Spark cannot read it: {_reason(text)}")
    return None


def _first_refusal(plan: Plan, files: Sequence[SparkInput]) -> ReportError | None:
    """Read the files here: a worker that saw a row did not see where it stands."""
    faults = (first_fault(plan, file.report) for file in files)
    return next((fault for fault in faults if fault is not None), None)


def is_refusal(error: Exception) -> bool:
    """Did our code refuse something in a worker: a report, or a file that it does not see?"""
    return _is_from_spark(error) and REFUSAL.search(_text(error)) is not None


def _is_from_spark(error: Exception) -> bool:
    return type(error).__module__.partition(".")[0] in ("pyspark", "py4j")


def _text(error: Exception) -> str:
    """All that is said about it, the causes included."""
    parts, cause = [str(error)], getattr(error, "java_exception", None)
    while cause is not None and len(parts) < 20:
        parts.append(str(cause.toString()))
        cause = cause.getCause()
    return "\n".join(parts)


def _reason(text: str) -> str:
    """The first line that tells something, without the names of Java's classes."""
    lines = [line.strip(" :") for line in text.splitlines()]
    reasons = [line for line in lines if line and not line.startswith("An error occurred while calling")]
    return JAVA_PREFIX.sub("", reasons[0]) if reasons else "it did not say why"
