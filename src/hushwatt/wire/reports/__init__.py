"""Tables of reports in bulk: the same bytes that travel one by one, a row each.

Any Parquet reader can open them.  Nothing here knows a reading.
"""

from hushwatt.wire.reports.reader import homes_of, read_reports, report_files
from hushwatt.wire.reports.schema import REPORT_SCHEMA, ReportBatch, report_schema
from hushwatt.wire.reports.writer import ReportWriter

__all__ = ["REPORT_SCHEMA", "ReportBatch", "ReportWriter", "homes_of", "read_reports", "report_files", "report_schema"]
