"""Smoothed slots learn from the past, take no repeat for news, and cover the truth."""

import numpy as np
import pytest
from tests.provider.simulated import (
    MICRO,
    answers,
    chosen,
    plan_of,
    repeated_slots,
    spread_out,
    standing,
    tallies_of,
)

from hushwatt.provider.estimate.estimate import estimate
from hushwatt.provider.estimate.smoothing import smooth as module
from hushwatt.provider.tally.tally import Tallies, Tally, TallyKey

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
        squares += [[((each.levels - held) ** 2).sum(), ((each.watts - watts) ** 2).sum()] for each in (plain, smooth)]
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
    some, everything = (estimate(plan, tallies, smooth=True, first=first).by_slot[NAME] for first in (30, None))

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
    found, alone = (estimate(plan, Tallies(500, groups), smooth=True).by_slot[NAME] for groups in (mixed, without))

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


DAYS, BUSY = 14, np.array([0.2, 0.2, 0.3, 0.3])


def course(part):
    """Shares between a weekday's and a busy day's."""
    return (1 - part)[:, None] * WEEKDAY + part[:, None] * BUSY


def by_turns(rng, plan, shares, homes):
    """One window's part of the homes reports in each slot; the truth: homes at each level, and watts."""
    held = np.array([spread_out(homes, share) for share in shares])
    keys = [TallyKey(slot, 0, slot, plan.epsilon) for slot in range(len(shares))]
    counts = []
    for place in range(len(plan.appliances)):
        picked = np.concatenate([chosen(rng, row, homes // plan.window, 1) for row in held])
        counts.append(answers(rng, plan, plan.epsilon, place, picked, len(shares)))
    spoke = [np.full(len(shares), homes // plan.window)] * len(counts)
    return tallies_of(homes, keys, spoke, counts), np.hstack([held, held @ VALUES[:, None] / homes])


def limits_hold(numbers, truth):
    """Whether each level, and the watts, lie in their intervals: slots × series."""
    low = np.hstack([numbers.low, numbers.watts_low[:, None]])
    high = np.hstack([numbers.high, numbers.watts_high[:, None]])
    return (low <= truth) & (truth <= high)


def squared(numbers, truth):
    """Squared errors of the levels and of the watts, each on its own scale."""
    found = np.hstack([numbers.levels, numbers.watts[:, None]])
    return ((found - truth) ** 2 / (truth**2).mean(axis=0)).sum()


def trials(shares, slot, window, oracle, homes, times=20, seed=8):
    """For `times` appliances: whether limits hold, what is smoothed; and the error over the plain one's."""
    epsilon = str(times * {"oue": 0.7, "grr": 3}[oracle])
    plan = plan_of([VALUES] * times, oracle=oracle, epsilon=epsilon, window=window, method="lpu", slot=slot)
    tallies, truth = by_turns(np.random.default_rng(seed), plan, shares, homes)
    plain, smooth = (
        list(estimate(plan, tallies, consistency="none", smooth=word).by_slot.values()) for word in (False, True)
    )
    held, smoothed = [limits_hold(each, truth) for each in smooth], [each.smoothed for each in smooth]
    errors = [sum(squared(each, truth) for each in found) for found in (plain, smooth)]
    return np.array(held), np.array(smoothed), errors[1] / errors[0]


HOURS = np.arange(24 * DAYS) % 24
EVENING = course(np.where((HOURS >= 17) & (HOURS < 22), 0.6, 0.05))
WEEKDAYS = np.arange(12 * 7) % 7
WEEKENDS = course(np.where(WEEKDAYS >= 5, 0.5, 0.1))


@pytest.mark.parametrize("oracle, homes", [("oue", 24 * 150), ("grr", 24 * 1000)])
def test_the_daily_cycle_stays(oracle, homes):
    """Hourly slots: every hour is covered, the evening too, and nearer to the truth than by itself."""
    held, smoothed, gain = trials(EVENING, "1h", 24, oracle, homes)

    assert min(held[:, hour == HOURS].mean() for hour in range(24)) > 0.93
    assert gain < 0.5
    assert smoothed.mean() > 0.95


@pytest.mark.parametrize("oracle, homes", [("oue", 7 * 150), ("grr", 7 * 1000)])
def test_the_weekly_cycle_stays(oracle, homes):
    """Daily slots: every weekday is covered, and nearer to the truth than by itself."""
    held, smoothed, gain = trials(WEEKENDS, "1d", 7, oracle, homes)

    assert min(held[:, day == WEEKDAYS].mean() for day in range(7)) > 0.93
    assert gain < 0.5
    assert smoothed.mean() > 0.9


def test_a_season_is_learnt():
    """When the week has come round a few times the error is much smaller than without a season."""
    gain = trials(WEEKENDS, "1d", 7, "grr", 7 * 1000)[2]
    blind = trials(WEEKENDS, "7d", 7, "grr", 7 * 1000)[2]  # the same numbers, a week apart each

    assert gain < 0.6 * blind


@pytest.mark.parametrize("size", [0.1, 0.25, 0.5, 0.9])
@pytest.mark.parametrize("last", [41, 50], ids=["one strange day", "a step"])
@pytest.mark.parametrize("oracle, homes", [("oue", 7 * 200), ("grr", 7 * 300)])
def test_whatever_happens_is_covered(size, last, oracle, homes):
    """The day of a step, the days after it, and a single strange day, seen or not: 93 % of them."""
    part = np.full(46, 0.1)
    part[40:last] += size
    held, _, _ = trials(course(part), "1d", 7, oracle, homes, times=80)

    assert held[:, 40].mean() > 0.93 - 0.01  # the luck of 80 tries
    assert held[:, 40:].mean() > 0.93


def test_a_narrow_filter_would_not_cover(monkeypatch):
    """With the filter's own limits alone, a step that is too small to be noticed is missed."""
    monkeypatch.setattr(module, "ONE_SIDED_Z", 0.0)
    part = np.full(46, 0.1)
    part[40:] += 0.25
    held, _, _ = trials(course(part), "1d", 7, "oue", 7 * 1000)

    assert held[:, 40].mean() < 0.8


def test_breaks_are_noticed_and_said():
    """A slot that breaks with the past stands as it was estimated, and so does the first."""
    part = np.full(46, 0.1)
    part[40:] += 0.8
    plan, rng = plan_of([VALUES], epsilon="3", window=7, method="lpu", slot="1d"), np.random.default_rng(1)
    tallies, _ = by_turns(rng, plan, course(part), 7000)
    plain, smooth = (estimate(plan, tallies, smooth=word).by_slot[NAME] for word in (False, True))

    assert not plain.smoothed.any()
    assert np.flatnonzero(~smooth.smoothed).tolist() == [0, 40]
    for name in ("levels", "levels_se", "low", "high", "watts", "watts_se", "watts_low", "watts_high"):
        assert (getattr(plain, name)[[0, 40]] == getattr(smooth, name)[[0, 40]]).all()


def test_a_smoothed_slot_stays_within_its_own_limits():
    """The estimate is never where the slot's reports do not allow it, and lies in its interval."""
    plan, rng = plan_of([VALUES], window=7, method="lpu", slot="1d"), np.random.default_rng(2)
    tallies, _ = by_turns(rng, plan, fast(rng), 7000)
    plain, smooth = (estimate(plan, tallies, consistency="none", smooth=word).by_slot[NAME] for word in (False, True))

    assert ((plain.low <= smooth.levels) & (smooth.levels <= plain.high)).all()
    assert ((smooth.low <= smooth.levels) & (smooth.levels <= smooth.high)).all()
    assert (np.abs(smooth.levels - smooth.low) <= 1.96001 * smooth.levels_se).all()


@pytest.mark.parametrize("repeating", [0, 100])
def test_where_some_repeat_themselves_limits_are_the_usual_ones(repeating):
    """Noise that is not new may go on from slot to slot: a smoothed interval holds the slot's own 95 % one.

    Where all is drawn anew it need not, which is what smoothing is for.
    """
    plan, rng = plan_of([[0, 100]], epsilon="3", window=3), np.random.default_rng(4)
    groups = {}
    for slot in range(30):
        for as_of, homes in ((slot, 100), (slot - 1, repeating)):
            if as_of >= 0 and homes:
                ones = rng.binomial(homes, 0.45)
                tally = Tally(homes, np.array([homes]), np.array([homes - ones, ones]))
                groups[TallyKey(slot, 0, as_of, MICRO)] = tally
    alone, smoothed = (
        estimate(plan, Tallies(200, groups), consistency="none", smooth=word).by_slot[NAME] for word in (False, True)
    )
    some = smoothed.smoothed
    holds = (smoothed.low <= alone.low + 1e-9) & (smoothed.high >= alone.high - 1e-9)
    watts = (smoothed.watts_low <= alone.watts_low + 1e-9) & (smoothed.watts_high >= alone.watts_high - 1e-9)

    assert some.sum() > 20
    assert holds[some].all() == watts[some].all() == (repeating > 0)


def test_appliances_that_come_later():
    """An appliance that is first spoken of later starts then, and does not disturb the others."""
    plan = plan_of([VALUES, VALUES], method="lpu", slot="1d")
    both = repeated_slots(np.random.default_rng(1), plan, [spread_out(500, WEEKDAY)] * 2, 8)
    late = {
        key: Tally(tally.rows, tally.reports * [1, key.slot > 3], tally.counts) for key, tally in both.groups.items()
    }
    found = estimate(plan, Tallies(500, late), smooth=True).by_slot
    alone = estimate(plan, both, smooth=True).by_slot

    assert found["appliance 1"].known.tolist() == [False] * 4 + [True] * 4
    assert found["appliance 1"].smoothed.tolist() == [False] * 5 + [True] * 3
    assert np.allclose(found["appliance 0"].watts, alone["appliance 0"].watts)
