"""What others do with the same readings: noise on every appliance and slot, from the literature.

Each file states what it draws and what it truly promises.  A new baseline is
one class and one line in BASELINES.
"""

from hushwatt.evaluate.baselines.baseline import MAX_WATTS, Baseline
from hushwatt.evaluate.baselines.exponential import Exponential
from hushwatt.evaluate.baselines.gamma import Gamma
from hushwatt.evaluate.baselines.gaussian import Gaussian
from hushwatt.evaluate.baselines.geometric import Geometric
from hushwatt.evaluate.baselines.laplace import Laplace
from hushwatt.evaluate.baselines.randomised_totals import RandomisedTotals
from hushwatt.evaluate.baselines.rappor import Rappor

BASELINES: dict[str, Baseline] = {
    each.name: each
    for each in (Laplace(), Gamma(), Gaussian(), Exponential(), Geometric(), Rappor(), RandomisedTotals())
}

__all__ = ["BASELINES", "MAX_WATTS", "Baseline"]
