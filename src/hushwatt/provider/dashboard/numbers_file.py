"""The numbers of a page as a file, with all their digits."""

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from starlette.responses import Response

from hushwatt.provider.dashboard.page_context import SlotCell
from hushwatt.provider.dashboard.time_marks import TimeSeries
from hushwatt.provider.estimate.export import FORMULA
from hushwatt.provider.estimate.results import PeriodEstimates

Value = str | float | int | None


@dataclass(frozen=True)
class NumbersFile:
    """A row for each number that is drawn, and its limits."""

    name: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Value]]

    @property
    def text(self) -> str:
        """As CSV; what a spreadsheet would take for a formula is quoted."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows([_plain(value) for value in row] for row in self.rows)
        return out.getvalue()

    def response(self, headers: Mapping[str, str]) -> Response:
        named = {"Content-Disposition": f'attachment; filename="hushwatt-{self.name}.csv"'}
        return Response(self.text, media_type="text/csv; charset=utf-8", headers={**headers, **named})


def _plain(value: Value) -> Value:
    return re.sub(FORMULA, r"'\1", value) if isinstance(value, str) else value


def series_numbers(name: str, series: TimeSeries) -> NumbersFile:
    """Appliances over time."""
    rows = [
        (mark.key or mark.start.isoformat(), mark.count, appliance, *_cell(cell))
        for appliance, cells in series.rows.items()
        for mark, cell in zip(series.marks, cells, strict=True)
    ]
    return NumbersFile(name, ("time", series.counted.lower(), "appliance", "watts", "low", "high", "missing"), rows)


def period_numbers(name: str, ranked: Sequence[tuple[str, PeriodEstimates]]) -> NumbersFile:
    """Appliances over the period."""
    fields = ("watts", "low", "high", "share", "share_low", "share_high", "rank_best", "rank_worst")
    rows = [(appliance, *(getattr(period, field) for field in fields)) for appliance, period in ranked]
    return NumbersFile(name, ("appliance", *fields), rows)


def _cell(cell: SlotCell) -> tuple[Value, ...]:
    return (None, None, None, cell.missing) if cell.missing else (cell.value, cell.low, cell.high, "")
