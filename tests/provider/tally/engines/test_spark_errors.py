"""What Spark says over many lines of Java becomes one line that helps."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.provider.reported import reported, saved

from hushwatt.errors import ReportError, UsageError
from hushwatt.provider.tally.engines.spark_errors import explain_error, is_refusal, java_reason
from hushwatt.provider.tally.engines.spark_files import SparkFile
from hushwatt.wire.reports import report_files

pyspark_errors = pytest.importorskip("pyspark.errors")

TRACE = """An exception was thrown from the Python worker:
Traceback (most recent call last):
  File "worker.py", line 4207, in invoke_udf
{last}
"""


@pytest.fixture
def file(plan_of, tmp_path):
    """A plan, and a good file of its reports."""
    plan, batch = reported(plan_of, "lbu", None, 8)
    path = saved(plan, tmp_path / "r.parquet", batch)
    (report,) = report_files(plan, path)
    return plan, SparkFile(report, f"file:{path}")


def shown(text, file):
    plan, read = file
    return explain_error(pyspark_errors.PySparkException(text), plan, [read])


@pytest.mark.parametrize(
    "text, said",
    [
        (
            TRACE.format(last="ModuleNotFoundError: No module named 'numpy'"),
            "the Python of Spark's workers has no numpy; PYSPARK_PYTHON names the Python they run",
        ),
        (
            'java.io.IOException: Cannot run program "/opt/python": error=2, No such file or directory',
            "Spark's workers have no Python at /opt/python; PYSPARK_PYTHON names the Python they run",
        ),
        (
            "[PYTHON_VERSION_MISMATCH] Python in worker has different version: 3.9 than that in driver: 3.11,"
            " PySpark cannot run",
            "Spark's workers run Python 3.9, this is 3.11; PYSPARK_PYTHON names the Python they run",
        ),
        (
            "An error occurred while calling o90.collect.\n: org.apache.spark.SparkException: "
            "Job aborted due to stage failure\n\tat org.apache",
            "Spark gave up: Job aborted due to stage failure",
        ),
    ],
)
def test_what_a_user_can_mend(text, said, file):
    """Each is one line, and says what to do or what Spark gave as its reason."""
    error = shown(text, file)

    assert isinstance(error, UsageError)
    assert str(error) == said


def test_a_refused_row(file):
    """A worker that was told no file and no row says what is wrong; the file is read here for where it is."""
    plan, read = file
    table = pq.read_table(read.report.path)
    place = table.schema.get_field_index("round")
    rounds = pa.array([0, 0, 7] + [0] * (len(table) - 3), pa.int8())
    pq.write_table(table.set_column(place, table.schema.field(place), rounds), read.report.path)
    (report,) = report_files(plan, read.report.path)
    last = "hushwatt.wire.row_error.RowError: report 1: the round must be 0 or 1"
    error = shown(TRACE.format(last=last), (plan, SparkFile(report, read.location)))

    assert isinstance(error, ReportError)
    assert str(error) == f"{read.report.name}, row 3: the round must be 0 or 1"


def test_a_refusal_that_is_not_found_again(file):
    """Where the file is good by now, the words of the worker are all there is."""
    error = shown(TRACE.format(last="hushwatt.errors.ReportError: a.parquet, row 3: too long"), file)

    assert isinstance(error, ReportError)
    assert str(error) == "a.parquet, row 3: too long"


@pytest.mark.parametrize(
    "last, refused",
    [
        ("hushwatt.wire.row_error.RowError: report 1: the round must be 0 or 1", True),
        ("hushwatt.errors.UsageError: a.parquet: Spark's workers do not see it", True),
        ("ZeroDivisionError: division by zero", False),
    ],
)
def test_what_is_looked_for_again(last, refused):
    """What our own code refused in a worker, whatever it was, and no bug."""
    assert is_refusal(pyspark_errors.PySparkException(TRACE.format(last=last))) is refused


def test_a_file_that_workers_do_not_see(file):
    """It is good here, so the way to it is what is missing."""
    _, read = file
    error = shown(f"[FAILED_READ_FILE.FILE_NOT_EXIST] while reading file {read.location}", file)

    assert isinstance(error, UsageError)
    assert str(error) == f"{read.report.name}: Spark's workers do not see it"


def test_a_file_that_only_spark_cannot_read(file):
    """Here it is whole, so Spark's own reason is told."""
    _, read = file
    error = shown(f"[FAILED_READ_FILE.NO_HINT] Encountered error while reading file {read.location}", file)

    assert isinstance(error, ReportError)
    assert str(error).startswith(f"{read.report.name}: Spark cannot read it: Encountered error")


def test_a_bug_stays_a_bug(file):
    """What is not Spark's is not dressed up."""
    plan, read = file
    bug = ZeroDivisionError()

    assert explain_error(bug, plan, [read]) is bug
    assert java_reason(ValueError("")) == "it did not say why"
