"""What an experiment is: settings, what is measured in each, and how often."""

import tomllib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any

from hushwatt.plan.plan import Plan

PRINTED, AS_PRINTED, CORRECTED, HUSHWATT = "printed", "as printed", "corrected", "hushwatt"
COLUMNS = (PRINTED, AS_PRINTED, CORRECTED, HUSHWATT)

EXPLAINED = {
    PRINTED: "what the paper prints",
    AS_PRINTED: "the paper's estimator and decision as it prints them, run by us",
    CORRECTED: "the paper's mechanism with a sound decision and the unbiased estimator",
    HUSHWATT: "the mechanism that `plan advise` picks, at the same ε and at most the paper's ε an appliance",
}


@dataclass(frozen=True)
class HomesSpec:
    """The homes of a setting; none are stored, all are invented from a seed or a folder."""

    kind: str  # of evaluate/experiments/homes.py
    count: int
    slots: int
    quick_slots: int | None = None  # in a quick run


NOBODY = HomesSpec("", 0, 0)  # where no home is asked: what can happen is worked out


@dataclass(frozen=True)
class Setting:
    """One row of an experiment's table."""

    label: str
    plan: Plan
    homes: HomesSpec


@dataclass(frozen=True)
class Metric:
    """What is measured, and how it is shown."""

    name: str
    form: str = "{:.3g}"
    better: str = "lower"  # or "higher", or "" when neither
    unit: str = ""
    varies: bool = False  # a time: not the same in every run, whatever the seed
    ranged: bool = False  # the smallest and the largest of all repetitions are shown too


@dataclass(frozen=True)
class Measurement:
    """One number of one repetition."""

    setting: str
    metric: str
    column: str
    value: float
    at: float | None = None  # where along an axis, for a series
    error: float | None = None  # a standard error that comes with the number itself


EVERY_ROW = ""  # a goal for all settings that a metric has


@dataclass(frozen=True)
class Goal:
    """A figure to reach."""

    setting: str
    metric: str
    column: str
    least: float | None = None
    most: float | None = None
    doubt: float = 0.0  # standard errors by which a figure must be missed to count as missed

    def reached(self, value: float, error: float = 0.0) -> bool:
        """Whether `value` is good enough, or so little off that its standard error may be why.

        >>> Goal("", "covered", "", least=90.0, doubt=2.0).reached(85.0, error=3.0)
        True
        """
        spare = self.doubt * error
        return (self.least is None or value >= self.least - spare) and (self.most is None or value <= self.most + spare)


@dataclass(frozen=True)
class Repeats:
    """How often an experiment is repeated."""

    quick: int
    full: int


@dataclass(frozen=True)
class Job:
    """One repetition of one setting; small, so that it travels to another process."""

    experiment: str
    setting: int
    repeat: int
    seed: int
    quick: bool
    data: Path | None = None

    def seed_for(self, *labels: object) -> int:
        """A seed of its own for every purpose, the same in every run.

        >>> Job("top", 0, 1, 7, False).seed_for("noise") == Job("top", 0, 1, 7, False).seed_for("noise")
        True
        """
        named = repr((self.seed, self.repeat, *labels)).encode()
        return int.from_bytes(sha256(named).digest()[:6], "big")


@cache
def _written() -> dict[str, dict[str, str]]:
    return tomllib.loads((files("hushwatt.evaluate.experiments") / "words.toml").read_text(encoding="utf-8"))


def words(name: str, *before: str) -> dict[str, Any]:
    """Name, title, question and making of an experiment, as `words.toml` has them.

    `before` names paragraphs that go before how it was made.

    >>> words("top-k")["title"]
    'The ten appliances that use the most'
    """
    table = _written()[name]
    made = " ".join(" ".join(text.split()) for text in [*(_written()["common"][one] for one in before), table["made"]])
    return {"name": name, "title": table["title"], "asks": table["asks"], "made": made}


Measure = Callable[[Job, Setting], Iterable[Measurement]]


@dataclass(frozen=True)
class Experiment:
    """One table of the paper, or one finding about it."""

    name: str  # as the command line calls it
    title: str
    asks: str  # the question it answers
    made: str  # how its numbers were made
    settings: tuple[Setting, ...]
    measure: Measure
    metrics: tuple[Metric, ...]
    repeats: Repeats
    columns: tuple[str, ...] = COLUMNS
    explained: dict[str, str] = field(default_factory=lambda: EXPLAINED)
    printed: tuple[Measurement, ...] = ()
    goals: tuple[Goal, ...] = ()
    figure: str = "bars"  # bars, series or none
    logarithmic: bool = False  # the figure's axis
    axis: str = ""  # what a series runs along
    charted: str = ""  # the metric in the figure, the first one when not said
    needs_data: bool = False  # runs on measured homes only, and only when it is named
    only_named: bool = False  # runs only when it is named; homes of a folder as they were measured

    def jobs(self, seed: int, quick: bool, data: Path | None) -> list[Job]:
        """All that is to be done."""
        times = self.repeats.quick if quick else self.repeats.full
        return [
            Job(self.name, setting, repeat, seed, quick, data)
            for setting in range(len(self.settings))
            for repeat in range(times)
        ]

    @property
    def shown(self) -> Metric:
        """The metric in the figure."""
        return self.metric(self.charted) if self.charted else self.metrics[0]

    def metric(self, name: str) -> Metric:
        """The metric called `name`."""
        return next(metric for metric in self.metrics if metric.name == name)
