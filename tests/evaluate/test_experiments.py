"""Experiments are rows of a table: named, seeded, and the same whoever runs them."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from hushwatt.errors import ReadingsError, UsageError
from hushwatt.evaluate import metrics, paper_numbers
from hushwatt.evaluate.experiments import experiment, experiments, run, top
from hushwatt.evaluate.experiments.columns import NO_CAP, advised, held_watts, true_counts
from hushwatt.evaluate.experiments.experiment import COLUMNS, EVERY_ROW, Goal, HomesSpec, Job, Setting
from hushwatt.evaluate.experiments.homes import PAPER, about, base_of, watts_of, weekly, with_prior_knowledge
from hushwatt.evaluate.experiments.level_counts import with_levels, with_method
from hushwatt.evaluate.experiments.over_time import PACES, drifting
from hushwatt.evaluate.experiments.peeking_loss import answer, log_chance
from hushwatt.evaluate.reproduce import (
    MeanResult,
    ReproducedExperiment,
    count,
    document,
    number,
    reproduce,
    summarised,
)
from hushwatt.plan.amounts import MICRO
from hushwatt.plan.appliance import Appliance
from hushwatt.plan.presets import preset
from hushwatt.privacy.laws import law_for
from hushwatt.privacy.promise import promise

WANTED = {
    *("methods", "windows", "budgets", "levels", "distributions", "users", "appliances", "top-k", "shares"),
    *("usage", "benchmark", "per-appliance", "floors", "privacy", "release-bias", "accuracy"),
}
JOB = Job("top-k", 0, 0, seed=7, quick=True)
FEW = HomesSpec(PAPER, 150, 4)


def test_every_table_of_the_paper_is_there():
    """Each of the paper's tables and figures, and each finding, has a name."""

    assert set(experiments()) >= WANTED


@pytest.mark.parametrize("name", experiments())
def test_every_experiment_explains_itself(name):
    """Each says what it asks and how it was made; what it prints and aims at has a column and a metric."""
    each = experiment(name)

    assert each.asks.endswith("?")
    assert len(each.made) > 60
    assert {one.column for one in each.printed} <= set(each.columns)
    assert {one.metric for one in each.printed} <= {metric.name for metric in each.metrics}
    assert each.repeats.quick <= each.repeats.full
    assert {goal.metric for goal in each.goals} <= {metric.name for metric in each.metrics}


def test_no_such_experiment():
    """A wrong name is answered with the right ones."""
    with pytest.raises(UsageError, match="there is no experiment called tops; there are floors, methods"):
        experiment("tops")


def test_seeds_have_purposes():
    """Repetition and purpose change a seed; setting and experiment do not, so columns meet the same homes."""
    again = replace(JOB, repeat=1)

    assert JOB.seed_for("homes") == replace(JOB, setting=2, experiment="shares").seed_for("homes")
    assert len({JOB.seed_for("homes"), JOB.seed_for("noise"), again.seed_for("homes")}) == 3


def test_homes_repeat_and_differ():
    """The same job has the same homes; another repetition, seed or population has others."""
    plan = preset("paper")
    first = watts_of(FEW, plan, JOB)

    assert first.shape == (4, 150, 15)
    assert (first == watts_of(FEW, plan, JOB)).all()
    for other in (replace(JOB, repeat=1), replace(JOB, seed=8)):
        assert (first != watts_of(FEW, plan, other)).any()
    assert (first != watts_of(FEW, plan, JOB, "another population")).any()


def test_weekly_homes_keep_their_means():
    """Over whole weeks the rise and fall leaves every mean as it was."""

    assert weekly((14, 1, 5)).mean(axis=0) == pytest.approx(np.ones((1, 5)))


def test_prior_knowledge_is_of_means_and_highs():
    """What is known of another population is its mean and the 95th percentile among users, in whole watts."""
    plan = preset("paper")
    watts = watts_of(FEW, plan, JOB)
    kettle = with_prior_knowledge(plan, watts).appliances[1]
    users = watts[:, watts[:, :, 1].max(axis=0) > 0, 1]

    assert kettle.typical_mean == np.rint(watts[:, :, 1].mean())
    assert kettle.typical_high == np.rint(np.percentile(users, 95))


def test_advised_plans_keep_the_papers_protection():
    """hushwatt's column spends no more than the paper's ε on the home, nor ε/15 on an appliance."""
    plan = preset("paper")
    for goal in ("ranking", "histogram"):
        found = promise(advised(JOB, plan, FEW, goal))
        assert found.dearest <= plan.epsilon
        assert found.appliance_dearest <= plan.epsilon // 15
    assert promise(advised(JOB, plan, FEW, "histogram", NO_CAP)).appliance_dearest > plan.epsilon // 15


def test_levels_of_the_paper_stay():
    """Ten levels are the paper's own ranges; other numbers are ranges of equal width up to 2500 W."""
    plan = preset("paper")

    assert with_levels(plan, 10) is plan
    assert with_levels(plan, 5).appliances[0].edges == (625.0, 1250.0, 1875.0, 2500.0)


def test_true_counts_add_up():
    """Every home is at one level of every appliance in every slot."""
    plan = preset("paper")
    counts = true_counts(plan, watts_of(FEW, plan, JOB))

    assert (counts.reshape(4, 15, 10).sum(axis=2) == 150).all()


def test_estimates_aim_at_real_watts_where_highs_are_known():
    """Dithered watts are cut off at the top, unless the plan says what is typical."""
    kettle = Appliance.of("kettle", values=[0, 50], mapping="dither")
    known = replace(kettle, name="known kettle", typical_mean=20.0, typical_high=60.0)
    paper = preset("paper")
    plan = replace(paper, appliances=(kettle, known), appliances_per_report=2, mapping="dither", oracle="grr")

    assert held_watts(plan, np.full((3, 4, 2), 80.0)).tolist() == [50.0, 80.0]


def test_drift_follows_its_shares():
    """Homes are spread over the levels as the logits say."""
    logits = np.log(np.array([[[0.1, 0.2, 0.3, 0.15, 0.25]]]))
    watts = drifting(logits, 50_000, np.random.default_rng(1))[0, :, 0]
    shares = [np.mean(watts == 100 + 200 * level) for level in range(5)]

    assert shares == pytest.approx([0.1, 0.2, 0.3, 0.15, 0.25], abs=0.01)
    assert {pace(40, np.random.default_rng(2)).shape for pace in PACES.values()} == {(40, 3, 5)}


def test_as_printed_is_the_papers_number():
    """One repetition of LBA gives the printed .00082 within a tenth, and sound columns p far above 0.05."""
    each = experiment("methods")
    job = Job("methods", 3, 0, seed=1, quick=True)
    found = {one.column: one.value for one in run(job) if one.metric == each.metrics[0].name}

    assert found["as printed"] == pytest.approx(paper_numbers.METHODS["LBA"], rel=0.1)
    assert found["corrected"] > 0.25
    assert found["hushwatt"] > 0.25


def test_privacy_finding():
    """The printed decision has an infinite loss and the shipped one stays below ε, in exact fractions."""
    found = {one.column: one.value for one in run(Job("privacy", 0, 0, seed=1, quick=True))}

    assert found["as printed"] == float("inf")
    assert found["corrected"] <= 1


def test_chances_of_a_slot_add_up():
    """Over every candidate and the repeat the closed form adds up to 1, whatever truth and release are."""
    laws = [law_for("oue", amount, 1, 3) for amount in (300_000, 900_000)]
    every = [np.array(bits, dtype=bool) for bits in itertools.product((0, 1), repeat=3)]
    for truth, release in itertools.product(np.eye(3, dtype=bool), every):
        total = sum(np.exp(log_chance(truth, release, sent, *laws)) for sent in [None, *every])

        assert total == pytest.approx(1)


def test_chance_to_repeat_is_the_simulated_one():
    """The closed form agrees with following many homes through one slot."""
    stream = np.random.default_rng(4)
    truth, release = np.eye(4, dtype=bool)[1], np.array([1, 0, 1, 0], dtype=bool)
    laws = [law_for("oue", amount, 1, 4) for amount in (500_000, 2_000_000)]
    repeats = 0
    for _ in range(20_000):
        probe, candidate = (answer(truth, law, stream) for law in laws)
        repeats += int(np.sum(probe != release) <= np.sum(candidate != truth))

    assert repeats / 20_000 == pytest.approx(np.exp(log_chance(truth, release, None, *laws)), abs=0.015)


def test_privacy_at_size():
    """At ε = 1 a good third of the homes give away more than they were promised."""
    (found,) = run(Job("privacy-at-size", 1, 0, seed=1, quick=True))

    assert 0.25 < found.value < 0.5


def test_release_bias():
    """Comparing with the release is off by 0.08 or more where comparing with the kept probe is not."""
    found = {one.column: one.value for one in run(Job("release-bias", 3, 0, seed=1, quick=True))}

    assert abs(found["against the release"]) > 0.08
    assert abs(found["corrected"]) < 0.03
    assert found["as printed"] > 0.15


def test_per_slot_ratio():
    """Two of 15 with grr and turns is at least 30 times closer than LBU-OUE at w = 3."""
    found = {(one.metric, one.column): one.value for one in run(Job("per-slot", 0, 0, seed=1, quick=True))}

    assert found["squared error of LBU-OUE over it", "lpu, grr, two of 15"] > 30


def test_baselines_get_the_papers_budget(monkeypatch):
    """At equal budget, all appliances over a window cost a home ε; shares and time are of that run."""
    plan, given = preset("paper"), []

    class Spy:
        name, title, local = "spy", "Spy", True

        def collect(self, watts, epsilon, stream):
            given.append(epsilon)
            return watts.mean(axis=(0, 1)) if epsilon == 1 else np.arange(15.0) + 1

    monkeypatch.setattr(top, "BASELINES", {"spy": Spy()})
    setting = Setting("Spy", plan, FEW)
    found = {one.metric: one.value for one in top._benchmark(JOB, setting)}
    truth = watts_of(FEW, plan, JOB).mean(axis=(0, 1))

    assert given == [1.0, pytest.approx(plan.epsilon / MICRO / 15 / plan.window)]
    assert found[top.AT_ONE.name] == 10
    assert found[top.AT_EQUAL.name] == metrics.exact_hits(truth, np.arange(15.0) + 1) < 10
    assert found[top.SHARES.name] == metrics.share_error(truth, np.arange(15.0) + 1) > 0


def test_goals_judge():
    """A goal is reached on its edge and not beyond it."""
    goal = Goal("", "", "", least=0.9, most=1.1)

    assert [goal.reached(value) for value in (0.9, 1.1, 0.89, 1.11)] == [True, True, False, False]
    assert [replace(goal, doubt=2.0).reached(value, 0.01) for value in (0.89, 1.11, 0.87, 1.13)] == [
        *(True, True, False, False)
    ]


def test_a_goal_for_every_row():
    """It is judged row by row, by each row's own error, and names the row."""
    each = experiment("year")
    metric, column = each.metrics[0].name, each.columns[1]
    goal = Goal(EVERY_ROW, metric, column, least=90.0, doubt=2.0)
    rows = [("a", 95.0, 1.0), ("b", 85.0, 3.0), ("c", 85.0, 2.0)]
    results = tuple(MeanResult(row, metric, column, None, value, error, 0, 0, 9) for row, value, error in rows)
    part = ReproducedExperiment(replace(each, goals=(goal,)), results, ())

    assert [(one.setting, reached) for one, _, reached in part.goals()] == [("a", True), ("b", True), ("c", False)]


def test_results_are_means_of_repetitions():
    """Two repetitions give their mean, half their difference as its error, and their range."""
    each = experiment("top-k")
    found = [run_one(each, value) for value in (4.0, 6.0)]
    (one,) = [result for result in summarised(each, found) if result.runs]

    assert (one.value, one.error, one.low, one.high, one.runs) == (5.0, pytest.approx(1.0), 4.0, 6.0, 2)


def run_one(each, value):
    """A measurement of that experiment's first metric."""
    from hushwatt.evaluate.experiments import Measurement

    return Measurement("LBA", each.metrics[0].name, COLUMNS[3], value)


def test_same_numbers_whoever_works():
    """One process and two give the same numbers, and another seed others."""
    one = document(reproduce(["per-slot"], 3, quick=True, workers=1))
    two = document(reproduce(["per-slot"], 3, quick=True, workers=2))
    other = document(reproduce(["per-slot"], 4, quick=True, workers=1))

    assert one == two
    assert one["experiments"] != other["experiments"]
    assert count(["per-slot"], quick=True) == 4


def test_own_data(tmp_path):
    """Readings in a folder take the place of the invented homes, and are called augmented."""
    rows = ["household,day,appliance,mean_watts"]
    for home in range(3):
        rows += [f"h{home},2020-01-{day:02d},kettle,{100 + 10 * home + day}" for day in range(1, 9)]
    (tmp_path / "mine.csv").write_text("\n".join(rows))
    plan, job = preset("paper"), replace(JOB, data=tmp_path)
    watts = watts_of(FEW, plan, job)

    assert 100 < watts[:, :, 1].mean() < 130
    assert watts[:, :, 0].max() == 0
    assert "augmented" in about(PAPER, tmp_path)
    with pytest.raises(ReadingsError, match="hushwatt data list"):
        base_of(tmp_path / "none", plan.names)


def test_infinite_numbers_become_words():
    """JSON has no infinity, so it is spelt."""

    assert [number(value) for value in (1.5, float("inf"), float("nan"))] == [1.5, "infinite", None]


def test_methods_have_their_decisions():
    """LBD and LBA are decided at home, LBU and LSP by the clock."""
    plan = preset("paper")

    assert [with_method(plan, each).decision for each in ("lbu", "lbd")] == [None, "household"]
