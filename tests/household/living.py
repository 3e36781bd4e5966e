"""Homes for tests: the harness of the audits, and readings that never change."""

import numpy as np

from hushwatt.audit.harness.home_under_test import NO_CAPS, GivenReadings, HomeUnderTest, fresh_store, join
from hushwatt.audit.harness.machine_clock import MachineClock
from hushwatt.audit.harness.plans import TURN, plan_for
from hushwatt.audit.harness.released import dearest

__all__ = [
    "NO_CAPS",
    "TURN",
    "FixedReadings",
    "GivenReadings",
    "HomeUnderTest",
    "MachineClock",
    "dearest",
    "fresh_store",
    "join",
    "plan_for",
]


class FixedReadings:
    """Readings that never change."""

    def __init__(self, watts):
        self.watts = watts

    def open(self, plan, slot):
        pass

    def means(self, plan, slot):
        return np.full(len(plan.appliances), self.watts)
