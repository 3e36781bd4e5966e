"""Homes for tests: the harness of the audits, and readings that never change."""

import tomllib
from decimal import Decimal

import numpy as np

from hushwatt.audit.harness.home_under_test import NO_CAPS, GivenReadings, HomeUnderTest, fresh_store, join
from hushwatt.audit.harness.machine_clock import MachineClock
from hushwatt.audit.harness.plans import TURN, plan_for
from hushwatt.audit.harness.released import dearest
from hushwatt.household.ledger.caps import Caps
from hushwatt.household.ledger.lasting import lasting
from hushwatt.household.ledger.objections import objections

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
    "raised_for",
]


def raised_for(plan, *others, usual=None):
    """An owner's caps, raised just so far that a plan can be joined beside others and runs to its end."""
    usual = usual or Caps()
    short = [*objections(usual, plan, others), *lasting(usual, plan, others).short]
    return Caps.of(tomllib.loads("\n".join(each.setting for each in short), parse_float=Decimal))


class FixedReadings:
    """Readings that never change."""

    def __init__(self, watts):
        self.watts = watts

    def open(self, plan, slot):
        pass

    def means(self, plan, slot):
        return np.full(len(plan.appliances), self.watts)
