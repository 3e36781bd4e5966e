"""Tallies drawn straight from the exact laws, for plans made on the spot.

A slot is one repetition of the experiment, so a thousand slots of the same truth show
how estimates scatter, and a single call estimates them all.
"""

import numpy as np

from hushwatt.plan.plan import Plan
from hushwatt.privacy.laws import law_for
from hushwatt.provider.tally.tally import Tallies, Tally, TallyKey

MICRO = 1_000_000


def plan_of(values, **changes):
    """A plan with one appliance for each list of watts in `values`."""
    keys = {
        "name": "simulated",
        "description": "Tallies drawn from the laws.",
        "contact": "homes@example.org",
        "start": "2024-01-01",
        "expires": "2124-01-01",
        "slot": "1h",
        "epsilon": "1",
        "window": 1,
        "method": "lbu",
        "minimum_homes": 1,
    } | changes
    lines = [f"{key} = {_toml(value)}" for key, value in keys.items()]
    for number, watts in enumerate(values):
        lines += ["[[appliance]]", f'name = "appliance {number}"', f"values = {list(map(float, watts))}"]
    return Plan.parse("\n".join(lines))


def _toml(value):
    return f'"{value}"' if isinstance(value, str) else str(value).lower()


def answers(rng, plan, drawn, appliance, held, times):
    """How many answers each level gets, `times` times, when `held` homes hold each.

    `held` is one row of counts, or one for each time.
    """
    law = law_for(plan.oracle, drawn, plan.appliances_per_report, plan.widths[appliance])
    hold, rise = float(law.hold), float(law.rise)
    held = np.broadcast_to(held, (times, law.levels))
    if not law.correlated:
        others = held.sum(axis=1, keepdims=True) - held
        return rng.binomial(held, hold) + rng.binomial(others, rise)
    chances = np.full((law.levels, law.levels), rise)
    np.fill_diagonal(chances, 1 - (law.levels - 1) * rise)
    return sum(rng.multinomial(held[:, level], chances[level]) for level in range(law.levels))


def chosen(rng, held, reports, times):
    """The levels of `reports` homes picked at random, `times` times."""
    return rng.multivariate_hypergeometric(held, reports, size=times)


def tallies_of(homes, keys, reports, counts):
    """Tallies with the given keys; `reports` and `counts` hold one array for each appliance."""
    reports, counts = np.stack(reports, axis=1), np.concatenate(counts, axis=1)
    groups = {
        key: Tally(int(spoke.max()), spoke.astype(np.int64), found.astype(np.int64))
        for key, spoke, found in zip(keys, reports, counts, strict=True)
    }
    return Tallies(homes, groups)


def repeated_slots(rng, plan, held, times, drawn=None, reports=None):
    """Tallies of `times` slots with the same truth; `reports` of the homes speak of each appliance."""
    drawn = plan.epsilon // plan.window if drawn is None else drawn
    homes = int(held[0].sum())
    spoke = homes if reports is None else reports
    counts = []
    for appliance, here in enumerate(held):
        picked = here if spoke == homes else chosen(rng, here, spoke, times)
        counts.append(answers(rng, plan, drawn, appliance, picked, times))
    keys = [TallyKey(slot, 0, slot, drawn) for slot in range(times)]
    return tallies_of(homes, keys, [np.full(times, spoke)] * len(held), counts)


def spread_out(homes, parts):
    """`homes` divided in the proportions `parts`, in whole homes."""
    edges = np.round(np.cumsum(parts) / np.sum(parts) * homes).astype(np.int64)
    return np.diff(edges, prepend=0)


def spoken(rng, law, levels):
    """One answer of each home that holds `levels`, as a row of bits."""
    homes, hold, rise = len(levels), float(law.hold), float(law.rise)
    if law.correlated:
        true = rng.random(homes) < hold - rise  # else any level, the true one among them
        return np.eye(law.levels, dtype=np.int64)[np.where(true, levels, rng.integers(0, law.levels, homes))]
    chances = np.full((homes, law.levels), rise)
    chances[np.arange(homes), levels] = hold
    return (rng.random((homes, law.levels)) < chances).astype(np.int64)


def standing(rng, plan, levels, drawn):
    """Tallies of homes that repeat themselves, for a plan with one appliance; and what they stand by.

    `levels` and `drawn` are slots × homes; a home draws anew where `drawn` is not 0.
    """
    slots, homes = levels.shape
    release = np.zeros((homes, plan.widths[0]), dtype=np.int64)
    as_of, budget, held, groups = np.zeros(homes, int), np.zeros(homes, int), np.zeros_like(levels), {}
    for slot in range(slots):
        for amount in np.unique(drawn[slot][drawn[slot] > 0]):
            who = drawn[slot] == amount
            release[who] = spoken(rng, law_for(plan.oracle, int(amount), 1, plan.widths[0]), levels[slot, who])
            as_of[who], budget[who] = slot, amount
        held[slot] = np.where(drawn[slot] > 0, levels[slot], held[slot - 1])
        for since, amount in np.unique(np.stack([as_of, budget]), axis=1).T:
            who = (as_of == since) & (budget == amount)
            key = TallyKey(slot, 0, int(since), int(amount))
            groups[key] = Tally(int(who.sum()), np.array([who.sum()]), release[who].sum(axis=0))
    return Tallies(homes, groups), held
