"""Results as tables: for the terminal, for the page, and as CSV."""

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass
from math import isinf, isnan

from hushwatt.evaluate.experiments.experiment import Metric
from hushwatt.evaluate.reproduce import MeanResult, ReproducedExperiment, Reproduction, row

ROUNDING = 1e-12  # an error below this part of a number is rounding


@dataclass(frozen=True)
class ResultTable:
    """One metric of one experiment: a row for each setting, a column for each way to run it."""

    metric: Metric
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]

    @property
    def title(self) -> str:
        """What is measured, in which unit."""
        return f"{self.metric.name} ({self.metric.unit})" if self.metric.unit else self.metric.name


def tables(part: ReproducedExperiment) -> list[ResultTable]:
    """A table for every metric that has single numbers; series are drawn, not listed."""
    result = []
    for metric in part.experiment.metrics:
        cells = {(one.setting, one.column): one for one in part.results if one.metric == metric.name and one.at is None}
        used = {column for _, column in cells}
        columns = tuple(column for column in part.experiment.columns if column in used)
        if cells:
            rows = tuple(
                (setting, tuple(shown(metric, cells.get((setting, column))) for column in columns))
                for setting in _settings(part, cells.values())
            )
            result.append(ResultTable(metric, columns, rows))
    return result


def _settings(part: ReproducedExperiment, cells: Iterable[MeanResult]) -> list[str]:
    """The rows in the order in which they were run, which is that of the paper."""
    ran = sorted(cells, key=lambda one: one.runs == 0)
    return list(dict.fromkeys(one.setting for one in ran))


def shown(metric: Metric, one: MeanResult | None) -> str:
    """A number with its standard error, and its range where that is asked for.

    >>> shown(Metric("hits", "{:.1f}", ranged=True), MeanResult("", "", "", None, 5.66, 0.12, 4, 8, 100))
    '5.7 ± 0.1 (4–8)'
    >>> shown(Metric("p"), MeanResult("", "", "", None, 0.000156, None, 0, 0, 0))
    '0.000156'
    """
    if one is None or isnan(one.value):
        return "–"
    if isinf(one.value):
        return "infinite"
    text = metric.form.format(one.value)
    if one.error is not None and one.runs > 1 and one.error > ROUNDING * abs(one.value):
        text += f" ± {_error(metric, one.error)}"
    if metric.ranged and one.runs > 1:
        text += f" ({one.low:g}–{one.high:g})"
    return text


def _error(metric: Metric, error: float) -> str:
    """One digit for numbers of any size, as many as the number else."""
    if "g" in metric.form:
        return f"{error:.1g}"
    return metric.form.replace("+", "").format(error)


def as_csv(reproduction: Reproduction) -> str:
    """Every result of every experiment, one in a line."""
    rows = [row(part.experiment, one) for part in reproduction.parts for one in part.results]
    out = io.StringIO()
    writer = csv.DictWriter(out, fieldnames=list(rows[0]) if rows else ["experiment"], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()
