"""Protection that lasts: ranks over a month when ε is that of a whole year, and what a year of reports tells."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hushwatt.evaluate import metrics, paper_numbers
from hushwatt.evaluate.experiments.columns import NO_CAP, PAPERS_CAP, period_watts, source_of
from hushwatt.evaluate.experiments.experiment import (
    PRINTED,
    Experiment,
    Goal,
    HomesSpec,
    Job,
    Measurement,
    Metric,
    Repeats,
    Setting,
    words,
)
from hushwatt.evaluate.experiments.homes import PAPER, watts_of, with_prior_knowledge
from hushwatt.evaluate.experiments.level_counts import with_method
from hushwatt.evaluate.experiments.top import HITS, SHARES, ranked
from hushwatt.fleet.aggregate import aggregate
from hushwatt.plan.amounts import MICRO
from hushwatt.plan.appliance import Appliance
from hushwatt.plan.catalogue import entry
from hushwatt.plan.plan import Plan
from hushwatt.plan.presets import preset
from hushwatt.privacy.advice import advise
from hushwatt.privacy.long_run import long_run
from hushwatt.provider.estimate.estimate import estimate
from hushwatt.provider.estimate.results import Estimates

Numbers = NDArray[np.float64]

DAYS = 30  # that ranks are made of
YEAR = 365  # days
LIKE = HomesSpec(PAPER, 1_000, DAYS)  # each of these homes stands for as many as the others
SHOWER = "electric_shower"
ORDER, WATTS = "for the order", "for watts"
GOALS = {ORDER: "ranking", WATTS: "watts"}  # what the plan of a column is advised for


@dataclass(frozen=True)
class Promised:
    """How many homes, and what they are promised."""

    homes: int
    epsilon: int
    window: int  # days
    cap: str = PAPERS_CAP  # on an appliance


SETTINGS = {
    "1,000 homes, ε = 10 in any three days": Promised(1_000, 10, 3),
    "120,000 homes, ε = 10 in any year": Promised(120_000, 10, YEAR),
    "1,000,000 homes, ε = 2 in any year": Promised(1_000_000, 2, YEAR),
    "1,000,000 homes, ε = 1 in any year, no cap": Promised(1_000_000, 1, YEAR, NO_CAP),
}
SHORT, FIRST, *_ = SETTINGS

ERROR = Metric("error of a middling mean", "{:.1f}", unit="%")
COVERED = Metric("95 % intervals that hold the real mean", "{:.1f}", better="higher", unit="%")
CONSTANT = Metric("a level that never changes, named right after a year of reports", "{:.1f}", unit="%")
OWNED = Metric("whether a home has an appliance, told right after a year of reports", "{:.1f}", unit="%")
OWNS_SHOWER = Metric("whether it has an electric shower, if that were asked", "{:.1f}", unit="%")
AT_WORST = Metric("anything about one appliance, told right at worst after a year", "{:.1f}", unit="%")


def year() -> Experiment:
    """Exact-rank hits over 30 days at an ε that holds for a year, beside the paper's for three days."""
    least = tuple(Goal(label, HITS.name, ORDER, least=8.0) for label in SETTINGS if label != SHORT)
    holds = tuple(Goal(label, COVERED.name, column, least=93.0) for label in SETTINGS for column in GOALS)
    lasts = (Goal(FIRST, CONSTANT.name, ORDER, most=67.0), Goal(FIRST, OWNS_SHOWER.name, ORDER, most=55.0))
    return Experiment(
        **words("year"),
        settings=tuple(Setting(label, _asked(each), LIKE) for label, each in SETTINGS.items()),
        measure=_year,
        metrics=(HITS, SHARES, ERROR, COVERED, CONSTANT, OWNED, OWNS_SHOWER, AT_WORST),
        repeats=Repeats(10, 100),
        columns=(PRINTED, ORDER, WATTS),
        explained={
            PRINTED: "what the paper prints",
            ORDER: "the plan of `plan advise --goal ranking`, at most ε/15 an appliance unless without a cap",
            WATTS: "the plan of `plan advise --goal watts`, alike",
        },
        printed=(Measurement(SHORT, HITS.name, PRINTED, paper_numbers.HITS_MEAN),),
        goals=(*least, *holds, *lasts),
    )


def _asked(promised: Promised) -> Plan:
    """The paper's appliances, with another promise."""
    plan = with_method(preset("paper"), "lbu")
    return replace(plan, epsilon=promised.epsilon * MICRO, window=promised.window)


def _year(job: Job, setting: Setting) -> Iterable[Measurement]:
    label, homes = setting.label, SETTINGS[setting.label].homes
    watts = watts_of(LIKE, setting.plan, job)
    truth = watts.mean(axis=(0, 1))
    for column in GOALS:
        plan = advised_for(label, column, job.seed, job.data)
        told = estimate(plan, aggregate(plan, watts, homes, source_of(job, plan)), consistency="none")
        yield from _judged(label, column, truth, told)
        for metric, chance in chances(label, column, job.seed, job.data).items():
            yield Measurement(label, metric, column, 100 * chance)


def _judged(label: str, column: str, truth: Numbers, told: Estimates) -> Iterable[Measurement]:
    """Order, shares, means and intervals against real watts."""
    means, shown = period_watts(told), {HITS.name, SHARES.name}
    yield from (one for one in ranked(label, column, truth, means) if one.metric in shown)
    yield Measurement(label, ERROR.name, column, 100 * float(np.median(np.abs(means - truth) / truth)))
    periods = [each for each in told.by_period.values() if each is not None]
    held = metrics.coverage([each.low for each in periods], [each.high for each in periods], truth)
    yield Measurement(label, COVERED.name, column, 100 * held)


def chances(label: str, column: str, seed: int, data: Path | None) -> dict[str, float]:
    """What the best attacker who saw a year of reports is right about, by metric; the appliance told best counts."""
    run = long_run(advised_for(label, column, seed, data), YEAR)
    with_shower = long_run(advised_for(label, column, seed, data, SHOWER), YEAR)
    return {
        CONSTANT.name: max(each.constant for each in run.told.values()),
        OWNED.name: max(each.owned for each in run.told.values()),
        OWNS_SHOWER.name: with_shower.told[SHOWER].owned,
        AT_WORST.name: run.appliance_worst,
    }


@lru_cache(maxsize=32)
def advised_for(label: str, column: str, seed: int, data: Path | None, instead: str | None = None) -> Plan:
    """The plan advised from knowledge of another population; `instead` is asked in place of the last appliance."""
    promised = SETTINGS[label]
    plan, elsewhere = _asked(promised), Job("", 0, 0, seed, False, data)
    plan = with_prior_knowledge(plan, watts_of(LIKE, plan, elsewhere, "another population"))
    if instead is not None:
        plan = replace(plan, appliances=(*plan.appliances[:-1], _of_the_catalogue(instead)))
    most = plan.epsilon // len(plan.appliances) if promised.cap == PAPERS_CAP else None
    return advise(plan, promised.homes, DAYS, GOALS[column], most).best.plan


def _of_the_catalogue(name: str) -> Appliance:
    listed = entry(name)
    assert listed is not None
    mean, high = listed.typical_mean, listed.typical_high
    return Appliance.of(name, edges=[high / 2, high], typical_mean=mean, typical_high=high)
