"""Slot by slot: usage over time, and methods that follow slow, stepped and fast changes."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hushwatt.evaluate import metrics
from hushwatt.evaluate.experiments.columns import (
    advised,
    counts_of,
    printed_reports,
    sound_estimates,
    true_counts,
    watts_by_slot,
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
from hushwatt.evaluate.experiments.homes import WEEKLY, watts_of
from hushwatt.evaluate.paper_mechanism import printed_counts, printed_totals
from hushwatt.plan.amounts import MICRO
from hushwatt.plan.appliance import Appliance
from hushwatt.plan.presets import preset

Numbers = NDArray[np.float64]

ERROR = Metric("error of a day's mean", "{:.0f}", unit="W")
USAGE = Metric("mean watts of a home", "{:.0f}", better="", unit="W")
TRUTH = "true"
SHOWN = ("washing_machine", "fridge_freezer", "kettle", "dishwasher")  # followed in the figure


def usage() -> Experiment:
    """A week's rise and fall, seen through the noise."""
    return Experiment(
        **words("usage"),
        settings=(Setting("LBA", preset("paper"), HomesSpec(WEEKLY, 1_000, 30)),),
        measure=_usage,
        metrics=(ERROR, USAGE),
        repeats=Repeats(2, 10),
        columns=(TRUTH, AS_PRINTED, CORRECTED, HUSHWATT),
        figure="series",
        axis="day",
        charted=USAGE.name,
    )


def _usage(job: Job, setting: Setting) -> Iterable[Measurement]:
    plan, watts = setting.plan, watts_of(setting.homes, setting.plan, job)
    truth = watts.mean(axis=1)
    best = advised(job, plan, replace(setting.homes, kind="paper homes"), "ranking")
    counts = printed_counts(plan, printed_reports(job, plan, watts))
    corrected, ours = sound_estimates(job, plan, watts), sound_estimates(job, best, watts, smooth=True)
    means_by_column = {
        AS_PRINTED: np.stack([printed_totals(plan, slot[None]) for slot in counts]) / watts.shape[1],
        CORRECTED: watts_by_slot(corrected),
        HUSHWATT: watts_by_slot(ours),
    }
    for column, means in means_by_column.items():
        yield Measurement("all appliances", ERROR.name, column, metrics.root_mean_square(truth, means))
    if job.repeat:
        return
    errors = {
        column: np.stack([each.watts_se for each in one.by_slot.values()], axis=1)
        for column, one in ((CORRECTED, corrected), (HUSHWATT, ours))
    }
    for name in SHOWN:
        place = plan.names.index(name)
        for column, means in ({TRUTH: truth} | means_by_column).items():
            for day in range(len(truth)):
                error = float(errors[column][day, place]) if column in errors else None
                label = name.replace("_", " ")
                yield Measurement(label, USAGE.name, column, float(means[day, place]), at=day, error=error)


SQUARED = Metric("squared error against lpu", "{:.2f}")
AHEAD = Metric("squared error of the best adaptive method over it", "{:.2f}", better="higher", unit="×")
SMOOTHED = "lpu --smooth"
ADAPTIVE = {  # column: method, who decides, smoothed
    "lpu": ("lpu", None, False),
    SMOOTHED: ("lpu", None, True),
    "lbd, household": ("lbd", "household", False),
    "lba, household": ("lba", "household", False),
    "lbd, provider": ("lbd", "provider", False),
    "lba, provider": ("lba", "provider", False),
    "lpd": ("lpd", "provider", False),
    "lpa": ("lpa", "provider", False),
}
LEVELS, APPLIANCES = 5, 3


def drift() -> Experiment:
    """Who follows a change best, slot by slot."""
    edges = [200.0 * edge for edge in range(1, LEVELS)]
    plan = replace(
        preset("paper"),
        appliances=tuple(Appliance.of(f"appliance {place + 1}", edges=edges) for place in range(APPLIANCES)),
        appliances_per_report=APPLIANCES,
        epsilon=3 * MICRO,
        window=3,
        minimum_homes=1,
    )
    homes = HomesSpec("drifting", 1_500, 60, quick_slots=30)
    settings = tuple(Setting(pace, plan, homes) for pace in PACES)
    return Experiment(
        **words("drift"),
        settings=settings,
        measure=_drift,
        metrics=(SQUARED, AHEAD),
        repeats=Repeats(1, 5),
        columns=tuple(ADAPTIVE),
        explained={SMOOTHED: "each home in turn, with the provider's causal filter"},
        goals=tuple(Goal(pace, AHEAD.name, SMOOTHED, least=1.0) for pace in PACES),
    )


def slow(slots: int, stream: np.random.Generator) -> Numbers:
    """Logits that follow a slow wave."""
    phase = stream.uniform(0, 2 * np.pi, (APPLIANCES, LEVELS))
    return np.asarray(0.5 * np.sin(2 * np.pi * np.arange(slots)[:, None, None] / 180 + phase))


def stepped(slots: int, stream: np.random.Generator) -> Numbers:
    """Logits that change every 20 slots."""
    steps = stream.normal(0, 0.7, (-(-slots // 20), APPLIANCES, LEVELS))
    return np.repeat(steps, 20, axis=0)[:slots]


def fast(slots: int, stream: np.random.Generator) -> Numbers:
    """Logits that are new in every slot."""
    return stream.normal(0, 0.7, (slots, APPLIANCES, LEVELS))


PACES = {"slow": slow, "stepped": stepped, "fast": fast}


def _drift(job: Job, setting: Setting) -> Iterable[Measurement]:
    slots = (setting.homes.quick_slots if job.quick else None) or setting.homes.slots
    stream = np.random.default_rng(job.seed_for("drift", setting.label))
    watts = drifting(PACES[setting.label](slots, stream), setting.homes.count, stream)
    truth = true_counts(setting.plan, watts)
    errors = {}
    for column, (method, decision, smooth) in ADAPTIVE.items():
        plan = replace(setting.plan, method=method, decision=decision)
        counts = counts_of(sound_estimates(job, plan, watts, smooth=smooth))
        errors[column] = metrics.root_mean_square(truth, counts) ** 2
    for column, error in errors.items():
        yield Measurement(setting.label, SQUARED.name, column, error / errors["lpu"])
    best = min(error for column, error in errors.items() if ADAPTIVE[column][1] is not None)
    yield Measurement(setting.label, AHEAD.name, SMOOTHED, best / errors[SMOOTHED])


def drifting(logits: Numbers, homes: int, stream: np.random.Generator) -> Numbers:
    """Homes whose levels follow the shares e^logit/Σe^logit; each home keeps its place in the crowd."""
    shares = np.exp(logits)
    shares /= shares.sum(axis=-1, keepdims=True)
    place = stream.random((homes, logits.shape[1]))
    edges = np.cumsum(shares, axis=-1)[:, None, :, :-1]
    return np.asarray(200.0 * (place[None, :, :, None] > edges).sum(axis=-1) + 100.0)
