"""What the provider works back is right on average.  [claim C3] [claim C4]

The expectation is taken over every answer that a home can give, not over samples.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hushwatt.audit.finding import Audit, Finding
from hushwatt.plan.amounts import MICRO
from hushwatt.privacy.laws import LAWS, Law, debias, law_for, noise

BUDGETS = (0.1, 0.5, 1.0, 2.0, 5.0)
ASKED, LEVELS = 3, (2, 3, 6)
CLOSE = 1e-9
Estimate = Callable[[NDArray[np.float64], int, Law], NDArray[np.float64]]


def tally_audits(undo: Estimate = debias) -> Iterator[Audit]:
    """Every oracle."""
    for oracle in LAWS:
        yield partial(audit_debias, oracle, undo)
        yield partial(audit_noise, oracle)


def audit_debias(oracle: str, undo: Estimate = debias) -> Finding:
    """One home's expected estimate is 1 for the level it holds and 0 for the others."""
    worst = 0.0
    for law in _laws(oracle):
        for level in range(law.levels):
            expected = sum(float(law.chance(a, level)) * undo(_cells(law, a), 1, law) for a in law.answers())
            worst = max(worst, float(np.abs(expected - np.eye(law.levels)[level]).max()))
    figure = f"largest bias {worst:.1e} homes per home"
    return Finding("C3", f"estimate under {oracle}", figure, worst < CLOSE, numbers={"bias": worst})


def audit_noise(oracle: str) -> Finding:
    """One home's expected variance estimate is the variance of its estimate."""
    worst = 0.0
    for law in _laws(oracle):
        for level in range(law.levels):
            told = spread = np.zeros(law.levels)
            for answer in law.answers():
                chance, cells = float(law.chance(answer, level)), _cells(law, answer)
                told = told + chance * noise(cells, 1, law)
                spread = spread + chance * (debias(cells, 1, law) - np.eye(law.levels)[level]) ** 2
            worst = max(worst, float(np.abs(told / spread - 1).max()))
    figure = f"largest bias {worst:.1e} of the variance"
    return Finding("C4", f"variance under {oracle}", figure, worst < CLOSE, numbers={"bias": worst})


def _laws(oracle: str) -> Iterator[Law]:
    for budget in BUDGETS:
        for levels in LEVELS:
            yield law_for(oracle, int(budget * MICRO) * ASKED, ASKED, levels)


def _cells(law: Law, answer: Any) -> NDArray[np.float64]:
    """An answer as one number per level."""
    return np.asarray(answer, float) if isinstance(answer, tuple) else np.eye(law.levels)[answer]
