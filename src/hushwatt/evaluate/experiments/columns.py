"""The three columns that are run: as printed, corrected, and hushwatt's, on the same homes."""

from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hushwatt.evaluate.experiments.experiment import HomesSpec, Job
from hushwatt.evaluate.experiments.homes import ABOUT, watts_of, with_prior_knowledge
from hushwatt.evaluate.generators.home_generator import Watts
from hushwatt.evaluate.paper_mechanism import collect, printed_counts, printed_totals
from hushwatt.fleet.simulate import simulate
from hushwatt.household.report.levels import ranged
from hushwatt.plan.plan import Plan
from hushwatt.privacy.advice import advise
from hushwatt.privacy.entropy import Simulation
from hushwatt.privacy.tails import is_real
from hushwatt.provider.estimate.estimate import estimate
from hushwatt.provider.estimate.results import Estimates
from hushwatt.provider.tally.tally import Tallies

Numbers = NDArray[np.float64]
NO_CAP = "none"
PAPERS_CAP = "paper"


def source_of(job: Job, plan: Plan, *labels: object) -> Simulation:
    """The noise of one repetition."""
    return Simulation(job.seed_for("noise", *labels), plan.id)


def true_counts(plan: Plan, watts: Watts) -> Numbers:
    """Homes at every level in every slot, slots × width."""
    parts = [
        np.stack([np.bincount(ranged(appliance, now), minlength=appliance.levels) for now in watts[:, :, place]])
        for place, appliance in enumerate(plan.appliances)
    ]
    return np.concatenate(parts, axis=1).astype(float)


def printed_reports(job: Job, plan: Plan, watts: Watts) -> Tallies:
    """The reports of homes that follow the paper to the letter."""
    return collect(plan, watts, watts.shape[1], source_of(job, plan))


def totals_as_printed(job: Job, plan: Plan, watts: Watts) -> Numbers:
    """Each appliance's energy by the paper's reports and the paper's estimator."""
    return printed_totals(plan, printed_counts(plan, printed_reports(job, plan, watts)))


def sound_estimates(job: Job, plan: Plan, watts: Watts, *labels: object, smooth: bool = False) -> Estimates:
    """What the provider estimates when homes follow the plan."""
    tallies = simulate(plan, watts, watts.shape[1], source_of(job, plan, *labels))
    return estimate(replace(plan, minimum_homes=1), tallies, consistency="none", smooth=smooth)


def counts_of(estimates: Estimates) -> Numbers:
    """Estimated homes at every level in every slot, slots × width."""
    return np.concatenate([each.levels for each in estimates.by_slot.values()], axis=1)


def watts_by_slot(estimates: Estimates) -> Numbers:
    """Estimated mean watts, slots × appliances."""
    return np.stack([each.watts for each in estimates.by_slot.values()], axis=1)


def period_watts(estimates: Estimates) -> Numbers:
    """Estimated mean watts over the whole period, one for each appliance; NaN where nobody spoke of it."""
    return np.array([np.nan if each is None else each.watts for each in estimates.by_period.values()])


def held_watts(plan: Plan, watts: Watts) -> Numbers:
    """What the plan's estimates of means aim at: what homes held when they drew, on the levels' watts.

    `range` knows a reading by the value of its level, `dither` cuts it off at the outer values, but aims at real
    watts where the plan knows a typical high; under LSP the slots between two draws repeat the first of them.
    """
    if plan.method == "lsp":
        watts = watts[np.arange(len(watts)) // plan.window * plan.window]
    if plan.mapping == "dither":
        tops = [np.inf if is_real(plan, place) else one.values[-1] for place, one in enumerate(plan.appliances)]
        ends = [(one.values[0], top) for one, top in zip(plan.appliances, tops, strict=True)]
        return np.array([np.clip(watts[:, :, place], *end).mean() for place, end in enumerate(ends)])
    return printed_totals(plan, true_counts(plan, watts)) / watts[:, :, 0].size


def advised(job: Job, plan: Plan, homes: HomesSpec, goal: str, cap: str = PAPERS_CAP) -> Plan:
    """The plan that `plan advise` picks, from prior knowledge of another population."""
    return _advised(plan, homes, goal, cap, job.seed, job.data)


@lru_cache(maxsize=256)
def _advised(plan: Plan, homes: HomesSpec, goal: str, cap: str, seed: int, data: Path | None) -> Plan:
    if homes.kind in ABOUT and goal == "ranking":
        elsewhere = Job("", 0, 0, seed, False, data)
        plan = with_prior_knowledge(plan, watts_of(homes, plan, elsewhere, "another population"))
    most = plan.epsilon // len(plan.appliances) if cap == PAPERS_CAP else None
    return advise(plan, homes.count, homes.slots, goal, most).best.plan
