"""A period is the mean of its slots, and knows which of its draws are the same."""

import numpy as np
import pytest
from tests.provider.simulated import MICRO, plan_of, repeated_slots, spoken, spread_out, standing, tallies_of

from hushwatt.privacy.laws import law_for
from hushwatt.provider.estimate.arrays import SlotTimeline, TallyArrays
from hushwatt.provider.estimate.consistency import add_one_smoothed
from hushwatt.provider.estimate.debias import DebiasedGroups, centred, watts_moments
from hushwatt.provider.estimate.estimate import estimate
from hushwatt.provider.estimate.period import period_mean, period_weights
from hushwatt.provider.estimate.slots import slot_statistics
from hushwatt.provider.tally.tally import Tallies, Tally, TallyKey

NAME, VALUES = "appliance 0", np.array([0.0, 100.0, 300.0, 1000.0])
HOMES, SLOTS, TIMES = 200, 10, 250
CHANCES = [0.6, 0.25, 0.1, 0.05]


def lives(rng):
    """The levels of homes that change now and then."""
    levels = rng.choice(4, size=(SLOTS, HOMES), p=CHANCES)
    for slot in range(1, SLOTS):
        levels[slot] = np.where(rng.random(HOMES) < 0.2, levels[slot], levels[slot - 1])
    return levels


def all_together(rng, levels):
    """LSP: everybody draws in every third slot."""
    drawn = np.zeros(levels.shape, dtype=np.int64)
    drawn[::3] = 3 * MICRO
    return drawn


def each_on_its_own(rng, levels):
    """LBD or LBA: homes that change draw more often, and quiet homes draw with more."""
    changed = np.zeros(levels.shape, dtype=bool)
    changed[1:] = levels[1:] != levels[:-1]
    draws = (rng.random(levels.shape) < 0.2) | (changed & (rng.random(levels.shape) < 0.7))
    draws[0] = True
    amounts = np.where(levels == 0, 3 * MICRO, rng.choice([MICRO, MICRO // 2], size=levels.shape))
    return amounts * draws


def trials(plan, drawing, seed, **options):
    """Errors of the period's watts and levels, their standard errors, and whether the interval held."""
    rng, found = np.random.default_rng(seed), []
    first, last = options.get("first", 0), options.get("last", SLOTS - 1)
    for _ in range(TIMES):
        levels = lives(rng)
        tallies, held = standing(rng, plan, levels, drawing(rng, levels))
        period = estimate(plan, tallies, consistency="none", **options).by_period[NAME]
        held = held[first : last + 1]
        homes = np.stack([(held == level).sum(axis=1).mean() for level in range(4)])
        watts = VALUES[held].mean()
        inside = period.low <= watts <= period.high
        found.append([period.watts - watts, period.watts_se, inside, *(period.levels - homes), *period.levels_se])
    return np.array(found).T


@pytest.mark.parametrize("drawing", [all_together, each_on_its_own])
@pytest.mark.parametrize("oracle", ["oue", "grr"])
@pytest.mark.parametrize("options", [{}, {"first": 4, "last": 7}], ids=["all slots", "slots 4 to 7"])
def test_repeated_draws(oracle, drawing, options):
    """Homes that repeat themselves: no bias, standard errors within 12 %, and 95 % coverage."""
    plan = plan_of([VALUES], oracle=oracle, epsilon="3", window=3, method="lsp")
    error, stated, inside, *rest = trials(plan, drawing, seed=7, **options)
    levels, levels_se = np.array(rest[:4]), np.array(rest[4:])

    assert np.abs(error.mean()) < 4 * error.std() / np.sqrt(TIMES)
    assert np.abs(np.sqrt((stated**2).mean()) / error.std() - 1) < 0.12
    assert np.abs(np.sqrt((levels_se**2).mean() / (levels**2).mean()) - 1) < 0.07
    assert inside.mean() > 0.91  # 95 % and the luck of 250 tries


def test_new_draws_would_be_surer():
    """Taking repeats for new draws would state errors of lsp too small by the root of 3."""
    plan = plan_of([VALUES], epsilon="3", window=3, method="lsp")
    rng = np.random.default_rng(3)
    levels = lives(rng)[:9]
    tallies, _ = standing(rng, plan, levels, all_together(rng, levels))
    taken = Tallies(HOMES, {key._replace(as_of=key.slot): tally for key, tally in tallies.groups.items()})
    right, wrong = (estimate(plan, each).by_period[NAME].watts_se for each in (tallies, taken))

    assert np.isclose(right / wrong, np.sqrt(3))


def test_weights_of_a_draw():
    """A draw that stands for r slots of T has the weight r/T, and so the variance (r/T)²."""
    plan = plan_of([[0, 100]], method="lsp", window=4)
    keys = [TallyKey(slot, 0, slot - slot % 4, MICRO) for slot in range(8)]
    tallies = tallies_of(10, keys, [np.full(8, 10)], [np.full((8, 2), 5)])
    arrays = TallyArrays.of(plan, tallies)
    groups, timeline = DebiasedGroups.of(plan, arrays, 0), SlotTimeline.of(arrays, minimum=1)
    weights = period_weights(groups, np.full(8, 10.0), np.ones(8, dtype=bool), timeline)

    assert np.isclose(weights.squared[:4].sum(), (4 / 80) ** 2)
    assert np.isclose(weights.squared[4:].sum(), (4 / 80) ** 2)
    assert np.isclose(weights.cubed[:4].sum(), (4 / 80) ** 3)


def test_the_size_of_an_answer_is_a_sum_over_draws():
    """Third moment over second, each draw once, with the weight of all the slots that stand by it."""
    plan, rng = plan_of([VALUES], oracle="grr", epsilon="3", window=3, method="lsp"), np.random.default_rng(5)
    levels = lives(rng)[:, :40]
    drawn = each_on_its_own(rng, levels)
    arrays = TallyArrays.of(plan, standing(rng, plan, levels, drawn)[0])
    groups, timeline = DebiasedGroups.of(plan, arrays, 0), SlotTimeline.of(arrays, minimum=1)
    period = period_mean(plan, 0, groups, slot_statistics(plan, 0, groups, timeline, 40), timeline)

    begins = [np.flatnonzero(mine) for mine in drawn.T]
    amounts = np.concatenate([mine[mine > 0] for mine in drawn.T])
    weights = np.concatenate([np.diff(mine, append=SLOTS) for mine in begins]) / (40 * SLOTS)
    histogram = add_one_smoothed(period.share, len(weights))
    moments = [watts_moments(centred(VALUES), law_for("grr", int(amount), 1, 4)) for amount in amounts]
    second, third = np.array(moments).swapaxes(0, 1) @ histogram
    assert np.isclose(period.watts_jump, weights**3 @ third / (weights**2 @ second), rtol=1e-9)


def test_slots_without_an_answer_do_not_count():
    """A slot with too few homes in the middle of a repeat takes no part in its weight."""
    plan = plan_of([[0, 100]], method="lsp", window=4, minimum_homes=10)
    keys = [TallyKey(slot, 0, 0, MICRO) for slot in range(4)]
    tallies = tallies_of(10, keys, [np.array([10, 10, 4, 10])], [np.full((4, 2), 4)])
    without = Tallies(10, {key: tally for key, tally in tallies.groups.items() if key.slot != 2})

    assert estimate(plan, tallies).by_period[NAME].watts_se == estimate(plan, without).by_period[NAME].watts_se


def test_fresh_slots_average_out():
    """Nine independent slots are three times as sure as one."""
    plan, rng = plan_of([VALUES]), np.random.default_rng(1)
    tallies = repeated_slots(rng, plan, [spread_out(1000, CHANCES)], 9)
    alone = estimate(plan, tallies, last=0).by_period[NAME].watts_se
    together = estimate(plan, tallies).by_period[NAME].watts_se

    assert np.isclose(alone / together, 3, rtol=0.02)


def test_every_slot_weighs_the_same():
    """A slot with many reports counts no more than one with few."""
    plan, tables = plan_of([[0, 100]], oracle="grr", epsilon="50"), [[90, 10], [0, 20]]
    keys = [TallyKey(slot, 0, slot, 50 * MICRO) for slot in range(2)]
    tallies = tallies_of(100, keys, [np.array([100, 20])], [np.array(tables)])

    assert np.isclose(estimate(plan, tallies).by_period[NAME].watts, (10 + 100) / 2)


def in_turns(rng, plan, levels, window):
    """LPU: each home speaks in every window-th slot, from a turn of its own."""
    law, turns = law_for(plan.oracle, plan.epsilon, 1, 4), rng.permutation(levels.shape[1]) % window
    groups = {}
    for slot, here in enumerate(levels):
        bits = spoken(rng, law, here[turns == slot % window])
        groups[TallyKey(slot, 0, slot, plan.epsilon)] = Tally(len(bits), np.array([len(bits)]), bits.sum(axis=0))
    return Tallies(levels.shape[1], groups)


def weekly():
    """Every seventh day some homes use much, always the same ones."""
    levels = np.zeros((28, 280), dtype=int)
    levels[6::7] = np.where(np.arange(280) % 5 == 0, 3, 0)
    return levels


def steady():
    """Every home is always at its level."""
    return np.tile(np.sort(np.resize([0, 0, 0, 1, 2, 3], 280)), (28, 1))


@pytest.mark.parametrize("life", [weekly, steady])
def test_homes_that_take_turns(life):
    """Covered even when the same homes are always asked on the same weekday; on the safe side else."""
    plan, rng = plan_of([VALUES], oracle="grr", epsilon="6", window=7, method="lpu"), np.random.default_rng(2)
    levels = life()
    found = [estimate(plan, in_turns(rng, plan, levels, 7)).by_period[NAME] for _ in range(TIMES)]
    truth = VALUES[levels].mean()

    assert np.mean([period.low <= truth <= period.high for period in found]) > 0.91
    assert np.abs(np.mean([period.watts for period in found]) - truth) < 4 * found[0].watts_se / np.sqrt(TIMES)


RARE = [  # oracle, ε, homes, reports, slots, homes at the highest level
    ("grr", "10", 1000, 1000, 1, 3),
    ("grr", "6", 100, 100, 1, 1),
    ("sue", "20", 1000, 1000, 1, 10),
    ("grr", "10", 1000, 30, 10, 10),
    ("oue", "10", 100, 20, 1, 0),
]


@pytest.mark.parametrize("setting", RARE, ids=str)
def test_rare_events(setting):
    """Where a handful of answers decides, a mean's interval still covers 93 %."""
    oracle, epsilon, homes, reports, slots, high = setting
    plan, rng = plan_of([VALUES], oracle=oracle, epsilon=epsilon), np.random.default_rng(12)
    held = np.array([homes - high, 0, 0, high])
    tallies = repeated_slots(rng, plan, [held], 500 * slots, reports=reports)
    truth, inside = held @ VALUES / homes, 0
    for first in range(0, 500 * slots, slots):
        groups = {k: tally for k, tally in tallies.groups.items() if first <= k.slot < first + slots}
        period = estimate(plan, Tallies(homes, groups)).by_period[NAME]
        inside += period.low <= truth <= period.high

    assert inside / 500 > 0.915  # 93 % and the luck of 500 tries


@pytest.mark.parametrize("mapping", ["range", "dither"])
@pytest.mark.parametrize("reports", [30, 70, 100])
@pytest.mark.parametrize("repeats", [1, 2, 5])
def test_repeats_say_nothing_new(mapping, reports, repeats):
    """A draw that is repeated is as sure as the draw alone: the homes that were not asked count once."""
    plan = plan_of([[0, 100], [0, 300]], epsilon="2", method="lsp", window=6, mapping=mapping)
    tally = Tally(reports, np.array([reports] * 2), np.array([reports - 9, 12, 11, reports // 2]))
    groups = {TallyKey(slot, 0, 0, 2 * MICRO): tally for slot in range(1 + repeats)}
    together = estimate(plan, Tallies(100, groups)).by_period
    alone = estimate(plan, Tallies(100, groups), last=0).by_period

    for name in plan.names:
        for number in ("watts", "watts_se", "low", "high", "share", "rank_best", "rank_worst"):
            assert getattr(together[name], number) == pytest.approx(getattr(alone[name], number)), number
        assert together[name].levels_se == pytest.approx(alone[name].levels_se)
