"""How many answers about one appliance a home gives in a stretch of time, and what they can cost.

Repeats say nothing new, so only draws count.  Turns and orders are the home's own, drawn at random, so a
number of answers has a chance.
"""

from fractions import Fraction

from hushwatt.plan.plan import Plan
from hushwatt.plan.slot import SECONDS
from hushwatt.privacy.rotation import has_turns
from hushwatt.privacy.strategies import affordable, rules_of, strategy_for

DAY = SECONDS["d"]
Chances = dict[int, float]  # of each number of answers


def slots_in(plan: Plan, days: int | None) -> int:
    """How many slots of a plan begin within so many days of its start; all of them where no days are given.

    >>> from hushwatt.plan.presets import preset
    >>> slots_in(preset("advised"), 365), slots_in(preset("advised"), None)
    (365, 3653)
    """
    every = plan.calendar.slots
    return every if days is None else min(every, max(1, -(-days * DAY // plan.slot.seconds)))


def answers_in(plan: Plan, slots: int) -> Chances:
    """The chance of each number of draws about one appliance in the first `slots` slots.

    A home draws a stride apart: from slot 0, or from a turn of its own where homes take turns.  It goes round
    its order s appliances at a time, so D draws ask about D·s places in a row, and about each appliance
    ⌊D·s/n⌋ times or once more.  Where draws are decided about, this is the most that they can be.
    """
    stride, asked, appliances = rules_of(plan).stride(plan.window), plan.appliances_per_report, len(plan.appliances)
    most = -(-slots // stride)
    full = slots - (most - 1) * stride if has_turns(plan) else stride  # turns, of all, that come up once more
    chances: dict[int, Fraction] = {}
    for draws, turns in ((most, full), (most - 1, stride - full)):
        times, more = divmod(draws * asked, appliances)
        for answers, places in ((times + 1, more), (times, appliances - more)):
            chances[answers] = chances.get(answers, Fraction(0)) + Fraction(turns * places, stride * appliances)
    return {answers: float(chance) for answers, chance in sorted(chances.items()) if chance}


def stretch_cost(plan: Plan, slots: int) -> tuple[int, int]:
    """The most, in millionths of ε, that any `slots` slots in a row cost the home, and one appliance.

    >>> from hushwatt.plan.presets import preset
    >>> stretch_cost(preset("advised"), 365)
    (1219998780, 81333252)
    """
    strategy, asked = strategy_for(plan), plan.appliances_per_report
    draws = -(-slots // rules_of(plan).stride(plan.window))
    home = draws * affordable(plan) if strategy.population else strategy.ceiling(slots)
    turns = min(draws, -(-draws * asked // len(plan.appliances)))
    return home, -(-home * turns // (draws * asked))
