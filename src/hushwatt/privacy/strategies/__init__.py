"""How the promise for one window is shared out over its slots.

Every slot, a strategy is asked one question and told one answer:

    offer()           what would publishing cost now?  0 means: repeat yourself, or keep silent
    after(published)  the strategy for the next slot

A strategy never sees a reading.  It knows its own past, and nothing else.  Amounts
are whole millionths of ε, shares are rounded down.

A new strategy is one file with one class, and one line in `STRATEGIES`.
"""

from hushwatt.privacy.strategies.absorb import Absorb
from hushwatt.privacy.strategies.caps import affordable
from hushwatt.privacy.strategies.cohorts import Cohorts
from hushwatt.privacy.strategies.distribute import Distribute
from hushwatt.privacy.strategies.sample import Sample
from hushwatt.privacy.strategies.strategy import Strategy
from hushwatt.privacy.strategies.uniform import Uniform

STRATEGIES: dict[str, type[Strategy]] = {
    "lbu": Uniform,
    "lsp": Sample,
    "lbd": Distribute,
    "lba": Absorb,
    "lpu": Sample,
    "lpd": Distribute,
    "lpa": Absorb,
}

POPULATION = frozenset({"lpu", "lpd", "lpa"})  # homes take turns instead of sharing ε out
ADAPTIVE = frozenset({"lbd", "lba", "lpd", "lpa"})  # someone decides whether to publish

__all__ = [
    "ADAPTIVE",
    "POPULATION",
    "STRATEGIES",
    "Absorb",
    "Cohorts",
    "Distribute",
    "Sample",
    "Strategy",
    "Uniform",
    "affordable",
]
