"""Homes with habits that stay, a daily cycle and appliances that exclude each other, asked by turns."""

import numpy as np
from tests.provider.simulated import answers, tallies_of

from hushwatt.provider.tally.tally import TallyKey


def living_homes(rng, homes, days):
    """Levels of two appliances by slot and home: a home cooks with one of them, some by habit every day."""
    habit = rng.beta(0.3, 0.7, size=homes)
    cycle = 0.6 + 0.4 * np.sin(2 * np.pi * np.arange(24) / 24)
    chance = np.tile(np.outer(cycle, habit), (days, 1))
    first = rng.random(homes) < 0.5
    used = rng.random(chance.shape) < chance
    twice = used & (rng.random(chance.shape) < habit)  # the higher of two levels
    return [(used * 1 + twice) * first, (used * 1 + twice) * ~first]


def asked_by_turns(rng, plan, levels, homes_then=None):
    """Tallies of homes that speak with ε in one slot of every window; the first so many of them in each slot."""
    slots, homes = levels[0].shape
    there = np.full(slots, homes) if homes_then is None else homes_then
    phase = rng.permutation(homes) % plan.window
    reports, counts = [], []
    for number, each in enumerate(levels):
        width = plan.widths[number]
        spoke = [each[slot, : there[slot]][phase[: there[slot]] == slot % plan.window] for slot in range(slots)]
        held = np.array([np.bincount(row, minlength=width) for row in spoke])
        reports.append(held.sum(axis=1))
        counts.append(answers(rng, plan, plan.epsilon, number, held, slots))
    tallies = tallies_of(homes, [TallyKey(slot, 0, slot, plan.epsilon) for slot in range(slots)], reports, counts)
    tallies.homes_then = dict(enumerate(there.tolist()))
    return tallies
