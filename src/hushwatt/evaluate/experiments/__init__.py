"""The experiments: rows of one table, seeded, by name.

Each says what it asks and how its numbers were made, and has settings (a plan
and the homes it is tried on), a number of repetitions, and up to four columns:
printed in the paper, as printed, corrected, and hushwatt's.
"""

from functools import cache

from hushwatt.errors import UsageError
from hushwatt.evaluate.experiments.experiment import COLUMNS, Experiment, Job, Measurement

__all__ = ["COLUMNS", "Experiment", "Job", "Measurement", "experiment", "experiments", "run"]


@cache
def experiments() -> dict[str, Experiment]:
    """Every experiment by its name, in the order of the page."""
    from hushwatt.evaluate.experiments import (
        accuracy,
        findings,
        level_counts,
        over_time,
        peeking_loss,
        questions,
        real_homes,
        top,
        year,
    )

    in_order = [
        findings.floors(),
        *level_counts.experiments(),
        *(top.top_k(), top.shares(), top.benchmark()),
        *(over_time.usage(), over_time.drift()),
        *(findings.privacy(), peeking_loss.privacy_at_size(), findings.release_bias()),
        *(accuracy.hits(), accuracy.per_slot(), accuracy.predicted()),
        *(year.year(), real_homes.real_homes(), questions.questions()),
    ]
    return {each.name: each for each in in_order}


def experiment(name: str) -> Experiment:
    """The experiment called `name`."""
    if name not in experiments():
        raise UsageError(f"there is no experiment called {name}; there are {', '.join(experiments())}")
    return experiments()[name]


def run(job: Job) -> list[Measurement]:
    """Do one repetition of one setting."""
    asked = experiment(job.experiment)
    return list(asked.measure(job, asked.settings[job.setting]))
