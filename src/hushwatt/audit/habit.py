"""The averaging attack on habits: what ε per window does not protect.  [claim C15]

A home whose appliances stay at the same level for a year sends hundreds of answers about it,
each private, and their average is not.  The figure is measured on real bytes and stated in
the docs; a home sees its lifetime spend for this reason.
"""

import numpy as np

from hushwatt.audit.finding import Finding
from hushwatt.audit.miniature import Mechanism, Shape, small_plan
from hushwatt.household.homes import enrol
from hushwatt.household.report import report
from hushwatt.plan.amounts import MICRO
from hushwatt.privacy.entropy import Simulation
from hushwatt.privacy.kernels import count_ones

APPLIANCES, LEVELS = 15, 10
SLOTS = 365
EXPECTED = (0.6, 0.8)  # of all levels are found out, at the paper's ε and window


def audit_habit(homes: int) -> Finding:
    """The share of constant levels that a year of LBU reports at ε = 10, w = 3 gives away."""
    mechanism = Mechanism("lbu", None, "oue", "range", partial=False)
    plan = small_plan(mechanism, Shape((LEVELS,) * APPLIANCES, 3, SLOTS), 10 * MICRO, APPLIANCES)
    source = Simulation(2, "habit")
    words = source.stream("truth").words(homes * APPLIANCES)
    levels = (words % np.uint64(LEVELS)).astype(np.uint16).reshape(homes, APPLIANCES)
    fleet = enrol(plan, homes, 0, source)
    sent = np.stack([report(fleet, slot, levels, source).payloads for slot in range(SLOTS)])
    ones = np.stack([count_ones(sent[:, home]) for home in range(homes)])[:, : plan.width]
    guesses = ones.reshape(homes, APPLIANCES, LEVELS).argmax(axis=2)
    found = float((guesses == levels).mean())
    figure = f"{found:.0%} of constant levels found out after {SLOTS} slots, as the docs say"
    within = EXPECTED[0] < found < EXPECTED[1]
    return Finding("C15", "averaging attack", figure, within)
