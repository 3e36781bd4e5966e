"""Which appliances use the most: the paper's hit rate, shares of consumption, and other approaches."""

from collections.abc import Iterable
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from hushwatt.evaluate import metrics, paper_numbers
from hushwatt.evaluate.baselines import BASELINES
from hushwatt.evaluate.experiments.columns import (
    NO_CAP,
    PAPERS_CAP,
    advised,
    held_watts,
    period_watts,
    sound_estimates,
    totals_as_printed,
)
from hushwatt.evaluate.experiments.experiment import (
    AS_PRINTED,
    CORRECTED,
    HUSHWATT,
    PRINTED,
    Experiment,
    Job,
    Measurement,
    Metric,
    Repeats,
    Setting,
    words,
)
from hushwatt.evaluate.experiments.homes import watts_of
from hushwatt.evaluate.experiments.level_counts import IDEAL, METHODS, with_method
from hushwatt.household.report.homes import enrol
from hushwatt.household.report.report import levels_of, report
from hushwatt.plan.amounts import MICRO
from hushwatt.plan.plan import Plan
from hushwatt.plan.presets import preset
from hushwatt.privacy.entropy import FreshKeys
from hushwatt.provider.estimate.results import Estimates

Numbers = NDArray[np.float64]

HITS = Metric("exact-rank hits of 10", "{:.2f}", better="higher", ranged=True)
OVERLAP = Metric("of the top 10, found", "{:.2f}", better="higher")
TAU = Metric("Kendall's τ", "{:.2f}", better="higher")
SHARES = Metric("error of a share", "{:.2f}", unit="points")
COVERED = Metric("share intervals that hold", "{:.0%}", better="higher")
SHARE = Metric("share of consumption", "{:.1f}", better="", unit="%")
TIME = Metric("time a home and slot", "{:.4f}", unit="ms", varies=True)
AT_ONE = Metric("hits at ε = 1 an appliance and slot", "{:.2f}", better="higher")
AT_EQUAL = Metric("hits at equal budget", "{:.2f}", better="higher")
TRUTH = "true"


def ranked(setting: str, column: str, truth: Numbers, means: Numbers) -> Iterable[Measurement]:
    """Everything about an order and its shares."""
    yield Measurement(setting, HITS.name, column, metrics.exact_hits(truth, means))
    yield Measurement(setting, OVERLAP.name, column, metrics.overlap(truth, means))
    yield Measurement(setting, TAU.name, column, metrics.kendall(truth, means))
    yield Measurement(setting, SHARES.name, column, metrics.share_error(truth, means))


def covered(setting: str, column: str, truth: Numbers, estimates: Estimates) -> Measurement:
    """How many of the shares' 95 % intervals hold the share they aim at."""
    periods = [each for each in estimates.by_period.values() if each is not None]
    low, high = [each.share_low for each in periods], [each.share_high for each in periods]
    return Measurement(setting, COVERED.name, column, metrics.coverage(low, high, truth / truth.sum()))


def top_k() -> Experiment:
    """The paper's hit rate, a hundred times."""
    return Experiment(
        **words("top-k"),
        settings=tuple(
            Setting(each, with_method(preset("paper"), method), IDEAL)
            for each, method in METHODS.items()
            if each != "LBD"
        ),
        measure=measure_ranks,
        metrics=(HITS, OVERLAP, TAU, SHARES, COVERED),
        repeats=Repeats(5, 100),
        printed=(Measurement("LBA", HITS.name, PRINTED, paper_numbers.HITS_MEAN),),
    )


def measure_ranks(job: Job, setting: Setting, cap: str = PAPERS_CAP) -> Iterable[Measurement]:
    """Ranks and shares in all three columns; `cap` is that of an appliance in the advised plan."""
    watts = watts_of(setting.homes, setting.plan, job)
    truth = watts.mean(axis=(0, 1))
    yield from ranked(setting.label, AS_PRINTED, truth, totals_as_printed(job, setting.plan, watts))
    best = advised(job, setting.plan, setting.homes, "ranking", cap)
    for column, plan in ((CORRECTED, setting.plan), (HUSHWATT, best)):
        estimates = sound_estimates(job, plan, watts)
        yield from ranked(setting.label, column, truth, period_watts(estimates))
        yield covered(setting.label, column, held_watts(plan, watts), estimates)


def shares() -> Experiment:
    """The paper's two pies."""
    names = [name.replace("_", " ") for name in paper_numbers.TRUE_SHARES]
    return Experiment(
        **words("shares"),
        settings=(Setting("LBA", preset("paper"), IDEAL),),
        measure=_shares,
        metrics=(SHARE,),
        repeats=Repeats(5, 30),
        columns=(TRUTH, PRINTED, AS_PRINTED, CORRECTED, HUSHWATT),
        printed=tuple(
            Measurement(name, SHARE.name, PRINTED, value)
            for name, value in zip(names, paper_numbers.PERTURBED_SHARES.values(), strict=True)
        ),
    )


def _shares(job: Job, setting: Setting) -> Iterable[Measurement]:
    watts = watts_of(setting.homes, setting.plan, job)
    best = advised(job, setting.plan, setting.homes, "ranking")
    means_by_column = {
        TRUTH: watts.mean(axis=(0, 1)),
        AS_PRINTED: totals_as_printed(job, setting.plan, watts),
        CORRECTED: period_watts(sound_estimates(job, setting.plan, watts)),
        HUSHWATT: period_watts(sound_estimates(job, best, watts)),
    }
    for column, means in means_by_column.items():
        for name, value in zip(setting.plan.names, (100 * means / means.sum()).tolist(), strict=True):
            yield Measurement(name.replace("_", " "), SHARE.name, column, value)


MEASURED = "measured"
OWN = "LDP-SmartEnergy"
OURS = "hushwatt"
UNCAPPED = "hushwatt, no appliance cap"


def benchmark() -> Experiment:
    """The paper's table of approaches."""
    plan = preset("paper")
    titles = {name: each.title for name, each in BASELINES.items()}
    times = [
        Measurement(titles[name], TIME.name, PRINTED, ms) for name, ms in paper_numbers.BENCHMARK_MILLISECONDS.items()
    ]
    hits = [
        Measurement(titles[name], AT_ONE.name, PRINTED, value) for name, value in paper_numbers.BENCHMARK_HITS.items()
    ]
    own = [
        Measurement(OWN, TIME.name, PRINTED, paper_numbers.OWN_MILLISECONDS),
        Measurement(OWN, AT_EQUAL.name, PRINTED, paper_numbers.HITS_MEAN),
    ]
    guarantees = " ".join(f"{each.title}: {each.guarantee(1.0)}." for each in BASELINES.values())
    return Experiment(
        **words("benchmark") | {"made": f"{words('benchmark')['made']} What is promised at ε = 1: {guarantees}"},
        settings=tuple(Setting(label, plan, IDEAL) for label in [*titles.values(), OWN, OURS, UNCAPPED]),
        measure=_benchmark,
        metrics=(TIME, AT_ONE, AT_EQUAL, SHARES),
        repeats=Repeats(3, 100),
        columns=(PRINTED, MEASURED),
        explained={PRINTED: "what the paper prints", MEASURED: "run by us; 'error of a share' at equal budget"},
        printed=(*times, *hits, *own),
        charted=AT_EQUAL.name,
    )


def _benchmark(job: Job, setting: Setting) -> Iterable[Measurement]:
    watts = watts_of(setting.homes, setting.plan, job)
    if setting.label in (OWN, OURS, UNCAPPED):
        yield from _ours(job, setting, watts)
        return
    truth = watts.mean(axis=(0, 1))
    baseline = next(each for each in BASELINES.values() if each.title == setting.label)
    stream = np.random.default_rng(job.seed_for(baseline.name))
    equal = setting.plan.epsilon / MICRO / (len(setting.plan.appliances) * setting.plan.window)
    for metric, epsilon in ((AT_ONE, 1.0), (AT_EQUAL, equal)):
        start = perf_counter()
        means = baseline.collect(watts, epsilon, stream)
        took = perf_counter() - start
        yield Measurement(setting.label, metric.name, MEASURED, metrics.exact_hits(truth, means))
    yield Measurement(setting.label, SHARES.name, MEASURED, metrics.share_error(truth, means))
    yield Measurement(setting.label, TIME.name, MEASURED, 1e3 * took / watts[:, :, 0].size)


def _ours(job: Job, setting: Setting, watts: Numbers) -> Iterable[Measurement]:
    """The paper's own mechanism with its own estimator, or hushwatt's advised one."""
    plan, truth = setting.plan, watts.mean(axis=(0, 1))
    if setting.label == OWN:
        means = totals_as_printed(job, plan, watts)
    else:
        cap = NO_CAP if setting.label == UNCAPPED else PAPERS_CAP
        plan = advised(job, setting.plan, setting.homes, "ranking", cap)
        means = period_watts(sound_estimates(job, plan, watts))
    yield Measurement(setting.label, AT_EQUAL.name, MEASURED, metrics.exact_hits(truth, means))
    yield Measurement(setting.label, SHARES.name, MEASURED, metrics.share_error(truth, means))
    yield Measurement(setting.label, TIME.name, MEASURED, household_milliseconds(plan, watts))


def household_milliseconds(plan: Plan, watts: Numbers) -> float:
    """What a home spends on one slot, from watts to payload, in bulk and with fresh keys."""
    source, homes = FreshKeys(), watts.shape[1]
    fleet = enrol(plan, homes, 0, source)
    start: float = perf_counter()
    for slot, now in enumerate(watts[: 2 * plan.window]):
        report(fleet, slot, levels_of(plan, slot, now, source), source)
    return float(1e3 * (perf_counter() - start) / (2 * plan.window * homes))
