"""The paper's estimator and decision come out as printed, and are told apart from sound ones."""

from dataclasses import replace

import numpy as np
import pytest

from hushwatt.evaluate import metrics, paper_mechanism, paper_numbers
from hushwatt.evaluate.experiments.columns import counts_of, true_counts
from hushwatt.evaluate.experiments.findings import _even_levels
from hushwatt.evaluate.experiments.level_counts import with_method
from hushwatt.evaluate.generators import generate
from hushwatt.evaluate.paper_mechanism import DecisionInputs, HalvingDistribute
from hushwatt.plan.presets import preset
from hushwatt.privacy.entropy import Simulation
from hushwatt.privacy.strategies import STRATEGIES, Absorb
from hushwatt.provider.estimate.estimate import estimate
from hushwatt.wire.payload import Layout

HOMES = 2_000


def watts_for(plan, kind, slots=2):
    """Synthetic readings, slot by slot."""
    return np.stack([now for _, now in generate(kind, plan, HOMES, slots, seed=5)])


@pytest.mark.parametrize("levels", paper_numbers.FLOORS)
@pytest.mark.parametrize("kind", ["uniform", "normal"])
def test_floors_and_the_right_estimator(levels, kind):
    """The printed estimator gives the floor the paper prints; the very same reports give p far above 0.05."""
    plan = with_method(_even_levels(preset("paper-synthetic"), levels), "lbu")
    watts = watts_for(plan, kind)
    tallies = paper_mechanism.collect(plan, watts, HOMES, Simulation(3, plan.id))
    truth = true_counts(plan, watts).reshape(2, 15, levels)
    wrong = metrics.kruskal_wallis(truth, paper_mechanism.printed_counts(plan, tallies).reshape(truth.shape))
    right = metrics.kruskal_wallis(truth, counts_of(estimate(plan, tallies, consistency="none")).reshape(truth.shape))

    assert wrong.mean() == pytest.approx(paper_numbers.FLOORS[levels], rel=0.035)
    assert 0.25 < right.mean() < 0.75


@pytest.mark.parametrize("method", ["lbd", "lba"])
def test_floor_with_the_printed_decision(method):
    """Under the printed decision too, uniform data at d = 10 gives the printed .000156."""
    plan = with_method(preset("paper-synthetic"), method)
    watts = watts_for(plan, "uniform", slots=3)
    tallies = paper_mechanism.collect(plan, watts, HOMES, Simulation(3, plan.id))
    truth = true_counts(plan, watts).reshape(3, 15, 10)
    found = metrics.kruskal_wallis(truth, paper_mechanism.printed_counts(plan, tallies).reshape(truth.shape))

    assert found.mean() == pytest.approx(0.000156, rel=0.01)


def test_printed_counts_are_the_printed_formula(plan_of):
    """(y − d·q)/(p − q) with q = 1/(1 + e^ε), by hand: one report whose bits are all 1."""
    plan = plan_of(2, method="lbu", epsilon=1_000_000, window=1)
    tallies = paper_mechanism.collect(plan, [np.zeros((400, 1))], 400, Simulation(1, plan.id))
    (tally,) = tallies.groups.values()
    rise = 1 / (1 + np.e)

    found = paper_mechanism.printed_counts(plan, tallies)

    assert found == pytest.approx((tally.counts[None] - 2 * rise) / (0.5 - rise))


def test_printed_totals_weigh_levels(plan_of):
    """A level's homes count with its watts, over all slots."""
    plan = plan_of(2, 3)
    counts = np.array([[1.0, 2.0, 3.0, 0.0, 1.0], [1.0, 0.0, 0.0, 2.0, 0.0]])
    first, second = (appliance.values for appliance in plan.appliances)

    expected = [2 * first[0] + 2 * first[1], 3 * second[0] + 2 * second[1] + second[2]]
    assert paper_mechanism.printed_totals(plan, counts) == pytest.approx(expected)


def test_the_printed_decision_never_publishes_the_complement(plan_of):
    """A candidate wrong in every bit stays at home whatever the probe: the decision tells the truth."""
    layout = Layout.of(plan_of(4))
    truth = layout.pack_answers(np.array([[2]], dtype=np.uint16))
    complement = truth ^ np.uint8(0b1111)
    probes = np.arange(16, dtype=np.uint8)[:, None]
    scene = DecisionInputs(
        layout=layout,
        truth=np.repeat(truth, 16, axis=0),
        probes=probes,
        candidates=np.repeat(complement, 16, axis=0),
        releases=np.zeros_like(probes),
        change_threshold=np.ones(16, dtype=np.int64),
        first=np.zeros(16, dtype=bool),
    )

    assert not paper_mechanism.peeking_rule(scene).any()
    assert paper_mechanism.peeking_rule(replace(scene, candidates=scene.truth))[1:].all()
    assert paper_mechanism.release_rule(scene).any()


def test_halves_never_stop():
    """LBD as printed offers half of what is left however little, where the shipped one has a floor."""
    printed_slot, shipped = HalvingDistribute.start(4_000_000, 6), STRATEGIES["lbd"].start(4_000_000, 6)
    for _ in range(4):
        printed_slot, shipped = printed_slot.after(True), shipped.after(True)

    assert printed_slot.offer() == 62_500
    assert shipped.offer() == 0


def test_the_decision_biases_what_it_publishes(plan_of):
    """Steady homes under the printed rule: the right estimator is off, as lucky candidates are published."""
    plan = plan_of(4, method="lba", epsilon=4_000_000, window=3)
    watts = [np.where(np.arange(20_000) < 12_000, 50.0, 150.0)[:, None]] * 8
    start = Absorb.start(plan.epsilon, plan.window)
    lucky = paper_mechanism.collect_by(paper_mechanism.peeking_rule, start, plan, watts, 20_000, Simulation(2, plan.id))
    share = counts_of(estimate(plan, lucky, consistency="none"))[4:, 0].mean() / 20_000

    assert share > 0.7
