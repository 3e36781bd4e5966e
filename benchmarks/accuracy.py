"""How close the estimates are: the figures to reach, with the paper's mechanism beside them."""

from benchmarks.measure import Row, show
from hushwatt.evaluate.experiments.experiment import Goal
from hushwatt.evaluate.reproduce import MeanResult, ReproducedExperiment, reproduce

EXPERIMENTS = ("accuracy", "per-slot", "drift", "advice")
SEED = 2311


def row(part: ReproducedExperiment, goal: Goal, one: MeanResult) -> Row:
    """A figure as a multiple of its goal."""
    metric = part.experiment.metric(goal.metric)
    value = f"{metric.form.format(one.value)} {metric.unit}".strip()
    what = f"{goal.setting}: {goal.metric}"
    if goal.least is not None and goal.most is not None:
        middle = (goal.least + goal.most) / 2
        away, allowed = abs(one.value - middle), (goal.most - goal.least) / 2
        return Row(f"{what}, from {goal.least:g} to {goal.most:g}", value, away / allowed, 1, lower=True)
    if goal.least is not None:
        return Row(f"{what}, at least {goal.least:g}", value, one.value / goal.least, 1)
    return Row(f"{what}, at most {goal.most:g}", value, one.value / (goal.most or 1.0), 1, lower=True)


def beside(part: ReproducedExperiment, goal: Goal) -> list[Row]:
    """What the other columns reach in the same setting."""
    found = [part.result(goal.setting, goal.metric, column) for column in part.experiment.columns]
    metric = part.experiment.metric(goal.metric)
    return [
        Row(f"  {one.column}", metric.form.format(one.value))
        for one in found
        if one is not None and one.column != goal.column
    ]


def main() -> bool:
    found = reproduce(EXPERIMENTS, SEED, quick=False)
    fine = []
    for part in found.parts:
        rows: list[Row] = []
        for goal, one, _ in part.goals():
            rows += [row(part, goal, one), *beside(part, goal)]
        fine.append(show(part.experiment.title, rows))
    return all(fine)


if __name__ == "__main__":
    raise SystemExit(not main())
