"""Plans for measured homes: the paper's, one about clipped watts, and those about real watts, protecting alike."""

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from hushwatt.evaluate.experiments.measured_homes import DAYS, SLOTS_A_DAY, PriorKnowledge, populations
from hushwatt.plan.amounts import MICRO
from hushwatt.plan.appliance import Appliance
from hushwatt.plan.catalogue import entry
from hushwatt.plan.plan import Plan
from hushwatt.plan.presets import preset
from hushwatt.plan.slot import SlotLength
from hushwatt.privacy.advice import advise
from hushwatt.privacy.advice.learn import learn_from_estimates
from hushwatt.provider.estimate.document import document
from hushwatt.provider.estimate.results import Estimates

PAPER, CLIPPED, ASKED, REAL, LEARNT = "paper", "clipped", "clipped, asked", "real watts", "learnt levels"
MEASURED = 0.6  # chance that a home measures an appliance
WINDOW_DAYS = 3  # ε of one appliance, and as many for the home as there are appliances, in any three days
APPLIANCE_EPSILON = MICRO
RANGES = 10

CATALOGUE = "catalogue"
PRIORS = {  # what is known beforehand: factors by which the mean and the high are off; None: only the catalogue
    CATALOGUE: None,
    "mean ×½, high ×½": (0.5, 0.5),
    "mean ×2, high ×2": (2.0, 2.0),
    "right": (1.0, 1.0),
    "mean ×½, high ×2": (0.5, 2.0),
    "mean ×2, high ×½": (2.0, 0.5),
}


@lru_cache(maxsize=64)
def plans_before(kind: str, homes: int, prior: str, data: Path) -> dict[str, Plan]:
    """The plans that are made before anyone has reported, at the same protection."""
    typical = {name: PriorKnowledge.of(days) for name, days in populations(data)[kind].items()}
    slots, cap = DAYS * SLOTS_A_DAY[kind], APPLIANCE_EPSILON
    clipped = _without_knowledge(advise(zero_plan(kind, typical, prior), homes, slots, "ranking", cap).best.plan)
    return {
        PAPER: paper_plan(kind, typical, prior),
        CLIPPED: clipped,
        ASKED: replace(clipped, unmeasured="answer"),
        REAL: advise(answer_plan(kind, typical, prior), homes, slots, "watts", cap).best.plan,
    }


def _plan(kind: str, appliances: Iterable[Appliance], unmeasured: str) -> Plan:
    """A collection of such homes, whose mechanism is still to be chosen."""
    asked = tuple(appliances)
    return replace(
        preset("paper"),
        slot=SlotLength(24 // SLOTS_A_DAY[kind], "h") if SLOTS_A_DAY[kind] > 1 else SlotLength(1, "d"),
        window=WINDOW_DAYS * SLOTS_A_DAY[kind],
        method="lpu",
        decision=None,
        oracle="grr",
        mapping="dither",
        appliances=asked,
        appliances_per_report=len(asked),
        epsilon=len(asked) * APPLIANCE_EPSILON,
        unmeasured=unmeasured,
    )


def zero_plan(kind: str, typical: dict[str, PriorKnowledge], prior: str) -> Plan:
    """What is not measured is 0 W, so the mean is one over all homes."""
    known = {name: _over_all(name, one, kind, prior) for name, one in typical.items()}
    return _plan(kind, (_appliance(name, one) for name, one in known.items()), "zero")


def _over_all(name: str, typical: PriorKnowledge, kind: str, prior: str) -> PriorKnowledge:
    """Prior knowledge of all homes, those that do not measure it included.

    The catalogue's high is one of a day; a shorter slot sees the appliance run.
    """
    listed, factors = entry(name), PRIORS[prior]
    if factors is None and listed is not None:
        high = max(listed.typical_high, min(listed.rated, listed.typical_high * SLOTS_A_DAY[kind]))
        return PriorKnowledge(min(listed.typical_mean, high), high)
    one = _off(typical, factors or (1.0, 1.0))
    return PriorKnowledge(one.mean * MEASURED, one.high)


def answer_plan(kind: str, typical: dict[str, PriorKnowledge], prior: str) -> Plan:
    """Not measured is an answer; what the catalogue knows is left to it."""
    factors, appliances = PRIORS[prior], []
    for name, one in typical.items():
        appliance = _appliance(name, _off(one, factors or (1.0, 1.0)))
        if factors is None and entry(name) is not None:
            appliance = replace(appliance, typical_mean=None, typical_high=None)
        appliances.append(appliance)
    return _plan(kind, appliances, "answer")


def paper_plan(kind: str, typical: dict[str, PriorKnowledge], prior: str) -> Plan:
    """The paper's ranges and oracle, with the method of it that asks everyone in every slot."""
    tops = {name: _over_all(name, one, kind, prior).high for name, one in typical.items()}
    ranged = [
        Appliance.of(name, edges=(top * np.arange(1, RANGES) / (RANGES - 1)).tolist()) for name, top in tops.items()
    ]
    return replace(_plan(kind, ranged, "zero"), method="lbu", oracle="oue", mapping="range")


def _off(typical: PriorKnowledge, factors: tuple[float, float]) -> PriorKnowledge:
    """Knowledge that is off by a factor; a mean is never above the high."""
    high = typical.high * factors[1]
    return PriorKnowledge(min(typical.mean * factors[0], high), high)


def _appliance(name: str, known: PriorKnowledge) -> Appliance:
    return Appliance.of(
        name, values=[0.0, known.high], mapping="dither", typical_mean=known.mean, typical_high=known.high
    )


def _without_knowledge(plan: Plan) -> Plan:
    """The same levels, in a plan that does not say what is typical: its estimates are about clipped watts."""
    plain = (replace(one, typical_mean=None, typical_high=None) for one in plan.appliances)
    return replace(plan, appliances=tuple(plain))


def successor(estimates: Estimates, homes: int) -> Plan:
    """The plan advised from what an earlier collection published, and from nothing else."""
    learnt = learn_from_estimates(estimates.plan, document(estimates))
    return advise(
        estimates.plan, homes, sum(each.slots for each in estimates.slots), "watts", APPLIANCE_EPSILON, learnt
    ).best.plan
