"""Where the paper slips, made visible: its estimator, its decision, and the bias of looking at a release."""

from collections.abc import Iterable
from dataclasses import replace
from math import inf

import numpy as np

from hushwatt.audit.exact.brute_force import KeptProbes, Rule, worst_ratio
from hushwatt.audit.exact.household_decided import EnumeratedHome
from hushwatt.audit.exponent import loss
from hushwatt.audit.planted import AgainstRelease, PeekingError
from hushwatt.evaluate import metrics, paper_numbers
from hushwatt.evaluate.experiments.columns import counts_of, printed_reports, sound_estimates, source_of, true_counts
from hushwatt.evaluate.experiments.experiment import (
    AS_PRINTED,
    CORRECTED,
    NOBODY,
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
from hushwatt.evaluate.experiments.homes import watts_of
from hushwatt.evaluate.experiments.level_counts import METHODS, P_VALUE, with_method
from hushwatt.evaluate.paper_mechanism import collect, collect_by, printed_counts, release_rule
from hushwatt.plan.amounts import MICRO
from hushwatt.plan.appliance import Appliance
from hushwatt.plan.plan import Plan
from hushwatt.plan.presets import preset
from hushwatt.privacy.strategies import STRATEGIES
from hushwatt.provider.estimate.estimate import estimate

SAME_REPORTS = "right estimator"
BESIDE = "against the release"
FLOOR = "floor"

LOST = Metric("worst loss, in ε", "{:.3g}", better="lower")
BIAS = Metric("bias of a share of 0.6", "{:+.3f}", better="")


def floors() -> Experiment:
    """The printed p-values come out of the printed estimator, and vanish with the right one."""
    plan = preset("paper-synthetic")
    settings = tuple(
        Setting(
            f"{kind}, d = {levels}",
            with_method(_even_levels(plan, levels), "lbu"),
            HomesSpec(kind, 10_000, 5, quick_slots=2),
        )
        for kind in ("uniform", "normal")
        for levels in paper_numbers.FLOORS
    )
    return Experiment(
        **words("floors"),
        settings=settings,
        measure=_both_estimators,
        metrics=(P_VALUE,),
        repeats=Repeats(1, 10),
        columns=(PRINTED, FLOOR, AS_PRINTED, SAME_REPORTS),
        explained={
            PRINTED: "what fills the paper's column",
            FLOOR: "the test's value for two sets of counts that do not overlap",
            AS_PRINTED: "the printed estimator",
            SAME_REPORTS: "the unbiased estimator, on the very same reports",
        },
        printed=tuple(
            Measurement(setting.label, P_VALUE.name, PRINTED, paper_numbers.FLOORS[setting.plan.widths[0]])
            for setting in settings
        ),
        logarithmic=True,
    )


def _even_levels(plan: Plan, levels: int) -> Plan:
    """The plan with `levels` ranges of equal width in [0, 3000] W."""
    edges = np.linspace(0, 3000, levels + 1)[1:-1].round(1).tolist()
    return replace(plan, appliances=tuple(Appliance.of(name, edges=edges) for name in plan.names))


def _both_estimators(job: Job, setting: Setting) -> Iterable[Measurement]:
    plan, levels = setting.plan, setting.plan.widths[0]
    watts = watts_of(setting.homes, plan, job)
    tallies = printed_reports(job, plan, watts)
    truth = true_counts(plan, watts).reshape(len(watts), -1, levels)
    right = counts_of(estimate(plan, tallies, consistency="none"))
    apart = metrics.kruskal_wallis(np.arange(levels), np.arange(levels) + levels)
    yield Measurement(setting.label, P_VALUE.name, FLOOR, float(apart))
    for column, counts in ((AS_PRINTED, printed_counts(plan, tallies)), (SAME_REPORTS, right)):
        p_value = metrics.kruskal_wallis(truth, counts.reshape(truth.shape)).mean()
        yield Measurement(setting.label, P_VALUE.name, column, float(p_value))


RULES: dict[str, Rule] = {AS_PRINTED: PeekingError(), BESIDE: AgainstRelease(), CORRECTED: KeptProbes()}


def privacy() -> Experiment:
    """The printed decision keeps no promise at all."""
    plan = preset("paper")
    settings = tuple(
        Setting(
            f"{label}, d = {levels}, w = {window}, ε = {epsilon}", _tiny(plan, method, levels, window, epsilon), NOBODY
        )
        for label, method in (("LBD", "lbd"), ("LBA", "lba"))
        for levels, window, epsilon in ((2, 1, 1), (2, 1, 10), (2, 2, 1), (2, 2, 10), (3, 1, 1))
    )
    return Experiment(
        **words("privacy"),
        settings=settings,
        measure=_worst,
        metrics=(LOST,),
        repeats=Repeats(1, 1),
        columns=(AS_PRINTED, BESIDE, CORRECTED),
        explained={
            AS_PRINTED: "the paper's rule: the error is taken against the true bits",
            BESIDE: "a public error, the probe compared with the last release",
            CORRECTED: "hushwatt's rule: a public error, the probe compared with the kept probe",
        },
        goals=tuple(
            Goal(setting.label, LOST.name, column, most=setting.plan.epsilon / MICRO)
            for setting in settings
            for column in (BESIDE, CORRECTED)
        ),
        figure="none",
    )


def _tiny(plan: Plan, method: str, levels: int, window: int, epsilon: int) -> Plan:
    """One appliance with a few levels."""
    only = Appliance.of("appliance", edges=[100.0 * edge for edge in range(1, levels)])
    return replace(
        with_method(plan, method), appliances=(only,), appliances_per_report=1, window=window, epsilon=epsilon * MICRO
    )


def _worst(job: Job, setting: Setting) -> Iterable[Measurement]:
    home = EnumeratedHome.of(setting.plan)
    for column, rule in RULES.items():
        ratio = worst_ratio(home, rule, setting.plan.window, setting.plan.window + 1)
        yield Measurement(setting.label, LOST.name, column, inf if ratio is None else loss(ratio))


SHARE = 0.6  # of homes at the first level
STEADY = HomesSpec("steady", 20_000, 30, quick_slots=20)


def release_bias() -> Experiment:
    """A release that is kept because it resembles the probe is not a fair draw any more."""
    plan = _tiny(preset("paper"), "lbd", 4, 3, 4)
    settings = tuple(
        Setting(f"{label}, {oracle.upper()}", replace(with_method(plan, METHODS[label]), oracle=oracle), STEADY)
        for label in ("LBD", "LBA")
        for oracle in ("oue", "grr")
    )
    return Experiment(
        **words("release-bias"),
        settings=settings,
        measure=_bias,
        metrics=(BIAS,),
        repeats=Repeats(1, 5),
        columns=(AS_PRINTED, BESIDE, CORRECTED),
        explained={
            AS_PRINTED: "the paper's rule: lucky candidates are published",
            BESIDE: "private, but a release is kept because it resembles the probe",
            CORRECTED: "hushwatt's rule: the probe is compared with the probe kept from that slot",
        },
    )


def _bias(job: Job, setting: Setting) -> Iterable[Measurement]:
    plan, homes = setting.plan, setting.homes.count
    slots = (setting.homes.quick_slots if job.quick else None) or setting.homes.slots
    others = np.array([150.0, 250.0, 350.0])
    now = np.where(np.arange(homes) < SHARE * homes, 50.0, others[np.arange(homes) % 3])[:, None]
    watts = [now] * slots
    start, source = STRATEGIES[plan.method].start(plan.epsilon, plan.window), source_of(job, plan)
    tallies = {
        AS_PRINTED: collect(plan, watts, homes, source),
        BESIDE: collect_by(release_rule, start, plan, watts, homes, source),
    }
    counts_by_column = {
        column: counts_of(estimate(replace(plan, minimum_homes=1), one, consistency="none"))
        for column, one in tallies.items()
    }
    counts_by_column[CORRECTED] = counts_of(sound_estimates(job, plan, np.stack(watts)))
    for column, counts in counts_by_column.items():
        yield Measurement(setting.label, BIAS.name, column, float(counts[10:, 0].mean() / homes - SHARE))
