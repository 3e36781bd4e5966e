"""Random histories: fleets that decide by chance, and real fleets, charged to the shipped ledger.

What the ledger let through is added up again here, window by window.
"""

from collections import deque
from collections.abc import Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from hushwatt.audit.finding import Audit, Finding
from hushwatt.audit.miniature import Shape, range_plan
from hushwatt.errors import OverBudget
from hushwatt.household.report.homes import enrol
from hushwatt.household.report.report import report
from hushwatt.plan.choices import METHODS
from hushwatt.plan.plan import Plan
from hushwatt.privacy.entropy import Simulation
from hushwatt.privacy.ledger import Ledger
from hushwatt.privacy.strategies import STRATEGIES, affordable, alike

WINDOWS = (1, 2, 3, 5, 8, 1_000)
MOST_SLOTS = 40  # that a history has: less than the longest window
EPSILON = 1_000_003


def history_audits(quick: bool = False) -> Iterator[Audit]:
    """A million histories in all, a few thousand when quick."""
    decided, reported = (400, 400) if quick else (20_000, 30_000)
    for method in ("lbu", "lsp", "lbd", "lba"):
        yield partial(audit_decisions, method, homes=decided)
    for method in ("lbu", "lsp", "lpu", "lbd", "lba"):
        yield partial(audit_reports, method, homes=reported)


def audit_decisions(method: str, homes: int) -> Finding:
    """Homes that publish or not by the toss of a coin, whatever a rule would say."""
    worst, refused = 0, False
    for window in WINDOWS:
        strategy = STRATEGIES[method].start(EPSILON, window)
        cohorts, ledger = alike(strategy, homes), Ledger(homes, EPSILON, window)
        windows, coins = Windows(window), Simulation(window, method).stream("coins")
        try:
            for slot in range(min(3 * window + 4, MOST_SLOTS)):
                published = (coins.words(homes) % 3 > 0) & (cohorts.offers() > 0)
                costs = cohorts.probes() + cohorts.offers() * published
                ledger.charge(slot, costs)
                worst = max(worst, windows.dearest(costs))
                cohorts = cohorts.after(published)
        except OverBudget:
            refused = True
    return _finding(f"{method}, random decisions", worst, refused, homes * len(WINDOWS))


def audit_reports(method: str, homes: int) -> Finding:
    """Fleets at random levels that go through the shipped steps."""
    worst, refused = 0, False
    for window in WINDOWS:
        plan = range_plan(method, METHODS[method].decided_by, "grr", Shape((2, 3), window, 1), EPSILON, asked=2)
        try:
            worst = max(worst, _reported(plan, homes))
        except OverBudget:
            refused = True
    return _finding(f"{method}, real fleets", worst, refused, homes * len(WINDOWS))


def _reported(plan: Plan, homes: int) -> int:
    """The dearest window of any home, as it says itself."""
    source = Simulation(1, plan.id)
    fleet, windows, worst = enrol(plan, homes, 0, source), Windows(plan.window), 0
    assert affordable(plan) == plan.epsilon
    for slot in range(min(2 * plan.window + 3, MOST_SLOTS)):
        words = source.stream("truth", slot).words(2 * homes).reshape(homes, 2)
        sent = report(fleet, slot, (words % np.array([2, 3], dtype=np.uint64)).astype(np.uint16), source)
        costs = np.zeros(homes, dtype=np.int64)
        costs[sent.homes] = sent.spent
        worst = max(worst, windows.dearest(costs))
    return worst


class Windows:
    """The last w slots of every home."""

    def __init__(self, window: int) -> None:
        self.recent: deque[NDArray[np.int64]] = deque(maxlen=window)

    def dearest(self, costs: NDArray[np.int64]) -> int:
        """What the dearest window that ends in this slot costs."""
        self.recent.append(costs)
        return int(np.sum(self.recent, axis=0).max())


def _finding(subject: str, worst: int, refused: bool, histories: int) -> Finding:
    figure = f"dearest window {worst / EPSILON:.6f} ε; {histories:,} histories"
    passed = worst <= EPSILON and not refused
    numbers = {"reached": worst / EPSILON, "histories": histories}
    return Finding("C2", subject, figure + (", the ledger refused" if refused else ""), passed, numbers=numbers)
