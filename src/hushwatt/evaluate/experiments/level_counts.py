"""The paper's p-values: the counts of an appliance's levels, true against estimated, in every slot."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hushwatt.evaluate import metrics, paper_numbers
from hushwatt.evaluate.experiments.columns import advised, counts_of, printed_reports, sound_estimates, true_counts
from hushwatt.evaluate.experiments.experiment import (
    AS_PRINTED,
    CORRECTED,
    HUSHWATT,
    PRINTED,
    Experiment,
    HomesSpec,
    Job,
    Measurement,
    Metric,
    Repeats,
    Setting,
    words,
)
from hushwatt.evaluate.experiments.homes import PAPER, watts_of
from hushwatt.evaluate.paper_mechanism import printed_counts
from hushwatt.plan.amounts import MICRO
from hushwatt.plan.appliance import Appliance
from hushwatt.plan.plan import Plan
from hushwatt.plan.presets import preset
from hushwatt.provider.estimate.consistency import norm_sub

Numbers = NDArray[np.float64]

P_VALUE = Metric("Kruskal–Wallis p", "{:.3g}", better="")
RMSE = Metric("error of a level's share", "{:.2f}", unit="points")
MOVED = Metric("Wasserstein distance", "{:.0f}", unit="W")
METHODS = {"LBU": "lbu", "LSP": "lsp", "LBD": "lbd", "LBA": "lba"}
SCENARIOS = {  # with IDEAL homes: the p-values that the paper prints
    "methods": paper_numbers.METHODS.values(),
    "windows": paper_numbers.WINDOWS.values(),
    "budgets": paper_numbers.BUDGETS.values(),
    "levels": paper_numbers.LEVELS.values(),
}

IDEAL = HomesSpec(PAPER, count=1_000, slots=30)
DAYS = HomesSpec(PAPER, count=1_000, slots=30, quick_slots=15)  # every day is tested on its own


def with_method(plan: Plan, method: str) -> Plan:
    """The plan with another of the paper's four methods."""
    return replace(plan, method=method, decision="household" if method in ("lbd", "lba") else None)


def with_levels(plan: Plan, levels: int) -> Plan:
    """The plan with `levels` ranges of equal width up to 2500 W, or the paper's own ten."""
    if levels == plan.appliances[0].levels:
        return plan
    edges = np.round(np.linspace(0, 2500, levels)[1:], 1).tolist()
    return replace(plan, appliances=tuple(Appliance.of(name, edges=edges) for name in plan.names))


def with_appliances(plan: Plan, count: int) -> Plan:
    """The plan with `count` appliances, all asked in every report."""
    edges = plan.appliances[0].edges
    appliances = tuple(Appliance.of(f"appliance {place + 1}", edges=edges) for place in range(count))
    return replace(plan, appliances=appliances, appliances_per_report=count)


def measure(job: Job, setting: Setting) -> Iterable[Measurement]:
    """The mean p-value, and two honest distances, in all three columns."""
    watts = watts_of(setting.homes, setting.plan, job)
    for column, plan, truth, estimate in compared(job, setting, watts):
        yield Measurement(setting.label, P_VALUE.name, column, float(metrics.kruskal_wallis(truth, estimate).mean()))
        error = 100 * metrics.root_mean_square(truth, estimate) / watts.shape[1]
        yield Measurement(setting.label, RMSE.name, column, error)
        shown = estimate if column == AS_PRINTED else norm_sub(estimate, watts.shape[1])
        moved = float(metrics.wasserstein(truth, shown, plan.appliances[0].values).mean())
        yield Measurement(setting.label, MOVED.name, column, moved)


def measure_appliances(job: Job, setting: Setting) -> Iterable[Measurement]:
    """The p-value of every appliance, averaged over slots."""
    watts = watts_of(setting.homes, setting.plan, job)
    for column, plan, truth, estimate in compared(job, setting, watts):
        p_values = metrics.kruskal_wallis(truth, estimate).mean(axis=0)
        for name, value in zip(plan.names, p_values.tolist(), strict=True):
            yield Measurement(f"{setting.label}, {name.replace('_', ' ')}", P_VALUE.name, column, value)


def compared(job: Job, setting: Setting, watts: Numbers) -> Iterable[tuple[str, Plan, Numbers, Numbers]]:
    """Column, plan, true and estimated counts: slots × appliances × levels."""
    plan, best = setting.plan, advised(job, setting.plan, setting.homes, "histogram")
    counts_by_column = (
        (AS_PRINTED, plan, printed_counts(plan, printed_reports(job, plan, watts))),
        (CORRECTED, plan, counts_of(sound_estimates(job, plan, watts))),
        (HUSHWATT, best, counts_of(sound_estimates(job, best, watts, smooth=True))),
    )
    truth = true_counts(plan, watts)
    for column, used, counts in counts_by_column:
        shape = (len(truth), -1, used.widths[0])
        yield column, used, truth.reshape(shape), counts.reshape(shape)


def experiment(name: str, settings: list[Setting], values: Iterable[float], repeats: Repeats) -> Experiment:
    """One of the paper's figures of p-values."""
    return Experiment(
        **words(name, "levels"),
        settings=tuple(settings),
        measure=measure,
        metrics=(P_VALUE, RMSE, MOVED),
        repeats=repeats,
        printed=tuple(
            Measurement(each.label, P_VALUE.name, PRINTED, value) for each, value in zip(settings, values, strict=True)
        ),
        logarithmic=True,
    )


def ideal_settings(scenario: str) -> list[Setting]:
    """The settings of one of the paper's four scenarios with IDEAL homes."""
    plan = preset("paper")
    if scenario == "methods":
        return [Setting(label, with_method(plan, method), DAYS) for label, method in METHODS.items()]
    if scenario == "windows":
        return [Setting(f"w = {w}", replace(plan, window=w), DAYS) for w in paper_numbers.WINDOWS]
    if scenario == "budgets":
        return [Setting(f"ε = {e}", replace(plan, epsilon=e * MICRO), DAYS) for e in paper_numbers.BUDGETS]
    return [Setting(f"d = {d}", with_levels(plan, d), DAYS) for d in paper_numbers.LEVELS]


def synthetic_settings() -> list[Setting]:
    """The paper's four laws with its four methods."""
    plan = preset("paper-synthetic")
    return [
        Setting(f"{kind}, {label}", with_method(plan, METHODS[label]), HomesSpec(kind, 10_000, 10, quick_slots=3))
        for kind, row in paper_numbers.DISTRIBUTIONS.items()
        for label in row
    ]


def skewed(plan: Plan, homes: int, slots: int, quick_slots: int, label: str) -> Setting:
    """LBD on right-skewed data, the setting of the paper's two last figures."""
    return Setting(label, with_method(plan, "lbd"), HomesSpec("right-skewed", homes, slots, quick_slots))


def experiments() -> list[Experiment]:
    """Every experiment about level counts."""
    synthetic = preset("paper-synthetic")
    laws = [value for row in paper_numbers.DISTRIBUTIONS.values() for value in row.values()]
    users = [skewed(synthetic, count, 10, 5, f"{count:,} homes") for count in paper_numbers.USERS]
    appliances = [
        skewed(with_appliances(synthetic, count), 10_000, 10, 3, f"{count} appliances")
        for count in paper_numbers.APPLIANCES
    ]
    return [
        *(experiment(name, ideal_settings(name), SCENARIOS[name], Repeats(1, 10)) for name in SCENARIOS),
        experiment("distributions", synthetic_settings(), laws, Repeats(1, 5)),
        experiment("users", users, paper_numbers.USERS.values(), Repeats(1, 5)),
        experiment("appliances", appliances, paper_numbers.APPLIANCES.values(), Repeats(1, 5)),
        per_appliance(),
    ]


def per_appliance() -> Experiment:
    """The paper's last table: the p-value of every appliance."""
    settings, values = [], []
    for scenario in SCENARIOS:
        table = paper_numbers.per_appliance()[scenario]
        for setting in ideal_settings(scenario):
            key = setting.label.split()[-1]  # LBU, or the number in w = 2
            if scenario != "methods" and setting.plan == preset("paper"):
                continue  # the same as LBA above
            settings.append(setting)
            values += [
                Measurement(f"{setting.label}, {name.replace('_', ' ')}", P_VALUE.name, PRINTED, value)
                for name, value in table[key].items()
            ]
    return Experiment(
        **words("per-appliance", "levels"),
        settings=tuple(settings),
        measure=measure_appliances,
        metrics=(P_VALUE,),
        repeats=Repeats(1, 3),
        printed=tuple(values),
        figure="none",
    )
