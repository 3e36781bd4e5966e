"""Estimates are unbiased, know how much they scatter, and cover the truth.

Every slot of a simulation repeats the same experiment, so the scatter over slots is
what the standard errors must foretell.
"""

from dataclasses import replace

import numpy as np
import pytest
from tests.provider.simulated import MICRO, answers, plan_of, repeated_slots, spread_out, tallies_of

from hushwatt.errors import UsageError
from hushwatt.privacy.influence import reach
from hushwatt.privacy.laws import law_for, noise
from hushwatt.provider.estimate import debias
from hushwatt.provider.estimate.estimate import estimate
from hushwatt.provider.tally.tally import Tallies, Tally, TallyKey

TIMES = 1500
VALUES = [[125.0 + 250 * level for level in range(10)], [0.0, 800.0], [5.0, 50.0, 500.0, 2000.0]]  # ragged
PARTS = [[50, 20, 10, 8, 5, 3, 2, 1, 0.7, 0.3], [97, 3], [60, 30, 10, 0]]
RANGE = [
    # oracle, ε, homes, of which report
    ("oue", "0.3", 2000, 2000),
    ("oue", "6", 400, 400),
    ("sue", "1", 500, 500),
    ("sue", "30", 1000, 1000),
    ("grr", "1", 1000, 1000),
    ("grr", "9", 300, 300),
    ("oue", "2", 1000, 250),
    ("sue", "6", 2000, 300),
    ("grr", "3", 1000, 100),
    ("grr", "40", 2000, 150),
    ("oue", "0.001", 300, 300),
]


def held_by(homes):
    return [spread_out(homes, parts) for parts in PARTS]


def simulated(oracle, epsilon, homes, reports, seed=11, **changes):
    """The truth, and the raw estimates of many slots with that truth."""
    held, rng = held_by(homes), np.random.default_rng(seed)
    plan = plan_of(VALUES, oracle=oracle, epsilon=epsilon, **changes)
    tallies = repeated_slots(rng, plan, held, TIMES, reports=reports)
    found = estimate(plan, tallies, consistency="none").by_slot
    return list(zip(held, map(np.array, VALUES), found.values(), strict=True))


def scores(estimates, truth):
    """How many standard errors the average estimate is away from the truth."""
    return np.abs(estimates.mean(axis=0) - truth) / (estimates.std(axis=0) / np.sqrt(len(estimates)) + 1e-9)


def ratios(errors, estimates):
    """Stated standard errors over the scatter that there was."""
    scatter = estimates.std(axis=0)
    return np.sqrt((errors**2).mean(axis=0))[scatter > 0] / scatter[scatter > 0]


@pytest.mark.parametrize("setting", RANGE, ids=str)
def test_range_plans(setting):
    """Levels and watts: no bias, standard errors within 10 %, and 93 % coverage or more."""
    for held, values, found in simulated(*setting):
        watts = held @ values / held.sum()
        covered = ((found.low <= held + 1e-9) & (held - 1e-9 <= found.high)).mean(axis=0)

        assert scores(found.levels, held).max() < 4.5
        assert scores(found.watts, watts) < 4.5
        assert covered.min() > 0.925  # 93 % and the luck of 1500 tries
        common = held >= 20 * held.sum() / setting[3]
        assert (np.abs(ratios(found.levels_se[:, common], found.levels[:, common]) - 1) < 0.1).all()
        assert np.abs(ratios(found.watts_se, found.watts) - 1) < 0.1


@pytest.mark.parametrize("setting", [s for s in RANGE if s[2] == s[3] and float(s[1]) <= 3], ids=str)
def test_budget_division_is_not_too_sure_nor_too_shy(setting):
    """When all homes report, the per-slot intervals cover 93 to 97 % on average over the levels."""
    for held, _, found in simulated(*setting, seed=12):  # type: ignore[misc]
        covered = ((found.low <= held) & (held <= found.high)).mean()

        assert 0.94 < covered < 0.96


@pytest.mark.parametrize("oracle, epsilon", [("oue", "1"), ("sue", "8"), ("grr", "2"), ("grr", "12")])
def test_dither_plans(oracle, epsilon):
    """Levels drawn at random at home: watts are unbiased, and their errors include the drawing."""
    rng, homes = np.random.default_rng(5), 400
    plan = plan_of([[0, 100, 400, 1000]], oracle=oracle, epsilon=epsilon, mapping="dither")
    chances = np.array([0.5, 0.3, 0.15, 0.05])
    held = rng.multinomial(homes, chances, size=TIMES)
    counts = answers(rng, plan, plan.epsilon, 0, held, TIMES)
    keys = [TallyKey(slot, 0, slot, plan.epsilon) for slot in range(TIMES)]
    tallies = tallies_of(homes, keys, [np.full(TIMES, homes)], [counts])
    found = estimate(plan, tallies, consistency="none").by_slot["appliance 0"]
    truth = homes * chances

    assert scores(found.watts, chances @ [0, 100, 400, 1000]) < 4.5
    assert scores(found.levels, truth).max() < 4.5
    assert (np.abs(ratios(found.levels_se, found.levels) - 1) < 0.1).all()
    assert np.abs(ratios(found.watts_se, found.watts) - 1) < 0.1
    assert ((found.low <= truth) & (truth <= found.high)).mean(axis=0).min() > 0.925


def test_forty_appliances():
    """With ε shared by forty the noise is large, and known."""
    rng, plan = np.random.default_rng(2), plan_of([[0, 100, 1000]] * 40, epsilon="4")
    held = [spread_out(500, [80, 15, 5])] * 40
    found = estimate(plan, repeated_slots(rng, plan, held, 300), consistency="none").by_slot
    errors = np.stack([each.watts - held[0] @ [0, 100, 1000] / 500 for each in found.values()])
    stated = np.stack([each.watts_se for each in found.values()])

    assert np.abs(np.sqrt((stated**2).mean()) / errors.std() - 1) < 0.03
    assert 0.93 < (np.abs(errors) < 1.96 * stated).mean() < 0.97
    assert np.abs(errors.mean()) < 4.5 * errors.std() / np.sqrt(errors.size)


@pytest.mark.parametrize("oracle", ["oue", "grr"])
def test_a_wrong_variance_is_noticed(monkeypatch, oracle):
    """With the noise taken a quarter smaller, coverage and standard errors both fail."""
    monkeypatch.setattr(debias, "noise", lambda *given: 0.75 * noise(*given))
    held, _, found = simulated(oracle, "1", 1000, 1000)[0]

    assert ((found.low <= held) & (held <= found.high)).mean() < 0.925
    assert (np.abs(ratios(found.levels_se, found.levels) - 1) > 0.1).all()


def test_a_wrong_law_is_noticed():
    """Reports drawn with another budget than they say are estimated with a bias."""
    rng, plan = np.random.default_rng(1), plan_of(VALUES)
    tallies = repeated_slots(rng, plan, held_by(1000), TIMES, drawn=MICRO)
    claimed = Tallies(1000, {k._replace(drawn=1_100_000): tally for k, tally in tallies.groups.items()})
    found = estimate(replace(plan, epsilon=2 * MICRO), claimed, consistency="none").by_slot["appliance 0"]

    assert scores(found.levels, held_by(1000)[0]).max() > 10


def test_homes_weigh_alike_whatever_they_drew():
    """Steady homes draw larger budgets; their levels must not count for more."""
    rng, plan = np.random.default_rng(4), plan_of([[0, 100]], oracle="grr", epsilon="8")
    keys, counts, reports = [], [], []
    for drawn, held in ((8 * MICRO, [0, 500]), (MICRO // 2, [500, 0])):
        keys += [TallyKey(slot, 0, slot, drawn) for slot in range(TIMES)]
        counts.append(answers(rng, plan, drawn, 0, np.array(held), TIMES))
        reports.append(np.full(TIMES, 500))
    tallies = tallies_of(1000, keys, [np.concatenate(reports)], [np.concatenate(counts)])
    found = estimate(plan, tallies, consistency="none").by_slot["appliance 0"]
    truth = np.array([500, 500])

    assert scores(found.levels, truth).max() < 4.5
    assert (np.abs(ratios(found.levels_se, found.levels) - 1) < 0.1).all()
    assert 0.93 < ((found.low <= truth) & (truth <= found.high)).mean() < 0.97


def test_levels_are_on_the_scale_of_all_homes():
    """A tenth of the homes reporting half and half stands for all homes half and half."""
    plan = plan_of([[0, 100]], oracle="grr", epsilon="40")
    tallies = tallies_of(1000, [TallyKey(0, 0, 0, 40 * MICRO)], [np.array([100])], [np.array([[50, 50]])])
    found = estimate(plan, tallies).by_slot["appliance 0"]

    assert np.allclose(found.levels, [[500, 500]])
    assert np.allclose(found.watts, 50)


def test_unary_watts_use_that_everyone_is_somewhere():
    """An answer too many at every level adds no watts: the average level is taken out."""
    plan = plan_of([[0, 100, 200]])
    counts = np.array([[40, 30, 35], [50, 40, 45]])
    tallies = tallies_of(100, [TallyKey(t, 0, t, MICRO) for t in (0, 1)], [np.array([100, 100])], [counts])
    found = estimate(plan, tallies).by_slot["appliance 0"]

    assert np.isclose(found.watts[0], found.watts[1])
    assert np.isclose(found.watts[0], 100 + 100 * (35 - 40) / 100 / float(0.5 - law_for("oue", MICRO, 1, 3).rise))


def test_consistency_touches_only_what_is_shown():
    """Norm-sub changes histograms of slots and period, and no other number."""
    rng, plan = np.random.default_rng(9), plan_of(VALUES)
    tallies = repeated_slots(rng, plan, held_by(300), 5)
    shown, raw = (estimate(plan, tallies, consistency=word) for word in ("norm-sub", "none"))

    for name in plan.names:
        slot, raw_slot = shown.by_slot[name], raw.by_slot[name]
        assert (slot.levels >= 0).all()
        assert np.allclose(slot.levels.sum(axis=1), 300)
        assert not np.allclose(slot.levels, raw_slot.levels)
        for column in ("levels_se", "low", "high", "watts", "watts_se"):
            assert (getattr(slot, column) == getattr(raw_slot, column)).all()
        levels = shown.by_period[name].levels
        gone = {"levels": None, "levels_se": None}
        assert replace(raw.by_period[name], **gone) == replace(shown.by_period[name], **gone)
        assert np.isclose(levels.sum(), 300)
        assert (levels >= 0).all()


def test_unknown_consistency():
    """A consistency that does not exist is refused by name."""
    with pytest.raises(UsageError, match="consistency is 'clip'; choose one of norm-sub, none"):
        estimate(plan_of(VALUES), Tallies(0, {}), consistency="clip")


def test_too_few_homes():
    """A slot below the minimum has no answer, and the period is made of the others."""
    rng, plan = np.random.default_rng(9), plan_of([[0, 100]], minimum_homes=300)
    few = repeated_slots(rng, plan, [np.array([100, 100])], 1)
    many = repeated_slots(rng, plan, [np.array([200, 200])], 2)
    groups = {k._replace(slot=k.slot + 1, as_of=k.as_of + 1): tally for k, tally in many.groups.items()}
    found = estimate(plan, Tallies(400, few.groups | groups))
    alone = estimate(plan, Tallies(400, groups))

    assert [slot.enough for slot in found.slots] == [False, True, True]
    assert found.by_slot["appliance 0"].known.tolist() == [False, True, True]
    assert found.by_period["appliance 0"].watts == alone.by_period["appliance 0"].watts


def test_exactly_enough_homes():
    """The minimum itself is enough."""
    tallies = repeated_slots(np.random.default_rng(9), plan_of([[0, 9]]), [np.array([60, 40])], 1)

    assert estimate(plan_of([[0, 9]], minimum_homes=100), tallies).answered
    assert not estimate(plan_of([[0, 9]], minimum_homes=101), tallies).answered


def test_nobody_spoke_of_it():
    """An appliance that nobody was asked about in a slot has no answer there, and none at all if never."""
    plan = plan_of([[0, 100]] * 3, appliances_per_report=1)
    reports, counts = np.array([[5, 3, 0], [8, 0, 0]]), np.array([[4, 2, 2, 1, 0, 0], [5, 4, 0, 0, 0, 0]])
    groups = {TallyKey(t, 0, t, MICRO): Tally(8, reports[t], counts[t]) for t in (0, 1)}
    found = estimate(plan, Tallies(8, groups))

    assert [found.by_slot[name].known.tolist() for name in plan.names] == [
        [True] * 2,
        [True, False],
        [False] * 2,
    ]
    assert found.by_period["appliance 1"] is not None
    assert found.by_period["appliance 2"] is None
    assert set(found.top) == {"appliance 0", "appliance 1"}


def test_no_reports():
    """Without reports there is no answer and no error."""
    found = estimate(plan_of(VALUES), Tallies(0, {}))

    assert found.slots == ()
    assert found.top == ()
    assert not found.answered


def test_probes_are_not_estimated_from():
    """What a provider looked at to decide is not published twice."""
    rng, plan = np.random.default_rng(9), plan_of(VALUES)
    tallies = repeated_slots(rng, plan, held_by(300), 2)
    probes = {k._replace(round=1): tally for k, tally in tallies.groups.items()}
    alone, beside = estimate(plan, tallies), estimate(plan, Tallies(300, tallies.groups | probes))

    assert alone.by_period["appliance 0"].watts == beside.by_period["appliance 0"].watts
    assert [slot.reports for slot in beside.slots] == [300, 300]


def test_some_slots():
    """Asking for some slots gives their numbers unchanged, and their own period."""
    rng, plan = np.random.default_rng(9), plan_of(VALUES)
    tallies = repeated_slots(rng, plan, held_by(300), 8)
    everything, some = estimate(plan, tallies), estimate(plan, tallies, first=2, last=4)

    assert [slot.slot for slot in some.slots] == [2, 3, 4]
    assert (some.by_slot["appliance 0"].levels == everything.by_slot["appliance 0"].levels[2:5]).all()
    assert np.isclose(some.by_period["appliance 0"].watts, everything.by_slot["appliance 0"].watts[2:5].mean())


def test_start_and_as_of():
    """A slot knows when it began and when its newest answers were drawn."""
    plan = plan_of([[0, 100]], epsilon="2")
    tally = Tally(10, np.array([10]), np.array([5, 5]))
    keys = [TallyKey(26, 0, 24, MICRO), TallyKey(26, 0, 20, MICRO), TallyKey(30, 0, -1, MICRO)]
    found = estimate(plan, Tallies(20, dict.fromkeys(keys, tally)))

    assert found.slots[0].start.isoformat() == "2024-01-02T02:00:00+00:00"
    assert [(slot.as_of, slot.reports) for slot in found.slots] == [(24, 20), (None, 10)]


def test_averages_of_levels():
    """A rare level, over many slots: the period's share is right, that of the adjusted slots is not."""
    plan, rng = plan_of([[0, 1, 2, 3]], epsilon="0.5"), np.random.default_rng(4)
    held = spread_out(10_000, [0.7, 0.2, 0.0954, 0.0046])
    found = estimate(plan, repeated_slots(rng, plan, [held], 200))
    slots, period = found.by_slot["appliance 0"], found.by_period["appliance 0"]

    assert abs(period.levels[3] - 46) < 3 * period.levels_se[3]
    assert slots.levels[:, 3].mean() > 46 + 3.5 * period.levels_se[3]
    assert np.allclose(slots.unbiased.mean(axis=0), estimate_none(plan, held).levels)
    low, high = period.level_limits(10_000)
    assert ((low <= period.levels) & (period.levels <= high) & (low >= 0)).all()
    assert period.levels.sum() == pytest.approx(10_000)


def estimate_none(plan, held):
    """The same period as it was estimated."""
    tallies = repeated_slots(np.random.default_rng(4), plan, [held], 200)
    return estimate(plan, tallies, consistency="none").by_period["appliance 0"]


@pytest.mark.parametrize("oracle", ["grr", "oue"])
@pytest.mark.parametrize("asked", [2, 1])
def test_forgers_that_swap_two_ranks(oracle, asked):
    """As many as close the gap when each lifts the lower mean and lowers the upper one as far as it can."""
    plan = plan_of([[0, 100], [0, 300]], oracle=oracle, epsilon="2", appliances_per_report=asked)
    reports = np.array([60, 60] if asked == 2 else [40, 20])
    tally = Tally(60, reports, np.array([20, reports[0] - 20, 5, reports[1] - 5]))
    found = estimate(plan, Tallies(60, {TallyKey(0, 0, 0, 2 * MICRO): tally}))
    upper, lower = found.top
    means = [found.by_period[name].watts for name in (upper, lower)]
    reached = [reach(plan, plan.names.index(name)) for name in (upper, lower)]
    spoke = [reports[plan.names.index(name)] for name in (upper, lower)]
    push = (means[0] - reached[0].low) / spoke[0] + (reached[1].high - means[1]) / spoke[1]

    assert found.swap_homes == {upper: pytest.approx((means[0] - means[1]) / push)}
    assert found.influence == pytest.approx(max(60 * reach(plan, n).homes / reports[n] for n in (0, 1)))
