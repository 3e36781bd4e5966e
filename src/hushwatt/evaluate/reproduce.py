"""Run experiments on both cores, and put their repetitions together.

The same seed gives the same numbers, whatever the order in which the work was
done; only times differ.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from math import isinf, isnan, sqrt
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from hushwatt import __version__
from hushwatt.errors import UsageError
from hushwatt.evaluate.experiments import Job, Measurement, experiment, run
from hushwatt.evaluate.experiments.experiment import EVERY_ROW, Experiment, Goal
from hushwatt.evaluate.experiments.homes import about, base_of
from hushwatt.evaluate.experiments.measured_homes import populations
from hushwatt.plan.presets import preset

WORKERS = 2
BATCH_REPEATS = 10  # repetitions of a setting that one process does in a row: it asks for advice once

Key = tuple[str, str, str, float | None]


@dataclass(frozen=True)
class MeanResult:
    """One number of a table: the mean of its repetitions."""

    setting: str
    metric: str
    column: str
    at: float | None
    value: float
    error: float | None  # standard error of the mean; None when there is nothing to tell it from
    low: float  # the smallest repetition
    high: float
    runs: int  # 0: printed, not run


@dataclass(frozen=True)
class ReproducedExperiment:
    """One experiment with all its results."""

    experiment: Experiment
    results: tuple[MeanResult, ...]
    homes: tuple[str, ...]  # what they are

    def result(self, setting: str, metric: str, column: str) -> MeanResult | None:
        """The number in one cell of the table."""
        wanted = (setting, metric, column, None)
        return next((one for one in self.results if (one.setting, one.metric, one.column, one.at) == wanted), None)

    def goals(self) -> list[tuple[Goal, MeanResult, bool]]:
        """Every figure to reach, with what was reached."""
        results = [(goal, one) for goal in self.experiment.goals for one in self._aimed_at(goal)]
        return [
            (replace(goal, setting=one.setting), one, goal.reached(one.value, one.error or 0.0))
            for goal, one in results
        ]

    def _aimed_at(self, goal: Goal) -> list[MeanResult]:
        """The cells of the table that a goal is about."""
        column = [one for one in self.results if (one.metric, one.column, one.at) == (goal.metric, goal.column, None)]
        return [one for one in column if goal.setting in (EVERY_ROW, one.setting)]


@dataclass(frozen=True)
class Reproduction:
    """Everything that was asked for."""

    seed: int
    quick: bool
    data: str | None  # the user's own folder
    parts: tuple[ReproducedExperiment, ...]

    def part(self, name: str) -> ReproducedExperiment | None:
        """One experiment, if it was asked for."""
        return next((part for part in self.parts if part.experiment.name == name), None)


def reproduce(
    names: Sequence[str],
    seed: int,
    quick: bool,
    data: Path | None = None,
    advance: Callable[[int], None] = lambda done: None,
    workers: int = WORKERS,
) -> Reproduction:
    """Run the experiments called `names`, and tell `advance` of every repetition that is done."""
    asked = [experiment(name) for name in names]
    check_data(asked, data)
    jobs = [job for each in asked for job in each.jobs(seed, quick, data)]
    measured: dict[str, list[Measurement]] = {each.name: [] for each in asked}
    for batch, measurements in _run_batches(_batches(jobs), workers):
        measured[batch[0].experiment] += measurements
        advance(len(batch))
    parts = tuple(
        ReproducedExperiment(each, summarised(each, measured[each.name]), homes_of(each, data)) for each in asked
    )
    return Reproduction(seed, quick, data.name if data else None, parts)


def check_data(asked: Sequence[Experiment], data: Path | None) -> None:
    """Complain before anything is started about data that is missing or unfit."""
    measured = [each.name for each in asked if each.needs_data]
    if measured and data is None:
        raise UsageError(
            f"{measured[0]} needs measured homes: give --data a folder of tables as `hushwatt data convert` writes "
            "them; `hushwatt data list` says where to get the datasets"
        )
    as_measured = [each for each in asked if each.needs_data or each.only_named]
    if as_measured and data is not None:
        populations(data)
    if len(as_measured) < len(asked) and data is not None:
        base_of(data, preset("paper").names)


def count(names: Sequence[str], quick: bool) -> int:
    """How many repetitions there are to do."""
    return sum(len(experiment(name).jobs(0, quick, None)) for name in names)


def _batches(jobs: list[Job]) -> list[list[Job]]:
    """The jobs, in order, in small lists of the same setting."""
    together: dict[tuple[str, int, int], list[Job]] = {}
    for job in jobs:
        together.setdefault((job.experiment, job.setting, job.repeat // BATCH_REPEATS), []).append(job)
    return list(together.values())


def _run_batches(batches: list[list[Job]], workers: int) -> Iterator[tuple[list[Job], list[Measurement]]]:
    """What was measured in each batch, in their order."""
    if workers < 2 or len(batches) < 2:
        yield from ((batch, run_all(batch)) for batch in batches)
        return
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        yield from zip(batches, pool.map(run_all, batches), strict=True)


def run_all(batch: list[Job]) -> list[Measurement]:
    """Do the jobs of one batch."""
    return [one for job in batch for one in run(job)]


def homes_of(each: Experiment, data: Path | None) -> tuple[str, ...]:
    """What the homes of an experiment are, each kind once."""
    kinds = dict.fromkeys(setting.homes.kind for setting in each.settings if setting.homes.count)
    return tuple(about(kind, data) for kind in kinds)


def summarised(each: Experiment, measured: Iterable[Measurement]) -> tuple[MeanResult, ...]:
    """The mean of all repetitions of every number, what the paper prints beside it."""
    groups: dict[Key, list[Measurement]] = {}
    for one in measured:
        groups.setdefault((one.setting, one.metric, one.column, one.at), []).append(one)
    printed = [
        MeanResult(one.setting, one.metric, one.column, one.at, one.value, None, one.value, one.value, 0)
        for one in each.printed
    ]
    return tuple(printed) + tuple(_summary(key, measurements) for key, measurements in groups.items())


def _summary(key: Key, measurements: list[Measurement]) -> MeanResult:
    values = np.array([one.value for one in measurements])
    error = measurements[0].error
    if len(values) > 1 and np.isfinite(values).all():
        error = float(values.std(ddof=1) / sqrt(len(values)))
    mean = float(values.mean())
    return MeanResult(*key, mean, error, float(values.min()), float(values.max()), len(values))


def document(reproduction: Reproduction) -> dict[str, Any]:
    """Everything as plain numbers, texts, lists and dictionaries."""
    return {
        "hushwatt": __version__,
        "seed": reproduction.seed,
        "quick": reproduction.quick,
        "data": reproduction.data,
        "experiments": [_part(part) for part in reproduction.parts],
    }


def _part(part: ReproducedExperiment) -> dict[str, Any]:
    each = part.experiment
    return {
        "name": each.name,
        "title": each.title,
        "asks": each.asks,
        "made": each.made,
        "homes": list(part.homes),
        "columns": {column: each.explained.get(column, "") for column in each.columns},
        "results": [row(each, one) for one in part.results],
        "goals": [
            asdict(goal) | {"value": number(one.value), "reached": reached} for goal, one, reached in part.goals()
        ],
    }


def row(each: Experiment, one: MeanResult) -> dict[str, Any]:
    """One result as a row of a table for programs."""
    metric = each.metric(one.metric)
    return {
        "experiment": each.name,
        "setting": one.setting,
        "metric": one.metric,
        "unit": metric.unit,
        "column": one.column,
        "at": one.at,
        "value": number(one.value),
        "standard_error": None if one.error is None else number(one.error),
        "lowest": number(one.low),
        "highest": number(one.high),
        "repetitions": one.runs,
        "varies": metric.varies,
    }


def number(value: float) -> float | str | None:
    """A number that JSON can hold: an infinite one becomes a word.

    >>> number(0.5), number(float("inf"))
    (0.5, 'infinite')
    """
    if isnan(value):
        return None
    return "infinite" if isinf(value) else value
