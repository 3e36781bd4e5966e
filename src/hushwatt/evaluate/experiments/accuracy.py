"""Far more accurate for the same ε in any window: the figures to reach, the paper's mechanism beside them."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from hushwatt.evaluate import metrics
from hushwatt.evaluate.experiments.columns import (
    NO_CAP,
    PAPERS_CAP,
    counts_of,
    period_watts,
    sound_estimates,
    true_counts,
)
from hushwatt.evaluate.experiments.experiment import (
    AS_PRINTED,
    CORRECTED,
    HUSHWATT,
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
from hushwatt.evaluate.experiments.level_counts import IDEAL, with_method
from hushwatt.evaluate.experiments.top import COVERED, HITS, SHARES, measure_ranks
from hushwatt.plan.amounts import MICRO
from hushwatt.plan.presets import preset
from hushwatt.privacy.advice import advise

SETTINGS = {  # label: ε, cap on an appliance, hits to reach
    "ε = 10, at most ε/15 an appliance": (10, PAPERS_CAP, 8.0),
    "ε = 10, no cap": (10, NO_CAP, 8.8),
    "ε = 2, no cap": (2, NO_CAP, 6.5),
    "ε = 2, at most ε/15 an appliance": (2, PAPERS_CAP, None),
}
SHARE_GOAL = 0.8  # points


def hits() -> Experiment:
    """Ranks and shares at the paper's size, three ways."""
    plan = with_method(preset("paper"), "lbu")
    goals = []
    for label, (_, _, least) in SETTINGS.items():
        if least is not None:
            goals.append(Goal(label, HITS.name, HUSHWATT, least=least))
            goals.append(Goal(label, SHARES.name, HUSHWATT, most=SHARE_GOAL))
    return Experiment(
        **words("accuracy"),
        settings=tuple(
            Setting(label, replace(plan, epsilon=epsilon * MICRO), IDEAL) for label, (epsilon, _, _) in SETTINGS.items()
        ),
        measure=_hits,
        metrics=(HITS, SHARES, COVERED),
        repeats=Repeats(20, 100),
        columns=(AS_PRINTED, CORRECTED, HUSHWATT),
        goals=tuple(goals),
    )


def _hits(job: Job, setting: Setting) -> Iterable[Measurement]:
    shown = {HITS.name, SHARES.name, COVERED.name}
    return (one for one in measure_ranks(job, setting, SETTINGS[setting.label][1]) if one.metric in shown)


RATIO = Metric("squared error of LBU-OUE over it", "{:.0f}", better="higher", unit="×")
POINTS = Metric("error of a level's share in a slot", "{:.2f}", unit="points")
TWO_OF_15 = "lpu, grr, two of 15"


def per_slot() -> Experiment:
    """Level frequencies of one slot, ε = 10."""
    plan = preset("paper")
    goals = {"w = 3": 30.0, "w = 7": 80.0}
    return Experiment(
        **words("per-slot"),
        settings=tuple(
            Setting(label, replace(plan, window=int(label[4:])), HomesSpec(PAPER, 1_000, 28, quick_slots=14))
            for label in goals
        ),
        measure=_per_slot,
        metrics=(RATIO, POINTS),
        repeats=Repeats(2, 10),
        columns=("LBU-OUE", "lpu, OUE", TWO_OF_15),
        explained={"LBU-OUE": "the paper's, every appliance", TWO_OF_15: "each home in turn, two appliances a report"},
        goals=tuple(Goal(label, RATIO.name, TWO_OF_15, least=least) for label, least in goals.items()),
    )


def _per_slot(job: Job, setting: Setting) -> Iterable[Measurement]:
    watts = watts_of(setting.homes, setting.plan, job)
    truth, homes = true_counts(setting.plan, watts), watts.shape[1]
    plan = with_method(setting.plan, "lbu")
    plans = {
        "LBU-OUE": plan,
        "lpu, OUE": replace(plan, method="lpu"),
        TWO_OF_15: replace(plan, method="lpu", oracle="grr", appliances_per_report=2),
    }
    squared = {
        column: metrics.root_mean_square(truth, counts_of(sound_estimates(job, one, watts))) ** 2
        for column, one in plans.items()
    }
    for column, error in squared.items():
        yield Measurement(setting.label, RATIO.name, column, squared["LBU-OUE"] / error)
        yield Measurement(setting.label, POINTS.name, column, 100 * error**0.5 / homes)


PREDICTED = Metric("predicted over simulated standard error", "{:.2f}", better="")
WITH_HABITS = Metric("the same for homes with habits", "{:.2f}", better="")


def predicted() -> Experiment:
    """Advice foretells the errors that simulation then shows."""
    plan = with_method(preset("paper"), "lbu")
    labels = list(SETTINGS)[:3]
    return Experiment(
        **words("advice"),
        settings=tuple(Setting(label, replace(plan, epsilon=SETTINGS[label][0] * MICRO), IDEAL) for label in labels),
        measure=_predicted,
        metrics=(PREDICTED, WITH_HABITS),
        repeats=Repeats(1, 3),
        columns=(HUSHWATT,),
        explained={HUSHWATT: "the advised plan"},
        goals=tuple(Goal(label, PREDICTED.name, HUSHWATT, least=0.9, most=1.1) for label in labels),
        figure="none",
    )


def _predicted(job: Job, setting: Setting) -> Iterable[Measurement]:
    epsilon, cap, _ = SETTINGS[setting.label]
    other = watts_of(setting.homes, setting.plan, job, "another population")
    most = epsilon * MICRO // len(setting.plan.appliances) if cap == PAPERS_CAP else None
    best = advise(
        with_prior_knowledge(setting.plan, other), setting.homes.count, setting.homes.slots, "ranking", most
    ).best
    watts = watts_of(setting.homes, setting.plan, job)
    stream = np.random.default_rng(job.seed_for("shuffle"))
    shuffled = np.stack([now[stream.permutation(len(now))] for now in watts])
    times = 30 if job.quick else 100
    for metric, readings in ((PREDICTED, shuffled), (WITH_HABITS, watts)):
        means = [period_watts(sound_estimates(job, best.plan, readings, again)) for again in range(times)]
        spread = np.std(means, axis=0, ddof=1)
        ratio = float(np.mean(np.sqrt(best.variances) / spread))
        yield Measurement(setting.label, metric.name, HUSHWATT, ratio)
