"""How the promise for one window is shared out over its slots.

Every slot, a strategy is asked one question and told one answer:

    offer()           what would publishing cost now?  0 means: repeat yourself, or keep silent
    after(published)  the strategy for the next slot

A strategy never sees a reading.  It knows its own past, and nothing else.  Amounts
are whole millionths of ε, shares are rounded down.

The class of a strategy also knows the rules of its method: whether homes take turns, whether they repeat
themselves, in which slots they draw, and which amounts fit.  A new method is one file with one class, and one
line in `STRATEGIES`, once `plan/choices.py` has its name (docs/howto/add-a-method.md).
"""

from hushwatt.privacy.strategies.absorb import Absorb
from hushwatt.privacy.strategies.caps import affordable, strategy_for
from hushwatt.privacy.strategies.cohorts import Cohorts
from hushwatt.privacy.strategies.columns import alike, in_columns
from hushwatt.privacy.strategies.distribute import Distribute
from hushwatt.privacy.strategies.home_strategies import HomeStrategies
from hushwatt.privacy.strategies.sample import Sample
from hushwatt.privacy.strategies.strategy import Strategy
from hushwatt.privacy.strategies.table import STRATEGIES, rules_of, strategy_from
from hushwatt.privacy.strategies.uniform import Uniform

__all__ = [
    "STRATEGIES",
    "Absorb",
    "Cohorts",
    "Distribute",
    "HomeStrategies",
    "Sample",
    "Strategy",
    "Uniform",
    "affordable",
    "alike",
    "in_columns",
    "rules_of",
    "strategy_for",
    "strategy_from",
]
