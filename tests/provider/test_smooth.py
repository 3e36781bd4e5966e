"""Smoothed slots learn from the past, take no repeat for news, and cover the truth."""

import numpy as np
import pytest
from simulated import MICRO, answers, chosen, plan_of, repeated_slots, spread_out, standing, tallies_of

from hushwatt.provider.estimate import estimate
from hushwatt.provider.tally import Tallies, TallyKey

NAME, VALUES, SLOTS = "appliance 0", np.array([0.0, 100.0, 400.0, 1500.0]), 40
WEEKDAY = np.array([0.7, 0.2, 0.08, 0.02])
SUNDAY = np.array([0.3, 0.2, 0.3, 0.2])


def steady(rng):
    return np.tile(WEEKDAY, (SLOTS, 1))


def stepping(rng):
    return np.where((np.arange(SLOTS) // 14 % 2 == 0)[:, None], WEEKDAY, SUNDAY)


def fast(rng):
    return rng.dirichlet([2, 1, 1, 0.5], size=SLOTS)


def lpu_tallies(rng, plan, shares, homes):
    """A seventh of the homes reports in each slot."""
    held = np.array([spread_out(homes, share) for share in shares])
    picked = np.concatenate([chosen(rng, row, homes // 7, 1) for row in held])
    counts = answers(rng, plan, plan.epsilon, 0, picked, SLOTS)
    keys = [TallyKey(slot, 0, slot, plan.epsilon) for slot in range(SLOTS)]
    return tallies_of(homes, keys, [np.full(SLOTS, homes // 7)], [counts]), held


@pytest.mark.parametrize("oracle, epsilon", [("oue", "0.7"), ("grr", "3")])
@pytest.mark.parametrize("life, gain", [(steady, (0.2, 0.25)), (stepping, (0.6, 0.75)), (fast, (1.02, 1.02))])
def test_smoothing_pays(oracle, epsilon, life, gain):
    """Levels and watts come nearer to the truth, and their intervals cover 93 %."""
    plan, rng = (
        plan_of([VALUES], oracle=oracle, epsilon=epsilon, window=7, method="lpu"),
        np.random.default_rng(6),
    )
    squares, inside = np.zeros((2, 2)), []
    for _ in range(15):
        tallies, held = lpu_tallies(rng, plan, life(rng), 7000)
        watts = held @ VALUES / 7000
        plain, smooth = (
            estimate(plan, tallies, consistency="none", smooth=word).by_slot[NAME] for word in (False, True)
        )
        squares += [
            [((each.levels - held) ** 2).sum(), ((each.watts - watts) ** 2).sum()] for each in (plain, smooth)
        ]
        inside.append(((smooth.low <= held) & (held <= smooth.high)).mean())
        inside.append((np.abs(smooth.watts - watts) < 1.96 * smooth.watts_se).mean())

    assert (squares[1] / squares[0] < gain).all()
    assert np.mean(inside) > 0.93


def test_the_future_changes_nothing():
    """A smoothed slot is the same whether later slots have reported or not."""
    plan, rng = plan_of([VALUES], method="lpu"), np.random.default_rng(1)
    tallies, _ = lpu_tallies(rng, plan, fast(rng), 700)
    early, late = (estimate(plan, tallies, smooth=True, last=last).by_slot[NAME] for last in (20, None))

    assert (early.watts == late.watts[:21]).all()
    assert (early.low == late.low[:21]).all()


def test_history_is_used_before_the_first_slot_asked_for():
    """Asking for later slots only does not forget the earlier ones."""
    plan, rng = plan_of([VALUES], method="lpu"), np.random.default_rng(1)
    tallies, _ = lpu_tallies(rng, plan, steady(rng), 700)
    some, everything = (
        estimate(plan, tallies, smooth=True, first=first).by_slot[NAME] for first in (30, None)
    )

    assert (some.watts == everything.watts[30:]).all()


def test_repeats_bring_no_news():
    """Between the draws of lsp a slot shows the same as the one before, no surer."""
    plan, rng = plan_of([VALUES], method="lsp", window=4), np.random.default_rng(1)
    fresh = repeated_slots(rng, plan, [spread_out(500, WEEKDAY)], 5, drawn=MICRO)
    groups = {
        TallyKey(4 * key.slot + later, 0, 4 * key.slot, MICRO): tally
        for key, tally in fresh.groups.items()
        for later in range(4)
    }
    drawn = estimate(plan, fresh, smooth=True).by_slot[NAME]
    repeated = estimate(plan, Tallies(500, groups), smooth=True).by_slot[NAME]

    assert np.allclose(repeated.watts, np.repeat(drawn.watts, 4))
    assert np.allclose(repeated.levels_se, np.repeat(drawn.levels_se, 4, axis=0))


def test_homes_that_repeat_themselves_now_and_then():
    """With household decisions the same noise comes again and again; the intervals know it."""
    plan, rng, inside = plan_of([VALUES], method="lbd", epsilon="2"), np.random.default_rng(3), []
    for _ in range(25):
        levels = np.tile(rng.choice(4, size=300, p=WEEKDAY), (25, 1))
        drawn = np.where(rng.random(levels.shape) < 0.15, MICRO, 0)
        drawn[0] = MICRO
        tallies, held = standing(rng, plan, levels, drawn)
        found = estimate(plan, tallies, smooth=True).by_slot[NAME]
        truth = np.stack([(held == level).sum(axis=1) for level in range(4)], axis=1)
        inside.append(((found.low <= truth) & (truth <= found.high)).mean())

    assert np.mean(inside) > 0.93


def test_slots_without_an_answer():
    """A slot with too few homes stays without an answer and does not disturb the others."""
    plan, rng = plan_of([VALUES], minimum_homes=100), np.random.default_rng(1)
    tallies = repeated_slots(rng, plan, [spread_out(500, WEEKDAY)], 6)
    few = repeated_slots(rng, plan, [spread_out(50, WEEKDAY)], 6)
    mixed = {key: (few if key.slot in (0, 3) else tallies).groups[key] for key in tallies.groups}
    without = {key: tally for key, tally in tallies.groups.items() if key.slot not in (0, 3)}
    found, alone = (
        estimate(plan, Tallies(500, groups), smooth=True).by_slot[NAME] for groups in (mixed, without)
    )

    assert found.known.tolist() == [False, True, True, False, True, True]
    assert np.allclose(found.watts[found.known], alone.watts)


def test_the_period_is_not_smoothed():
    """The period's numbers are the same with and without smoothing."""
    plan, rng = plan_of([VALUES]), np.random.default_rng(1)
    tallies = repeated_slots(rng, plan, [spread_out(500, WEEKDAY)], 6)
    plain, smooth = (estimate(plan, tallies, smooth=word).by_period[NAME] for word in (False, True))

    assert plain.watts == smooth.watts
    assert (plain.levels == smooth.levels).all()


def test_no_noise_at_all():
    """With a huge budget the smoothed slots are the plain ones."""
    plan, rng = plan_of([VALUES], oracle="grr", epsilon="60"), np.random.default_rng(1)
    tallies = repeated_slots(rng, plan, [spread_out(500, WEEKDAY)], 6)
    plain, smooth = (estimate(plan, tallies, smooth=word).by_slot[NAME] for word in (False, True))

    assert np.allclose(plain.levels, smooth.levels, atol=1e-2)
