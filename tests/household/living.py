"""Homes for tests: those of the chaos suite, and two things more."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from hushwatt.audit.harness.clocked_home import NO_CAPS, Hands, Home, join
from hushwatt.audit.harness.plans import TURN, plan_for
from hushwatt.audit.harness.sums import dearest
from hushwatt.household.ledger.store import Store

__all__ = ["NO_CAPS", "TURN", "Fixed", "Hands", "Home", "dearest", "join", "plan_for", "quick_store"]


class Fixed:
    """Readings that never change."""

    def __init__(self, watts):
        self.watts = watts

    def open(self, plan, slot):
        pass

    def means(self, plan, slot):
        return np.full(len(plan.appliances), self.watts)


@contextmanager
def quick_store() -> Iterator[Store]:
    """A fresh ledger in memory where there is such a place, for tests that need many."""
    memory = Path("/dev/shm")
    place = tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None)
    with place as folder, Store(Path(folder) / "ledger.sqlite") as store:
        yield store
