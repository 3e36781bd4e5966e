"""Random plans of every kind that a service collects, for homes that forge."""

from dataclasses import replace

import numpy as np

from hushwatt.audit.miniature import Shape, range_plan
from hushwatt.plan.amounts import MICRO
from hushwatt.plan.appliance import Appliance
from hushwatt.plan.plan import Plan

METHODS = (("lbu", None), ("lpu", None), ("lsp", None), ("lbd", "household"), ("lba", "household"))


def random_plan(seed: int) -> tuple[Plan, int]:
    """A plan of any kind that a service collects, and how many slots of it."""
    random = np.random.default_rng(seed)
    method, decision = METHODS[seed % len(METHODS)]
    widths = tuple(int(width) for width in random.integers(2, 7, random.integers(1, 6)))
    asked = len(widths) if decision else int(random.integers(1, len(widths) + 1))
    window = int(random.integers(1, 8))
    oracle, epsilon = ("grr", "oue", "sue")[seed // 5 % 3], int(random.integers(1, 11)) * MICRO
    plan = range_plan(method, decision, oracle, Shape(widths, window, 1), epsilon, asked)
    levels = [np.cumsum(random.integers(1, 200, width)).astype(float).tolist() for width in widths]
    appliances = tuple(Appliance.of(f"a{place}", values=values) for place, values in enumerate(levels))
    return replace(plan, appliances=appliances), int(random.integers(1, 4 * window + 1))


def measuring_plan(seed: int) -> tuple[Plan, int]:
    """Likewise one that asks who measures, or knows typical highs, or both.

    Where homes decide, windows are short: else a handful of homes could not even tell whether anybody measures.
    """
    plan, slots = random_plan(seed)
    plan = replace(plan, window=min(plan.window, 2)) if plan.decision else plan
    random = np.random.default_rng(seed)
    unmeasured = "zero" if seed // 2 % 3 == 0 else "answer"
    if seed // 2 % 3 == 1:
        return replace(plan, unmeasured=unmeasured), slots
    tops = random.uniform(50, 400, len(plan.appliances)).round()
    levels = [[0.0, *([0.4 * top] * int(random.integers(2))), top] for top in tops]
    highs = tops / random.choice([0.5, 1, 2, 4], len(tops))
    appliances = tuple(
        Appliance.of(f"a{place}", values=each, mapping="dither", typical_high=high, typical_mean=high / 3)
        for place, (each, high) in enumerate(zip(levels, highs, strict=True))
    )
    return replace(plan, unmeasured=unmeasured, mapping="dither", appliances=appliances), slots
